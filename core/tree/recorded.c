/* SPDX-License-Identifier: MIT */
/* recorded.c - reads what `pack` wrote about a store: the non-tensor value "jagfs" of its root, a JSON object such as
 * {"jagfs": "0.1.0", "layout": "chw", "keys": ["image", "path", "label"], "chunks": 7}. Anything that is not as
 * expected is left out, never an error: the value may be somebody else's. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "build.h"

#define JAG_CHUNKS_MAX 1000000

static json_object *parse(const char *json, size_t nbytes)
{
	if (!json || nbytes > INT32_MAX)
		return NULL;
	json_tokener *tokener = json_tokener_new();
	if (!tokener)
		return NULL;
	json_object *value = json_tokener_parse_ex(tokener, json, (int)nbytes);
	bool whole = json_tokener_get_error(tokener) == json_tokener_success;
	json_tokener_free(tokener);
	if (whole && json_object_is_type(value, json_type_object) && json_object_object_get(value, "jagfs"))
		return value;
	json_object_put(value);
	return NULL;
}

/* The chunks "0", "1", ... must all be there, or the store is not what the value says. */
static bool has_chunks(const struct jag_collection *collection, uint64_t chunks)
{
	uint64_t found = 0;
	if (chunks > collection->entry_count)
		return false;
	for (size_t i = 0; i < collection->entry_count; i++) {
		const struct jag_entry *entry = &collection->entries[i];
		char name[24];
		snprintf(name, sizeof(name), "%llu", (unsigned long long)found);
		if (entry->type == JAG_ENTRY_COLLECTION && !strcmp(entry->collection->key, name))
			found++;
	}
	return found == chunks;
}

void jag_recorded_read(const struct jag_collection *collection, struct jag_recorded *out)
{
	*out = (struct jag_recorded){ 0 };
	for (size_t i = 0; i < collection->entry_count; i++) {
		const struct jag_entry *entry = &collection->entries[i];
		if (entry->type != JAG_ENTRY_COLLECTION || strcmp(entry->collection->key, "jagfs") != 0 ||
		    entry->collection->kind != JAG_NONTENSOR)
			continue;
		json_object *value = parse(entry->collection->json, entry->collection->json_nbytes);
		if (!value)
			return;
		out->present = true;
		out->json = entry->collection->json;
		out->json_nbytes = entry->collection->json_nbytes;
		json_object *layout = json_object_object_get(value, "layout");
		if (json_object_is_type(layout, json_type_string))
			out->has_layout = jag_layout_from_name(json_object_get_string(layout), &out->layout) == 1;
		json_object *chunks = json_object_object_get(value, "chunks");
		int64_t count = json_object_is_type(chunks, json_type_int) ? json_object_get_int64(chunks) : 0;
		if (count > 0 && count <= JAG_CHUNKS_MAX && has_chunks(collection, (uint64_t)count))
			out->chunks = (uint64_t)count;
		json_object_put(value);
		return;
	}
}

bool jag_recorded_path(const struct jag_recorded *recorded, const char *key, const struct jag_leaf *leaf)
{
	return recorded && recorded->present && !strcmp(key, "path") && leaf->nested;
}

bool jag_recorded_keeps(const struct jag_recorded *recorded, const char *key)
{
	bool keeps = true;
	if (!recorded || !recorded->has_layout)
		return false;
	json_object *value = parse(recorded->json, recorded->json_nbytes);
	json_object *keys = value ? json_object_object_get(value, "keys") : NULL;
	if (json_object_is_type(keys, json_type_array)) {
		keeps = false;
		for (size_t i = 0; i < json_object_array_length(keys) && !keeps; i++) {
			json_object *name = json_object_array_get_idx(keys, i);
			keeps = json_object_is_type(name, json_type_string) &&
				!strcmp(json_object_get_string(name), key);
		}
	}
	json_object_put(value);
	return keeps;
}
