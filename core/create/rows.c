/* SPDX-License-Identifier: MIT */
/* rows.c - shape matrices of nested leaves in the making: read in blocks, checked, summed up. */
#include "create_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_NBYTES 65536

int jag_rows_next(struct jag_rows_walk *walk)
{
	const struct jag_rows *rows = walk->rows;
	uint64_t step = BLOCK_NBYTES / (rows->rank * sizeof(*walk->block));
	walk->first += walk->n;
	walk->n = rows->count - walk->first < step ? rows->count - walk->first : step;
	if (!walk->n)
		return 0;
	if (!walk->block)
		walk->block = malloc(step * rows->rank * sizeof(*walk->block));
	if (!walk->block)
		return -ENOMEM;
	if (rows->fetch) {
		int rc = rows->fetch(rows->ctx, walk->first, walk->n, walk->block);
		return rc ? rc : 1;
	}
	memcpy(walk->block, rows->values + walk->first * rows->rank, walk->n * rows->rank * sizeof(*walk->block));
	return 1;
}

/* One row: sizes are >= 0, the product fits, and further batch dimensions agree with the batch size. */
static int check_row(const struct jag_create_dir *dir, const char *key, uint64_t index, const int64_t *row,
		     unsigned rank, uint64_t *total, struct jag_error *err)
{
	uint64_t numel = 1;
	bool zero = false, overflow = false;
	for (unsigned d = 0; d < rank; d++) {
		if (row[d] < 0)
			return jag_error_set(err, -EINVAL, key, 0,
					     "row %" PRIu64 " of the shapes has the negative size %" PRId64, index,
					     row[d]);
		if (d + 1 < dir->batch_rank && row[d] != dir->batch[d + 1])
			return jag_error_set(err, -EINVAL, key, 0,
					     "row %" PRIu64 " of the shapes does not fit the batch size", index);
		zero = zero || !row[d];
		overflow = overflow || __builtin_mul_overflow(numel, (uint64_t)row[d], &numel);
	}
	/* A zero size makes the product zero, however large the others are. */
	if (zero)
		return 0;
	if (overflow || __builtin_add_overflow(*total, numel, total) || *total > INT64_MAX)
		return jag_error_set(err, -EOVERFLOW, key, 0,
				     "the shapes up to row %" PRIu64 " hold more than 2^63 elements", index);
	return 0;
}

int jag_rows_check(const struct jag_rows *rows, const struct jag_create_dir *dir, const char *key,
		   struct jag_rows_sum *sum, struct jag_error *err)
{
	sum->numel = 0;
	if (rows->rank > JAG_MAX_RANK)
		return jag_error_set(err, -EINVAL, key, 0, "elements have at most %d dimensions", JAG_MAX_RANK);
	if (rows->count > INT64_MAX || (dir->batch_rank && rows->count != (uint64_t)dir->batch[0]))
		return jag_error_set(err, -EINVAL, key, 0, "%" PRIu64 " elements do not fit the batch size",
				     rows->count);
	if (dir->batch_rank > rows->rank + 1)
		return jag_error_set(err, -EINVAL, key, 0, "the batch size has more dimensions than the elements");
	if (!rows->rank) {
		sum->numel = rows->count;
		return 0;
	}
	struct jag_rows_walk walk = { .rows = rows };
	int rc = 0, bad = 0;
	while (!bad && (rc = jag_rows_next(&walk)) > 0)
		for (uint64_t i = 0; i < walk.n && !bad; i++)
			bad = check_row(dir, key, walk.first + i, walk.block + i * rows->rank, rows->rank, &sum->numel,
					err);
	free(walk.block);
	if (rc < 0)
		return jag_error_set(err, rc, key, 0, "cannot read the shapes: %s", strerror(-rc));
	return bad;
}
