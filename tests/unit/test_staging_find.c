/* SPDX-License-Identifier: MIT */
/* test_staging_find.c - who finds which staging: threads that were redirected, and free names. */
#include "staged.h"

#include "../../fs/mount/pending.h"
#include "../../fs/mount/stage_names.h"

static struct jag_staging *with_node(struct opened *o, const char *path)
{
	struct jag_staging *staging = stage(o, path);
	assert_int_equal(jag_nodes_add(&o->nodes, &staging->node, JAG_DYNAMIC_STAGING), 0);
	return staging;
}

static void a_thread_finds_its_own_until_it_opens_it(void **state)
{
	struct opened *o = opened(state);
	static struct jag_pending pending;
	jag_node blob = node_at(o->tree, "blob/0.bin"), feat = node_at(o->tree, "feat/0.bin");
	struct jag_staging *a = with_node(o, "blob/0.bin"), *b = with_node(o, "blob/0.bin");
	jag_pending_init(&pending, &o->nodes);
	jag_pending_add(&pending, 7, blob, a, false);
	jag_pending_add(&pending, 8, blob, b, false);
	assert_ptr_equal(jag_pending_find(&pending, 7, blob), a);
	assert_ptr_equal(jag_pending_find(&pending, 7, blob), a);
	assert_ptr_equal(jag_pending_find(&pending, 8, blob), b);
	assert_null(jag_pending_find(&pending, 9, blob));
	assert_null(jag_pending_find(&pending, 7, feat));
	assert_true(jag_pending_end(&pending, a));
	assert_false(jag_pending_end(&pending, a));
	assert_null(jag_pending_find(&pending, 7, blob));
	jag_pending_finish(&pending);
}

/* What nobody came back for stayed, and was counted as about to be written: no size was cached from then on. */
static void what_nobody_comes_back_for_is_forgotten_by_any_lookup(void **state)
{
	struct opened *o = opened(state);
	static struct jag_pending pending;
	jag_pending_init(&pending, &o->nodes);
	jag_node base = node_at(o->tree, "blob/1.bin"), other = node_at(o->tree, "blob/0.bin");
	jag_pending_add(&pending, 7, base, with_node(o, "blob/1.bin"), true);
	jag_pending_add(&pending, 8, base, with_node(o, "blob/1.bin"), false);
	assert_null(jag_pending_find(&pending, 9, other));
	assert_int_equal(o->pool.anew, 2);
	for (size_t i = 0; i < JAG_PENDING_COUNT; i++)
		pending.entries[i].ms -= JAG_PENDING_GUESS_MS + 1;
	assert_null(jag_pending_find(&pending, 9, other));
	assert_int_equal(o->pool.anew, 1);
	for (size_t i = 0; i < JAG_PENDING_COUNT; i++)
		pending.entries[i].ms -= JAG_PENDING_MS;
	assert_null(jag_pending_find(&pending, 9, other));
	assert_int_equal(o->pool.anew, 0);
	assert_int_equal(pending.count, 0);
	jag_pending_finish(&pending);
}

static void a_new_open_of_a_thread_takes_the_place_of_the_old(void **state)
{
	struct opened *o = opened(state);
	static struct jag_pending pending;
	jag_node blob = node_at(o->tree, "blob/0.bin");
	jag_pending_init(&pending, &o->nodes);
	for (int i = 0; i < 2 * JAG_PENDING_COUNT; i++) {
		struct jag_staging *staging = with_node(o, "blob/0.bin");
		jag_pending_add(&pending, 7, blob, staging, i % 2 == 0);
		assert_ptr_equal(jag_pending_find(&pending, 7, blob), staging);
		jag_nodes_drop(&o->nodes, &staging->node, 1, 0); /* the kernel forgets it */
	}
	assert_int_equal(pending.count, 1);
	assert_int_equal(jag_nodes_count(&o->nodes), 1);
	for (int i = 0; i < 2 * JAG_PENDING_COUNT; i++)
		jag_pending_add(&pending, 100 + i, blob, with_node(o, "blob/0.bin"), false);
	assert_int_equal(pending.count, JAG_PENDING_COUNT);
	jag_pending_finish(&pending);
	assert_int_equal(jag_nodes_count(&o->nodes), 0);
}

static void names_are_found_in_their_directory_only(void **state)
{
	struct opened *o = opened(state);
	static struct jag_stage_names names;
	struct jag_staging *a = with_node(o, NULL), *b = with_node(o, NULL);
	jag_stage_names_init(&names, &o->nodes);
	assert_null(jag_stage_names_find(&names, 5, ".t"));
	assert_int_equal(jag_stage_names_add(&names, 5, ".t", a), 0);
	assert_int_equal(jag_stage_names_add(&names, 6, ".t", b), 0);
	assert_int_equal(jag_stage_names_add(&names, 5, ".t", b), -EEXIST);
	assert_ptr_equal(jag_stage_names_find(&names, 5, ".t"), a);
	assert_ptr_equal(jag_stage_names_find(&names, 6, ".t"), b);
	assert_null(jag_stage_names_find(&names, 5, ".T"));
	assert_int_equal(jag_stage_names_exchange(&names, 5, ".t", 6, ".T"), -ENOENT);
	assert_int_equal(jag_stage_names_exchange(&names, 5, ".t", 6, ".t"), 0);
	assert_ptr_equal(jag_stage_names_find(&names, 5, ".t"), b);
	assert_ptr_equal(jag_stage_names_find(&names, 6, ".t"), a);
	assert_int_equal(jag_stage_names_exchange(&names, 6, ".t", 5, ".t"), 0);
	assert_ptr_equal(jag_stage_names_remove(&names, 5, ".t"), a);
	assert_null(jag_stage_names_remove(&names, 5, ".t"));
	assert_int_equal(jag_stage_names_finish(&names), 1);
}

static void many_names(void **state)
{
	struct opened *o = opened(state);
	static struct jag_stage_names names;
	char name[32];
	jag_stage_names_init(&names, &o->nodes);
	for (int i = 0; i < 5000; i++) {
		struct jag_staging *staging = with_node(o, NULL);
		snprintf(name, sizeof(name), ".t%d", i);
		assert_int_equal(jag_stage_names_add(&names, 5, name, staging), 0);
		jag_nodes_drop(&o->nodes, &staging->node, 1, 0);
	}
	for (int i = 0; i < 5000; i += 2) {
		snprintf(name, sizeof(name), ".t%d", i);
		struct jag_staging *staging = jag_stage_names_remove(&names, 5, name);
		assert_non_null(staging);
		jag_staging_drop_name(staging);
		assert_true(jag_nodes_drop(&o->nodes, &staging->node, 0, 1));
		jag_staging_free(staging);
	}
	assert_int_equal(jag_stage_names_finish(&names), 2500);
	assert_int_equal(jag_nodes_count(&o->nodes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thread_finds_its_own_until_it_opens_it),
		TEST(what_nobody_comes_back_for_is_forgotten_by_any_lookup),
		TEST(a_new_open_of_a_thread_takes_the_place_of_the_old),
		TEST(names_are_found_in_their_directory_only),
		TEST(many_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
