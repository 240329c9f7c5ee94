/* SPDX-License-Identifier: MIT */
/* model.c - memory, entries, faults and warnings of the model; knows no kind of container. */
#include "model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nested.h"

struct jag_arena_block {
	struct jag_arena_block *next;
	size_t used, nbytes;
	_Alignas(16) uint8_t bytes[];
};

#define ARENA_BLOCK_NBYTES ((size_t)64 << 10)

void *jag_model_alloc(struct jag_store *store, size_t nbytes)
{
	if (nbytes > SIZE_MAX / 2)
		return NULL;
	nbytes = (nbytes + 15) & ~(size_t)15;
	struct jag_arena_block *block = store->arena;
	if (!block || block->nbytes - block->used < nbytes) {
		size_t room = nbytes > ARENA_BLOCK_NBYTES ? nbytes : ARENA_BLOCK_NBYTES;
		block = calloc(1, sizeof(*block) + room);
		if (!block)
			return NULL;
		block->nbytes = room;
		block->next = store->arena;
		store->arena = block;
	}
	void *memory = block->bytes + block->used;
	block->used += nbytes;
	return memory;
}

void jag_model_free_all(struct jag_store *store)
{
	for (size_t i = 0; i < store->index_count; i++)
		jag_index_free(store->indexes[i]);
	free(store->indexes);
	while (store->files) {
		struct jag_file *file = store->files;
		store->files = file->next;
		jag_file_close(file);
	}
	while (store->arena) {
		struct jag_arena_block *block = store->arena;
		store->arena = block->next;
		free(block);
	}
}

char *jag_model_copy(struct jag_store *store, const char *text, size_t nbytes)
{
	char *copy = jag_model_alloc(store, nbytes + 1);
	if (copy && nbytes)
		memcpy(copy, text, nbytes);
	return copy;
}

JAG_PRINTF(2, 0)
static char *format_text(struct jag_store *store, const char *fmt, va_list ap)
{
	char *heap = NULL;
	int n = vasprintf(&heap, fmt, ap);
	if (n < 0)
		return NULL;
	char *text = jag_model_copy(store, heap, (size_t)n);
	free(heap);
	return text;
}

char *jag_model_text(struct jag_store *store, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = format_text(store, fmt, ap);
	va_end(ap);
	return text;
}

char *jag_model_join(struct jag_store *store, const char *dir, const char *name)
{
	return jag_model_text(store, "%s%s%s", dir, dir[0] ? "/" : "", name);
}

/* Doubling in the arena leaves the old arrays behind; that is at most as much again as the array in use. */
static int add_entry(struct jag_store *store, struct jag_collection *parent, struct jag_entry entry)
{
	size_t n = parent->entry_count;
	if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
		struct jag_entry *grown = jag_model_alloc(store, (n ? 2 * n : 4) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		if (n)
			memcpy(grown, parent->entries, n * sizeof(*grown));
		parent->entries = grown;
	}
	parent->entries[parent->entry_count++] = entry;
	return 0;
}

int jag_model_add_leaf(struct jag_store *store, struct jag_collection *parent, struct jag_leaf *leaf)
{
	leaf->parent = parent;
	return add_entry(store, parent, (struct jag_entry){ .type = JAG_ENTRY_LEAF, .leaf = leaf });
}

int jag_model_add_collection(struct jag_store *store, struct jag_collection *parent, struct jag_collection *child)
{
	child->parent = parent;
	return add_entry(store, parent, (struct jag_entry){ .type = JAG_ENTRY_COLLECTION, .collection = child });
}

static int add_note(struct jag_store *store, struct jag_fault_note note, int *fault, const char **fault_text)
{
	if (*fault)
		return 0;
	struct jag_fault_note *kept = jag_model_alloc(store, sizeof(*kept));
	const char *text = jag_model_text(store, "%s: %s", note.path, note.message);
	note.message = jag_model_copy(store, note.message, strlen(note.message));
	if (!kept || !text || !note.message)
		return -ENOMEM;
	*kept = note;
	kept->next = store->notes;
	store->notes = kept;
	*fault = note.code;
	*fault_text = text;
	return 0;
}

int jag_model_fault_leaf(struct jag_store *store, struct jag_leaf *leaf, int code, const char *path, uint64_t offset,
			 const char *message)
{
	struct jag_fault_note note = { NULL, leaf, path, message, offset, code };
	return add_note(store, note, &leaf->fault, &leaf->fault_text);
}

int jag_model_fault_collection(struct jag_store *store, struct jag_collection *collection, int code, const char *path,
			       uint64_t offset, const char *message)
{
	struct jag_fault_note note = { NULL, collection, path, message, offset, code };
	return add_note(store, note, &collection->fault, &collection->fault_text);
}

int jag_model_warn(struct jag_store *store, const char **warning, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = format_text(store, fmt, ap);
	va_end(ap);
	if (text && *warning)
		text = jag_model_text(store, "%s; %s", *warning, text);
	if (!text)
		return -ENOMEM;
	*warning = text;
	return 0;
}

int jag_model_open_file(struct jag_store *store, const char *path, bool data, struct jag_file **out)
{
	int rc = jag_file_open(&store->root_dir, path, data && (store->flags & JAG_STORE_WRITE), out);
	if (rc)
		return rc;
	(*out)->next = store->files;
	store->files = *out;
	return 0;
}

int jag_model_build_index(struct jag_store *store, struct jag_leaf *leaf, unsigned d, struct jag_error *err)
{
	struct jag_index **grown = reallocarray(store->indexes, store->index_count + 1, sizeof(struct jag_index *));
	if (!grown)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	store->indexes = grown;
	leaf->dims = jag_model_alloc(store, d * sizeof(*leaf->dims));
	if (!leaf->dims)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	int rc = jag_index_build(leaf->shapes, leaf->shapes_offset, leaf->count, d, &leaf->index, leaf->dims, err);
	if (rc)
		return rc;
	store->indexes[store->index_count++] = leaf->index;
	leaf->numel = jag_index_numel(leaf->index);
	return 0;
}

bool jag_model_fatal(int code)
{
	return code == -ENOMEM || code == -EMFILE || code == -ENFILE;
}
