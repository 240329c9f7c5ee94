/* SPDX-License-Identifier: MIT */
/* test_fixtures.c - stores that tensordict itself wrote: every one opens with the right values, or is refused by name. */
#include "tempstore.h"

static struct jag_store *open_fixture(const char *name)
{
	struct jag_store *store = open_store(fixture(name), 0);
	struct jag_error err = { 0 };
	if (jag_store_first_fault(store, NULL, &err))
		fail_msg("%s: %s", err.path, err.message);
	return store;
}

static void fixture_plain(void **state)
{
	(void)state;
	struct jag_store *store = open_fixture("plain");
	const int64_t a[] = { 0, 1, 2, 3, 4, 5 };
	assert_string_equal(jag_store_kind_name(store), "tensordict directory");
	assert_leaf_bytes(store, "a", a, sizeof(a));
	assert_leaf_bytes(store, "b/c", "\1\0", 2);
	const struct jag_collection *root = jag_store_root(store);
	assert_true(root->batch_known && root->batch_rank == 1 && root->batch[0] == 2);
	assert_int_equal(root->side_file_count, 1);
	assert_string_equal(root->side_files[0].name, "meta.json");
	assert_int_equal(root->side_files[0].nbytes, 175);
	jag_store_close(store);
}

static void fixture_dtypes(void **state)
{
	(void)state;
	struct jag_store *store = open_fixture("dtypes");
	const struct jag_collection *root = jag_store_root(store);
	assert_int_equal(root->entry_count, 20);
	for (size_t i = 0; i < root->entry_count; i++) {
		const struct jag_leaf *leaf = root->entries[i].leaf;
		const struct jag_dtype_info *info = jag_dtype_info(leaf->shape.dtype);
		assert_string_equal(info->torch + strlen("torch."), leaf->key);
		assert_int_equal(leaf->nbytes, 4 * info->itemsize);
		assert_null(leaf->warning);
	}
	assert_leaf_bytes(store, "bool", "\0\1\1\1", 4);
	assert_leaf_bytes(store, "bfloat16", "\0\0\x80\x3f\0\x40\x40\x40", 8);
	assert_leaf_bytes(store, "float32", (const float[]){ 0, 1, 2, 3 }, 16);
	assert_leaf_bytes(store, "complex128", (const double[]){ 0, 0, 1, 0, 2, 0, 3, 0 }, 64);
	jag_store_close(store);
}

static void fixture_keys_encoded_and_legacy(void **state)
{
	(void)state;
	const float one = 1;
	const char *keys[] = { "a%2Fb", "%", "%2E", "%2E%2E/x", "a%20b", "%25", "a.b", "c%20d/x", "\xc3\xa9" };
	struct jag_store *store = open_fixture("keys");
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		assert_leaf_bytes(store, keys[i], &one, sizeof(one));
	assert_string_equal(get_leaf(store, "%")->key, "");
	assert_string_equal(get_leaf(store, "a/b")->key, "a/b");
	assert_null(get_leaf(store, "a b")->warning);
	jag_store_close(store);

	store = open_fixture("keys_legacy");
	assert_leaf_bytes(store, "a b", &one, sizeof(one));
	assert_leaf_bytes(store, "c d/x", &one, sizeof(one));
	assert_leaf_bytes(store, "%25", &one, sizeof(one));
	assert_string_equal(get_leaf(store, "a b")->path, "a b.memmap");
	assert_non_null(strstr(get_leaf(store, "a b")->warning, "legacy"));
	assert_non_null(strstr(get_collection(store, "c d")->warning, "legacy"));
	jag_store_close(store);
}

static void fixture_stacks(void **state)
{
	(void)state;
	struct jag_store *store = open_fixture("lazystack");
	const struct jag_collection *root = jag_store_root(store);
	assert_int_equal(root->kind, JAG_LAZY_STACK);
	assert_int_equal(root->stack_dim, 0);
	assert_int_equal(root->entry_count, 2);
	assert_int_equal(root->batch_rank, 1);
	assert_int_equal(root->batch[0], 2);
	assert_int_equal(get_leaf(store, "1/a")->shape.dims[1], 4);
	jag_store_close(store);

	store = open_fixture("v1_lazy");
	root = jag_store_root(store);
	assert_int_equal(root->format_version, 1);
	assert_int_equal(root->batch_rank, 2);
	assert_null(root->warning);
	jag_store_close(store);
}

