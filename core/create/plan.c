/* SPDX-License-Identifier: MIT */
/* plan.c - the leaves of a store in the making: shapes, sizes and batch sizes. Everything that can be refused is
 * refused here, while nothing is on the disk. */
#include "create_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA_SUFFIX ".memmap"
#define SHAPES_SUFFIX ".shape.memmap"

/* What the leaf is called, and which files it has. On failure the caller frees the leaf. */
static int add_leaf(struct jag_create_dir *dir, const char *key, struct jag_create_leaf *leaf, struct jag_error *err)
{
	int rc = jag_create_take_name(dir, key, DATA_SUFFIX, err);
	if (rc)
		return rc;
	leaf->data_path = jag_create_taken_path(dir);
	if (leaf->nested) {
		rc = jag_create_take_name(dir, key, SHAPES_SUFFIX, err);
		if (rc)
			return rc;
		if (leaf->count && leaf->shape.rank)
			leaf->shapes_path = jag_create_taken_path(dir);
	}
	if (leaf->adopted && leaf->data_path)
		rc = jag_create_adopt_check(leaf, key, err);
	struct jag_create_entry *entry;
	if (!rc)
		rc = jag_create_new_entry(dir, key, &entry);
	if (rc)
		return rc;
	entry->type = JAG_CREATE_LEAF;
	entry->path = jag_create_key_path(dir, key);
	if (!leaf->data_path || !entry->path)
		return jag_create_forget_entry(entry, -ENOMEM);
	entry->leaf = leaf;
	dir->entry_count++;
	return 0;
}

static void leaf_notes(struct jag_create_dir *dir, const char *key, const struct jag_create_leaf *leaf)
{
	char *path = jag_create_key_path(dir, key);
	char text[160];
	struct jag_create *create = dir->create;
	const struct jag_dtype_info *info = jag_dtype_info(leaf->shape.dtype);
	if (!info->loadable) {
		snprintf(text, sizeof(text), "tensordict cannot load %s", info->torch);
		jag_create_say(create, path ? path : key, text);
	}
	if (leaf->nested && leaf->numel > JAG_NESTED_LOADABLE_MAX) {
		snprintf(text, sizeof(text),
			 "tensordict cannot load nested leaves of more than %" PRId64 " scalars; this one has %" PRIu64,
			 JAG_NESTED_LOADABLE_MAX, leaf->numel);
		jag_create_say(create, path ? path : key, text);
	}
	if (leaf->nested && !leaf->numel)
		jag_create_say(create, path ? path : key,
			       "tensordict drops nested leaves without any element when it loads");
	if (!leaf->nested && !leaf->numel)
		jag_create_say(create, path ? path : key,
			       "tensordict loads dense leaves without any element from version 0.14 on");
	/* older releases take the key itself for the file name, and leave it out without a word where that differs */
	const char *data = strrchr(leaf->data_path, '/'), *encoded = strchr(leaf->data_path, '%');
	if (encoded) {
		snprintf(text, sizeof(text), "tensordict finds a key with such characters from version %s on",
			 data && encoded < data ? "0.14" : "0.13");
		jag_create_say(create, path ? path : key, text);
	}
	free(path);
}

static int count_bytes(struct jag_create *create, const struct jag_create_leaf *leaf, const char *key,
		       struct jag_error *err)
{
	uint64_t shapes = 0, sum;
	if (leaf->nested && (__builtin_mul_overflow(leaf->count, leaf->shape.rank * sizeof(int64_t), &shapes)))
		return jag_error_set(err, -EOVERFLOW, key, 0, "the shape matrix is larger than 2^63 bytes");
	uint64_t data = leaf->adopted ? 0 : leaf->nbytes;
	if (__builtin_add_overflow(data, shapes, &sum) || __builtin_add_overflow(create->nbytes, sum, &sum) ||
	    sum > INT64_MAX)
		return jag_error_set(err, -EOVERFLOW, key, 0, "the store would be larger than 2^63 bytes");
	create->nbytes = sum;
	return 0;
}

static int check_dtype(enum jag_dtype dtype, const char *key, struct jag_error *err)
{
	if (!jag_dtype_info(dtype)->itemsize)
		return jag_error_set(err, -EINVAL, key, 0, "unknown dtype");
	return 0;
}

static int fits_batch(const struct jag_create_dir *dir, const struct jag_shape *shape)
{
	if (shape->rank < dir->batch_rank)
		return 0;
	return !memcmp(shape->dims, dir->batch, dir->batch_rank * sizeof(int64_t));
}

