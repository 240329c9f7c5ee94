/* SPDX-License-Identifier: MIT */
/* buffer.h - a growable run of bytes that encoders append to and decoders fill. A call that fails leaves the contents
 * as they were, except where it says otherwise.
 *
 * Threads: a buffer belongs to one thread at a time. */
#ifndef JAG_BUFFER_H
#define JAG_BUFFER_H

#include "jag/api.h"

/* {0} is an empty buffer. data is malloc memory owned by the buffer. */
struct jag_buffer {
	uint8_t *data;
	size_t nbytes;   /* used */
	size_t capacity; /* allocated */
};

/* Room for `nbytes` in all (not more); contents kept. -ENOMEM. */
JAG_API int jag_buffer_reserve(struct jag_buffer *buf, size_t nbytes);

/* Append; grows geometrically. -ENOMEM. */
JAG_API int jag_buffer_append(struct jag_buffer *buf, const void *bytes, size_t nbytes);

/* Append the whole file at `path` (regular files only). -ENOENT, -EACCES, -EIO and so on; -EINVAL it is no regular
 * file; -ENOMEM. After an error a part of the file may have been appended. */
JAG_API int jag_buffer_load(struct jag_buffer *buf, const char *path);

/* Release the memory and make it {0} again. */
JAG_API void jag_buffer_free(struct jag_buffer *buf);

#endif
