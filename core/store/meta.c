/* SPDX-License-Identifier: MIT */
/* meta.c - reads meta.json; see meta.h. */
#include "meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

static char *copy_text(const char *text, size_t nbytes)
{
	char *copy = malloc(nbytes + 1);
	if (copy) {
		memcpy(copy, text, nbytes);
		copy[nbytes] = '\0';
	}
	return copy;
}

static char *copy_string(struct json_object *value)
{
	return copy_text(json_object_get_string(value), (size_t)json_object_get_string_len(value));
}

/* A list of integers as dimensions. json-c holds integers beyond 64 bits at the limit, which no size reaches. */
static int read_dims(struct json_object *list, int64_t **dims, size_t *rank, const char **problem)
{
	if (!json_object_is_type(list, json_type_array)) {
		*problem = "its \"shape\" is not a list";
		return -EINVAL;
	}
	size_t n = json_object_array_length(list);
	if (n > JAG_MAX_RANK) {
		*problem = "its \"shape\" has more than 64 dimensions";
		return -EINVAL;
	}
	int64_t *out = calloc(n + 1, sizeof(*out));
	if (!out)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++) {
		struct json_object *item = json_object_array_get_idx(list, k);
		out[k] = json_object_is_type(item, json_type_int) ? json_object_get_int64(item) : -1;
		if (!json_object_is_type(item, json_type_int))
			*problem = "its \"shape\" holds something that is no integer";
		else if (out[k] < 0)
			*problem = "its \"shape\" holds a negative size";
		else if (out[k] == INT64_MAX)
			*problem = "its \"shape\" holds a size beyond 63 bits";
	}
	*dims = out;
	*rank = n;
	return *problem ? -EINVAL : 0;
}

/* The entry of a leaf; -ENOMEM only: what is wrong with it is kept in the member. */
static int read_leaf(struct json_object *object, struct jag_meta_member *member)
{
	struct json_object *dtype = json_object_object_get(object, "dtype"), *nested = NULL;
	member->has_nested = json_object_object_get_ex(object, "is_nested", &nested);
	member->nested = json_object_get_boolean(nested);
	int rc =
		read_dims(json_object_object_get(object, "shape"), &member->dims, &member->rank, &member->problem_text);
	if (rc == -ENOMEM)
		return rc;
	member->problem = rc;
	if (!json_object_is_type(dtype, json_type_string)) {
		member->problem = -EINVAL;
		member->problem_text = "its \"dtype\" is not a string";
		return 0;
	}
	member->dtype_text = copy_string(dtype);
	return member->dtype_text ? 0 : -ENOMEM;
}

/* tensordict's own test for what is a leaf. */
static int read_member(struct json_object *value, struct jag_meta_member *member)
{
	member->type = JAG_META_OTHER;
	if (!json_object_is_type(value, json_type_object))
		return 0;
	if (json_object_object_get_ex(value, "type", NULL)) {
		member->type = JAG_META_COLLECTION;
		return 0;
	}
	if (!json_object_object_get_ex(value, "dtype", NULL) || !json_object_object_get_ex(value, "shape", NULL))
		return 0;
	member->type = JAG_META_LEAF;
	return read_leaf(value, member);
}

bool jag_meta_key_reserved(const char *key)
{
	static const char *const reserved[] = { "shape", "device", "_type", "_format_version", "_class", "_names" };
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (strcmp(key, reserved[i]) == 0)
			return true;
	}
	return false;
}

static int read_batch(struct jag_meta *meta, struct json_object *value)
{
	int64_t *dims JAG_AUTO_FREE = NULL;
	size_t rank = 0;
	const char *problem = NULL;
	int rc = read_dims(value, &dims, &rank, &problem);
	if (rc)
		return rc == -ENOMEM ? rc : 0; /* the loader takes a missing batch size for [], so do we */
	meta->has_shape = true;
	meta->batch_rank = (unsigned)rank;
	memcpy(meta->batch, dims, rank * sizeof(*dims));
	return 0;
}

/* 1: `key` is one of the collection's own entries, and was taken; 0: it is not; -ENOMEM. */
static int read_own(struct jag_meta *meta, const char *key, struct json_object *value, enum jag_meta_type type)
{
	if (strcmp(key, "_type") == 0 && json_object_is_type(value, json_type_string)) {
		free(meta->type_text);
		meta->type_text = copy_string(value);
		return meta->type_text ? 1 : -ENOMEM;
	}
	if (strcmp(key, "shape") == 0 && json_object_is_type(value, json_type_array)) {
		int rc = read_batch(meta, value);
		return rc ? rc : 1;
	}
	if (strcmp(key, "stack_dim") == 0 && json_object_is_type(value, json_type_int)) {
		meta->has_stack_dim = true;
		meta->stack_dim = json_object_get_int64(value);
		return 1;
	}
	if (strcmp(key, "_format_version") == 0 && type == JAG_META_OTHER) {
		bool whole = json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0;
		meta->format_version = whole ? json_object_get_int64(value) : -1;
		return 1;
	}
	if (strcmp(key, "_is_non_tensor") == 0 && type == JAG_META_OTHER) {
		meta->non_tensor = json_object_get_boolean(value);
		return 1;
	}
	return jag_meta_key_reserved(key) && type != JAG_META_LEAF && type != JAG_META_COLLECTION;
}

