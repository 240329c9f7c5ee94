/* SPDX-License-Identifier: MIT */
/* meta.h - meta.json bytes -> a checked description of one collection. Pure: takes bytes, opens nothing; the same
 * function is unit tested and fuzzed. What the members mean together (which kind of collection this is) is decided
 * in tensordict.c, which also sees the directory. */
#ifndef JAG_STORE_META_H
#define JAG_STORE_META_H

#include "jag/error.h"
#include "jag/shape.h"
#include "json.h"

enum jag_meta_type {
	JAG_META_LEAF,       /* an object with "dtype" and "shape" and without "type" */
	JAG_META_COLLECTION, /* an object with "type" */
	JAG_META_OTHER       /* other metadata, or a plain field of a tensorclass */
};

/* One member of the object, in order of appearance; of several with one key the last, as in Python. */
struct jag_meta_member {
	char *key; /* malloc memory, NUL-terminated; may contain NUL */
	size_t key_nbytes;
	enum jag_meta_type type;
	struct jag_json_slice value; /* in the bytes that were parsed */
	/* leaves: */
	char *dtype_text; /* malloc memory */
	bool nested;
	bool has_nested; /* says whether it is nested: written by 0.5 and later */
	int64_t *dims;   /* malloc memory */
	size_t rank;
	int problem;              /* 0, or -errno: the entry does not describe a leaf */
	const char *problem_text; /* static */
};

struct jag_meta {
	struct jag_meta_member *members; /* all but the collection's own entries below */
	size_t count;
	struct json_object *index; /* plain keys -> positions in members */
	char *type_text;           /* "_type"; NULL if missing */
	bool has_shape;            /* "shape" is a list of at most 64 sizes */
	unsigned batch_rank;
	int64_t batch[JAG_MAX_RANK];
	bool has_stack_dim;
	int64_t stack_dim;
	int64_t format_version; /* 0 if absent, -1 if it is no integer */
	bool non_tensor;        /* "_is_non_tensor": true */
};

/* -EINVAL with `err` filled (offset in the bytes, no path): no JSON object, or nothing at all. -ENOMEM. */
int jag_meta_parse(const void *bytes, size_t nbytes, struct jag_meta *out, struct jag_error *err);

/* Release; {0} is fine. */
void jag_meta_free(struct jag_meta *meta);

/* The member of that key, or NULL; not the collection's own entries. */
const struct jag_meta_member *jag_meta_find(const struct jag_meta *meta, const char *key);

/* Keys that tensordict takes for itself: a user's leaf of that name has its entry overwritten. */
bool jag_meta_key_reserved(const char *key);

#endif
