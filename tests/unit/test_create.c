/* SPDX-License-Identifier: MIT */
/* test_create.c - making stores: the plan, the files, the end. */
#include "unit.h"

#include "jag/create.h"
#include "jag/sequence.h"
#include "jag/store.h"
#include "tempdir.h"

static struct jag_create *begin(struct tempdir *t, const char *name)
{
	struct jag_create *create = NULL;
	struct jag_error err = { 0 };
	assert_int_equal(jag_create_new(tempdir_path(t, name), 0, &create, &err), 0);
	return create;
}

static struct jag_create_leaf *add_dense(struct jag_create_dir *dir, const char *key, enum jag_dtype dtype, int64_t n)
{
	struct jag_shape shape = { .dtype = dtype, .rank = 1, .dims = { n } };
	struct jag_create_leaf *leaf = NULL;
	assert_int_equal(jag_create_dense(dir, key, &shape, &leaf, NULL), 0);
	return leaf;
}

static struct jag_create_leaf *add_nested(struct jag_create_dir *dir, const char *key, const int64_t *values,
					  uint64_t count, unsigned rank)
{
	struct jag_rows rows = { .count = count, .rank = rank, .values = values };
	struct jag_create_leaf *leaf = NULL;
	assert_int_equal(jag_create_nested(dir, key, JAG_UINT8, &rows, &leaf, NULL), 0);
	return leaf;
}

static int try_dense(struct jag_create *create, const char *key, const struct jag_shape *shape, struct jag_error *err)
{
	struct jag_create_leaf *leaf;
	return jag_create_dense(jag_create_root(create), key, shape, &leaf, err);
}

static int try_key(struct jag_create *create, const char *key)
{
	struct jag_shape shape = { .dtype = JAG_UINT8, .rank = 1, .dims = { 2 } };
	return try_dense(create, key, &shape, NULL);
}

