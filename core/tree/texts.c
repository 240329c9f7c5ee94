/* SPDX-License-Identifier: MIT */
/* texts.c - non-tensor values: K.json, and K/ with a text for each item of a list. The list is cut by hand, so that
 * numbers of any length and NaN keep the text that the store has; strings go through json-c. */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "build.h"
#include "jag/buffer.h"
#include "names.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool jag_json_is_list(const char *json, size_t nbytes)
{
	size_t i = 0;
	while (i < nbytes && is_space(json[i]))
		i++;
	return i < nbytes && json[i] == '[';
}

/* The end of the item that begins at `i`: the next comma or closing bracket outside of strings and inner brackets. */
static size_t item_end(const char *json, size_t nbytes, size_t i)
{
	unsigned depth = 0;
	bool quoted = false;
	for (; i < nbytes; i++) {
		char c = json[i];
		if (quoted) {
			if (c == '\\')
				i++;
			else if (c == '"')
				quoted = false;
		} else if (c == '"') {
			quoted = true;
		} else if (c == '[' || c == '{') {
			depth++;
		} else if (depth == 0 && (c == ',' || c == ']')) {
			return i;
		} else if (c == ']' || c == '}') {
			depth--;
		}
	}
	return nbytes;
}

static int append_string(const char *item, size_t nbytes, struct jag_buffer *out)
{
	json_tokener *tokener = json_tokener_new();
	if (!tokener)
		return -ENOMEM;
	int rc = -EINVAL;
	json_object *value = nbytes <= INT32_MAX ? json_tokener_parse_ex(tokener, item, (int)nbytes) : NULL;
	if (json_object_is_type(value, json_type_string))
		rc = jag_buffer_append(out, json_object_get_string(value), (size_t)json_object_get_string_len(value));
	json_object_put(value);
	json_tokener_free(tokener);
	return rc;
}

struct splitter {
	struct jag_buffer bytes, starts, strings;
	uint64_t count;
};

static int add_item(struct splitter *s, const char *item, size_t nbytes)
{
	uint64_t start = s->bytes.nbytes;
	bool string = nbytes > 0 && *item == '"';
	int rc = jag_buffer_append(&s->starts, &start, sizeof(start));
	if (rc == 0)
		rc = jag_buffer_append(&s->strings, &string, sizeof(string));
	if (rc == 0)
		rc = string ? append_string(item, nbytes, &s->bytes) : jag_buffer_append(&s->bytes, item, nbytes);
	s->count++;
	return rc;
}

static int split(struct splitter *s, const char *json, size_t nbytes)
{
	size_t i = 0;
	while (i < nbytes && is_space(json[i]))
		i++;
	if (i == nbytes || json[i] != '[')
		return -EINVAL;
	i++;
	for (bool first = true;; first = false) {
		while (i < nbytes && is_space(json[i]))
			i++;
		size_t end = item_end(json, nbytes, i), last = end;
		if (end == nbytes)
			return -EINVAL;
		while (last > i && is_space(json[last - 1]))
			last--;
		if (last == i)
			return first && json[end] == ']' ? 0 : -EINVAL;
		int rc = add_item(s, json + i, last - i);
		if (rc || json[end] == ']')
			return rc;
		i = end + 1;
	}
}

/* A copy in memory of the tree; never NULL for no bytes. */
static void *keep(struct jag_tree *tree, const struct jag_buffer *buf)
{
	void *copy = jag_tree_alloc(tree, buf->nbytes);
	if (copy && buf->nbytes)
		memcpy(copy, buf->data, buf->nbytes);
	return copy;
}