static void fixture_non_tensors(void **state)
{
	(void)state;
	struct jag_store *store = open_fixture("nontensor");
	assert_int_equal(get_collection(store, "t")->kind, JAG_NONTENSOR);
	assert_string_equal(get_collection(store, "t")->json, "\"str\"");
	assert_string_equal(get_collection(store, "n")->json, "{\"a\":[1,2.5,null,true]}");
	assert_int_equal(get_collection(store, "s")->kind, JAG_NONTENSOR_STACK);
	assert_string_equal(get_collection(store, "s")->json, "[\"a\",\"b\",\"c\"]");
	assert_null(get_collection(store, "p")->json);
	assert_string_equal(get_collection(store, "p")->side_files[1].name, "other.pickle");
	assert_non_null(get_collection(store, "p")->side_files[1].file);
	assert_null(get_collection(store, "sp")->json);
	assert_string_equal(get_collection(store, "sp")->side_files[1].name, "pickle.pkl");
	jag_store_close(store);

	store = open_fixture("v1_ntstack");
	assert_string_equal(get_collection(store, "nt")->json, "[\"a\",\"b\",\"c\"]");
	jag_store_close(store);
}

static void fixture_tensorclasses(void **state)
{
	(void)state;
	struct jag_store *store = open_fixture("tensorclass");
	const struct jag_collection *root = jag_store_root(store);
	assert_int_equal(root->kind, JAG_TENSORCLASS);
	assert_string_equal(root->type_text, "<class '__main__.ImageNetData'>");
	assert_int_equal(root->batch[0], 2);
	assert_leaf_bytes(store, "images", "\0\1\2\3", 4);
	assert_ptr_equal(get_leaf(store, "images")->parent, root);
	assert_string_equal(get_collection(store, "label")->json, "\"h\xc3\xa9\"");
	assert_int_equal(root->side_file_count, 1);
	assert_int_equal(root->side_files[0].nbytes, 43);
	jag_store_close(store);

	store = open_fixture("v1_tc");
	assert_int_equal(jag_store_root(store)->kind, JAG_TENSORCLASS);
	assert_int_equal(get_leaf(store, "x")->count, 4);
	jag_store_close(store);
}

static void fixture_small_ones(void **state)
{
	(void)state;
	const char *names[] = { "make_memmap",   "nested_2d",      "nested_all_zero",
				"nested_images", "nested_scalars", "nested_zero_component",
				"scalar",        "v1_keys",        "v1_nested",
				"v1_plain",      "zero_elem" };
	for (size_t i = 0; i < COUNT_OF(names); i++)
		jag_store_close(open_fixture(names[i]));
	struct jag_store *store = open_fixture("scalar");
	assert_leaf_bytes(store, "a", (const float[]){ 3.5F }, 4);
	assert_int_equal(get_leaf(store, "a")->count, 1);
	jag_store_close(store);
	store = open_fixture("zero_elem");
	assert_int_equal(get_leaf(store, "a")->nbytes, 0);
	assert_null(get_leaf(store, "a")->data);
	jag_store_close(store);
}

static void other_containers_are_refused_by_name(void **state)
{
	const struct {
		const char *file, *name;
	} cases[] = {
		{ "full.tdz", ".tdz" },
		{ "full_deflate.tdz", ".tdz" },
		{ "stale_crc.tdz", ".tdz" },
		{ "v1_nested.tdz", ".tdz" },
		{ "consolidated_plain.bin", "consolidated" },
		{ "consolidated_njt.bin", "consolidated" },
		{ "consolidated_njt_lengths.bin", "consolidated" },
		{ "v1_consolidated_njt.bin", "consolidated" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct jag_store *store = NULL;
		struct jag_error err = { 0 };
		assert_int_equal(jag_store_open(fixture(cases[i].file), 0, &store, &err), -ENOTSUP);
		assert_null(store);
		assert_non_null(strstr(err.message, cases[i].name));
		assert_non_null(strstr(err.path, cases[i].file));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixture_plain),
		cmocka_unit_test(fixture_dtypes),
		cmocka_unit_test(fixture_keys_encoded_and_legacy),
		cmocka_unit_test(fixture_stacks),
		cmocka_unit_test(fixture_non_tensors),
		cmocka_unit_test(fixture_tensorclasses),
		cmocka_unit_test(fixture_small_ones),
		cmocka_unit_test(other_containers_are_refused_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
