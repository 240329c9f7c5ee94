/* SPDX-License-Identifier: MIT */
/* test_store.c - the oddities that are met in the field, and what is no store. Broken stores: test_bad.c. */
#include "tempstore.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jag/sequence.h"

#define LEAF_U8(key, shape) "\"" key "\":{\"device\":\"cpu\",\"shape\":" shape ",\"dtype\":\"torch.uint8\"}"
#define LEAF_V5(key, shape) \
	"\"" key "\":{\"device\":\"cpu\",\"shape\":" shape ",\"dtype\":\"torch.uint8\",\"is_nested\":false}"
#define NESTED_U8(key, shape) "\"" key "\":{\"shape\":" shape ",\"dtype\":\"torch.uint8\",\"is_nested\":true}"
#define CLASS(name) "\"_type\":\"<class '" name "'>\""

static void assert_open_fails(const char *path, int code, const char *text)
{
	struct jag_store *store = NULL;
	struct jag_error err = { 0 };
	assert_int_equal(jag_store_open(path, 0, &store, &err), code);
	if (!strstr(err.message, text))
		fail_msg("says \"%s\", not \"%s\"", err.message, text);
}

static void files_that_are_no_tensordict(void **state)
{
	const char *dir = *state;
	put_bytes(dir, "a.npy", "\x93NUMPY\1\0", 8);
	put_bytes(dir, "a.npz", "PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0x.npy", 35);
	put_bytes(dir, "a.safetensors", "\2\0\0\0\0\0\0\0{}", 10);
	put_bytes(dir, "a.txt", "hello", 5);
	put_bytes(dir, "empty", "", 0);
	put_bytes(dir, "old/x.meta.pt", "", 0);
	put_bytes(dir, "nothing/x.memmap", "", 0);
	assert_open_fails(path_in(dir, "a.npy"), -ENOTSUP, ".npy");
	assert_open_fails(path_in(dir, "a.npz"), -ENOTSUP, ".npz");
	assert_open_fails(path_in(dir, "a.safetensors"), -ENOTSUP, "safetensors");
	assert_open_fails(path_in(dir, "a.txt"), -EINVAL, "not a store");
	assert_open_fails(path_in(dir, "empty"), -EINVAL, "not a store");
	assert_open_fails(path_in(dir, "old"), -ENOTSUP, "before 0.3");
	assert_open_fails(path_in(dir, "nothing"), -EINVAL, "no meta.json");
	assert_open_fails(path_in(dir, "missing"), -ENOENT, "No such file");
	assert_open_fails("/dev/null", -EINVAL, "neither a directory nor a file");
}

/* -- oddities -- */

static void a_longer_file_is_a_warning(void **state)
{
	put_meta(*state, LEAF_V5("x", "[4]"), "[4]");
	put_hole(*state, "x.memmap", 5);
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(get_leaf(store, "x")->fault, 0);
	assert_non_null(strstr(get_leaf(store, "x")->warning, "4 of 5 bytes used"));
	jag_store_close(store);
}

static void an_empty_leaf_may_have_a_file_or_none(void **state)
{
	put_meta(*state, LEAF_V5("x", "[0,4]") "," LEAF_V5("y", "[4,0]") "," NESTED_U8("z", "[0,3]"), "[]");
	put_hole(*state, "y.memmap", 0);
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_first_fault(store, NULL, NULL), 0);
	assert_int_equal(get_leaf(store, "z")->count, 0);
	assert_null(get_leaf(store, "z")->dims);
	jag_store_close(store);
}

static void a_shape_that_does_not_start_with_the_batch_is_a_warning(void **state)
{
	put_meta(*state, LEAF_V5("x", "[3]") "," LEAF_V5("y", "[]") "," LEAF_V5("z", "[4,2]"), "[4]");
	put_hole(*state, "x.memmap", 3);
	put_hole(*state, "y.memmap", 1);
	put_hole(*state, "z.memmap", 8);
	struct jag_store *store = open_store(*state, 0);
	assert_non_null(strstr(get_leaf(store, "x")->warning, "batch_size [4]"));
	assert_non_null(get_leaf(store, "y")->warning);
	assert_null(get_leaf(store, "z")->warning);
	jag_store_close(store);
}

