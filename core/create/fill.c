/* SPDX-License-Identifier: MIT */
/* fill.c - leaves of one value, leaves like others, and a store in the making seen as a store. */
#include "create_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "pipeline/workers.h"

#define BLOCK_NBYTES (size_t)(1 << 20) /* a multiple of every itemsize */

struct fill {
	struct jag_create_leaf *leaf;
	uint8_t *block; /* BLOCK_NBYTES of the pattern */
};

static int fill_blocks(void *ctx, struct jag_range *range, struct jag_error *err)
{
	const struct fill *fill = ctx;
	uint64_t nbytes = fill->leaf->nbytes;
	for (uint64_t i = range->first; i < range->first + range->n; i++) {
		uint64_t at = i * BLOCK_NBYTES, n = nbytes - at < BLOCK_NBYTES ? nbytes - at : BLOCK_NBYTES;
		int rc = jag_create_write(fill->leaf, fill->block, (size_t)n, at);
		range->failed_at = i;
		range->nbytes += n;
		if (rc)
			return jag_error_set(err, rc, fill->leaf->create->place.path, 0, "cannot fill %s: %s",
					     fill->leaf->data_path, strerror(-rc));
	}
	return 0;
}

static bool all_zero(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i])
			return false;
	return true;
}

int jag_create_fill(struct jag_create_leaf *leaf, const struct jag_scalar *value, unsigned workers,
		    struct jag_error *err)
{
	uint8_t item[16] = { 0 };
	size_t size = jag_dtype_info(leaf->shape.dtype)->itemsize;
	int rc = jag_scalar_store(value, leaf->shape.dtype, item);
	if (rc || all_zero(item, size))
		return rc;
	struct fill fill = { .leaf = leaf };
	uint8_t *block JAG_AUTO_FREE = malloc(BLOCK_NBYTES);
	if (!block)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	for (size_t i = 0; i < BLOCK_NBYTES; i += size)
		memcpy(block + i, item, size);
	fill.block = block;
	struct jag_workers job = { .count = workers,
				   .total = (leaf->nbytes + BLOCK_NBYTES - 1) / BLOCK_NBYTES,
				   .watch = leaf->create->watch,
				   .phase = JAG_PHASE_WORK,
				   .nbytes_total = leaf->nbytes,
				   .work = fill_blocks,
				   .ctx = &fill };
	rc = jag_workers_run(&job, err);
	return rc ? jag_create_check_gone(leaf->create, rc, err) : 0;
}

/* Rows of another leaf's shape matrix; ctx is the matrix as a sequence of one element. */
static int rows_of_matrix(void *ctx, uint64_t first, uint64_t n, int64_t *out)
{
	struct jag_element matrix;
	int rc = jag_sequence_locate(ctx, 0, &matrix);
	if (rc)
		return rc;
	size_t row = (size_t)matrix.shape.dims[1] * sizeof(*out);
	return jag_element_read(&matrix, out, n * row, first * row);
}

int jag_create_like(struct jag_create_dir *dir, const char *key, const struct jag_leaf *like, enum jag_dtype dtype,
		    struct jag_create_leaf **out, struct jag_error *err)
{
	if (like->fault)
		return jag_error_set(err, like->fault, like->path, 0, "%s", like->fault_text);
	struct jag_shape shape;
	jag_shape_copy(&shape, &like->shape);
	if (dtype != JAG_DTYPE_NONE)
		shape.dtype = dtype;
	if (!like->nested)
		return jag_create_dense(dir, key, &shape, out, err);
	struct jag_rows rows = { .count = like->count, .rank = shape.rank };
	struct jag_sequence *matrix = NULL;
	int rc = 0;
	if (rows.count && rows.rank) {
		rc = jag_sequence_shape_matrix(like, &matrix);
		if (rc)
			return jag_error_set(err, rc, like->path, 0, "its shapes cannot be read: %s", strerror(-rc));
		rows.fetch = rows_of_matrix;
		rows.ctx = matrix;
	}
	rc = jag_create_nested(dir, key, shape.dtype, &rows, out, err);
	if (rc)
		jag_sequence_free(matrix);
	else
		(*out)->matrix = matrix;
	return rc;
}

int jag_create_store(struct jag_create *create, struct jag_store **out, struct jag_error *err)
{
	char *path JAG_AUTO_FREE = NULL;
	int rc = jag_create_write_meta(create->root, err);
	if (rc)
		return rc;
	if (asprintf(&path, "%s/%s", create->place.parent_path, create->place.temp) < 0) {
		path = NULL;
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	}
	return jag_store_open(path, JAG_STORE_WRITE, out, err);
}

int jag_create_sequence(struct jag_create *create, const char *key, struct jag_sequence **out, struct jag_error *err)
{
	struct jag_entry entry;
	int rc = create->place.temp ? 0 : jag_create_allocate(create, err);
	if (!rc && !create->view)
		rc = jag_create_store(create, &create->view, err);
	if (rc)
		return rc;
	rc = jag_store_find(create->view, key, &entry);
	if (rc || entry.type != JAG_ENTRY_LEAF)
		return jag_error_set(err, -ENOENT, key, 0, "is no leaf of the store in the making");
	rc = jag_sequence_of_leaf(entry.leaf, entry.leaf->nested || entry.leaf->shape.rank ? 1 : 0, out);
	return rc ? jag_error_set(err, rc, key, 0, "is no sequence: %s", strerror(-rc)) : 0;
}
