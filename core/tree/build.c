/* SPDX-License-Identifier: MIT */
/* build.c - opens and closes a tree: walks the store's collections and makes the directories. */
#include "build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* Collections nested deeper than this are a loop, or an attack on the stack. */
#define DEPTH_MAX 200

static int build_dir(struct jag_builder *b, uint32_t dir, const struct jag_keys *keys, const struct jag_scope *scope);
static int build_collection(struct jag_builder *b, uint32_t dir, const struct jag_collection *collection,
			    const struct jag_scope *scope);

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
		return build_collection(b, key->dir, key->entries[0]->collection, scope);
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
		jag_note_fault(b, scope, collection->fault ? collection->fault : -EINVAL, collection->path,
			       collection->fault_text);
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
		key->hidden = key->hidden || (!strcmp(key->key, "path") && first->leaf->nested);
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
			if (b->views >> f & 1)
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
	if (rc == 0 && key->text)
		rc = jag_register_file(b, key->text, key->name, ".json");
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

static unsigned depth_of(const struct jag_collection *collection)
{
	unsigned depth = 0;
	for (; collection->parent && depth <= DEPTH_MAX; collection = collection->parent)
		depth++;
	return depth;
}

static int build_collection(struct jag_builder *b, uint32_t dir, const struct jag_collection *collection,
			    const struct jag_scope *scope)
{
	struct jag_recorded recorded;
	struct jag_scope inner = *scope;
	struct jag_keys keys;
	if (depth_of(collection) > DEPTH_MAX)
		return jag_error_set(b->err, -ELOOP, collection->path, 0, "collections are nested more than %d deep",
				     DEPTH_MAX);
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

/* --- the whole ------------------------------------------------------------------------------------------------- */

/* Attributes of directories and texts: those of the first data file, since all of a store belongs to one owner. */
static bool find_attr(const struct jag_collection *collection, unsigned depth, struct jag_file_attr *attr)
{
	for (size_t i = 0; depth <= DEPTH_MAX && i < collection->entry_count; i++) {
		const struct jag_entry *entry = &collection->entries[i];
		if (entry->type == JAG_ENTRY_COLLECTION) {
			if (find_attr(entry->collection, depth + 1, attr))
				return true;
		} else if (entry->leaf->data || entry->leaf->shapes) {
			jag_file_attr(entry->leaf->data ? entry->leaf->data : entry->leaf->shapes, attr);
			return true;
		}
	}
	return false;
}

static int parse_views(struct jag_builder *b, const char *text)
{
	while (text && *text) {
		size_t nbytes = strcspn(text, ":");
		const struct jag_codec *codec = jag_codec_by_name(text, nbytes);
		if (!codec)
			return jag_error_set(b->err, -EINVAL, NULL, 0, "option views: no format is called \"%.*s\"",
					     (int)nbytes, text);
		b->views |= (uint16_t)(1U << codec->format);
		text += nbytes + (text[nbytes] == ':');
	}
	return 0;
}

static int parse_options(struct jag_builder *b)
{
	const struct jag_tree_options *o = b->options;
	int rc = jag_option_list_parse("format", o->format, &b->format, b->err);
	if (rc == 0)
		rc = jag_option_list_parse("layout", o->layout, &b->layout, b->err);
	if (rc == 0)
		rc = jag_option_list_parse("batch", o->batch, &b->batch, b->err);
	if (rc == 0)
		rc = jag_option_list_parse("channels", o->channels, &b->channels, b->err);
	if (rc == 0)
		rc = parse_views(b, o->views);
	if (rc == 0 && (o->quality < 0 || o->quality > 100))
		rc = jag_error_set(b->err, -EINVAL, NULL, 0, "option quality: %d is not 1..100", o->quality);
	if (rc == 0 && (o->png_level < 0 || o->png_level > 9))
		rc = jag_error_set(b->err, -EINVAL, NULL, 0, "option png_level: %d is not 0..9", o->png_level);
	return rc;
}

static int check_options_used(struct jag_builder *b)
{
	const struct jag_option_list *lists[] = { &b->format, &b->layout, &b->batch, &b->channels };
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		int rc = jag_option_list_unused(lists[i], b->err);
		if (rc)
			return rc;
	}
	return 0;
}

