/* SPDX-License-Identifier: MIT */
/* record.c - what a resized store says about itself: the value `jagfs`. What the source said of how its pixels
 * came about is handed on, so that packing with a size and packing, then resizing, give the same store. */
#include "resize_impl.h"

#include <json-c/json.h>
#include <json-c/json_object_iterator.h>
#include <string.h>

#include "json_text.h"
#include "resize_json.h"

/* Members that describe the new store, not the pixels. */
static bool written_anew(const struct jag_resize_run *run, const char *key)
{
	static const char *const anew[] = { "jagfs", "layout", "size", "fit", "antialias", "chunks", "keys" };
	static const char *const decoding[] = { "mode", "exif", "encoded" };
	for (size_t i = 0; i < sizeof(anew) / sizeof(anew[0]); i++)
		if (!strcmp(key, anew[i]))
			return true;
	for (size_t i = 0; i < sizeof(decoding) / sizeof(decoding[0]) && run->encoded; i++)
		if (!strcmp(key, decoding[i]))
			return true;
	return false;
}

static const struct jag_collection *record_of(const struct jag_resize_run *run)
{
	const struct jag_collection *beside = run->collection;
	for (size_t i = 0; i < beside->entry_count; i++) {
		const struct jag_entry *entry = &beside->entries[i];
		if (entry->type == JAG_ENTRY_COLLECTION && !strcmp(entry->collection->key, "jagfs") &&
		    entry->collection->kind == JAG_NONTENSOR && entry->collection->json)
			return entry->collection;
	}
	return NULL;
}

static int append_key(struct jag_buffer *out, const char *key, const char *separator)
{
	int rc = jag_emit_raw(out, separator);
	return rc ? rc : jag_emit_string(out, key, strlen(key));
}

static int append_decoding(const struct jag_resize_run *run, struct jag_buffer *out)
{
	static const char *const modes[] = { "rgb", "gray", "rgba", "keep" };
	int rc = append_key(out, modes[run->options->mode], ",\"mode\":");
	return rc ? rc : jag_emit_raw(out, run->options->exif ? ",\"exif\":true" : ",\"exif\":false");
}

static int append_members(const struct jag_resize_run *run, json_object *value, struct jag_buffer *out)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	struct json_object_iterator at = json_object_iter_begin(value), end = json_object_iter_end(value);
	int rc = 0;
	for (; !rc && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *key = json_object_iter_peek_name(&at);
		if (written_anew(run, key))
			continue;
		rc = append_key(out, key, ",");
		if (!rc)
			rc = jag_emit_raw(out, ":");
		if (!rc)
			rc = jag_emit_raw(out, json_object_to_json_string_ext(json_object_iter_peek_value(&at), flags));
	}
	return rc;
}

/* How the pixels came about: by decoding now, or as the source says. Whatever is not a JSON object is left out. */
static int append_inherited(const struct jag_resize_run *run, struct jag_buffer *out)
{
	const struct jag_collection *record = record_of(run);
	int rc = run->encoded ? append_decoding(run, out) : 0;
	if (rc || !record || record->json_nbytes > INT32_MAX)
		return rc;
	json_tokener *tokener = json_tokener_new();
	json_object *value = tokener ? json_tokener_parse_ex(tokener, record->json, (int)record->json_nbytes) : NULL;
	if (tokener)
		json_tokener_free(tokener);
	if (json_object_is_type(value, json_type_object))
		rc = append_members(run, value, out);
	json_object_put(value);
	return rc;
}

int jag_resize_options_json(const struct jag_resize_run *run, struct jag_buffer *out)
{
	static const char *const layouts[] = { "none", "chw", "hwc", "planes" };
	enum jag_layout layout = run->encoded ? JAG_LAYOUT_CHW : run->layout;
	const char *writer = run->options->writer ? run->options->writer : "";
	int rc = jag_emit_raw(out, "{\"jagfs\":");
	if (!rc)
		rc = jag_emit_string(out, writer, strlen(writer));
	if (!rc)
		rc = jag_emit_raw(out, ",\"layout\":\"");
	if (!rc)
		rc = jag_emit_raw(out, layouts[layout]);
	if (!rc)
		rc = jag_emit_raw(out, "\"");
	if (!rc)
		rc = append_inherited(run, out);
	if (!rc)
		rc = jag_resize_spec_json(&run->options->spec, out);
	if (!rc && run->chunk_count > 1)
		rc = jag_emit_raw(out, ",\"chunks\":");
	if (!rc && run->chunk_count > 1)
		rc = jag_emit_int(out, (int64_t)run->chunk_count);
	/* The layout counts for these keys: other images may have another. */
	if (!rc)
		rc = append_key(out, run->leaf->key, ",\"keys\":[");
	for (size_t k = 0; k < run->keep_count && !rc; k++)
		if (run->keeps[k].row.rank <= 1 || run->keeps[k].layout == layout)
			rc = append_key(out, run->keeps[k].key, ",");
	if (!rc)
		rc = jag_emit_raw(out, "]}");
	return rc ? rc : jag_buffer_append(out, "", 1);
}
