/* SPDX-License-Identifier: MIT */
/* model.c - memory, objects and the table of names of a tree under construction. */
#include "model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Room for one more item in an array that doubles; 0 or -ENOMEM. */
static int grow(void **items, size_t count, size_t *capacity, size_t item_nbytes)
{
	if (count < *capacity)
		return 0;
	size_t wanted = *capacity ? *capacity * 2 : 16;
	void *moved = reallocarray(*items, wanted, item_nbytes);
	if (!moved)
		return -ENOMEM;
	*items = moved;
	*capacity = wanted;
	return 0;
}

void *jag_tree_alloc(struct jag_tree *tree, size_t nbytes)
{
	/* a power of two is the moment to grow: the capacity need not be kept */
	size_t count = tree->memory_count;
	if ((count & (count - 1)) == 0) {
		void **moved = reallocarray(tree->memory, count ? count * 2 : 1, sizeof(*moved));
		if (!moved)
			return NULL;
		tree->memory = moved;
	}
	void *memory = calloc(1, nbytes ? nbytes : 1);
	if (memory)
		tree->memory[tree->memory_count++] = memory;
	return memory;
}

char *jag_tree_strdup(struct jag_tree *tree, const char *text)
{
	size_t nbytes = strlen(text) + 1;
	char *copy = jag_tree_alloc(tree, nbytes);
	if (copy)
		memcpy(copy, text, nbytes);
	return copy;
}

int64_t jag_tree_add_object(struct jag_tree *tree, enum jag_object_kind kind, uint32_t parent)
{
	if (tree->object_count >= JAG_OBJECT_LIMIT)
		return -E2BIG;
	void *items = tree->objects;
	int rc = grow(&items, tree->object_count, &tree->object_capacity, sizeof(*tree->objects));
	if (rc)
		return rc;
	tree->objects = items;
	tree->objects[tree->object_count] = (struct jag_object){ .kind = kind, .parent = parent };
	return tree->object_count++;
}

void jag_tree_add_note(struct jag_tree *tree, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	va_start(ap, fmt);
	int rc = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return;
	char **moved = reallocarray(tree->notes, tree->note_count + 1, sizeof(*moved));
	if (!moved) {
		free(text);
		return;
	}
	tree->notes = moved;
	tree->notes[tree->note_count++] = text;
}

static uint32_t name_hash(uint32_t parent, const char *name)
{
	return (uint32_t)XXH3_64bits_withSeed(name, strlen(name), parent);
}

static void put(struct jag_name_table *table, const struct jag_name_slot *entry)
{
	size_t at = entry->hash & (table->capacity - 1);
	while (table->slots[at].slot.name)
		at = (at + 1) & (table->capacity - 1);
	table->slots[at] = *entry;
	table->count++;
}

static int enlarge(struct jag_name_table *table)
{
	struct jag_name_table larger = { .capacity = table->capacity ? table->capacity * 2 : 64 };
	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->capacity; i++)
		if (table->slots[i].slot.name)
			put(&larger, &table->slots[i]);
	free(table->slots);
	*table = larger;
	return 0;
}

int jag_tree_add_name(struct jag_tree *tree, uint32_t parent, const struct jag_slot *slot)
{
	struct jag_name_table *table = &tree->names;
	if (table->count * 2 >= table->capacity) {
		int rc = enlarge(table);
		if (rc)
			return rc;
	}
	put(table, &(struct jag_name_slot){ .parent = parent, .hash = name_hash(parent, slot->name), .slot = *slot });
	return 0;
}

const struct jag_slot *jag_tree_find_name(const struct jag_tree *tree, uint32_t parent, const char *name)
{
	const struct jag_name_table *table = &tree->names;
	if (!table->capacity)
		return NULL;
	uint32_t hash = name_hash(parent, name);
	for (size_t at = hash & (table->capacity - 1);; at = (at + 1) & (table->capacity - 1)) {
		const struct jag_name_slot *entry = &table->slots[at];
		if (!entry->slot.name)
			return NULL;
		if (entry->hash == hash && entry->parent == parent && !strcmp(entry->slot.name, name))
			return &entry->slot;
	}
}
