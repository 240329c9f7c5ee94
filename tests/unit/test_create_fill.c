/* SPDX-License-Identifier: MIT */
/* test_create_fill.c - leaves of one value, leaves like others, and a store in the making seen as a store. */
#include "unit.h"

#include "jag/create.h"
#include "jag/store.h"
#include "tempdir.h"

static struct jag_create *begin(struct tempdir *t, const char *name)
{
	struct jag_create *create = NULL;
	assert_int_equal(jag_create_new(tempdir_path(t, name), JAG_CREATE_NOSYNC, &create, NULL), 0);
	return create;
}

static struct jag_create_leaf *dense(struct jag_create *create, const char *key, enum jag_dtype dtype, int64_t n)
{
	struct jag_shape shape = { .dtype = dtype, .rank = 1, .dims = { n } };
	struct jag_create_leaf *leaf = NULL;
	assert_int_equal(jag_create_dense(jag_create_root(create), key, &shape, &leaf, NULL), 0);
	return leaf;
}

static void every_dtype_is_filled_with_its_own_bytes(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_create_leaf *leaves[JAG_DTYPE_COUNT];
	struct jag_scalar one;
	jag_scalar_parse("1", &one);
	for (enum jag_dtype d = JAG_BOOL; d < JAG_DTYPE_COUNT; d++) {
		char key[8];
		snprintf(key, sizeof(key), "k%d", (int)d);
		leaves[d] = dense(create, key, d, 3);
	}
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	for (enum jag_dtype d = JAG_BOOL; d < JAG_DTYPE_COUNT; d++) {
		uint8_t want[16] = { 0 }, got[48];
		size_t size = jag_dtype_info(d)->itemsize;
		jag_scalar_store(&one, d, want);
		assert_int_equal(jag_create_fill(leaves[d], &one, 1, NULL), 0);
		assert_int_equal(jag_create_read(leaves[d], got, 3 * size, 0), 0);
		for (int i = 0; i < 3; i++)
			assert_memory_equal(got + i * size, want, size);
	}
	jag_create_discard(create);
}

static void large_leaves_are_filled_to_their_end(void **state)
{
	struct jag_create *create = begin(*state, "s");
	const int64_t n = (3 << 18) + 5;
	struct jag_create_leaf *leaf = dense(create, "a", JAG_INT32, n);
	struct jag_scalar value;
	jag_scalar_parse("-7", &value);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	assert_int_equal(jag_create_fill(leaf, &value, 3, NULL), 0);
	int32_t *got = malloc((size_t)n * 4);
	assert_int_equal(jag_create_read(leaf, got, (size_t)n * 4, 0), 0);
	for (int64_t i = 0; i < n; i++)
		assert_int_equal(got[i], -7);
	free(got);
	jag_create_discard(create);
}

