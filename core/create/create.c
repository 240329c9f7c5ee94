/* SPDX-License-Identifier: MIT */
/* create.c - a store in the making as an object: begin, notes, the walk over its leaves, release. */
#include "create_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jag/sequence.h"
#include "jag/store.h"

int jag_create_alloc(unsigned flags, struct jag_create **out)
{
	struct jag_create *create = calloc(1, sizeof(*create));
	struct jag_create_dir *root = calloc(1, sizeof(*root));
	char *empty = strdup("");
	if (!create || !root || !empty) {
		free(create);
		free(root);
		free(empty);
		return -ENOMEM;
	}
	create->flags = flags;
	create->root = root;
	create->place = (struct jag_place){ .parent_fd = -1, .fd = -1 };
	root->create = create;
	root->path = empty;
	*out = create;
	return 0;
}

int jag_create_new(const char *path, unsigned flags, struct jag_create **out, struct jag_error *err)
{
	struct jag_create *create;
	int rc = jag_create_alloc(flags, &create);
	if (rc)
		return jag_error_set(err, rc, path, 0, "out of memory");
	rc = jag_place_find(&create->place, path, flags & JAG_CREATE_FORCE, err);
	if (rc) {
		jag_create_discard(create);
		return rc;
	}
	*out = create;
	return 0;
}

void jag_create_on_note(struct jag_create *create, void (*note)(void *ctx, const char *key, const char *text),
			void *ctx)
{
	create->note = note;
	create->note_ctx = ctx;
}

void jag_create_watch(struct jag_create *create, struct jag_watch *watch)
{
	create->watch = watch;
}

int jag_create_check_gone(const struct jag_create *create, int rc, struct jag_error *err)
{
	if (rc == -ECANCELED || !jag_place_is_gone(&create->place))
		return rc;
	return jag_error_set(err, -ESTALE, create->place.path, 0,
			     "has been replaced or removed meanwhile, and what was made with it");
}

struct jag_create_dir *jag_create_root(struct jag_create *create)
{
	return create->root;
}

uint64_t jag_create_nbytes(const struct jag_create *create)
{
	return create->nbytes;
}

uint64_t jag_create_leaf_nbytes(const struct jag_create_leaf *leaf)
{
	return leaf->nbytes;
}

void jag_create_say(struct jag_create *create, const char *key, const char *text)
{
	if (create->note)
		create->note(create->note_ctx, key, text);
}

int jag_create_each_leaf(struct jag_create_dir *dir, int (*visit)(struct jag_create_leaf *leaf, void *ctx), void *ctx)
{
	for (size_t i = 0; i < dir->entry_count; i++) {
		struct jag_create_entry *entry = &dir->entries[i];
		int rc = 0;
		if (entry->type == JAG_CREATE_LEAF)
			rc = visit(entry->leaf, ctx);
		else if (entry->type == JAG_CREATE_DIR)
			rc = jag_create_each_leaf(entry->dir, visit, ctx);
		if (rc)
			return rc;
	}
	return 0;
}

void jag_create_close(struct jag_create_leaf *leaf)
{
	int fd = atomic_exchange(&leaf->fd, -1);
	if (fd >= 0)
		close(fd);
}

static void free_leaf(struct jag_create_leaf *leaf)
{
	jag_create_close(leaf);
	if (leaf->adopt_fd >= 0)
		close(leaf->adopt_fd);
	free(leaf->data_path);
	free(leaf->shapes_path);
	free(leaf->adopted);
	jag_sequence_free(leaf->matrix);
	free(leaf);
}

static void free_dir(struct jag_create_dir *dir)
{
	for (size_t i = 0; i < dir->entry_count; i++) {
		struct jag_create_entry *entry = &dir->entries[i];
		if (entry->type == JAG_CREATE_LEAF)
			free_leaf(entry->leaf);
		else if (entry->type == JAG_CREATE_DIR)
			free_dir(entry->dir);
		else
			free(entry->json);
		free(entry->key);
		free(entry->path);
	}
	for (size_t i = 0; i < dir->name_count; i++)
		free(dir->names[i]);
	free(dir->names);
	free(dir->entries);
	free(dir->path);
	free(dir);
}

void jag_create_discard(struct jag_create *create)
{
	if (!create)
		return;
	jag_store_close(create->view);
	free_dir(create->root);
	jag_place_discard(&create->place);
	jag_place_finish(&create->place);
	jag_meta_free(&create->known);
	free(create->adopt);
	free(create);
}
