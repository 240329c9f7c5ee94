/* SPDX-License-Identifier: MIT */
/* staged.h - a small store with its stagings and nodes, for the tests of fs/mount/staging.c and of what finds stagings. The
 * driver's files are linked there without FUSE. For one source file of a program only. */
#ifndef JAG_TEST_STAGED_H
#define JAG_TEST_STAGED_H

#include "treestore.h"

#include "../../fs/mount/control.h"
#include "../../fs/mount/staging.h"
#include "../../fs/mount/versions.h"

#define NBYTES 24

/* Two elements of NBYTES bytes and one of 4 x 5 float32. */
struct opened {
	struct jag_store *store;
	struct jag_tree *tree;
	struct jag_content *content;
	struct jag_staging_pool pool;
	struct jag_nodes nodes;
};

/* nodes.c frees every kind; the others do not come up here. */
void jag_control_free(struct jag_dynamic *node)
{
	(void)node;
	fail();
}
void jag_version_free(struct jag_dynamic *node)
{
	(void)node;
	fail();
}

static inline int open_all(void **state)
{
	assert_int_equal(temp_setup(state), 0);
	const char *dir = *state;
	struct opened *o = calloc(1, sizeof(*o));
	struct maker m = maker_at(dir);
	assert_non_null(o);
	add_dense(&m, "blob", "uint8", 2, (const int64_t[]){ 2, NBYTES });
	add_dense(&m, "feat", "float32", 3, (const int64_t[]){ 1, 4, 5 });
	finish(&m, "[]");
	o->store = open_store(dir, JAG_STORE_WRITE);
	o->tree = open_tree(o->store, "", &(struct jag_tree_options){ .batch = "1", .format = "raw" });
	assert_int_equal(jag_content_create(o->tree, NULL, &o->content), 0);
	o->pool.limit = 1 << 16;
	jag_nodes_init(&o->nodes);
	static void *both[2];
	both[0] = o;
	both[1] = (void *)(uintptr_t)dir;
	*state = both;
	return 0;
}

static inline int close_all(void **state)
{
	struct opened *o = ((void **)*state)[0];
	void *dir = ((void **)*state)[1];
	jag_nodes_finish(&o->nodes);
	assert_int_equal(o->pool.nbytes, 0); /* whatever a test did, every byte was given back */
	assert_int_equal(o->pool.staged, o->pool.commits + o->pool.refusals + o->pool.abandoned);
	jag_content_destroy(o->content);
	jag_tree_close(o->tree);
	jag_store_close(o->store);
	free(o);
	return temp_teardown(&dir);
}

static inline struct opened *opened(void **state)
{
	return ((void **)*state)[0];
}

static inline struct jag_staging *stage(struct opened *o, const char *path)
{
	struct jag_staging *staging;
	assert_int_equal(jag_staging_create(&o->pool, path ? node_at(o->tree, path) : 0, NULL, &staging), 0);
	return staging;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_all, close_all)

#endif
