/* SPDX-License-Identifier: MIT */
/* keys.c - which keys a directory has. Most collections: their own. A packed store in chunks, and a lazy stack whose
 * children have no batch of their own, show the keys of their children, each joined over all that have it; the children
 * themselves are still there, hidden. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "build.h"

static const char *entry_key(const struct jag_entry *entry)
{
	return entry->type == JAG_ENTRY_LEAF ? entry->leaf->key : entry->collection->key;
}

static struct jag_key *add_key(struct jag_keys *keys, const char *key)
{
	if ((keys->count & (keys->count - 1)) == 0) {
		size_t room = keys->count ? keys->count * 2 : 1;
		struct jag_key *moved = reallocarray(keys->items, room, sizeof(*moved));
		if (!moved)
			return NULL;
		keys->items = moved;
	}
	struct jag_key *added = &keys->items[keys->count++];
	*added = (struct jag_key){ .key = key };
	return added;
}

static int add_entry(struct jag_key *key, const struct jag_entry *entry)
{
	if ((key->entry_count & (key->entry_count - 1)) == 0) {
		size_t room = key->entry_count ? key->entry_count * 2 : 1;
		void *moved = reallocarray(key->entries, room, sizeof(*key->entries));
		if (!moved)
			return -ENOMEM;
		key->entries = moved;
	}
	key->entries[key->entry_count++] = entry;
	return 0;
}

void jag_keys_free(struct jag_keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		free(keys->items[i].entries);
	free(keys->items);
	*keys = (struct jag_keys){ 0 };
}

/* The children have the same few keys, mostly in the same order: look first where the last child had it. */
static struct jag_key *find_key(struct jag_keys *keys, const char *key, size_t hint)
{
	if (hint < keys->count && !strcmp(keys->items[hint].key, key))
		return &keys->items[hint];
	for (size_t i = 0; i < keys->count; i++)
		if (!strcmp(keys->items[i].key, key))
			return &keys->items[i];
	return NULL;
}

static bool is_value(const struct jag_entry *entry)
{
	return entry->type == JAG_ENTRY_COLLECTION &&
	       (entry->collection->kind == JAG_NONTENSOR || entry->collection->kind == JAG_NONTENSOR_STACK);
}

/* Leaves with leaves, values with values, collections with collections that are no stacks themselves. */
static bool joinable(const struct jag_key *key)
{
	const struct jag_entry *first = key->entries[0];
	for (size_t i = 0; i < key->entry_count; i++) {
		const struct jag_entry *entry = key->entries[i];
		if (entry->type != first->type || is_value(entry) != is_value(first))
			return false;
		if (entry->type == JAG_ENTRY_COLLECTION && entry->collection->kind == JAG_LAZY_STACK)
			return false;
	}
	return true;
}

static int join_keys(struct jag_builder *b, struct jag_keys *keys, bool stack)
{
	size_t kept = 0;
	for (size_t i = 0; i < keys->count; i++) {
		struct jag_key *key = &keys->items[i];
		key->joined = true;
		key->stack = stack;
		if (joinable(key)) {
			keys->items[kept++] = *key;
			continue;
		}
		jag_tree_add_note(b->tree, "%s is not the same kind of thing in all children: see these", key->key);
		free(key->entries);
	}
	keys->count = kept;
	return 0;
}

int jag_keys_of_parts(struct jag_builder *b, const struct jag_entry *const *parts, size_t part_count, bool stack,
		      struct jag_keys *out)
{
	*out = (struct jag_keys){ 0 };
	for (size_t p = 0; p < part_count; p++) {
		const struct jag_collection *part = parts[p]->collection;
		for (size_t i = 0; i < part->entry_count; i++) {
			const struct jag_entry *entry = &part->entries[i];
			struct jag_key *key = find_key(out, entry_key(entry), i);
			if (!key)
				key = add_key(out, entry_key(entry));
			if (!key || add_entry(key, entry)) {
				jag_keys_free(out);
				return -ENOMEM;
			}
		}
	}
	return join_keys(b, out, stack);
}

