/* SPDX-License-Identifier: MIT */
/* map.h - a function over the elements of a sequence on several threads; one element into many; setting an element
 * from a value of another dtype or shape; and copying a whole store.
 *
 * Results can go to any sequence that can be written: one of a store opened with JAG_STORE_WRITE, or of a store in the
 * making (jag_create_store()), which leaves nothing behind when the work fails.
 *
 * Threads: each call starts its own and has joined them when it returns. Two may run at a time unless they write the
 * same elements. `workers` is 0 for one thread for each CPU, 1 for the calling thread alone.
 */
#ifndef JAG_MAP_H
#define JAG_MAP_H

#include "jag/create.h"
#include "jag/progress.h"
#include "jag/sequence.h"

/* One call of a map's function. All memory is the worker's own and reused for its next element. */
struct jag_map_item {
	uint64_t index;
	unsigned worker;    /* 0 .. workers-1; calls with the same number never overlap: the index of scratch memory */
	struct jag_view in; /* the source's element, a copy; data is NULL if there is no source */
	const struct jag_shape *out_shape; /* of the destination's element; NULL if there is none */
	uint8_t *out;                      /* its bytes, zeros: to be filled in */
	uint64_t out_nbytes;
};

struct jag_map {
	const struct jag_sequence *source;      /* NULL: none; the count is that of dest */
	const struct jag_sequence *destination; /* NULL: results are the function's own business */

	/* 0, or -errno with `err` filled: then no more elements are begun, and jag_map() returns this. */
	int (*call)(void *ctx, struct jag_map_item *item, struct jag_error *err);
	void *ctx;
	unsigned workers;        /* 0: one for each CPU; 1: the calling thread */
	struct jag_watch *watch; /* may be NULL; JAG_PHASE_WORK, bytes are those of the results */
};

/* Threads that the map will use: for sizing scratch memory. */
JAG_API unsigned jag_map_workers(const struct jag_map *map);

/* Call it for every element. Result i goes to element i, whatever order they are done in. -EINVAL the counts differ, or
 * there is neither source nor destination; else the error of the lowest failing index. Elements that were done stay.
 * -ECANCELED; -EIO, -ESTALE, -EROFS, -ENOSPC from the files. */
JAG_API int jag_map(const struct jag_map *map, struct jag_error *err);

/* Every element of `destination` becomes a copy of `element` (the dense [N, ...] of one [...]). All must have its
 * dtype and shape (-EINVAL, nothing is written). Other errors as jag_map(). */
JAG_API int jag_expand(const struct jag_element *element, const struct jag_sequence *destination, unsigned workers,
		       struct jag_watch *watch, struct jag_error *err);

/* Store `value` into an element, as td[i].set_() does: the dtype is cast (see scalar.h), the shape must be the
 * element's or broadcast to it (aligned at the last dimension, each size equal or 1). -EINVAL otherwise, and nothing
 * is written; else as jag_element_write(). */
JAG_API int jag_element_set(const struct jag_element *element, const struct jag_view *value, struct jag_error *err);

/* Copy the store in the directory `source` to `target`, file by file, in parallel; holes stay holes, symbolic links
 * stay links. `flags` JAG_CREATE_FORCE, JAG_CREATE_NOSYNC and errors as jag_create_new(); -EINVAL `source` is no
 * store. */
JAG_API int jag_copy_store(const char *source, const char *target, unsigned flags, unsigned workers,
			   struct jag_watch *watch, struct jag_error *err);

#endif