static int build(struct jag_builder *b, const char *subpath)
{
	const struct jag_collection *top = jag_store_root(b->tree->store);
	struct jag_scope scope = { .wanted = subpath + strspn(subpath, "/"), .path = NULL };
	int64_t root = jag_tree_add_object(b->tree, JAG_OBJECT_DIR, 0);
	if (root < 0)
		return (int)root;
	if (!find_attr(top, 0, &b->attr))
		b->attr = (struct jag_file_attr){ .uid = getuid(), .gid = getgid(), .mode = 0444 };
	b->tree->objects[0].attr = b->attr;
	b->tree->objects[0].name = "";
	b->tree->objects[0].hash = jag_hash_salt(0, JAG_OBJECT_DIR);
	if (!*scope.wanted) {
		scope.path = "";
		jag_found_root(b, &scope, 0);
	}
	if (top->fault || top->kind == JAG_UNREADABLE)
		jag_note_fault(b, &scope, top->fault ? top->fault : -EINVAL, top->path, top->fault_text);
	int rc = build_collection(b, 0, top, &scope);
	if (rc)
		return rc;
	if (b->fault.code && (!b->options->skip_faults || !b->root_found)) {
		if (b->err)
			*b->err = b->fault;
		return b->fault.code;
	}
	if (!b->root_found)
		return jag_error_set(b->err, -ENOENT, jag_store_path(b->tree->store), 0,
				     "the store has no collection or sequence called \"%s\"", subpath);
	return check_options_used(b);
}

int jag_tree_open(const struct jag_store *store, const char *subpath, const struct jag_tree_options *options,
		  struct jag_tree **tree, struct jag_error *err)
{
	static const struct jag_tree_options defaults;
	struct jag_error ignored = { 0 };
	struct jag_builder b = { .options = options ? options : &defaults, .err = err ? err : &ignored };
	b.tree = calloc(1, sizeof(*b.tree));
	if (!b.tree)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	b.tree->store = store;
	b.err->code = 0;
	int rc = parse_options(&b);
	if (rc == 0)
		rc = build(&b, subpath ? subpath : "");
	jag_option_list_free(&b.format);
	jag_option_list_free(&b.layout);
	jag_option_list_free(&b.batch);
	jag_option_list_free(&b.channels);
	if (rc) {
		jag_tree_close(b.tree);
		if (!b.err->code)
			jag_error_set(b.err, rc, jag_store_path(store), 0,
				      rc == -E2BIG ? "the store has too many keys" : "%s", strerror(-rc));
		return rc;
	}
	*tree = b.tree;
	return 0;
}

void jag_tree_close(struct jag_tree *tree)
{
	if (!tree)
		return;
	for (uint32_t i = 0; i < tree->object_count; i++) {
		jag_sequence_free(tree->objects[i].seq);
		free(tree->objects[i].children);
	}
	for (size_t i = 0; i < tree->memory_count; i++)
		free(tree->memory[i]);
	for (size_t i = 0; i < tree->note_count; i++)
		free(tree->notes[i]);
	free(tree->memory);
	free(tree->notes);
	free(tree->objects);
	free(tree->names.slots);
	free(tree);
}

const struct jag_store *jag_tree_store(const struct jag_tree *tree)
{
	return tree->store;
}

size_t jag_tree_note_count(const struct jag_tree *tree)
{
	return tree->note_count;
}

const char *jag_tree_note(const struct jag_tree *tree, size_t i)
{
	return i < tree->note_count ? tree->notes[i] : NULL;
}
