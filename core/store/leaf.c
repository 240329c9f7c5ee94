/* SPDX-License-Identifier: MIT */
/* leaf.c - opens and measures the files of one leaf; see leaf.h and the drawing in layout.h. */
#include "leaf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "keyname.h"
#include "layout.h"

/* A leaf that is being opened. */
struct opening {
	struct jag_store *store;
	struct jag_leaf *leaf;
	const char *dir;
	const struct jag_meta_member *member;
	char *stems[2]; /* file name without suffix: encoded, raw; NULL if it may not be tried */
	int stem;       /* the one that matched a file; -1 so far */
};

/* Record a fault of the leaf; 0, or -ENOMEM. */
JAG_PRINTF(5, 6)
static int refuse(struct opening *o, int code, const char *path, uint64_t offset, const char *fmt, ...)
{
	char message[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	if (jag_model_fatal(code))
		return code;
	return jag_model_fault_leaf(o->store, o->leaf, code, path, offset, message);
}

/* A fault in what meta.json says about the leaf. */
static int refuse_entry(struct opening *o, int code, const char *problem)
{
	char *path = jag_model_join(o->store, o->dir, JAG_META_NAME);
	return path ? refuse(o, code, path, 0, "\"%s\": %s", o->leaf->key, problem) : -ENOMEM;
}

const char *jag_td_open_problem(int code)
{
	switch (code) {
	case -EXDEV:
		return "a symbolic link leads out of the store";
	case -ELOOP:
		return "symbolic links that loop, are too many or lead out of the store";
	case -EISDIR:
		return "a directory stands in the place of the file";
	case -EINVAL:
		return "not a regular file";
	default:
		return strerror(-code);
	}
}

char *jag_td_key_text(struct jag_store *store, const struct jag_meta_member *member)
{
	if (strlen(member->key) == member->key_nbytes)
		return jag_model_copy(store, member->key, member->key_nbytes);
	char name[JAG_FILE_NAME_MAX + 1];
	int n = jag_keyname_encode(member->key, member->key_nbytes, name, sizeof(name));
	return n < 0 ? jag_model_copy(store, "%00", 3) : jag_model_copy(store, name, (size_t)n);
}

static int make_stems(struct opening *o)
{
	const struct jag_meta_member *member = o->member;
	char name[JAG_FILE_NAME_MAX + 1];
	int n = jag_keyname_encode(member->key, member->key_nbytes, name, sizeof(name));
	if (n < 0)
		return refuse_entry(o, n, "its file name is longer than 255 bytes");
	o->stems[0] = jag_model_copy(o->store, name, (size_t)n);
	if (!o->stems[0])
		return -ENOMEM;
	if (strcmp(name, member->key) == 0 || !jag_keyname_raw_allowed(member->key, member->key_nbytes, false))
		return 0;
	o->stems[1] = jag_model_copy(o->store, member->key, member->key_nbytes);
	return o->stems[1] ? 0 : -ENOMEM;
}

/* Open stem + suffix: the stem that matched before, else the first that exists. -ENOENT if none does. */
static int open_file(struct opening *o, const char *suffix, struct jag_file **file, const char **path)
{
	bool data = strcmp(suffix, JAG_DATA_SUFFIX) == 0;
	int rc = -ENOENT;
	*path = NULL;
	for (int i = 0; i < 2 && rc == -ENOENT; i++) {
		if (!o->stems[i] || (o->stem >= 0 && o->stem != i))
			continue;
		/* pathlib finds no suffix to replace in a bare ".memmap" */
		bool bare = i == 1 && o->stems[1][0] == '\0' && !data;
		char *name = jag_model_text(o->store, "%s%s%s", o->stems[i], bare ? JAG_DATA_SUFFIX : "", suffix);
		char *full = name ? jag_model_join(o->store, o->dir, name) : NULL;
		if (!full)
			return -ENOMEM;
		rc = jag_model_open_file(o->store, full, data, file);
		if (!*path || rc == 0)
			*path = full;
		if (rc == 0)
			o->stem = i;
	}
	return rc;
}

/* Is the file that should hold `need` bytes long enough? `what` says what they are. */
static int check_length(struct opening *o, const struct jag_file *file, uint64_t need, const char *what)
{
	if (file->nbytes < need)
		return refuse(o, -EIO, file->path, file->nbytes, "%llu bytes expected for %s, %llu there",
			      (unsigned long long)need, what, (unsigned long long)file->nbytes);
	if (file->nbytes > need)
		return jag_model_warn(o->store, &o->leaf->warning, "%s is longer than needed: %llu of %llu bytes used",
				      file->path, (unsigned long long)need, (unsigned long long)file->nbytes);
	return 0;
}

/* With the number of bytes known: is the data there? `rc` is what opening the file gave. */
static int take_data(struct opening *o, int rc, struct jag_file *data, const char *what)
{
	struct jag_leaf *leaf = o->leaf;
	uint64_t need = leaf->nbytes;
	if (need == 0)
		return 0;
	if (rc == -ENOENT)
		return refuse(o, -ENOENT, leaf->path, 0, "missing; %llu bytes expected for %s",
			      (unsigned long long)need, what);
	if (rc)
		return refuse(o, rc, leaf->path, 0, "%s", jag_td_open_problem(rc));
	rc = check_length(o, data, need, what);
	if (rc == 0 && leaf->fault == 0)
		leaf->data = data;
	return rc;
}

/* A zero makes the whole empty, but its rows are shown by themselves: those sizes must have a product, too. */
static int check_rows(const struct jag_shape *shape)
{
	struct jag_shape sizes = { .dtype = shape->dtype, .rank = shape->rank };
	uint64_t nbytes;
	for (unsigned k = 0; k < shape->rank; k++)
		sizes.dims[k] = shape->dims[k] ? shape->dims[k] : 1;
	return jag_shape_nbytes(&sizes, &nbytes);
}

static int open_dense(struct opening *o)
{
	struct jag_leaf *leaf = o->leaf;
	struct jag_file *data = NULL;
	const char *path = NULL;
	char dims[160], what[256];
	leaf->shape.rank = (unsigned)o->member->rank;
	memcpy(leaf->shape.dims, o->member->dims, o->member->rank * sizeof(*o->member->dims));
	leaf->count = leaf->shape.rank ? (uint64_t)leaf->shape.dims[0] : 1;
	snprintf(what, sizeof(what), "%s %s", o->member->dtype_text, jag_shape_text(&leaf->shape, dims, sizeof(dims)));
	int rc = jag_shape_numel(&leaf->shape, &leaf->numel);
	if (rc == 0)
		rc = jag_shape_nbytes(&leaf->shape, &leaf->nbytes);
	if (rc == 0)
		rc = check_rows(&leaf->shape);
	if (rc) {
		char problem[320];
		snprintf(problem, sizeof(problem), "%s is more than 2^63-1 bytes", what);
		return refuse_entry(o, rc, problem);
	}
	if (leaf->nbytes == 0)
		return 0;
	rc = open_file(o, JAG_DATA_SUFFIX, &data, &path);
	leaf->path = path ? path : leaf->path;
	return take_data(o, rc, data, what);
}

/* The shape matrix: opened, long enough, and one pass over it. */
static int open_shapes(struct opening *o, uint64_t n, unsigned d)
{
	struct jag_leaf *leaf = o->leaf;
	struct jag_file *shapes = NULL;
	const char *path = NULL;
	struct jag_error err = { 0 };
	char what[128];
	uint64_t need;
	if (jag_checked_mul(n, (uint64_t)d * sizeof(int64_t), &need))
		return refuse_entry(o, -EOVERFLOW, "its shape matrix is more than 2^63-1 bytes");
	snprintf(what, sizeof(what), "the int64 shape matrix [%llu, %u]", (unsigned long long)n, d);
	int rc = open_file(o, JAG_SHAPE_SUFFIX, &shapes, &path);
	if (rc == -ENOENT)
		return refuse(o, rc, path ? path : leaf->path, 0, "missing; %llu bytes expected for %s",
			      (unsigned long long)need, what);
	if (rc)
		return refuse(o, rc, path ? path : leaf->path, 0, "%s", jag_td_open_problem(rc));
	rc = check_length(o, shapes, need, what);
	if (rc || leaf->fault)
		return rc;
	leaf->shapes = shapes;
	rc = jag_model_build_index(o->store, leaf, d, &err);
	return rc ? refuse(o, rc, path, err.offset, "%s", err.message) : 0;
}

static int open_nested(struct opening *o)
{
	struct jag_leaf *leaf = o->leaf;
	const struct jag_meta_member *member = o->member;
	struct jag_file *data = NULL;
	const char *path = NULL;
	char what[160];
	if (member->rank != 2)
		return refuse_entry(o, -EINVAL, "its \"shape\" is not [n, d], as that of a nested leaf must be");
	if (member->dims[1] > JAG_MAX_RANK)
		return refuse_entry(o, -EINVAL, "its components have more than 64 dimensions");
	unsigned d = (unsigned)member->dims[1];
	leaf->shape.rank = d;
	leaf->count = (uint64_t)member->dims[0];
	leaf->numel = d == 0 ? leaf->count : 0;
	/* The data file first: the shape file has the stem that it has. */
	int data_rc = open_file(o, JAG_DATA_SUFFIX, &data, &path);
	leaf->path = path ? path : leaf->path;
	if (jag_model_fatal(data_rc))
		return data_rc;
	int rc = leaf->count && d ? open_shapes(o, leaf->count, d) : 0;
	if (rc || leaf->fault)
		return rc;
	if (jag_checked_mul(leaf->numel, jag_dtype_info(leaf->shape.dtype)->itemsize, &leaf->nbytes))
		return refuse_entry(o, -EOVERFLOW, "its components are more than 2^63-1 bytes");
	snprintf(what, sizeof(what), "%llu components (%llu %s)", (unsigned long long)leaf->count,
		 (unsigned long long)leaf->numel, member->dtype_text);
	return take_data(o, data_rc, data, what);
}

/* Oddities that stores in the field have, and that load all the same. */
static int warn_about(struct opening *o)
{
	struct jag_leaf *leaf = o->leaf;
	const struct jag_collection *parent = leaf->parent;
	struct jag_shape batch = { .rank = parent->batch_rank };
	char text[160];
	int rc = 0;
	if (o->stem == 1)
		rc = jag_model_warn(o->store, &leaf->warning, "legacy file name (not percent-encoded)");
	if (rc || !parent->batch_known || parent->batch_rank == 0)
		return rc;
	memcpy(batch.dims, parent->batch, parent->batch_rank * sizeof(*batch.dims));
	bool match = leaf->nested ? leaf->count == (uint64_t)batch.dims[0]
				  : leaf->shape.rank >= batch.rank &&
					    memcmp(leaf->shape.dims, batch.dims, batch.rank * sizeof(*batch.dims)) == 0;
	return match ? 0
		     : jag_model_warn(o->store, &leaf->warning, "its shape does not start with the batch_size %s",
				      jag_shape_text(&batch, text, sizeof(text)));
}

static int open_leaf(struct opening *o)
{
	struct jag_leaf *leaf = o->leaf;
	const struct jag_meta_member *member = o->member;
	char problem[256];
	if (strlen(member->key) != member->key_nbytes)
		return refuse_entry(o, -EINVAL, "a key with a NUL byte");
	if (member->problem)
		return refuse_entry(o, member->problem, member->problem_text);
	leaf->shape.dtype = jag_dtype_from_name(member->dtype_text);
	/* the loader knows no names without the prefix */
	if (leaf->shape.dtype == JAG_DTYPE_NONE || strncmp(member->dtype_text, "torch.", 6) != 0) {
		leaf->shape.dtype = JAG_DTYPE_NONE;
		snprintf(problem, sizeof(problem), "unknown dtype \"%s\"", member->dtype_text);
		return refuse_entry(o, -ENOTSUP, problem);
	}
	int rc = make_stems(o);
	if (rc || leaf->fault)
		return rc;
	char *name = jag_model_text(o->store, "%s%s", o->stems[0], JAG_DATA_SUFFIX);
	leaf->path = name ? jag_model_join(o->store, o->dir, name) : NULL;
	if (!leaf->path)
		return -ENOMEM;
	rc = leaf->nested ? open_nested(o) : open_dense(o);
	return rc ? rc : warn_about(o);
}

int jag_td_add_leaf(struct jag_store *store, struct jag_collection *parent, const char *dir,
		    const struct jag_meta_member *member)
{
	struct jag_leaf *leaf = jag_model_alloc(store, sizeof(*leaf));
	if (!leaf)
		return -ENOMEM;
	leaf->key = jag_td_key_text(store, member);
	leaf->path = dir;
	leaf->nested = member->nested;
	if (!leaf->key || jag_model_add_leaf(store, parent, leaf))
		return -ENOMEM;
	struct opening o = { .store = store, .leaf = leaf, .dir = dir, .member = member, .stem = -1 };
	return open_leaf(&o);
}