/* A lazy stack shows its keys joined if all of its children say that they have no batch. */
static bool children_have_no_batch(const struct jag_collection *stack)
{
	for (size_t i = 0; i < stack->entry_count; i++) {
		const struct jag_entry *entry = &stack->entries[i];
		if (entry->type != JAG_ENTRY_COLLECTION || entry->collection->kind == JAG_LAZY_STACK ||
		    is_value(entry) || entry->collection->fault || entry->collection->batch_rank > 0)
			return false;
	}
	return stack->entry_count > 0;
}

/* The children that are joined: their entries, in memory of the caller. */
static size_t children_of(const struct jag_collection *collection, const struct jag_recorded *recorded,
			  const struct jag_entry **children)
{
	size_t count = 0;
	for (size_t i = 0; i < collection->entry_count; i++) {
		const struct jag_entry *entry = &collection->entries[i];
		char *end;
		if (entry->type != JAG_ENTRY_COLLECTION)
			continue;
		unsigned long long number = strtoull(entry->collection->key, &end, 10);
		if (collection->kind != JAG_LAZY_STACK && (*end || number != count || number >= recorded->chunks))
			continue;
		children[count++] = entry;
	}
	return count;
}

int jag_keys_of_collection(struct jag_builder *b, const struct jag_collection *collection,
			   const struct jag_recorded *recorded, struct jag_keys *out)
{
	bool stack = collection->kind == JAG_LAZY_STACK && children_have_no_batch(collection);
	const struct jag_entry **children = calloc(collection->entry_count + 1, sizeof(*children));
	size_t child_count = 0;
	int rc = children ? 0 : -ENOMEM;
	*out = (struct jag_keys){ 0 };
	if (rc == 0 && (stack || recorded->chunks > 0)) {
		child_count = children_of(collection, recorded, children);
		rc = jag_keys_of_parts(b, children, child_count, stack, out);
	}
	size_t next_child = 0;
	for (size_t i = 0; rc == 0 && i < collection->entry_count; i++) {
		const struct jag_entry *entry = &collection->entries[i];
		bool hidden = next_child < child_count && children[next_child] == entry;
		next_child += hidden;
		struct jag_key *key = add_key(out, entry_key(entry));
		rc = key ? add_entry(key, entry) : -ENOMEM;
		if (key)
			key->hidden = hidden;
	}
	free(children);
	if (rc)
		jag_keys_free(out);
	return rc;
}

/* The key that `path` begins with, written as a file name or as it is; what follows it. NULL: none. */
static const struct jag_key *first_key(const struct jag_keys *keys, const char *path, const char **rest)
{
	char name[1024];
	size_t n = strcspn(path, "/");
	*rest = path + n + strspn(path + n, "/");
	for (size_t i = 0; i < keys->count; i++) {
		const char *key = keys->items[i].key;
		if (strlen(key) == n && !strncmp(key, path, n))
			return &keys->items[i];
		if (jag_key_encode(key, name, sizeof(name)) >= 0 && strlen(name) == n && !strncmp(name, path, n))
			return &keys->items[i];
	}
	return NULL;
}

static int keys_below(struct jag_builder *b, const struct jag_key *key, struct jag_keys *out)
{
	struct jag_recorded recorded;
	if (key->entries[0]->type != JAG_ENTRY_COLLECTION)
		return -ENOENT;
	if (key->joined)
		return jag_keys_of_parts(b, key->entries, key->entry_count, key->stack, out);
	jag_recorded_read(key->entries[0]->collection, &recorded);
	return jag_keys_of_collection(b, key->entries[0]->collection, &recorded, out);
}

int jag_keys_find(struct jag_builder *b, const char *path, struct jag_keys *keys, const struct jag_key **key)
{
	const struct jag_collection *top = jag_store_root(b->tree->store);
	struct jag_recorded recorded;
	const char *rest;
	jag_recorded_read(top, &recorded);
	int rc = jag_keys_of_collection(b, top, &recorded, keys);
	while (rc == 0) {
		*key = first_key(keys, path, &rest);
		if (!*key)
			return -ENOENT;
		if (!*rest)
			return 0;
		struct jag_keys inner = { 0 };
		rc = keys_below(b, *key, &inner);
		jag_keys_free(keys);
		*keys = inner;
		path = rest;
	}
	return rc;
}
