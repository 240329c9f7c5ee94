/* SPDX-License-Identifier: MIT */
/* find.c - questions to the finished model: a path to an entry, the first fault. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "keyname.h"
#include "model.h"

static const char *entry_key(const struct jag_entry *entry)
{
	return entry->type == JAG_ENTRY_LEAF ? entry->leaf->key : entry->collection->key;
}

/* Is `text` the key, as a file name would be or as it is? */
static bool is_key(const char *key, const char *text, size_t nbytes, bool encoded)
{
	char name[JAG_FILE_NAME_MAX + 1];
	if (!encoded)
		return strlen(key) == nbytes && memcmp(key, text, nbytes) == 0;
	int n = jag_key_encode(key, name, sizeof(name));
	return n >= 0 && (size_t)n == nbytes && memcmp(name, text, nbytes) == 0;
}

/* File names win over raw keys: "a%20b" is first of all the name of "a b". */
static const struct jag_entry *find_in(const struct jag_collection *c, const char *text, size_t nbytes)
{
	for (int encoded = 1; encoded >= 0; encoded--) {
		for (size_t i = 0; i < c->entry_count; i++) {
			if (is_key(entry_key(&c->entries[i]), text, nbytes, encoded))
				return &c->entries[i];
		}
	}
	return NULL;
}

int jag_store_find(const struct jag_store *store, const char *path, struct jag_entry *out)
{
	struct jag_entry at = { .type = JAG_ENTRY_COLLECTION, .collection = store->root };
	while (*path == '/')
		path++;
	while (*path) {
		size_t n = strcspn(path, "/");
		if (at.type != JAG_ENTRY_COLLECTION)
			return -ENOENT;
		const struct jag_entry *found = find_in(at.collection, path, n);
		/* a raw key may have slashes of its own */
		if (!found) {
			n = strlen(path);
			found = find_in(at.collection, path, n);
		}
		if (!found)
			return -ENOENT;
		at = *found;
		path += n;
		while (*path == '/')
			path++;
	}
	*out = at;
	return 0;
}

/* Depth first, in the order of meta.json. The depth of the model is bounded (JAG_DEPTH_MAX). */
static const void *first_faulty(const struct jag_collection *c)
{
	if (c->fault)
		return c;
	for (size_t i = 0; i < c->entry_count; i++) {
		const struct jag_entry *entry = &c->entries[i];
		const void *owner = NULL;
		if (entry->type == JAG_ENTRY_COLLECTION)
			owner = first_faulty(entry->collection);
		else if (entry->leaf->fault)
			owner = entry->leaf;
		if (owner)
			return owner;
	}
	return NULL;
}

static int report(const struct jag_store *store, const void *owner, struct jag_error *err)
{
	for (const struct jag_fault_note *note = store->notes; note; note = note->next) {
		if (note->owner != owner)
			continue;
		char path[512];
		snprintf(path, sizeof(path), "%s/%s", store->path, note->path);
		return jag_error_set(err, note->code, path, note->offset, "%s", note->message);
	}
	return jag_error_set(err, -EINVAL, store->path, 0, "a fault without a reason");
}

int jag_store_first_fault(const struct jag_store *store, const struct jag_collection *top, struct jag_error *err)
{
	const void *owner = first_faulty(top ? top : store->root);
	return owner ? report(store, owner, err) : 0;
}

int jag_store_fault_of(const struct jag_store *store, const struct jag_entry *entry, struct jag_error *err)
{
	if (entry->type == JAG_ENTRY_LEAF)
		return entry->leaf->fault ? report(store, entry->leaf, err) : 0;
	return entry->collection->fault ? report(store, entry->collection, err) : 0;
}