int jag_texts_split(struct jag_tree *tree, const char *json, size_t nbytes, struct jag_texts *out)
{
	struct splitter s = { 0 };
	int rc = split(&s, json, nbytes);
	uint64_t end = s.bytes.nbytes;
	if (rc == 0)
		rc = jag_buffer_append(&s.starts, &end, sizeof(end));
	if (rc == 0) {
		*out = (struct jag_texts){ .count = s.count,
					   .bytes = keep(tree, &s.bytes),
					   .start = keep(tree, &s.starts),
					   .string = keep(tree, &s.strings) };
		rc = out->bytes && out->start && out->string ? 0 : -ENOMEM;
	}
	jag_buffer_free(&s.bytes);
	jag_buffer_free(&s.starts);
	jag_buffer_free(&s.strings);
	return rc;
}

/* The values of one key in several collections, as one list: those of a stack in each chunk end to end, else one value
 * for each collection. */
static int join_values(const struct jag_key *key, struct jag_buffer *out)
{
	int rc = jag_buffer_append(out, "[", 1);
	for (size_t i = 0; rc == 0 && i < key->entry_count; i++) {
		const struct jag_collection *part = key->entries[i]->collection;
		const char *json = part->json;
		size_t nbytes = part->json_nbytes;
		if (!json)
			return -EINVAL;
		if (!key->stack && part->kind == JAG_NONTENSOR_STACK && jag_json_is_list(json, nbytes)) {
			while (*json != '[') {
				json++;
				nbytes--;
			}
			while (nbytes > 0 && json[nbytes - 1] != ']')
				nbytes--;
			if (nbytes < 2)
				return -EINVAL;
			json++;
			nbytes -= 2;
			while (nbytes > 0 && is_space(*json)) {
				json++;
				nbytes--;
			}
			if (nbytes == 0)
				continue;
		}
		if (out->nbytes > 1)
			rc = jag_buffer_append(out, ",", 1);
		if (rc == 0)
			rc = jag_buffer_append(out, json, nbytes);
	}
	return rc ? rc : jag_buffer_append(out, "]", 1);
}

static int add_text(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope,
		    const char *json, size_t nbytes)
{
	int64_t number = jag_tree_add_object(b->tree, JAG_OBJECT_TEXT, dir);
	if (number < 0)
		return (int)number;
	struct jag_object *text = &b->tree->objects[number];
	text->attr = b->attr;
	text->read_only = true;
	text->bytes = (const uint8_t *)json;
	text->nbytes = nbytes;
	text->hash = jag_hash_salt(scope->hash, JAG_OBJECT_TEXT);
	key->text = (uint32_t)number;
	key->list_file = !key->hidden;
	return 0;
}

static int add_items(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope,
		     const char *json, size_t nbytes)
{
	struct jag_texts texts;
	int rc = jag_texts_split(b->tree, json, nbytes, &texts);
	if (rc)
		return rc == -EINVAL ? 0 : rc; /* K.json shows it all the same */
	int64_t number = jag_tree_add_object(b->tree, JAG_OBJECT_TEXTS, dir);
	if (number < 0)
		return (int)number;
	struct jag_object *items = &b->tree->objects[number];
	items->attr = b->attr;
	items->read_only = true;
	items->texts = texts;
	items->width = jag_index_width(texts.count);
	items->hash = jag_hash_salt(scope->hash, JAG_OBJECT_TEXTS);
	key->dir = (uint32_t)number;
	jag_found_root(b, scope, key->dir);
	return 0;
}

int jag_build_value(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope)
{
	const struct jag_collection *first = key->entries[0]->collection;
	const char *json = first->json;
	size_t nbytes = first->json_nbytes;
	int rc = 0;
	if (key->joined) {
		struct jag_buffer joined = { 0 };
		rc = join_values(key, &joined);
		json = rc ? NULL : keep(b->tree, &joined);
		nbytes = joined.nbytes;
		jag_buffer_free(&joined);
		if (rc == -EINVAL)
			return 0; /* some are pickles only: they are in the children */
		if (!json)
			return -ENOMEM;
	}
	rc = add_text(b, dir, key, scope, json, nbytes);
	if (rc == 0 && jag_json_is_list(json, nbytes))
		rc = add_items(b, dir, key, scope, json, nbytes);
	return rc;
}
