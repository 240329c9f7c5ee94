/* SPDX-License-Identifier: MIT */
/* imagestore.h - a store of a few images of one colour each, opened up to its content. */
#ifndef JAG_TEST_IMAGESTORE_H
#define JAG_TEST_IMAGESTORE_H

#include "treestore.h"

#define COUNT 6
#define SIDE 40
#define NBYTES (3 * SIDE * SIDE)

/* A leaf `image` of COUNT images [3,SIDE,SIDE], each of one colour; nested, or dense. */
struct opened {
	char *path;
	struct jag_store *store;
	struct jag_tree *tree;
	struct jag_content *content;
};

struct opened open_as(const char *dir, bool nested, const struct jag_tree_options *options,
		      const struct jag_content_options *content_options);
struct opened open_images(const char *dir, const struct jag_tree_options *options,
			  const struct jag_content_options *content_options); /* nested */
void close_images(struct opened *o);

void place_at(const struct opened *o, const char *path, jag_node *node, struct jag_place *place);

/* Somebody else stores noise into element i. */
void change(const struct opened *o, unsigned i, unsigned seed);

uint64_t size_of(const struct opened *o, const char *path, uint64_t *hash);

#endif
