/* SPDX-License-Identifier: MIT */
/* read_meta.h - the meta.json of a directory that is going to be changed: read whole, parsed, and written anew with
 * more entries. All other entries stay as they are, byte for byte, also those that nobody here knows. */
#ifndef JAG_CREATE_READ_META_H
#define JAG_CREATE_READ_META_H

#include "store/meta.h"

/* The meta.json in `dir_fd`; no symbolic link is followed. `text` and `meta` are the caller's to free, also after a
 * failure (meta points into text). *mode, if not NULL: its permission bits. -ENOENT there is none; -EINVAL it cannot be
 * parsed. `path` is for messages. */
int jag_read_meta(int dir_fd, const char *path, struct jag_buffer *text, struct jag_meta *meta, unsigned *mode,
		  struct jag_error *err);

/* `old`, a checked JSON object, with `entries` ("key":value,...) appended to its members. -EINVAL, -ENOMEM. */
int jag_meta_insert(const struct jag_buffer *old, const struct jag_buffer *entries, struct jag_buffer *out);

#endif
