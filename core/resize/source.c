/* SPDX-License-Identifier: MIT */
/* source.c - what is resized: the sequence of images at a key, as a mount shows it, and what stands beside it. */
#include "resize_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "tree/elements.h"
#include "tree/layout.h"

/* "a/b/image/" -> "a/b" and "image", in one block of memory. */
static int split_key(const char *key, char **parent, const char **base)
{
	size_t nbytes = strlen(key);
	while (nbytes && key[nbytes - 1] == '/')
		nbytes--;
	char *text = strndup(key, nbytes);
	if (!text)
		return -ENOMEM;
	char *slash = strrchr(text, '/');
	if (slash) {
		*slash = '\0';
		*base = slash + 1;
		*parent = text;
		return 0;
	}
	*parent = malloc(nbytes + 2); /* "" and the base behind it */
	if (*parent) {
		(*parent)[0] = '\0';
		memcpy(*parent + 1, text, nbytes + 1);
		*base = *parent + 1;
	}
	free(text);
	return *parent ? 0 : -ENOMEM;
}

static const struct jag_leaf *leaf_at(const struct jag_store *store, const char *parent, const char *middle,
				      const char *base)
{
	struct jag_entry entry;
	size_t room = strlen(parent) + strlen(middle) + strlen(base) + 3;
	char *path JAG_AUTO_FREE = malloc(room);
	if (!path)
		return NULL;
	path[0] = '\0';
	if (*parent)
		strcat(strcat(path, parent), "/");
	if (*middle)
		strcat(strcat(path, middle), "/");
	strcat(path, base);
	return jag_store_find(store, path, &entry) == 0 && entry.type == JAG_ENTRY_LEAF ? entry.leaf : NULL;
}

/* The leaf that tells what the images are: at the key itself, or in the first of the collections that are joined. */
static int find_leaf(struct jag_resize_run *run, const char *parent, const char *base, struct jag_error *err)
{
	struct jag_entry entry;
	if (jag_store_find(run->store, parent, &entry) || entry.type != JAG_ENTRY_COLLECTION)
		return jag_error_set(err, -ENOENT, jag_store_path(run->store), 0, "there is no collection \"%s\"",
				     parent);
	run->collection = entry.collection;
	run->leaf = leaf_at(run->store, parent, "", base);
	if (!run->leaf)
		run->leaf = leaf_at(run->store, parent, "0", base);
	if (run->leaf)
		return 0;
	return jag_error_set(err, -ENOENT, jag_store_path(run->store), 0, "there is no leaf \"%s%s%s\"", parent,
			     *parent ? "/" : "", base);
}

/* The sequence of a key, and how it looks. -ENOENT if it is no directory of elements. */
static int sequence_of(const struct jag_resize_run *run, const char *key, const struct jag_sequence **seq,
		       const struct jag_look **look)
{
	size_t room = strlen(key) * 3 + 8; /* every byte percent-encoded */
	char *name JAG_AUTO_FREE = malloc(room);
	if (!name)
		return -ENOMEM;
	int rc = jag_key_encode(key, name, room);
	return rc < 0 ? rc : jag_tree_elements(run->tree, name, seq, look);
}

static int add_keep(struct jag_resize_run *run, const struct jag_leaf *leaf)
{
	struct jag_resize_keep keep = { .key = leaf->key, .nested = leaf->nested };
	const struct jag_look *look;
	struct jag_element first;
	int rc = sequence_of(run, leaf->key, &keep.seq, &look);
	if (rc == -ENOMEM)
		return rc;
	uint64_t count = rc ? 1 : jag_sequence_count(keep.seq);
	if (rc || count != run->count) {
		jag_resize_note(run, leaf->key, "is not kept: it has %" PRIu64 " elements, the images are %" PRIu64,
				count, run->count);
		return 0;
	}
	if (jag_sequence_rank(keep.seq) < 0) {
		jag_resize_note(run, leaf->key, "is not kept: its elements differ in their number of dimensions");
		return 0;
	}
	rc = jag_sequence_locate(keep.seq, 0, &first);
	if (rc)
		return rc;
	jag_shape_copy(&keep.row, &first.shape);
	keep.layout = look->layout;
	run->keeps[run->keep_count++] = keep;
	return 0;
}

/* Every other leaf of the collection. */
static int find_keeps(struct jag_resize_run *run, struct jag_error *err)
{
	const struct jag_collection *beside = run->leaf->parent;
	int rc = 0;
	run->keeps = calloc(beside->entry_count + 1, sizeof(*run->keeps));
	if (!run->keeps)
		return -ENOMEM;
	for (size_t i = 0; i < beside->entry_count && !rc; i++) {
		const struct jag_entry *entry = &beside->entries[i];
		if (entry->type == JAG_ENTRY_LEAF && entry->leaf != run->leaf)
			rc = add_keep(run, entry->leaf);
		if (rc)
			return jag_error_set(err, rc, entry->leaf->path, 0, "cannot be kept: %s", strerror(-rc));
	}
	return 0;
}

/* Are these images, and of which kind? */
static int judge(struct jag_resize_run *run, const struct jag_look *look, struct jag_error *err)
{
	int rank = jag_sequence_rank(run->seq);
	enum jag_dtype dtype = jag_sequence_dtype(run->seq);
	run->layout = look->layout;
	if (run->options->layout && jag_layout_from_name(run->options->layout, &run->layout) < 0)
		return jag_error_set(err, -EINVAL, NULL, 0, "layout '%s': expected auto, chw, hwc or planes",
				     run->options->layout);
	run->count = jag_sequence_count(run->seq);
	run->encoded = dtype == JAG_UINT8 && rank == 1 && run->leaf->nested && run->layout == JAG_LAYOUT_NONE;
	run->result->decoded = run->encoded;
	if (run->count == 0)
		return jag_error_set(err, -EINVAL, NULL, 0, "no elements");
	if (run->encoded)
		return 0;
	if (rank < 0 || run->layout == JAG_LAYOUT_NONE)
		return jag_error_set(err, -EINVAL, NULL, 0,
				     "no images: %s elements of %d dimensions (--layout tells where images are)",
				     jag_dtype_info(dtype)->torch, rank);
	if (dtype != JAG_UINT8 && dtype != JAG_UINT16 && dtype != JAG_BOOL && dtype != JAG_FLOAT32)
		return jag_error_set(err, -EINVAL, NULL, 0,
				     "%s cannot be resized: expected uint8, uint16, bool or float32",
				     jag_dtype_info(dtype)->torch);
	return 0;
}

int jag_resize_find(struct jag_resize_run *run, const char *key, struct jag_error *err)
{
	char *parent JAG_AUTO_FREE = NULL;
	const char *base;
	const struct jag_look *look;
	int rc = split_key(key, &parent, &base);
	if (rc)
		return rc;
	if (!*base)
		return jag_error_set(err, -EINVAL, jag_store_path(run->store), 0,
				     "name the images: STORE/KEY, for example STORE/image");
	rc = find_leaf(run, parent, base, err);
	if (!rc)
		rc = jag_tree_open(run->store, parent, NULL, &run->tree, err);
	if (rc)
		return rc;
	rc = sequence_of(run, run->leaf->key, &run->seq, &look);
	if (rc)
		return jag_error_set(err, -EINVAL, NULL, 0, "no sequence of images");
	rc = judge(run, look, err);
	return rc ? rc : find_keeps(run, err);
}
