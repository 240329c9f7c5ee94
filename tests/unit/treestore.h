/* SPDX-License-Identifier: MIT */
/* treestore.h - stores for tests of the tree and of contents, and what such tests ask of a tree. */
#ifndef JAG_TEST_TREESTORE_H
#define JAG_TEST_TREESTORE_H

#include "tempstore.h"

#include "jag/content.h"

/* One meta.json under construction: add keys, then finish. Files go below `dir`, which is made; their bytes follow from
 * a seed. */
struct maker {
	char dir[512];
	char entries[8192];
	unsigned seed;
};
struct maker maker_at(const char *dir);

/* A dense leaf; `shape` is "[2,3]". Its bytes are pseudo-random, 0 or 1 for bool. */
void add_dense(struct maker *m, const char *key, const char *dtype, unsigned rank, const int64_t *dims);

/* A nested leaf of `count` elements; rows is [count][rank]. */
void add_nested(struct maker *m, const char *key, const char *dtype, unsigned rank, size_t count, const int64_t *rows);

/* A non-tensor value or stack (`stack`), from its JSON. */
void add_value(struct maker *m, const char *key, bool stack, const char *json);

/* A sub-collection, whose files the caller makes below dir/key. */
void add_child(struct maker *m, const char *key);
void finish(struct maker *m, const char *batch);

/* count rows of [3, 1..6, 1..6]. In memory of the caller. */
void image_rows(int64_t *rows, size_t count, unsigned seed);

/* Open; fails the test with the reason. `options` may be NULL. */
struct jag_tree *open_tree(const struct jag_store *store, const char *subpath, const struct jag_tree_options *options);

/* The node at a path; fails the test if there is none. */
jag_node node_at(const struct jag_tree *tree, const char *path);
bool there_is(const struct jag_tree *tree, const char *path);

/* The names of a directory, separated by spaces, directories with a slash; static memory. */
const char *listing(const struct jag_tree *tree, const char *path);

/* Look at every node that can be reached by listing from `dir`, and fail unless names and nodes agree both ways, entry
 * by entry, nothing is listed twice, and no two different files have one inode number. Returns the number of nodes. */
size_t check_tree(const struct jag_tree *tree);

/* Reading whole files. */
void read_file_at(struct jag_content *content, const char *path, struct jag_buffer *out);

#endif