static int finish_leaf(struct jag_create_dir *dir, const char *key, struct jag_create_leaf *leaf,
		       struct jag_create_leaf **out, struct jag_error *err)
{
	struct jag_create *create = dir->create;
	uint64_t before = create->nbytes;
	leaf->create = create;
	leaf->adopted = create->adopt;
	create->adopt = NULL;
	atomic_init(&leaf->fd, -1);
	leaf->adopt_fd = -1;
	int rc = count_bytes(create, leaf, key, err);
	if (!rc)
		rc = add_leaf(dir, key, leaf, err);
	if (rc) {
		create->nbytes = before;
		free(leaf->data_path);
		free(leaf->shapes_path);
		free(leaf->adopted);
		free(leaf);
		return rc;
	}
	leaf_notes(dir, key, leaf);
	*out = leaf;
	return 0;
}

int jag_create_dense(struct jag_create_dir *dir, const char *key, const struct jag_shape *shape,
		     struct jag_create_leaf **out, struct jag_error *err)
{
	uint64_t numel, nbytes;
	int rc = check_dtype(shape->dtype, key, err);
	if (!rc)
		rc = jag_create_check_key(dir, key, err);
	if (rc)
		return rc;
	char text[128];
	rc = jag_shape_numel(shape, &numel);
	if (!rc)
		rc = jag_shape_nbytes(shape, &nbytes);
	if (rc)
		return jag_error_set(err, rc, key, 0, "no tensor can have the shape %s",
				     jag_shape_text(shape, text, sizeof(text)));
	if (!fits_batch(dir, shape))
		return jag_error_set(err, -EINVAL, key, 0, "the shape %s does not start with the batch size",
				     jag_shape_text(shape, text, sizeof(text)));
	struct jag_create_leaf *leaf = calloc(1, sizeof(*leaf));
	if (!leaf)
		return -ENOMEM;
	jag_shape_copy(&leaf->shape, shape);
	leaf->numel = numel;
	leaf->nbytes = nbytes;
	return finish_leaf(dir, key, leaf, out, err);
}

int jag_create_nested(struct jag_create_dir *dir, const char *key, enum jag_dtype dtype, const struct jag_rows *rows,
		      struct jag_create_leaf **out, struct jag_error *err)
{
	struct jag_rows_sum sum;
	int rc = check_dtype(dtype, key, err);
	if (!rc)
		rc = jag_create_check_key(dir, key, err);
	if (!rc)
		rc = jag_rows_check(rows, dir, key, &sum, err);
	if (rc)
		return rc;
	struct jag_create_leaf *leaf = calloc(1, sizeof(*leaf));
	if (!leaf)
		return -ENOMEM;
	leaf->nested = true;
	leaf->shape.dtype = dtype;
	leaf->shape.rank = rows->rank;
	leaf->count = rows->count;
	leaf->numel = sum.numel;
	leaf->rows = *rows;
	if (__builtin_mul_overflow(sum.numel, jag_dtype_info(dtype)->itemsize, &leaf->nbytes) ||
	    leaf->nbytes > INT64_MAX) {
		free(leaf);
		return jag_error_set(err, -EOVERFLOW, key, 0, "the elements are more than 2^63 bytes");
	}
	return finish_leaf(dir, key, leaf, out, err);
}

int jag_create_set_batch(struct jag_create_dir *dir, unsigned rank, const int64_t *dims, struct jag_error *err)
{
	const struct jag_create_dir *parent = dir->parent;
	bool fixed = !parent && dir->create->adding && !dir->create->bare;
	if (fixed && (rank != dir->batch_rank || (rank && memcmp(dims, dir->batch, rank * sizeof(*dims)) != 0)))
		return jag_error_set(err, -EINVAL, dir->create->place.path, 0, "has another batch size already");
	if (rank > JAG_MAX_RANK)
		return jag_error_set(err, -EINVAL, dir->path, 0, "a batch size has at most %d dimensions",
				     JAG_MAX_RANK);
	if (parent &&
	    (rank < parent->batch_rank || memcmp(dims, parent->batch, parent->batch_rank * sizeof(*dims)) != 0))
		return jag_error_set(err, -EINVAL, dir->path, 0, "the batch size does not start with the parent's");
	for (size_t i = 0; i < dir->entry_count; i++) {
		const struct jag_create_entry *entry = &dir->entries[i];
		if (entry->type != JAG_CREATE_LEAF)
			continue;
		const struct jag_create_leaf *leaf = entry->leaf;
		bool fits = leaf->nested
				    ? rank == 0 || (rank == 1 && (uint64_t)dims[0] == leaf->count)
				    : leaf->shape.rank >= rank && !memcmp(leaf->shape.dims, dims, rank * sizeof(*dims));
		if (!fits)
			return jag_error_set(err, -EINVAL, entry->path, 0, "does not fit the batch size");
	}
	dir->batch_rank = rank;
	if (rank)
		memcpy(dir->batch, dims, rank * sizeof(*dims));
	return 0;
}