static void shape_file_shared_with_another_leaf_is_suspect(void **state)
{
	put_meta(*state, NESTED_U8("a", "[1,1]") "," LEAF_V5("a.shape", "[8]"), "[]");
	put_i64(*state, "a.shape.memmap", (const int64_t[]){ 2 }, 1);
	put_hole(*state, "a.memmap", 2);
	struct jag_store *store = open_store(*state, 0);
	assert_non_null(strstr(get_leaf(store, "a")->warning, "suspect"));
	assert_non_null(strstr(get_leaf(store, "a.shape")->warning, "suspect"));
	jag_store_close(store);
}

static void data_of_a_reserved_key_is_reported(void **state)
{
	put_meta(*state, LEAF_V5("x", "[1]"), "[]");
	put_hole(*state, "x.memmap", 1);
	put_hole(*state, "device.memmap", 4);
	struct jag_store *store = open_store(*state, 0);
	assert_non_null(strstr(jag_store_root(store)->warning, "device.memmap"));
	jag_store_close(store);
}

static void a_newer_format_version_opens_with_a_warning(void **state)
{
	put_text(*state, "meta.json", "{" LEAF_V5("x", "[1]") ",\"shape\":[],\"_format_version\":2," CLASS("T") "}");
	put_hole(*state, "x.memmap", 1);
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->format_version, 2);
	assert_non_null(strstr(jag_store_root(store)->warning, "version 2"));
	assert_int_equal(get_leaf(store, "x")->fault, 0);
	jag_store_close(store);
}

static void missing_type_and_shape_are_tolerated(void **state)
{
	put_text(*state, "meta.json", "{" LEAF_V5("x", "[1]") "}");
	put_hole(*state, "x.memmap", 1);
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->kind, JAG_TENSORDICT);
	assert_false(jag_store_root(store)->batch_known);
	assert_non_null(strstr(jag_store_root(store)->warning, "_type"));
	jag_store_close(store);
}

static void unlisted_directories_are_children_in_0_3_only(void **state)
{
	put_text(*state, "meta.json", "{" LEAF_U8("x", "[1]") ",\"shape\":[]," CLASS("T") "}");
	put_hole(*state, "x.memmap", 1);
	put_text(*state, "b/meta.json", "{\"shape\":[]," CLASS("T") "}");
	put_text(*state, "a/meta.json", "{\"shape\":[]," CLASS("T") "}");
	put_text(*state, "c/other", "");
	struct jag_store *store = open_store(*state, 0);
	const struct jag_collection *root = jag_store_root(store);
	assert_int_equal(root->entry_count, 3);
	assert_string_equal(root->entries[1].collection->key, "a");
	assert_string_equal(root->entries[2].collection->key, "b");
	assert_non_null(strstr(root->warning, "legacy"));
	jag_store_close(store);

	put_text(*state, "meta.json", "{" LEAF_V5("x", "[1]") ",\"shape\":[]," CLASS("T") "}");
	store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->entry_count, 1);
	jag_store_close(store);
}

static void a_gap_in_a_stack_is_a_warning(void **state)
{
	put_text(*state, "meta.json", "{\"stack_dim\":0," CLASS("S") "}");
	put_meta(path_in(*state, "0"), "", "[]");
	put_meta(path_in(*state, "1"), "", "[]");
	put_meta(path_in(*state, "3"), "", "[]");
	put_meta(path_in(*state, "02"), "", "[]");
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->entry_count, 2);
	assert_non_null(strstr(jag_store_root(store)->warning, "child 2 is missing"));
	jag_store_close(store);
}

static void stack_dim_goes_where_it_says(void **state)
{
	put_text(*state, "meta.json", "{\"stack_dim\":1," CLASS("S") "}");
	put_meta(path_in(*state, "0"), "", "[5,6]");
	put_meta(path_in(*state, "1"), "", "[5,6]");
	put_meta(path_in(*state, "2"), "", "[5,6]");
	struct jag_store *store = open_store(*state, 0);
	const struct jag_collection *root = jag_store_root(store);
	assert_int_equal(root->batch_rank, 3);
	assert_true(root->batch[0] == 5 && root->batch[1] == 3 && root->batch[2] == 6);
	jag_store_close(store);
}

