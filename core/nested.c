/* SPDX-License-Identifier: MIT */
/* nested.c - building and asking the sparse prefix sums of nested.h. */
#include "nested.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "cleanup.h"
#include "store/file.h"

struct jag_index {
	const struct jag_file *file;
	uint64_t offset;
	uint64_t n;
	unsigned d;
	/* prefix[b]: elements before row b * 64; one more for the total. Never decreases. */
	uint64_t prefix[];
};

/* What one dimension has been seen to be; turned into jag_dim_stats at the end. */
enum { SEEN_1 = 1, SEEN_3 = 2, SEEN_4 = 4, SEEN_OTHER = 8 };

struct dim_seen {
	int64_t min, max;
	unsigned seen;
};

struct pass {
	struct jag_index *index;
	struct dim_seen seen[JAG_MAX_RANK];
	uint64_t row;   /* rows done */
	uint64_t total; /* elements in them */
	struct jag_error *err;
};

/* One read of the pass: as many whole blocks of rows as fit, at least one (64 rows of 64 dimensions are 32 KiB). It
 * stays in the second-level cache. */
#define PASS_NBYTES ((size_t)128 << 10)

static uint64_t block_count(uint64_t n)
{
	return (n + JAG_INDEX_BLOCK - 1) / JAG_INDEX_BLOCK;
}

/* Elements of one row. Sizes below 2^20 cannot overflow in three dimensions, and neither is then negative; that is one
 * test for nearly every row. `d` is a constant in most callers, so the loops unroll. */
static inline __attribute__((always_inline)) int row_numel(const int64_t *row, unsigned d, uint64_t *numel)
{
	uint64_t any = 0, product = 1;
	if (d > 3)
		return jag_checked_product(row, d, numel);
	for (unsigned k = 0; k < d; k++) {
		any |= (uint64_t)row[k];
		product *= (uint64_t)row[k];
	}
	if (any >> 20)
		return jag_checked_product(row, d, numel);
	*numel = product;
	return 0;
}

/* -- the pass -- */

static int refuse_row(struct pass *pass, const int64_t *row, int code)
{
	struct jag_shape shape = { .dtype = JAG_INT64, .rank = pass->index->d };
	char text[128];
	memcpy(shape.dims, row, shape.rank * sizeof(*row));
	uint64_t at = pass->index->offset + pass->row * shape.rank * sizeof(*row);
	return jag_error_set(pass->err, code, NULL, at, "row %llu is %s: %s", (unsigned long long)pass->row,
			     jag_shape_text(&shape, text, sizeof(text)),
			     code == -EINVAL ? "a size is negative" : "more than 2^63-1 elements up to here");
}

static inline void note_dim(struct dim_seen *dim, int64_t v)
{
	static const uint8_t bits[5] = { SEEN_OTHER, SEEN_1, SEEN_OTHER, SEEN_3, SEEN_4 };
	dim->min = v < dim->min ? v : dim->min;
	dim->max = v > dim->max ? v : dim->max;
	dim->seen |= (uint64_t)v < sizeof(bits) ? bits[v] : SEEN_OTHER;
}

/* At most a block of rows, of which the first begins one. `seen` is a local array of the caller: with a constant d it
 * lives in registers. The row that was refused is pass->row. */
static inline __attribute__((always_inline)) int add_block(struct pass *pass, struct dim_seen *seen,
							   const int64_t *rows, size_t count, unsigned d)
{
	uint64_t total = pass->total;
	pass->index->prefix[pass->row / JAG_INDEX_BLOCK] = total;
	for (size_t r = 0; r < count; r++, rows += d) {
		uint64_t numel;
		int rc = row_numel(rows, d, &numel);
		if (rc == 0)
			rc = jag_checked_add(total, numel, &total);
		if (rc) {
			pass->row += r;
			return refuse_row(pass, rows, rc);
		}
		for (unsigned k = 0; k < d; k++)
			note_dim(&seen[k], rows[k]);
	}
	pass->total = total;
	pass->row += count;
	return 0;
}

static inline __attribute__((always_inline)) int add_blocks(struct pass *pass, const int64_t *rows, size_t count,
							    unsigned d)
{
	struct dim_seen seen[JAG_MAX_RANK];
	int rc = 0;
	memcpy(seen, pass->seen, d * sizeof(*seen));
	while (count > 0 && rc == 0) {
		size_t n = count < JAG_INDEX_BLOCK ? count : JAG_INDEX_BLOCK;
		rc = add_block(pass, seen, rows, n, d);
		rows += n * d;
		count -= n;
	}
	memcpy(pass->seen, seen, d * sizeof(*seen));
	return rc;
}

/* Whole blocks, except at the end of the matrix. Images have three dimensions or two; those are worth their own code. */
static int add_rows(struct pass *pass, const int64_t *rows, size_t count)
{
	switch (pass->index->d) {
	case 1:
		return add_blocks(pass, rows, count, 1);
	case 2:
		return add_blocks(pass, rows, count, 2);
	case 3:
		return add_blocks(pass, rows, count, 3);
	default:
		return add_blocks(pass, rows, count, pass->index->d);
	}
}

