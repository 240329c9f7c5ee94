/* SPDX-License-Identifier: MIT */
/* build.c - walks the store's collections and makes the fixed directories: their children, names and listing. */
#include "build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Recursion goes as deep as the store does, which has a limit (JAG_DEPTH_MAX). */
static int build_dir(struct jag_builder *b, uint32_t dir, const struct jag_keys *keys, const struct jag_scope *scope);

/* Does `wanted` begin with this key, written as a file name or as it is? What follows it then. */
static const char *rest_of(const char *wanted, const struct jag_key *key)
{
	size_t nbytes = strcspn(wanted, "/");
	if ((strlen(key->name) != nbytes || strncmp(key->name, wanted, nbytes) != 0) &&
	    (strlen(key->key) != nbytes || strncmp(key->key, wanted, nbytes) != 0))
		return NULL;
	return wanted + nbytes + strspn(wanted + nbytes, "/");
}

int jag_scope_enter(struct jag_builder *b, const struct jag_scope *scope, const struct jag_key *key,
		    struct jag_scope *out)
{
	*out = (struct jag_scope){ .recorded = scope->recorded,
				   .hash = XXH3_64bits_withSeed(key->key, strlen(key->key), scope->hash) };
	if (!scope->wanted)
		return 0;
	if (*scope->wanted) {
		out->wanted = rest_of(scope->wanted, key);
		out->path = out->wanted && !*out->wanted ? "" : NULL;
		return 0;
	}
	out->wanted = "";
	char *path = jag_tree_alloc(b->tree, strlen(scope->path) + strlen(key->name) + 2);
	if (!path)
		return -ENOMEM;
	strcpy(path, scope->path);
	if (*path)
		strcat(path, "/");
	strcat(path, key->name);
	out->path = path;
	return 0;
}

void jag_note_fault(struct jag_builder *b, const struct jag_scope *scope, int code, const char *path, const char *text)
{
	if (scope->wanted && !*scope->wanted && !b->fault.code)
		jag_error_set(&b->fault, code, path, 0, "%s", text ? text : "it cannot be read");
}

void jag_note_entry_fault(struct jag_builder *b, const struct jag_scope *scope, const struct jag_entry *entry)
{
	struct jag_error fault = { 0 };
	if (jag_store_fault_of(b->tree->store, entry, &fault))
		jag_note_fault(b, scope, fault.code, fault.path, fault.message);
}

void jag_found_root(struct jag_builder *b, const struct jag_scope *scope, uint32_t object)
{
	if (b->root_found || !scope->wanted || *scope->wanted)
		return;
	b->tree->root = object;
	b->root_found = true;
}

/* --- one key --------------------------------------------------------------------------------------------------- */

static int build_subdir(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope)
{
	struct jag_keys keys;
	int64_t number = jag_tree_add_object(b->tree, JAG_OBJECT_DIR, dir);
	if (number < 0)
		return (int)number;
	struct jag_object *object = &b->tree->objects[number];
	object->attr = b->attr;
	object->hash = jag_hash_salt(scope->hash, JAG_OBJECT_DIR);
	key->dir = (uint32_t)number;
	key->list_dir = !key->hidden;
	jag_found_root(b, scope, key->dir);
	if (!key->joined)
		return jag_build_collection(b, key->dir, key->entries[0]->collection, scope);
	int rc = jag_keys_of_parts(b, key->entries, key->entry_count, key->stack, &keys);
	if (rc == 0)
		rc = build_dir(b, key->dir, &keys, scope);
	jag_keys_free(&keys);
	return rc;
}

static int build_key(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope)
{
	const struct jag_entry *first = key->entries[0];
	if (first->type == JAG_ENTRY_LEAF)
		return jag_build_leaf(b, dir, key, scope);
	for (size_t i = 0; i < key->entry_count; i++) {
		const struct jag_collection *collection = key->entries[i]->collection;
		if (!collection->fault && collection->kind != JAG_UNREADABLE)
			continue;
		jag_note_entry_fault(b, scope, key->entries[i]);
		return 0;
	}
	enum jag_collection_kind kind = first->collection->kind;
	bool value = kind == JAG_NONTENSOR || kind == JAG_NONTENSOR_STACK;
	if (value && (first->collection->json || key->joined)) {
		int rc = jag_build_value(b, dir, key, scope);
		/* a value that is no list: its directory has nothing but what the value has come from */
		if (rc || key->dir || key->joined || first->collection->side_file_count < 2)
			return rc;
		rc = build_subdir(b, dir, key, scope);
		key->list_dir = false;
		return rc;
	}
	return build_subdir(b, dir, key, scope);
}

/* --- a directory of keys --------------------------------------------------------------------------------------- */

/* What pack wrote for jagfs itself is not listed. */
static void hide_own(struct jag_key *key, const struct jag_scope *scope)
{
	if (!scope->recorded || !scope->recorded->present)
		return;
	const struct jag_entry *first = key->entries[0];
	if (first->type == JAG_ENTRY_LEAF)
		key->hidden = key->hidden || jag_recorded_path(scope->recorded, key->key, first->leaf);
	else
		key->hidden = key->hidden || !strcmp(key->key, "jagfs");
}

static int append_child(struct jag_object *dir, const struct jag_slot *slot)
{
	if ((dir->child_count & (dir->child_count - 1)) == 0) {
		size_t room = dir->child_count ? dir->child_count * 2 : 1;
		struct jag_slot *moved = reallocarray(dir->children, room, sizeof(*moved));
		if (!moved)
			return -ENOMEM;
		dir->children = moved;
	}
	dir->children[dir->child_count++] = *slot;
	return 0;
}

