/* SPDX-License-Identifier: MIT */
/* create_plan.c - the plan of a store: keys, the file names that they take, shapes and sizes. Everything that can be
 * refused is refused here, while nothing is on the disk. */
#include "create_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "jag/store.h"
#include "json_text.h"

#define DATA_SUFFIX ".memmap"
#define SHAPES_SUFFIX ".shape.memmap"

/* Entries of meta.json that are the collection's own: a key of this name would be overwritten and lost. */
static const char *const reserved_keys[] = { "shape", "device", "_type", "_format_version", "_class", "_names" };

/* Files of the collection itself. */
static const char *const reserved_names[] = { "meta.json", "other.pickle", "pickle.pkl" };

/* "a/b" of the key path, for messages. */
static char *key_path(const struct jag_create_dir *dir, const char *name)
{
	char *path;
	if (asprintf(&path, "%s%s%s", dir->path, *dir->path ? "/" : "", name) < 0)
		return NULL;
	return path;
}

static int check_key(const struct jag_create_dir *dir, const char *key, struct jag_error *err)
{
	for (size_t i = 0; i < sizeof(reserved_keys) / sizeof(reserved_keys[0]); i++)
		if (!strcmp(key, reserved_keys[i]))
			return jag_error_set(err, -EINVAL, key, 0, "is a name that the format keeps for itself");
	if (!jag_utf8_valid(key, strlen(key)))
		return jag_error_set(err, -EINVAL, key, 0, "is not UTF-8, as keys of a store have to be");
	for (size_t i = 0; i < dir->entry_count; i++)
		if (!strcmp(dir->entries[i].key, key))
			return jag_error_set(err, -EEXIST, key, 0, "there is a key of this name already");
	return 0;
}

/* Take the file name key + suffix for this key. */
static int take_name(struct jag_create_dir *dir, const char *key, const char *suffix, struct jag_error *err)
{
	char encoded[NAME_MAX + 1], name[NAME_MAX + 32];
	int n = jag_key_encode(key, encoded, sizeof(encoded));
	if (n < 0 || (size_t)n + strlen(suffix) > NAME_MAX)
		return jag_error_set(err, -ENAMETOOLONG, key, 0,
				     "the file name of this key would be longer than %d bytes", NAME_MAX);
	snprintf(name, sizeof(name), "%s%s", encoded, suffix);
	bool taken = false;
	for (size_t i = 0; i < sizeof(reserved_names) / sizeof(reserved_names[0]); i++)
		taken = taken || !strcmp(name, reserved_names[i]);
	for (size_t i = 0; i < dir->name_count; i++)
		taken = taken || !strcmp(name, dir->names[i]);
	if (taken)
		return jag_error_set(err, -EEXIST, key, 0, "needs the file name %s, which is taken", name);
	char **names = realloc(dir->names, (dir->name_count + 1) * sizeof(*names));
	if (!names)
		return -ENOMEM;
	dir->names = names;
	names[dir->name_count] = strdup(name);
	if (!names[dir->name_count])
		return -ENOMEM;
	dir->name_count++;
	return 0;
}

/* The path below the store of the file that the last take_name() took. */
static char *taken_path(const struct jag_create_dir *dir)
{
	return key_path(dir, dir->names[dir->name_count - 1]);
}

