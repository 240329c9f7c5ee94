/* SPDX-License-Identifier: MIT */
/* readers.h - which opens for reading go past the page cache. A program that reads a large file in one piece gets it
 * twice as fast there; one that reads it in many small pieces (tar, md5sum) needs a request for each, and is better off
 * with the kernel's read-ahead. So each thread gets what its last files would have wanted. */
#ifndef JAG_MOUNT_READERS_H
#define JAG_MOUNT_READERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define JAG_READERS_COUNT 512 /* a power of two; threads that share a place forget each other */

/* All zero at first. Any thread may call any function. */
struct jag_readers {
	uint64_t slots[JAG_READERS_COUNT]; /* atomic; see readers.c */
};

/* Should this thread's open of a file of this size go past the page cache? */
bool jag_readers_direct(struct jag_readers *readers, pid_t tid, uint64_t size);

/* How a file was read that was opened so: READs, and what they asked for in all. */
void jag_readers_note(struct jag_readers *readers, pid_t tid, uint64_t size, uint64_t reads, uint64_t nbytes);

#endif