static void zeros_write_nothing(void **state)
{
	struct jag_create *create = NULL;
	struct stat st;
	assert_int_equal(
		jag_create_new(tempdir_path(*state, "s"), JAG_CREATE_NOSYNC | JAG_CREATE_SPARSE, &create, NULL), 0);
	struct jag_create_leaf *leaf = dense(create, "a", JAG_FLOAT32, 1 << 20);
	struct jag_scalar zero = { .kind = JAG_SCALAR_INT };
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	assert_int_equal(jag_create_fill(leaf, &zero, 1, NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_int_equal(stat(tempdir_path(*state, "s/a.memmap"), &st), 0);
	assert_int_equal(st.st_size, 4 << 20);
	assert_int_equal(st.st_blocks, 0);
}

static void make_source(struct tempdir *t)
{
	struct jag_create *create = begin(t, "source");
	static const int64_t values[] = { 2, 3, 0, 5, 4, 1 };
	struct jag_rows rows = { .count = 3, .rank = 2, .values = values };
	struct jag_create_leaf *leaf;
	assert_int_equal(jag_create_nested(jag_create_root(create), "n", JAG_UINT8, &rows, &leaf, NULL), 0);
	dense(create, "d", JAG_INT16, 5);
	assert_int_equal(jag_create_finish(create, NULL), 0);
}

static void a_leaf_like_another_has_its_shape(void **state)
{
	make_source(*state);
	struct jag_store *source, *store;
	struct jag_entry n, d, got;
	struct jag_create_leaf *leaf;
	assert_int_equal(jag_store_open(tempdir_path(*state, "source"), 0, &source, NULL), 0);
	assert_int_equal(jag_store_find(source, "n", &n), 0);
	assert_int_equal(jag_store_find(source, "d", &d), 0);
	struct jag_create *create = begin(*state, "s");
	assert_int_equal(jag_create_like(jag_create_root(create), "n", n.leaf, JAG_FLOAT32, &leaf, NULL), 0);
	assert_int_equal(jag_create_leaf_nbytes(leaf), 4 * 10);
	assert_int_equal(jag_create_like(jag_create_root(create), "d", d.leaf, JAG_DTYPE_NONE, &leaf, NULL), 0);
	assert_int_equal(jag_create_leaf_nbytes(leaf), 2 * 5);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	jag_store_close(source);

	size_t a_nbytes, b_nbytes;
	char *a = tempdir_read(*state, "source/n.shape.memmap", &a_nbytes);
	char *b = tempdir_read(*state, "s/n.shape.memmap", &b_nbytes);
	assert_int_equal(a_nbytes, b_nbytes);
	assert_memory_equal(a, b, a_nbytes);
	free(a);
	free(b);
	assert_int_equal(jag_store_open(tempdir_path(*state, "s"), 0, &store, NULL), 0);
	assert_int_equal(jag_store_find(store, "n", &got), 0);
	assert_int_equal(got.leaf->shape.dtype, JAG_FLOAT32);
	assert_int_equal(jag_store_find(store, "d", &got), 0);
	assert_int_equal(got.leaf->shape.dtype, JAG_INT16);
	jag_store_close(store);
}

static void a_discarded_leaf_like_another_lets_go(void **state)
{
	make_source(*state);
	struct jag_store *source;
	struct jag_entry n;
	struct jag_create_leaf *leaf;
	assert_int_equal(jag_store_open(tempdir_path(*state, "source"), 0, &source, NULL), 0);
	assert_int_equal(jag_store_find(source, "n", &n), 0);
	struct jag_create *create = begin(*state, "s");
	assert_int_equal(jag_create_like(jag_create_root(create), "n", n.leaf, JAG_DTYPE_NONE, &leaf, NULL), 0);
	assert_int_equal(jag_create_like(jag_create_root(create), "n", n.leaf, JAG_DTYPE_NONE, &leaf, NULL), -EEXIST);
	jag_create_discard(create);
	jag_store_close(source);
}

static void a_store_in_the_making_has_elements(void **state)
{
	struct jag_create *create = begin(*state, "s");
	static const int64_t values[] = { 2, 3 };
	struct jag_rows rows = { .count = 2, .rank = 1, .values = values };
	struct jag_create_leaf *leaf;
	struct jag_store *store;
	struct jag_entry entry;
	struct jag_sequence *seq;
	struct jag_element element;
	assert_int_equal(jag_create_nested(jag_create_root(create), "n", JAG_UINT8, &rows, &leaf, NULL), 0);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	assert_int_equal(jag_create_store(create, &store, NULL), 0);
	assert_int_equal(jag_store_find(store, "n", &entry), 0);
	assert_int_equal(jag_sequence_of_leaf(entry.leaf, 1, &seq), 0);
	assert_int_equal(jag_sequence_locate(seq, 1, &element), 0);
	assert_int_equal(jag_element_write(&element, "abc", 3, 0), 0);
	jag_sequence_free(seq);
	jag_store_close(store);
	assert_false(tempdir_exists(*state, "s"));
	assert_int_equal(jag_create_finish(create, NULL), 0);
	char *data = tempdir_read(*state, "s/n.memmap", NULL);
	assert_memory_equal(data, "\0\0abc", 5);
	free(data);
}

#define T(test) cmocka_unit_test_setup_teardown(test, tempdir_setup, tempdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_dtype_is_filled_with_its_own_bytes),
		T(large_leaves_are_filled_to_their_end),
		T(zeros_write_nothing),
		T(a_leaf_like_another_has_its_shape),
		T(a_discarded_leaf_like_another_lets_go),
		T(a_store_in_the_making_has_elements),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
