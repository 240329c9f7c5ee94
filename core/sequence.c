/* SPDX-License-Identifier: MIT */
/* sequence.c - sequences that come from one leaf or one file, and the public functions of jag/sequence.h that ask any
 * sequence. Joined ones are in sequence_join.c, what is done with an element in element.c. */
#include "sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "nested.h"

void jag_element_one_piece(struct jag_element *element, struct jag_file *file, uint64_t offset, uint64_t nbytes)
{
	element->nbytes = nbytes;
	element->one = (struct jag_piece){ .file = file, .offset = offset, .nbytes = nbytes };
	element->piece_count = nbytes ? 1 : 0;
	element->pieces = nbytes ? &element->one : NULL;
}

struct jag_dim_stats jag_dim_stats_of(int64_t v)
{
	return (struct jag_dim_stats){
		.min = v,
		.max = v,
		.only_1_3 = v == 1 || v == 3,
		.only_1_3_4 = v == 1 || v == 3 || v == 4,
		.only_4 = v == 4,
		.any_4 = v == 4,
	};
}

/* -- equal elements, back to back: rows of a dense leaf, a whole leaf, a shape matrix, a file -- */

struct dense {
	struct jag_sequence base;
	struct jag_file *file;
	uint64_t offset;
	uint64_t element_nbytes;
	struct jag_shape shape; /* of every element */
};

static int dense_locate(const struct jag_sequence *seq, uint64_t i, struct jag_element *out)
{
	const struct dense *dense = (const struct dense *)seq;
	jag_shape_copy(&out->shape, &dense->shape);
	/* no overflow: count elements were measured against the file when the leaf was opened */
	jag_element_one_piece(out, dense->file, dense->offset + i * dense->element_nbytes, dense->element_nbytes);
	return 0;
}

static int dense_dim_stats(const struct jag_sequence *seq, unsigned dim, struct jag_dim_stats *out)
{
	*out = jag_dim_stats_of(((const struct dense *)seq)->shape.dims[dim]);
	return 0;
}

static const struct jag_sequence_ops dense_ops = { .locate = dense_locate, .dim_stats = dense_dim_stats };

/* `count` elements of `shape`; the shape's size must have been checked with the whole. */
static int make_dense(struct jag_file *file, uint64_t offset, uint64_t count, const struct jag_shape *shape,
		      struct jag_sequence **out)
{
	struct dense *dense = calloc(1, sizeof(*dense));
	if (!dense)
		return -ENOMEM;
	dense->base = (struct jag_sequence){ &dense_ops, count, shape->dtype, (int)shape->rank };
	dense->file = file;
	dense->offset = offset;
	jag_shape_copy(&dense->shape, shape);
	int rc = jag_shape_nbytes(shape, &dense->element_nbytes);
	if (rc) {
		free(dense);
		return rc;
	}
	*out = &dense->base;
	return 0;
}

/* -- components of a nested leaf -- */

struct nested {
	struct jag_sequence base;
	const struct jag_leaf *leaf;
};

static int nested_locate(const struct jag_sequence *seq, uint64_t i, struct jag_element *out)
{
	const struct jag_leaf *leaf = ((const struct nested *)seq)->leaf;
	uint64_t first = i, numel = 1, offset, nbytes;
	unsigned itemsize = jag_dtype_info(leaf->shape.dtype)->itemsize;
	out->shape.dtype = leaf->shape.dtype;
	out->shape.rank = leaf->shape.rank;
	/* rank 0: component i is element i, and there is no matrix */
	if (leaf->index) {
		int rc = jag_index_locate(leaf->index, i, out->shape.dims, &first);
		if (rc)
			return rc;
	}
	if (jag_shape_numel(&out->shape, &numel) || jag_checked_mul(first, itemsize, &offset) ||
	    jag_checked_mul(numel, itemsize, &nbytes) || !jag_range_inside(offset, nbytes, leaf->nbytes))
		return -EIO;
	jag_element_one_piece(out, leaf->data, leaf->data_offset + offset, nbytes);
	return 0;
}

static int nested_dim_stats(const struct jag_sequence *seq, unsigned dim, struct jag_dim_stats *out)
{
	*out = ((const struct nested *)seq)->leaf->dims[dim];
	return 0;
}

static const struct jag_sequence_ops nested_ops = { .locate = nested_locate, .dim_stats = nested_dim_stats };

static int make_nested(const struct jag_leaf *leaf, struct jag_sequence **out)
{
	struct nested *nested = calloc(1, sizeof(*nested));
	if (!nested)
		return -ENOMEM;
	nested->base = (struct jag_sequence){ &nested_ops, leaf->count, leaf->shape.dtype, (int)leaf->shape.rank };
	nested->leaf = leaf;
	*out = &nested->base;
	return 0;
}

/* -- making -- */

int jag_sequence_of_leaf(const struct jag_leaf *leaf, unsigned batch_rank, struct jag_sequence **out)
{
	if (leaf->fault)
		return -EINVAL;
	if (leaf->nested)
		return make_nested(leaf, out);
	if (batch_rank > leaf->shape.rank)
		return -EINVAL;
	struct jag_shape row = { .dtype = leaf->shape.dtype, .rank = leaf->shape.rank - batch_rank };
	uint64_t count;
	memcpy(row.dims, leaf->shape.dims + batch_rank, row.rank * sizeof(*row.dims));
	int rc = jag_checked_product(leaf->shape.dims, batch_rank, &count);
	return rc ? rc : make_dense(leaf->data, leaf->data_offset, count, &row, out);
}

int jag_sequence_whole(const struct jag_leaf *leaf, struct jag_sequence **out)
{
	return leaf->nested ? -EINVAL : jag_sequence_of_leaf(leaf, 0, out);
}

int jag_sequence_shape_matrix(const struct jag_leaf *leaf, struct jag_sequence **out)
{
	if (!leaf->nested || leaf->fault)
		return -EINVAL;
	struct jag_shape shape = { .dtype = JAG_INT64, .rank = 2, .dims = { (int64_t)leaf->count, leaf->shape.rank } };
	return make_dense(leaf->shapes, leaf->shapes_offset, 1, &shape, out);
}

int jag_sequence_file(struct jag_file *file, uint64_t offset, uint64_t nbytes, struct jag_sequence **out)
{
	struct jag_shape shape = { .dtype = JAG_UINT8, .rank = 1, .dims = { (int64_t)nbytes } };
	return nbytes > JAG_SIZE_LIMIT ? -EOVERFLOW : make_dense(file, offset, 1, &shape, out);
}

void jag_sequence_free(struct jag_sequence *seq)
{
	if (seq && seq->ops->finish)
		seq->ops->finish(seq);
	free(seq);
}

/* -- asking -- */

uint64_t jag_sequence_count(const struct jag_sequence *seq)
{
	return seq->count;
}

enum jag_dtype jag_sequence_dtype(const struct jag_sequence *seq)
{
	return seq->dtype;
}

int jag_sequence_rank(const struct jag_sequence *seq)
{
	return seq->rank;
}

int jag_sequence_dim_stats(const struct jag_sequence *seq, unsigned dim, struct jag_dim_stats *out)
{
	if (seq->count == 0 || seq->rank < 0 || dim >= (unsigned)seq->rank)
		return -EINVAL;
	return seq->ops->dim_stats(seq, dim, out);
}

int jag_sequence_locate(const struct jag_sequence *seq, uint64_t i, struct jag_element *out)
{
	return i < seq->count ? seq->ops->locate(seq, i, out) : -ERANGE;
}
