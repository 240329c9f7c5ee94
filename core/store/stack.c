/* SPDX-License-Identifier: MIT */
/* stack.c - lazy stacks and unlisted children; see stack.h. */
#include "stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "tensordict.h"

/* A child that a gap has cut off: the loader stops at the first missing number. */
struct gap {
	uint64_t count;
	bool beyond;
};

static int look_beyond(void *context, const char *name)
{
	struct gap *gap = context;
	char *end;
	if (name[0] < '0' || name[0] > '9' || (name[0] == '0' && name[1]))
		return 0;
	unsigned long long number = strtoull(name, &end, 10);
	gap->beyond |= *end == '\0' && number >= gap->count;
	return 0;
}

int jag_td_add_numbered(struct jag_store *store, struct jag_collection *c, const char *dir, unsigned depth)
{
	for (uint64_t i = 0;; i++) {
		char *key = jag_model_text(store, "%llu", (unsigned long long)i);
		char *path = key ? jag_model_join(store, dir, key) : NULL;
		if (!path)
			return -ENOMEM;
		int there = jag_root_is_dir(&store->root_dir, path);
		if (there == 0)
			break;
		int rc = jag_td_add_child(store, c, key, path, depth);
		if (rc)
			return rc;
		/* it has its fault; in a directory that may not be searched every number would get one */
		if (there < 0)
			return 0;
	}
	struct gap gap = { .count = c->entry_count };
	int rc = jag_root_list(&store->root_dir, dir, look_beyond, &gap);
	if (rc == 0 && gap.beyond)
		rc = jag_model_warn(store, &c->warning, "child %zu is missing: those after it are left out",
				    c->entry_count);
	/* a directory that cannot be listed hides no child that could be read */
	return rc == -EACCES ? 0 : rc;
}

/* The children's batch_size with their number inserted, if they agree. */
static void stack_batch(struct jag_collection *c)
{
	const struct jag_collection *first = c->entry_count ? c->entries[0].collection : NULL;
	if (!first || !first->batch_known || first->batch_rank >= JAG_MAX_RANK)
		return;
	unsigned rank = first->batch_rank;
	size_t nbytes = rank * sizeof(*first->batch);
	for (size_t i = 1; i < c->entry_count; i++) {
		const struct jag_collection *child = c->entries[i].collection;
		if (!child->batch_known || child->batch_rank != rank || memcmp(child->batch, first->batch, nbytes) != 0)
			return;
	}
	if (c->stack_dim < 0 || c->stack_dim > (int64_t)rank)
		return;
	size_t at = (size_t)c->stack_dim;
	memcpy(c->batch, first->batch, at * sizeof(*c->batch));
	c->batch[at] = (int64_t)c->entry_count;
	memcpy(c->batch + at + 1, first->batch + at, (rank - at) * sizeof(*c->batch));
	c->batch_rank = rank + 1;
	c->batch_known = true;
}

int jag_td_fill_stack(struct jag_store *store, struct jag_collection *c, const char *dir, const struct jag_meta *meta,
		      unsigned depth)
{
	c->kind = JAG_LAZY_STACK;
	c->stack_dim = meta->stack_dim;
	int rc = jag_td_add_numbered(store, c, dir, depth);
	if (rc == 0)
		stack_batch(c);
	return rc;
}

/* Names of sub-directories that are stores, in memory of the store. */
struct found {
	struct jag_store *store;
	const char *dir;
	char **names;
	size_t count;
};

static int keep_if_store(void *context, const char *name)
{
	struct found *found = context;
	char *dir = jag_model_join(found->store, found->dir, name);
	char *meta = dir ? jag_model_join(found->store, dir, JAG_META_NAME) : NULL;
	if (!meta)
		return -ENOMEM;
	if (jag_root_has_file(&found->store->root_dir, meta) != 1)
		return 0;
	char **grown = reallocarray(found->names, found->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	found->names = grown;
	found->names[found->count] = jag_model_copy(found->store, name, strlen(name));
	return found->names[found->count++] ? 0 : -ENOMEM;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int jag_td_add_unlisted(struct jag_store *store, struct jag_collection *c, const char *dir, unsigned depth)
{
	struct found found = { .store = store, .dir = dir };
	int rc = jag_root_list(&store->root_dir, dir, keep_if_store, &found);
	if (found.count)
		qsort(found.names, found.count, sizeof(*found.names), by_name);
	for (size_t i = 0; i < found.count && rc == 0; i++) {
		char *path = jag_model_join(store, dir, found.names[i]);
		rc = path ? jag_td_add_child(store, c, found.names[i], path, depth) : -ENOMEM;
	}
	if (rc == 0 && found.count)
		rc = jag_model_warn(store, &c->warning, "legacy: meta.json does not list its sub-collections");
	free(found.names);
	return rc == -EACCES ? 0 : rc;
}
