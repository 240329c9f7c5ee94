/* SPDX-License-Identifier: MIT */
/* ways.h - the ways in which tools replace the content of a file, and two in which they leave it half done. */
#ifndef JAG_STRESS_WAYS_H
#define JAG_STRESS_WAYS_H

#include <stddef.h>
#include <stdint.h>

enum way {
	WAY_IN_PLACE,    /* dd conv=notrunc: one pwrite of everything */
	WAY_TRUNCATE,    /* cp: O_TRUNC, pieces, close */
	WAY_FTRUNCATE,   /* vim: ftruncate(0) after the open */
	WAY_RENAME,      /* rsync: temporary file, rename */
	WAY_RENAME_SYNC, /* atomic writers: the same, with fsync before the rename */
	WAY_MAP,         /* numpy memmap w+: O_TRUNC, ftruncate(n), stores through a shared mapping */
	WAY_COUNT
};
extern const char *const way_names[WAY_COUNT];

/* "truncate,rename" -> bits 1 << way; 0 if a name is unknown. "all" is every way. */
unsigned ways_parse(const char *list);

/* One of the ways of the set. */
enum way ways_choose(unsigned set, uint64_t *random);

/* Replace the content of `path`. 0, or -errno of the first call that failed; *call names that call. */
int way_write(enum way way, const char *path, const void *bytes, size_t nbytes, uint64_t *random, const char **call);

/* Begin to replace `path` and do not finish: write a part after O_TRUNC and close (`renamed` 0), or write a part of a
 * temporary file and unlink it. The errno of close is the result: -EINVAL is what a mount answers to the first. */
int way_abandon(int renamed, const char *path, const void *bytes, size_t nbytes, uint64_t *random, const char **call);

#endif