static void plain_fields_of_an_old_tensorclass(void **state)
{
	put_text(*state, "meta.json",
		 "{\"name\":\"n\",\"none\":null,\"cfg\":{\"type\":\"x\"},\"x\":1," CLASS("m.C") "}");
	put_meta(path_in(*state, "_tensordict"), LEAF_V5("x", "[1]"), "[1]");
	put_hole(*state, "_tensordict/x.memmap", 1);
	put_text(*state, "other.pickle", "p");
	struct jag_store *store = open_store(*state, 0);
	const struct jag_collection *root = jag_store_root(store);
	assert_int_equal(root->kind, JAG_TENSORCLASS);
	assert_int_equal(root->entry_count, 4);
	assert_string_equal(get_collection(store, "name")->json, "\"n\"");
	assert_string_equal(get_collection(store, "none")->json, "null");
	assert_string_equal(get_collection(store, "cfg")->json, "{\"type\":\"x\"}");
	assert_int_equal(get_leaf(store, "x")->count, 1);
	assert_string_equal(root->side_files[1].name, "other.pickle");
	jag_store_close(store);
}

static void a_tensorclass_around_a_stack_is_a_stack(void **state)
{
	put_text(*state, "meta.json", "{" CLASS("m.C") "}");
	put_text(*state, "_tensordict/meta.json", "{\"stack_dim\":0," CLASS("S") "}");
	put_meta(path_in(*state, "_tensordict/0"), "", "[]");
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->kind, JAG_LAZY_STACK);
	assert_string_equal(jag_store_root(store)->type_text, "<class 'm.C'>");
	jag_store_close(store);
}

static void a_listed_key_may_be_called_tensordict(void **state)
{
	put_text(*state, "meta.json", "{\"_tensordict\":{\"type\":\"T\"},\"shape\":[]," CLASS("T") "}");
	put_meta(path_in(*state, "_tensordict"), "", "[]");
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->kind, JAG_TENSORDICT);
	assert_string_equal(get_collection(store, "_tensordict")->key, "_tensordict");
	jag_store_close(store);
}

static void views_show_their_source(void **state)
{
	put_text(*state, "meta.json",
		 "{\"shape\":[1],\"device\":\"cpu\"," CLASS(
			 "tensordict._lazy._PermutedTensorDict") ",\"custom_op\":\"permute\"}");
	put_meta(path_in(*state, "_source"), LEAF_V5("x", "[2]"), "[2]");
	put_hole(*state, "_source/x.memmap", 2);
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->kind, JAG_LAZY_VIEW);
	assert_non_null(strstr(jag_store_root(store)->warning, "view not applied"));
	assert_int_equal(get_leaf(store, "x")->count, 2);
	jag_store_close(store);
}

static void a_value_wins_over_a_pickle_beside_it(void **state)
{
	put_text(*state, "meta.json", "{\"data\":7,\"_is_non_tensor\":true,\"_metadata\":null}");
	put_text(*state, "other.pickle", "x");
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->kind, JAG_NONTENSOR);
	assert_string_equal(jag_store_root(store)->json, "7");
	jag_store_close(store);
}

static void an_old_stack_of_values_is_joined_from_its_children(void **state)
{
	put_text(*state, "meta.json", "{\"stack_dim\":0," CLASS("tensordict.tensorclass.NonTensorStack") "}");
	put_text(*state, "0/meta.json", "{\"data\":\"a\"," CLASS("tensordict.tensorclass.NonTensorData") "}");
	put_text(*state, "1/meta.json", "{\"data\":[NaN]," CLASS("tensordict.tensorclass.MetaData[int]") "}");
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_root(store)->kind, JAG_NONTENSOR_STACK);
	assert_string_equal(jag_store_root(store)->json, "[\"a\", [null]]");
	jag_store_close(store);
}

static void a_value_that_is_nowhere_is_a_warning(void **state)
{
	put_text(*state, "meta.json", "{\"_is_non_tensor\":true}");
	struct jag_store *store = open_store(*state, 0);
	assert_null(jag_store_root(store)->json);
	assert_non_null(strstr(jag_store_root(store)->warning, "neither"));
	jag_store_close(store);
}

static void links_inside_the_store_are_followed(void **state)
{
	put_meta(*state, "\"s\":{\"type\":\"T\"}," LEAF_V5("x", "[1]"), "[]");
	put_meta(path_in(*state, "real"), LEAF_V5("x", "[1]"), "[]");
	put_hole(*state, "real/x.memmap", 1);
	assert_int_equal(symlink("real", path_in(*state, "s")), 0);
	assert_int_equal(symlink("real/x.memmap", path_in(*state, "x.memmap")), 0);
	struct jag_store *store = open_store(*state, 0);
	assert_int_equal(jag_store_first_fault(store, NULL, NULL), 0);
	assert_leaf_bytes(store, "s/x", "", 1);
	jag_store_close(store);
}

