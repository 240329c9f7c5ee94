/* SPDX-License-Identifier: MIT */
/* scratch.h - what a thread keeps from one READ to the next: a buffer, and a pipe for replies without a copy. */
#ifndef JAG_MOUNT_SCRATCH_H
#define JAG_MOUNT_SCRATCH_H

#include <pthread.h>
#include <stddef.h>

#include "jag/content.h"

/* For the whole mount. 0 or -errno. */
int jag_scratch_init(pthread_key_t *key);

/* Also frees what the calling thread has; other threads have ended. */
void jag_scratch_finish(pthread_key_t key);

/* A buffer of this thread, at least `nbytes` long; NULL: out of memory. */
void *jag_scratch_buffer(pthread_key_t key, size_t nbytes);

/* The READ that this thread is serving: its number for the kernel (0: none), and where the answer goes. */
struct jag_request {
	uint64_t unique;
	int fd;
};
void jag_scratch_set_request(pthread_key_t key, int fd, uint64_t unique);
struct jag_request jag_scratch_request(pthread_key_t key);

/* Put a reply's head and the range into this thread's pipe: references to the pages of its file, not copies. The pipe's
 * end to read from; the caller empties it, or calls jag_scratch_drop_pipe(). -EOPNOTSUPP: the pipe has no room for so
 * much, or the file knows no splice; -EIO: the file ends before. */
int jag_scratch_fill_pipe(pthread_key_t key, const void *head, size_t head_nbytes,
			  const struct jag_content_range *range);
void jag_scratch_drop_pipe(pthread_key_t key);

#endif