static void free_member(struct jag_meta_member *member)
{
	free(member->key);
	free(member->dtype_text);
	free(member->dims);
}

/* Grow by one, or find the one of that key. The index is json-c's own hash table. Its keys end at a NUL, so keys with
 * one stay out of it; they are all kept, and refused later. */
static struct jag_meta_member *slot_for(struct jag_meta *meta, const char *key, bool plain)
{
	struct json_object *position = NULL;
	if (plain && json_object_object_get_ex(meta->index, key, &position)) {
		struct jag_meta_member *old = &meta->members[json_object_get_int64(position)];
		free_member(old);
		memset(old, 0, sizeof(*old));
		return old;
	}
	size_t n = meta->count;
	if (n == 0 || (n >= 8 && (n & (n - 1)) == 0)) {
		struct jag_meta_member *grown = reallocarray(meta->members, n ? 2 * n : 8, sizeof(*meta->members));
		if (!grown)
			return NULL;
		meta->members = grown;
	}
	if (plain && json_object_object_add(meta->index, key, json_object_new_int64((int64_t)n)))
		return NULL;
	meta->count++;
	memset(&meta->members[n], 0, sizeof(meta->members[n]));
	return &meta->members[n];
}

static int add_member(struct jag_meta *meta, struct json_object *key, struct json_object *value,
		      struct jag_json_slice text)
{
	struct jag_meta_member parsed = { .value = text };
	int rc = read_member(value, &parsed);
	const char *name = json_object_get_string(key);
	size_t name_nbytes = (size_t)json_object_get_string_len(key);
	bool plain = strlen(name) == name_nbytes;
	if (rc == 0 && plain)
		rc = read_own(meta, name, value, parsed.type);
	if (rc == 0) {
		parsed.key = copy_text(name, name_nbytes);
		parsed.key_nbytes = name_nbytes;
		struct jag_meta_member *slot = parsed.key ? slot_for(meta, name, plain) : NULL;
		if (slot) {
			*slot = parsed;
			return 0;
		}
		rc = -ENOMEM;
	}
	free_member(&parsed);
	return rc == 1 ? 0 : rc;
}

/* One member: cut out, parsed, filed. 1: there may be more. */
static int read_next(struct jag_meta *meta, struct jag_json_walk *walk, struct jag_error *err)
{
	struct jag_json_slice key_text, value_text;
	struct json_object *key = NULL, *value = NULL;
	size_t bad = 0;
	int rc = jag_json_next(walk, &key_text, &value_text);
	if (rc < 0)
		return jag_error_set(err, rc, NULL, walk->pos, "broken JSON at byte %zu%s", walk->pos,
				     walk->first ? ": an object expected" : "");
	if (rc == 0)
		return 0;
	size_t at = (size_t)(key_text.text - walk->text);
	rc = jag_json_parse(key_text, &key, &bad);
	if (rc == 0) {
		at = (size_t)(value_text.text - walk->text);
		rc = jag_json_parse(value_text, &value, &bad);
	}
	if (rc == -EINVAL)
		rc = jag_error_set(err, rc, NULL, at + bad, "broken JSON at byte %zu", at + bad);
	else if (rc == 0)
		rc = add_member(meta, key, value, value_text);
	json_object_put(key);
	json_object_put(value);
	return rc ? rc : 1;
}

int jag_meta_parse(const void *bytes, size_t nbytes, struct jag_meta *out, struct jag_error *err)
{
	*out = (struct jag_meta){ .stack_dim = -1 };
	/* tensordict opens the file before it knows that the value can be written */
	if (nbytes == 0)
		return jag_error_set(err, -EINVAL, NULL, 0, "is empty (0 bytes): an interrupted write");
	out->index = json_object_new_object();
	if (!out->index)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	struct jag_json_walk walk;
	jag_json_begin(&walk, bytes, nbytes);
	int rc;
	do {
		rc = read_next(out, &walk, err);
	} while (rc > 0);
	if (rc)
		jag_meta_free(out);
	return rc == -ENOMEM ? jag_error_set(err, rc, NULL, 0, "out of memory") : rc;
}

void jag_meta_free(struct jag_meta *meta)
{
	for (size_t i = 0; i < meta->count; i++)
		free_member(&meta->members[i]);
	free(meta->members);
	json_object_put(meta->index);
	free(meta->type_text);
	*meta = (struct jag_meta){ 0 };
}

const struct jag_meta_member *jag_meta_find(const struct jag_meta *meta, const char *key)
{
	struct json_object *position = NULL;
	if (!json_object_object_get_ex(meta->index, key, &position))
		return NULL;
	return &meta->members[json_object_get_int64(position)];
}