static void find_prefers_file_names_and_takes_raw_keys(void **state)
{
	put_meta(*state, LEAF_V5("a%20b", "[1]") "," LEAF_V5("a b", "[1]") "," LEAF_V5("a/b", "[1]"), "[]");
	put_hole(*state, "a%2520b.memmap", 1);
	put_hole(*state, "a%20b.memmap", 1);
	put_hole(*state, "a%2Fb.memmap", 1);
	struct jag_store *store = open_store(*state, 0);
	struct jag_entry entry;
	assert_string_equal(get_leaf(store, "a%20b")->key, "a b");
	assert_string_equal(get_leaf(store, "a%2520b")->key, "a%20b");
	assert_string_equal(get_leaf(store, "/a/b")->key, "a/b");
	assert_ptr_equal(get_collection(store, ""), jag_store_root(store));
	assert_int_equal(jag_store_find(store, "c", &entry), -ENOENT);
	assert_int_equal(jag_store_find(store, "a b/x", &entry), -ENOENT);
	assert_int_equal(jag_store_find(store, "..", &entry), -ENOENT);
	jag_store_close(store);
}

static void the_first_fault_is_that_of_the_asked_part(void **state)
{
	put_meta(*state, "\"s\":{\"type\":\"T\"}," LEAF_V5("x", "[1]"), "[]");
	put_meta(path_in(*state, "s"), LEAF_V5("y", "[1]"), "[]");
	put_hole(*state, "s/y.memmap", 1);
	struct jag_store *store = open_store(*state, 0);
	struct jag_error err = { 0 };
	assert_int_equal(jag_store_first_fault(store, NULL, &err), -ENOENT);
	assert_string_equal(err.path, path_in(*state, "x.memmap"));
	assert_int_equal(jag_store_first_fault(store, get_collection(store, "s"), &err), 0);
	struct jag_entry entry;
	assert_int_equal(jag_store_find(store, "x", &entry), 0);
	assert_int_equal(jag_store_fault_of(store, &entry, &err), -ENOENT);
	assert_non_null(strstr(err.message, "missing"));
	assert_int_equal(jag_store_find(store, "s", &entry), 0);
	assert_int_equal(jag_store_fault_of(store, &entry, &err), 0);
	jag_store_close(store);
}

static void more_leaves_than_descriptors(void **state)
{
	enum { leaves = 200 };
	struct rlimit old, low;
	char name[32];
	for (int i = 0; i < leaves; i++) {
		snprintf(name, sizeof(name), "%d/x.memmap", i);
		put_bytes(*state, name, &(uint8_t){ (uint8_t)i }, 1);
		snprintf(name, sizeof(name), "%d", i);
		put_meta(path_in(*state, name), LEAF_V5("x", "[1]"), "[]");
	}
	put_text(*state, "meta.json", "{\"stack_dim\":0," CLASS("S") "}");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = old;
	low.rlim_cur = 64;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	struct jag_store *store = open_store(*state, JAG_STORE_WRITE);
	for (int i = 0; i < leaves; i++) {
		snprintf(name, sizeof(name), "%d/x", i);
		assert_leaf_bytes(store, name, &(uint8_t){ (uint8_t)i }, 1);
	}
	jag_store_close(store);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

#define in_temp(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_temp(files_that_are_no_tensordict),
		in_temp(a_longer_file_is_a_warning),
		in_temp(an_empty_leaf_may_have_a_file_or_none),
		in_temp(a_shape_that_does_not_start_with_the_batch_is_a_warning),
		in_temp(shape_file_shared_with_another_leaf_is_suspect),
		in_temp(data_of_a_reserved_key_is_reported),
		in_temp(a_newer_format_version_opens_with_a_warning),
		in_temp(missing_type_and_shape_are_tolerated),
		in_temp(unlisted_directories_are_children_in_0_3_only),
		in_temp(a_gap_in_a_stack_is_a_warning),
		in_temp(stack_dim_goes_where_it_says),
		in_temp(plain_fields_of_an_old_tensorclass),
		in_temp(a_tensorclass_around_a_stack_is_a_stack),
		in_temp(a_listed_key_may_be_called_tensordict),
		in_temp(views_show_their_source),
		in_temp(a_value_wins_over_a_pickle_beside_it),
		in_temp(an_old_stack_of_values_is_joined_from_its_children),
		in_temp(a_value_that_is_nowhere_is_a_warning),
		in_temp(links_inside_the_store_are_followed),
		in_temp(find_prefers_file_names_and_takes_raw_keys),
		in_temp(the_first_fault_is_that_of_the_asked_part),
		in_temp(more_leaves_than_descriptors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