static int scan(struct pass *pass)
{
	struct jag_index *index = pass->index;
	size_t row_nbytes = index->d * sizeof(int64_t);
	int64_t *buf JAG_AUTO_FREE = malloc(PASS_NBYTES);
	if (!buf)
		return jag_error_set(pass->err, -ENOMEM, NULL, 0, "out of memory");
	while (pass->row < index->n) {
		uint64_t left = index->n - pass->row;
		size_t count = PASS_NBYTES / (row_nbytes * JAG_INDEX_BLOCK) * JAG_INDEX_BLOCK;
		count = left < count ? (size_t)left : count;
		uint64_t at = index->offset + pass->row * row_nbytes;
		int rc = jag_file_read_quick(index->file, buf, count * row_nbytes, at);
		if (rc)
			return jag_error_set(pass->err, rc, NULL, at, "cannot read the shape matrix: %s",
					     strerror(-rc));
		rc = add_rows(pass, buf, count);
		if (rc)
			return rc;
	}
	index->prefix[block_count(index->n)] = pass->total;
	return 0;
}

static void finish_stats(const struct pass *pass, struct jag_dim_stats *dims)
{
	for (unsigned k = 0; k < pass->index->d; k++) {
		const struct dim_seen *dim = &pass->seen[k];
		dims[k] = (struct jag_dim_stats){
			.min = dim->min,
			.max = dim->max,
			.only_1_3 = !(dim->seen & ~(unsigned)(SEEN_1 | SEEN_3)),
			.only_1_3_4 = !(dim->seen & SEEN_OTHER),
			.only_4 = dim->seen == SEEN_4,
			.any_4 = (dim->seen & SEEN_4) != 0,
		};
	}
}

int jag_index_build(const struct jag_file *file, uint64_t offset, uint64_t n, unsigned d, struct jag_index **out,
		    struct jag_dim_stats *dims, struct jag_error *err)
{
	uint64_t nbytes;
	if (jag_checked_mul(block_count(n) + 1, sizeof(uint64_t), &nbytes))
		return jag_error_set(err, -EOVERFLOW, NULL, 0, "too many rows");
	struct jag_index *index JAG_AUTO_FREE = calloc(1, sizeof(*index) + nbytes);
	if (!index)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory for %llu rows", (unsigned long long)n);
	index->file = file;
	index->offset = offset;
	index->n = n;
	index->d = d;
	struct pass pass = { .index = index, .err = err };
	for (unsigned k = 0; k < d; k++)
		pass.seen[k] = (struct dim_seen){ .min = INT64_MAX, .max = INT64_MIN };
	int rc = scan(&pass);
	if (rc)
		return rc;
	finish_stats(&pass, dims);
	*out = JAG_STEAL(index);
	return 0;
}

uint64_t jag_index_numel(const struct jag_index *index)
{
	return index->prefix[block_count(index->n)];
}

void jag_index_free(struct jag_index *index)
{
	free(index);
}

/* -- asking -- */

/* Add up the rows of a block from `running`: the sum before row `want`, and the sum of all. */
static inline __attribute__((always_inline)) int sum_block(const int64_t *rows, size_t count, unsigned d, size_t want,
							   uint64_t *before, uint64_t *running)
{
	for (size_t r = 0; r < count; r++, rows += d) {
		uint64_t numel;
		if (r == want)
			*before = *running;
		if (row_numel(rows, d, &numel) || jag_checked_add(*running, numel, running))
			return -EIO;
	}
	return 0;
}

/* The sum must come out at the next prefix exactly; on the way it cannot pass it, because the additions are checked
 * and no product is negative. So a matrix that was changed is noticed unless the block's sum is the same, and then
 * every offset still lies inside the block. */
int jag_index_locate(const struct jag_index *index, uint64_t i, int64_t *dims, uint64_t *first_element)
{
	int64_t rows[JAG_INDEX_BLOCK * JAG_MAX_RANK]; /* 32 KiB for 64 dimensions; only what is read is touched */
	uint64_t block = i / JAG_INDEX_BLOCK, first_row = block * JAG_INDEX_BLOCK, left = index->n - first_row;
	size_t count = left < JAG_INDEX_BLOCK ? (size_t)left : JAG_INDEX_BLOCK, want = (size_t)(i - first_row);
	unsigned d = index->d;
	size_t row_nbytes = d * sizeof(int64_t);
	int rc = jag_file_read_quick(index->file, rows, count * row_nbytes, index->offset + first_row * row_nbytes);
	if (rc)
		return rc == -ESTALE ? rc : -EIO;
	uint64_t running = index->prefix[block];
	if (d == 3)
		rc = sum_block(rows, count, 3, want, first_element, &running);
	else
		rc = sum_block(rows, count, d, want, first_element, &running);
	if (rc || running != index->prefix[block + 1])
		return -EIO;
	memcpy(dims, rows + want * d, row_nbytes);
	return 0;
}
