/* SPDX-License-Identifier: MIT */
/* sequence_join.c - several sequences as one: end to end (jag_sequence_join), and whole tensors along dimension 0 as a
 * single element (jag_sequence_concat). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "sequence.h"

static void free_parts(struct jag_sequence **parts, size_t part_count)
{
	for (size_t i = 0; i < part_count; i++)
		jag_sequence_free(parts[i]);
}

/* -- end to end -- */

struct joined {
	struct jag_sequence base;
	size_t part_count;
	struct jag_sequence **parts;
	uint64_t *ends; /* ends[p]: elements in the parts 0..p; never decreases */
};

/* The first part that ends beyond i. Empty parts are passed over, because their end is that of the one before. */
static size_t part_of(const struct joined *joined, uint64_t i)
{
	size_t low = 0, high = joined->part_count - 1;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (joined->ends[mid] > i)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static int joined_locate(const struct jag_sequence *seq, uint64_t i, struct jag_element *out)
{
	const struct joined *joined = (const struct joined *)seq;
	size_t p = part_of(joined, i);
	return jag_sequence_locate(joined->parts[p], p ? i - joined->ends[p - 1] : i, out);
}

static int joined_dim_stats(const struct jag_sequence *seq, unsigned dim, struct jag_dim_stats *out)
{
	const struct joined *joined = (const struct joined *)seq;
	bool first = true;
	for (size_t p = 0; p < joined->part_count; p++) {
		struct jag_dim_stats part;
		if (joined->parts[p]->count == 0)
			continue;
		int rc = jag_sequence_dim_stats(joined->parts[p], dim, &part);
		if (rc)
			return rc;
		if (first) {
			*out = part;
			first = false;
			continue;
		}
		out->min = part.min < out->min ? part.min : out->min;
		out->max = part.max > out->max ? part.max : out->max;
		out->only_1_3 &= part.only_1_3;
		out->only_1_3_4 &= part.only_1_3_4;
		out->only_4 &= part.only_4;
		out->any_4 |= part.any_4;
	}
	return first ? -EINVAL : 0;
}

static void joined_finish(struct jag_sequence *seq)
{
	struct joined *joined = (struct joined *)seq;
	free_parts(joined->parts, joined->part_count);
	free(joined->parts);
	free(joined->ends);
}

static const struct jag_sequence_ops joined_ops = { joined_locate, joined_dim_stats, joined_finish };

/* Count, dtype and rank of the whole. Parts without elements say nothing about the rank. */
static int measure(struct joined *joined)
{
	struct jag_sequence *base = &joined->base;
	bool seen = false;
	base->dtype = joined->parts[0]->dtype;
	base->rank = joined->parts[0]->rank;
	for (size_t p = 0; p < joined->part_count; p++) {
		const struct jag_sequence *part = joined->parts[p];
		if (part->dtype != base->dtype)
			return -EINVAL;
		if (jag_checked_add(base->count, part->count, &base->count))
			return -EOVERFLOW;
		joined->ends[p] = base->count;
		if (part->count == 0)
			continue;
		base->rank = seen && base->rank != part->rank ? -1 : part->rank;
		seen = true;
	}
	return 0;
}

int jag_sequence_join(struct jag_sequence **parts, size_t part_count, struct jag_sequence **out)
{
	struct joined *joined = calloc(1, sizeof(*joined));
	int rc = -ENOMEM;
	if (!joined || part_count == 0) {
		rc = joined ? -EINVAL : rc;
		free(joined);
		free_parts(parts, part_count);
		return rc;
	}
	joined->base.ops = &joined_ops;
	joined->parts = calloc(part_count, sizeof(*joined->parts));
	joined->ends = calloc(part_count, sizeof(*joined->ends));
	if (joined->parts && joined->ends) {
		memcpy(joined->parts, parts, part_count * sizeof(*parts));
		joined->part_count = part_count;
		rc = measure(joined);
	} else {
		free_parts(parts, part_count);
	}
	if (rc) {
		jag_sequence_free(&joined->base);
		return rc;
	}
	*out = &joined->base;
	return 0;
}

/* -- one element in several pieces -- */

struct concat {
	struct jag_sequence base;
	struct jag_shape shape;
	uint64_t nbytes;
	size_t piece_count;
	struct jag_piece *pieces;
};

static int concat_locate(const struct jag_sequence *seq, uint64_t i, struct jag_element *out)
{
	const struct concat *concat = (const struct concat *)seq;
	(void)i;
	jag_shape_copy(&out->shape, &concat->shape);
	/* an element of one piece has it in `one`, always */
	if (concat->piece_count == 1) {
		jag_element_one_piece(out, concat->pieces[0].file, concat->pieces[0].offset, concat->nbytes);
		return 0;
	}
	out->nbytes = concat->nbytes;
	out->piece_count = concat->piece_count;
	out->pieces = concat->pieces;
	out->one = (struct jag_piece){ 0 };
	return 0;
}

static int concat_dim_stats(const struct jag_sequence *seq, unsigned dim, struct jag_dim_stats *out)
{
	*out = jag_dim_stats_of(((const struct concat *)seq)->shape.dims[dim]);
	return 0;
}

static void concat_finish(struct jag_sequence *seq)
{
	free(((struct concat *)seq)->pieces);
}

static const struct jag_sequence_ops concat_ops = { concat_locate, concat_dim_stats, concat_finish };

/* Add the one element of `whole` at the end. */
static int append_whole(struct concat *concat, const struct jag_sequence *whole, bool first)
{
	struct jag_element element;
	uint64_t rows;
	if (whole->count != 1)
		return -EINVAL;
	int rc = jag_sequence_locate(whole, 0, &element);
	if (rc)
		return rc;
	if (element.piece_count > 1 || element.shape.rank == 0)
		return -EINVAL;
	int64_t own_rows = element.shape.dims[0];
	if (first) {
		jag_shape_copy(&concat->shape, &element.shape);
	} else {
		element.shape.dims[0] = concat->shape.dims[0];
		if (!jag_shape_equal(&element.shape, &concat->shape))
			return -EINVAL;
		if (jag_checked_add((uint64_t)concat->shape.dims[0], (uint64_t)own_rows, &rows))
			return -EOVERFLOW;
		concat->shape.dims[0] = (int64_t)rows;
	}
	if (element.piece_count)
		concat->pieces[concat->piece_count++] = element.one;
	return jag_checked_add(concat->nbytes, element.nbytes, &concat->nbytes);
}

int jag_sequence_concat(struct jag_sequence **wholes, size_t whole_count, struct jag_sequence **out)
{
	struct concat *concat = calloc(1, sizeof(*concat));
	int rc = concat && whole_count ? 0 : -EINVAL;
	if (concat) {
		concat->base = (struct jag_sequence){ .ops = &concat_ops, .count = 1 };
		concat->pieces = calloc(whole_count + 1, sizeof(*concat->pieces));
	}
	if (!concat || !concat->pieces)
		rc = -ENOMEM;
	for (size_t i = 0; i < whole_count && rc == 0; i++)
		rc = append_whole(concat, wholes[i], i == 0);
	free_parts(wholes, whole_count);
	if (rc) {
		jag_sequence_free(concat ? &concat->base : NULL);
		return rc;
	}
	concat->base.dtype = concat->shape.dtype;
	concat->base.rank = (int)concat->shape.rank;
	*out = &concat->base;
	return 0;
}