/* Room for one more entry; the caller fills it in and counts it. */
static int new_entry(struct jag_create_dir *dir, const char *key, struct jag_create_entry **out)
{
	struct jag_create_entry *entries = realloc(dir->entries, (dir->entry_count + 1) * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	dir->entries = entries;
	struct jag_create_entry *entry = &entries[dir->entry_count];
	*entry = (struct jag_create_entry){ .key = strdup(key) };
	if (!entry->key)
		return -ENOMEM;
	*out = entry;
	return 0;
}

static int forget_entry(struct jag_create_entry *entry, int rc)
{
	free(entry->key);
	free(entry->path);
	return rc;
}

int jag_create_collection(struct jag_create_dir *parent, const char *key, struct jag_create_dir **out,
			  struct jag_error *err)
{
	int rc = check_key(parent, key, err);
	if (!rc)
		rc = take_name(parent, key, "", err);
	struct jag_create_entry *entry;
	if (!rc)
		rc = new_entry(parent, key, &entry);
	if (rc)
		return rc;
	struct jag_create_dir *dir = calloc(1, sizeof(*dir));
	entry->type = JAG_CREATE_DIR;
	entry->path = taken_path(parent);
	if (dir)
		dir->path = taken_path(parent);
	if (!dir || !dir->path || !entry->path) {
		if (dir)
			free(dir->path);
		free(dir);
		return forget_entry(entry, -ENOMEM);
	}
	dir->create = parent->create;
	dir->parent = parent;
	dir->batch_rank = parent->batch_rank;
	memcpy(dir->batch, parent->batch, parent->batch_rank * sizeof(int64_t));
	entry->dir = dir;
	parent->entry_count++;
	*out = dir;
	return 0;
}

int jag_create_value(struct jag_create_dir *dir, const char *key, const char *json, struct jag_error *err)
{
	enum json_tokener_error parse;
	struct json_object *object = json_tokener_parse_verbose(json, &parse);
	if (parse != json_tokener_success)
		return jag_error_set(err, -EINVAL, key, 0, "the value is not JSON: %s", json_tokener_error_desc(parse));
	json_object_put(object);
	int rc = check_key(dir, key, err);
	if (!rc)
		rc = take_name(dir, key, "", err);
	struct jag_create_entry *entry;
	if (!rc)
		rc = new_entry(dir, key, &entry);
	if (rc)
		return rc;
	entry->type = JAG_CREATE_VALUE;
	entry->path = taken_path(dir);
	entry->json = strdup(json);
	if (!entry->path || !entry->json) {
		free(entry->json);
		return forget_entry(entry, -ENOMEM);
	}
	dir->entry_count++;
	return 0;
}

/* What the leaf is called, and which files it has. On failure the caller frees the leaf. */
static int add_leaf(struct jag_create_dir *dir, const char *key, struct jag_create_leaf *leaf, struct jag_error *err)
{
	int rc = take_name(dir, key, DATA_SUFFIX, err);
	if (rc)
		return rc;
	leaf->data_path = taken_path(dir);
	if (leaf->nested) {
		rc = take_name(dir, key, SHAPES_SUFFIX, err);
		if (rc)
			return rc;
		if (leaf->count && leaf->shape.rank)
			leaf->shapes_path = taken_path(dir);
	}
	struct jag_create_entry *entry;
	rc = new_entry(dir, key, &entry);
	if (rc)
		return rc;
	entry->type = JAG_CREATE_LEAF;
	entry->path = key_path(dir, key);
	if (!leaf->data_path || !entry->path)
		return forget_entry(entry, -ENOMEM);
	entry->leaf = leaf;
	dir->entry_count++;
	return 0;
}

static void leaf_notes(struct jag_create_dir *dir, const char *key, const struct jag_create_leaf *leaf)
{
	char *path = key_path(dir, key);
	char text[160];
	struct jag_create *create = dir->create;
	const struct jag_dtype_info *info = jag_dtype_info(leaf->shape.dtype);
	if (!info->loadable) {
		snprintf(text, sizeof(text), "tensordict cannot load %s", info->torch);
		jag_create_say(create, path ? path : key, text);
	}
	if (leaf->nested && leaf->numel > JAG_NESTED_LOADABLE_MAX) {
		snprintf(text, sizeof(text),
			 "tensordict cannot load nested leaves of more than %" PRId64
			 " elements; this one has %" PRIu64,
			 JAG_NESTED_LOADABLE_MAX, leaf->numel);
		jag_create_say(create, path ? path : key, text);
	}
	if (leaf->nested && !leaf->numel)
		jag_create_say(create, path ? path : key,
			       "tensordict drops nested leaves without any element when it loads");
	free(path);
}

static int count_bytes(struct jag_create *create, const struct jag_create_leaf *leaf, const char *key,
		       struct jag_error *err)
{
	uint64_t shapes = 0, sum;
	if (leaf->nested && (__builtin_mul_overflow(leaf->count, leaf->shape.rank * sizeof(int64_t), &shapes)))
		return jag_error_set(err, -EOVERFLOW, key, 0, "the shape matrix is larger than 2^63 bytes");
	if (__builtin_add_overflow(leaf->nbytes, shapes, &sum) || __builtin_add_overflow(create->nbytes, sum, &sum) ||
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
	leaf->create = dir->create;
	atomic_init(&leaf->fd, -1);
	int rc = count_bytes(dir->create, leaf, key, err);
	if (!rc)
		rc = add_leaf(dir, key, leaf, err);
	if (rc) {
		free(leaf->data_path);
		free(leaf->shapes_path);
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
		rc = check_key(dir, key, err);
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
		rc = check_key(dir, key, err);
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