static void meta_json_is_tensordicts_own_text(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_create_dir *root = jag_create_root(create), *sub;
	const int64_t rows[] = { 2, 3, 1, 2 }, batch = 2;
	add_nested(root, "a", rows, 2, 2);
	add_dense(root, "b \"\xc3\xa9", JAG_INT64, 2);
	assert_int_equal(jag_create_collection(root, "sub", &sub, NULL), 0);
	assert_int_equal(jag_create_value(root, "v", "[1,\"x\"]", NULL), 0);
	assert_int_equal(jag_create_set_batch(root, 1, &batch, NULL), 0);
	assert_int_equal(jag_create_set_batch(sub, 1, &batch, NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	char *text = tempdir_read(*state, "s/meta.json", NULL);
	assert_string_equal(
		text, "{\"a\":{\"device\":\"cpu\",\"shape\":[2,2],\"dtype\":\"torch.uint8\",\"is_nested\":true},"
		      "\"b \\\"\xc3\xa9\":{\"device\":\"cpu\",\"shape\":[2],\"dtype\":\"torch.int64\",\"is_nested\":"
		      "false},\"sub\":{\"type\":\"TensorDict\"},\"v\":{\"type\":\"NonTensorData\"},"
		      "\"shape\":[2],\"device\":\"cpu\",\"_type\":\"<class 'tensordict._td.TensorDict'>\"}");
	free(text);
	text = tempdir_read(*state, "s/sub/meta.json", NULL);
	assert_string_equal(text,
			    "{\"shape\":[2],\"device\":\"cpu\",\"_type\":\"<class 'tensordict._td.TensorDict'>\"}");
	free(text);
	text = tempdir_read(*state, "s/v/meta.json", NULL);
	assert_string_equal(text, "{\"_type\":\"<class 'tensordict.tensorclass.NonTensorData'>\",\"data\":[1,\"x\"],"
				  "\"_is_non_tensor\":true,\"_metadata\":null}");
	free(text);
}

static void written_elements_are_read_back_by_the_store(void **state)
{
	struct jag_create *create = begin(*state, "s");
	const int64_t rows[] = { 2, 3, 1, 2 };
	struct jag_create_leaf *leaf = add_nested(jag_create_root(create), "a", rows, 2, 2);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	assert_int_equal(jag_create_write(leaf, "abcdefgh", 8, 0), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);

	struct jag_store *store;
	struct jag_entry entry;
	struct jag_sequence *seq;
	struct jag_element element;
	char bytes[3] = "";
	assert_int_equal(jag_store_open(tempdir_path(*state, "s"), 0, &store, NULL), 0);
	assert_int_equal(jag_store_first_fault(store, NULL, NULL), 0);
	assert_int_equal(jag_store_find(store, "a", &entry), 0);
	assert_int_equal(jag_sequence_of_leaf(entry.leaf, 1, &seq), 0);
	assert_int_equal(jag_sequence_locate(seq, 1, &element), 0);
	assert_int_equal(element.nbytes, 2);
	assert_int_equal(jag_element_read(&element, bytes, 2, 0), 0);
	assert_string_equal(bytes, "gh");
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void nothing_is_there_before_finish(void **state)
{
	struct jag_create *create = begin(*state, "s");
	add_dense(jag_create_root(create), "a", JAG_UINT8, 5);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	assert_false(tempdir_exists(*state, "s"));
	jag_create_discard(create);
	/* rmdir works only on an empty directory: no temporary name is left. */
	struct tempdir *t = *state;
	assert_int_equal(rmdir(t->dir), 0);
	assert_int_equal(mkdir(t->dir, 0777), 0);
}

static void leaves_without_elements_have_no_file(void **state)
{
	struct jag_create *create = begin(*state, "s");
	const int64_t rows[] = { 0, 3, 2, 0 };
	add_dense(jag_create_root(create), "zero", JAG_UINT8, 0);
	add_nested(jag_create_root(create), "hollow", rows, 2, 2);
	add_nested(jag_create_root(create), "scalars", NULL, 3, 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_false(tempdir_exists(*state, "s/zero.memmap"));
	assert_false(tempdir_exists(*state, "s/hollow.memmap"));
	assert_true(tempdir_exists(*state, "s/hollow.shape.memmap"));
	assert_true(tempdir_exists(*state, "s/scalars.memmap"));
	assert_false(tempdir_exists(*state, "s/scalars.shape.memmap"));
}

static void keys_are_encoded_as_file_names(void **state)
{
	struct jag_create *create = begin(*state, "s");
	add_dense(jag_create_root(create), "a/b c", JAG_UINT8, 1);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_true(tempdir_exists(*state, "s/a%2Fb%20c.memmap"));
}

static void reserved_keys_are_refused(void **state)
{
	struct jag_create *create = begin(*state, "s");
	const char *const keys[] = { "shape", "device", "_type", "_format_version", "_class", "_names", "\xff" };
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		assert_int_equal(try_key(create, keys[i]), -EINVAL);
	assert_int_equal(try_key(create, "dtype"), 0);
	jag_create_discard(create);
}

static void keys_that_share_a_file_are_refused(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_create_dir *root = jag_create_root(create), *sub;
	const int64_t row[] = { 1 };
	add_nested(root, "a", row, 1, 1);
	assert_int_equal(try_key(create, "a"), -EEXIST);
	assert_int_equal(try_key(create, "a.shape"), -EEXIST);
	assert_int_equal(jag_create_collection(root, "a.memmap", &sub, NULL), -EEXIST);
	assert_int_equal(jag_create_collection(root, "meta.json", &sub, NULL), -EEXIST);
	jag_create_discard(create);
}

static void names_that_are_too_long_are_refused(void **state)
{
	struct jag_create *create = begin(*state, "s");
	char key[260] = { 0 };
	memset(key, 'x', 248);
	assert_int_equal(try_key(create, key), 0);
	key[248] = 'x';
	assert_int_equal(try_key(create, key), -ENAMETOOLONG);
	memset(key, ' ', 249);
	assert_int_equal(try_key(create, key), -ENAMETOOLONG);
	jag_create_discard(create);
}

static void impossible_shapes_are_refused(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_shape negative = { .dtype = JAG_UINT8, .rank = 2, .dims = { 2, -1 } };
	struct jag_shape huge = { .dtype = JAG_INT64, .rank = 2, .dims = { INT64_C(1) << 40, INT64_C(1) << 40 } };
	struct jag_shape unknown = { .dtype = JAG_DTYPE_NONE, .rank = 1, .dims = { 1 } };
	assert_int_equal(try_dense(create, "a", &negative, NULL), -EINVAL);
	assert_int_equal(try_dense(create, "a", &huge, NULL), -EOVERFLOW);
	assert_int_equal(try_dense(create, "a", &unknown, NULL), -EINVAL);
	jag_create_discard(create);
}

static int try_rows(struct jag_create *create, const int64_t *values, uint64_t count, struct jag_error *err)
{
	struct jag_rows rows = { .count = count, .rank = 2, .values = values };
	struct jag_create_leaf *leaf;
	return jag_create_nested(jag_create_root(create), "n", JAG_INT64, &rows, &leaf, err);
}

static void impossible_rows_are_refused_by_number(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_error err = { 0 };
	const int64_t negative[] = { 1, 1, 1, -5 }, huge[] = { 1, 1, INT64_MAX, 3 }, sum[] = { INT64_MAX, 1, 1, 1 };
	const int64_t bytes[] = { INT64_MAX / 4, 1 }, zero[] = { INT64_MAX, 0, 1, INT64_MAX / 16 };
	assert_int_equal(try_rows(create, negative, 2, &err), -EINVAL);
	assert_non_null(strstr(err.message, "row 1"));
	assert_int_equal(try_rows(create, huge, 2, NULL), -EOVERFLOW);
	assert_int_equal(try_rows(create, sum, 2, NULL), -EOVERFLOW);
	assert_int_equal(try_rows(create, bytes, 1, NULL), -EOVERFLOW);
	assert_int_equal(try_rows(create, zero, 2, NULL), 0);
	jag_create_discard(create);
}

static void leaves_must_fit_the_batch_size(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_create_dir *root = jag_create_root(create);
	const int64_t batch = 3, other = 4, rows[] = { 1, 1, 1, 1 };
	struct jag_shape shape = { .dtype = JAG_UINT8, .rank = 2, .dims = { 2, 3 } };
	assert_int_equal(jag_create_set_batch(root, 1, &batch, NULL), 0);
	assert_int_equal(try_dense(create, "a", &shape, NULL), -EINVAL);
	assert_int_equal(try_rows(create, rows, 2, NULL), -EINVAL);
	add_dense(root, "b", JAG_UINT8, 3);
	assert_int_equal(jag_create_set_batch(root, 1, &other, NULL), -EINVAL);
	jag_create_discard(create);
}

static void broken_json_values_are_refused(void **state)
{
	struct jag_create *create = begin(*state, "s");
	assert_int_equal(jag_create_value(jag_create_root(create), "v", "[1,", NULL), -EINVAL);
	jag_create_discard(create);
}

static void count_notes(void *ctx, const char *key, const char *text)
{
	(void)key;
	(void)text;
	++*(unsigned *)ctx;
}

static void what_tensordict_cannot_load_is_noted(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_create_dir *root = jag_create_root(create);
	unsigned notes = 0;
	jag_create_on_note(create, count_notes, &notes);
	const int64_t fits[] = { JAG_NESTED_LOADABLE_MAX }, over[] = { JAG_NESTED_LOADABLE_MAX, 1 }, empty[] = { 0 };
	add_nested(root, "fits", fits, 1, 1);
	assert_int_equal(notes, 0);
	add_nested(root, "over", over, 2, 1);
	assert_int_equal(notes, 1);
	add_nested(root, "empty", empty, 1, 1);
	assert_int_equal(notes, 2);
	add_nested(root, "none", empty, 0, 1);
	assert_int_equal(notes, 3);
	add_dense(root, "float8", JAG_FLOAT8_E5M2, 1);
	assert_int_equal(notes, 4);
	add_dense(root, "nothing", JAG_UINT8, 0);
	assert_int_equal(notes, 5);
	jag_create_discard(create);
}

static void too_little_space_is_refused_before_anything_is_made(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_error err = { 0 };
	add_dense(jag_create_root(create), "a", JAG_UINT8, INT64_C(1) << 60);
	assert_int_equal(jag_create_allocate(create, &err), -ENOSPC);
	assert_non_null(strstr(err.message, "1152921504606846976 bytes"));
	jag_create_discard(create);
	struct tempdir *t = *state;
	assert_int_equal(rmdir(t->dir), 0);
	assert_int_equal(mkdir(t->dir, 0777), 0);
}

static void writes_outside_a_leaf_are_refused(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_create_leaf *leaf = add_dense(jag_create_root(create), "a", JAG_UINT8, 4);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	assert_int_equal(jag_create_write(leaf, "abcd", 4, 0), 0);
	assert_int_equal(jag_create_write(leaf, "abcd", 4, 1), -ERANGE);
	assert_int_equal(jag_create_write(leaf, "a", 1, UINT64_MAX), -ERANGE);
	jag_create_discard(create);
}

static void a_leaf_can_become_shorter(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_create_dir *root = jag_create_root(create);
	const int64_t rows[] = { 4, 2, 3 }, fewer[] = { 4, 3 };
	struct jag_create_leaf *nested = add_nested(root, "a", rows, 3, 1), *dense = add_dense(root, "b", JAG_INT16, 3);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	assert_int_equal(jag_create_write(nested, "aaaaccc", 7, 0), 0);
	struct jag_rows less = { .count = 2, .rank = 1, .values = fewer },
			more = { .count = 3, .rank = 1, .values = rows };
	assert_int_equal(jag_create_shrink(nested, &less, NULL), 0);
	assert_int_equal(jag_create_shrink(dense, &less, NULL), 0);
	assert_int_equal(jag_create_shrink(dense, &more, NULL), -EINVAL);
	assert_int_equal(jag_create_shrink(nested, &more, NULL), -EINVAL);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	size_t n;
	char *data = tempdir_read(*state, "s/a.memmap", &n);
	assert_int_equal(n, 7);
	assert_memory_equal(data, "aaaaccc", 7);
	free(data);
	data = tempdir_read(*state, "s/a.shape.memmap", &n);
	assert_int_equal(n, sizeof(fewer));
	assert_memory_equal(data, fewer, sizeof(fewer));
	free(data);
	free(tempdir_read(*state, "s/b.memmap", &n));
	assert_int_equal(n, 4);
}

static void a_leaf_that_becomes_empty_has_no_file(void **state)
{
	struct jag_create *create = begin(*state, "s");
	const int64_t row[] = { 4 };
	struct jag_create_leaf *leaf = add_nested(jag_create_root(create), "a", row, 1, 1);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	struct jag_rows none = { .count = 0, .rank = 1, .values = row };
	assert_int_equal(jag_create_shrink(leaf, &none, NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_false(tempdir_exists(*state, "s/a.memmap"));
	assert_false(tempdir_exists(*state, "s/a.shape.memmap"));
}

static void a_cancelled_finish_leaves_nothing(void **state)
{
	struct jag_create *create = begin(*state, "s");
	struct jag_watch watch = { 0 };
	add_dense(jag_create_root(create), "a", JAG_UINT8, 4);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	jag_create_watch(create, &watch);
	atomic_store(&watch.cancel, true);
	assert_int_equal(jag_create_finish(create, NULL), -ECANCELED);
	struct tempdir *t = *state;
	assert_int_equal(rmdir(t->dir), 0);
	assert_int_equal(mkdir(t->dir, 0777), 0);
}

#define T(test) cmocka_unit_test_setup_teardown(test, tempdir_setup, tempdir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(meta_json_is_tensordicts_own_text),     T(written_elements_are_read_back_by_the_store),
		T(nothing_is_there_before_finish),        T(leaves_without_elements_have_no_file),
		T(keys_are_encoded_as_file_names),        T(reserved_keys_are_refused),
		T(keys_that_share_a_file_are_refused),    T(names_that_are_too_long_are_refused),
		T(impossible_shapes_are_refused),         T(impossible_rows_are_refused_by_number),
		T(leaves_must_fit_the_batch_size),        T(broken_json_values_are_refused),
		T(what_tensordict_cannot_load_is_noted),  T(too_little_space_is_refused_before_anything_is_made),
		T(writes_outside_a_leaf_are_refused),     T(a_leaf_can_become_shorter),
		T(a_leaf_that_becomes_empty_has_no_file), T(a_cancelled_finish_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
