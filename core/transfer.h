/* SPDX-License-Identifier: MIT */
/* transfer.h - reads and writes that go on until all is done: a system call may do a part of it, or be interrupted.
 * All return 0 or -errno. */
#ifndef JAG_TRANSFER_H
#define JAG_TRANSFER_H

#include "jag/buffer.h"

/* -EIO: the file ends before offset + n. */
int jag_read_at(int fd, void *dst, size_t n, uint64_t offset);
int jag_write_at(int fd, const void *src, size_t n, uint64_t offset);

/* Read on from where `fd` stands until `buf` has `nbytes` in all, or the file ends: that is no error. -ENOMEM. */
int jag_read_on(int fd, struct jag_buffer *buf, size_t nbytes);

#endif