static int list_object(struct jag_builder *b, uint32_t dir, uint32_t number, unsigned view, unsigned format)
{
	struct jag_tree *tree = b->tree;
	jag_node node = jag_tree_node(tree, number, view, format, format == JAG_FORMAT_DIR ? JAG_INDEX_SELF : 0);
	char name[JAG_NAME_MAX + 1];
	int rc = jag_node_name(tree, node, name, sizeof(name));
	struct jag_slot slot = { .object = number, .view = (uint8_t)view, .format = (uint8_t)format };
	if (rc)
		return rc == -ENAMETOOLONG ? 0 : rc;
	slot.name = jag_tree_strdup(tree, name);
	tree->objects[number].listed = true;
	return slot.name ? append_child(&tree->objects[dir], &slot) : -ENOMEM;
}

/* Third pass: what is listed, key by key. */
static int list_key(struct jag_builder *b, uint32_t dir, const struct jag_key *key)
{
	const struct jag_object *object = &b->tree->objects[key->dir];
	int rc = 0;
	if (key->dir && key->list_dir) {
		bool elements = object->kind == JAG_OBJECT_ELEMENTS;
		rc = list_object(b, dir, key->dir, 0, JAG_FORMAT_DIR);
		for (unsigned f = 1; rc == 0 && elements && f < JAG_FORMAT_COUNT; f++)
			if (b->views >> f & b->tree->objects[key->dir].formats >> f & 1)
				rc = list_object(b, dir, key->dir, f, JAG_FORMAT_DIR);
	}
	if (rc == 0 && key->file && key->list_file)
		rc = list_object(b, dir, key->file, 0, b->tree->objects[key->file].codec->format);
	if (rc == 0 && key->text && key->list_file)
		rc = list_object(b, dir, key->text, 0, JAG_FORMAT_JSON);
	return rc;
}

/* Second pass: names of files. */
static int name_files(struct jag_builder *b, const struct jag_key *key)
{
	int rc = 0;
	if (key->file)
		rc = jag_register_file(b, key->file, key->name, "");
	if (rc == 0 && key->shape) {
		char *name = jag_tree_alloc(b->tree, strlen(key->name) + sizeof(".shape"));
		if (!name)
			return -ENOMEM;
		strcpy(name, key->name);
		strcat(name, ".shape");
		rc = jag_register_file(b, key->shape, name, "");
	}
	if (rc == 0 && (key->text || key->list))
		rc = jag_register_file(b, key->text ? key->text : key->list, key->name, ".json");
	return rc;
}

static int build_dir(struct jag_builder *b, uint32_t dir, const struct jag_keys *keys, const struct jag_scope *scope)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < keys->count; i++) {
		struct jag_key *key = &keys->items[i];
		struct jag_scope inner;
		key->name = jag_key_name(b->tree, key->key);
		rc = key->name ? jag_scope_enter(b, scope, key, &inner) : -ENOMEM;
		hide_own(key, scope);
		if (rc == 0)
			rc = build_key(b, dir, key, &inner);
		if (rc == 0 && key->dir)
			rc = jag_register_dir(b, key->dir, key->name);
	}
	for (size_t i = 0; rc == 0 && i < keys->count; i++)
		rc = name_files(b, &keys->items[i]);
	for (size_t i = 0; rc == 0 && i < keys->count; i++)
		rc = list_key(b, dir, &keys->items[i]);
	return rc;
}

/* --- a collection ---------------------------------------------------------------------------------------------- */

static int add_side_file(struct jag_builder *b, uint32_t dir, const struct jag_side_file *side,
			 const struct jag_scope *scope)
{
	bool text = side->bytes || !side->file;
	int64_t number = jag_tree_add_object(b->tree, text ? JAG_OBJECT_TEXT : JAG_OBJECT_FILE, dir);
	if (number < 0)
		return (int)number;
	struct jag_object *object = &b->tree->objects[number];
	object->attr = b->attr;
	object->read_only = true;
	object->hash = XXH3_64bits_withSeed(side->name, strlen(side->name), jag_hash_salt(scope->hash, 32));
	if (text) {
		object->bytes = side->bytes ? side->bytes : (const uint8_t *)"";
		object->nbytes = side->bytes ? side->nbytes : 0;
	} else {
		int rc = jag_sequence_file(side->file, 0, side->nbytes, &object->seq);
		if (rc)
			return rc;
		jag_file_attr(side->file, &object->attr);
		object->codec = jag_codec_by_format(JAG_FORMAT_RAW);
		object->raw_suffix = "";
		object->formats = 1U << JAG_FORMAT_RAW;
	}
	int rc = jag_register_file(b, (uint32_t)number, side->name, "");
	return rc ? rc : list_object(b, dir, (uint32_t)number, 0, text ? JAG_FORMAT_JSON : JAG_FORMAT_RAW);
}

int jag_build_collection(struct jag_builder *b, uint32_t dir, const struct jag_collection *collection,
			 const struct jag_scope *scope)
{
	struct jag_recorded recorded;
	struct jag_scope inner = *scope;
	struct jag_keys keys;
	jag_recorded_read(collection, &recorded);
	if (recorded.present)
		inner.recorded = &recorded;
	int rc = jag_keys_of_collection(b, collection, &recorded, &keys);
	if (rc)
		return rc;
	rc = build_dir(b, dir, &keys, &inner);
	jag_keys_free(&keys);
	for (size_t i = 0; rc == 0 && i < collection->side_file_count; i++)
		rc = add_side_file(b, dir, &collection->side_files[i], scope);
	return rc;
}
