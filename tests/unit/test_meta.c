/* SPDX-License-Identifier: MIT */
/* test_meta.c - meta.json in both dialects, and what is no meta.json. */
#include "unit.h"

#include "store/meta.h"

static struct jag_meta parse(const char *text)
{
	struct jag_meta meta;
	struct jag_error err = { 0 };
	if (jag_meta_parse(text, strlen(text), &meta, &err))
		fail_msg("%s: %s", text, err.message);
	return meta;
}

static void assert_refused(const char *text, size_t nbytes)
{
	struct jag_meta meta;
	struct jag_error err = { 0 };
	assert_int_equal(jag_meta_parse(text, nbytes, &meta, &err), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_true(err.message[0] != '\0');
	assert_null(meta.members);
}

static void assert_strict(const char *text, const char *expected)
{
	struct jag_buffer out = { 0 };
	assert_int_equal(jag_json_strict((struct jag_json_slice){ text, strlen(text) }, &out), 0);
	assert_int_equal(out.nbytes, strlen(expected));
	assert_memory_equal(out.data, expected, out.nbytes);
	jag_buffer_free(&out);
}

static void leaves_collections_and_own_entries(void **state)
{
	(void)state;
	struct jag_meta meta = parse("{\"a\":{\"device\":\"cuda:0\",\"shape\":[2,3],\"dtype\":\"torch.int64\","
				     "\"is_nested\":true},\"b\":{\"type\":\"TensorDict\"},\"c\":5,\"shape\":[2],"
				     "\"device\":\"cpu\",\"_type\":\"T\",\"_format_version\":1,\"_names\":[null]}");
	assert_int_equal(meta.count, 3);
	assert_string_equal(meta.members[0].key, "a");
	assert_int_equal(meta.members[0].type, JAG_META_LEAF);
	assert_true(meta.members[0].nested);
	assert_int_equal(meta.members[0].rank, 2);
	assert_int_equal(meta.members[0].dims[1], 3);
	assert_string_equal(meta.members[0].dtype_text, "torch.int64");
	assert_int_equal(meta.members[1].type, JAG_META_COLLECTION);
	assert_int_equal(meta.members[2].type, JAG_META_OTHER);
	assert_true(meta.has_shape);
	assert_int_equal(meta.batch_rank, 1);
	assert_int_equal(meta.batch[0], 2);
	assert_string_equal(meta.type_text, "T");
	assert_int_equal(meta.format_version, 1);
	assert_ptr_equal(jag_meta_find(&meta, "b"), &meta.members[1]);
	assert_null(jag_meta_find(&meta, "shape"));
	jag_meta_free(&meta);
}

static void entries_may_come_after_type_and_in_python_spacing(void **state)
{
	(void)state;
	struct jag_meta meta = parse("{ \"shape\": [ ], \"_type\": \"T\" , \"x\": {\"shape\": [1], \"dtype\": "
				     "\"torch.uint8\"} \n}\n");
	assert_int_equal(meta.count, 1);
	assert_false(meta.members[0].nested);
	assert_false(meta.members[0].has_nested);
	assert_true(meta.has_shape);
	assert_int_equal(meta.batch_rank, 0);
	jag_meta_free(&meta);
}

static void python_tokens_long_integers_and_surrogates(void **state)
{
	(void)state;
	struct jag_meta meta = parse("{\"data\": [NaN, Infinity, -Infinity, 123456789012345678901234567890, "
				     "\"\\ud800\", \"\\u00e9\"]}");
	const struct jag_meta_member *data = jag_meta_find(&meta, "data");
	struct jag_buffer out = { 0 };
	const char expected[] = "[null, null, null, 123456789012345678901234567890, \"\\ud800\", \"\\u00e9\"]";
	assert_non_null(data);
	assert_int_equal(jag_json_strict(data->value, &out), 0);
	assert_int_equal(out.nbytes, strlen(expected));
	assert_memory_equal(out.data, expected, out.nbytes);
	jag_buffer_free(&out);
	jag_meta_free(&meta);
}

static void tokens_inside_strings_stay(void **state)
{
	(void)state;
	assert_strict("\"NaN\"", "\"NaN\"");
	assert_strict("{\"NaN\": NaN, \"a\\\"NaN\": -Infinity}", "{\"NaN\": null, \"a\\\"NaN\": null}");
}

static void the_last_of_duplicate_keys_wins(void **state)
{
	(void)state;
	struct jag_meta meta =
		parse("{\"a\":{\"type\":\"TensorDict\"},\"b\":1,"
		      "\"a\":{\"shape\":[7],\"dtype\":\"torch.uint8\"},\"_type\":\"X\",\"_type\":\"Y\"}");
	assert_int_equal(meta.count, 2);
	assert_string_equal(meta.members[0].key, "a");
	assert_int_equal(meta.members[0].type, JAG_META_LEAF);
	assert_int_equal(meta.members[0].dims[0], 7);
	assert_string_equal(meta.type_text, "Y");
	jag_meta_free(&meta);
}

static void a_nul_does_not_cut_a_key(void **state)
{
	(void)state;
	struct jag_meta meta = parse("{\"a\\u0000b\":1,\"a\":2,\"a\\u0000c\":3}");
	assert_int_equal(meta.count, 3);
	assert_int_equal(meta.members[0].key_nbytes, 3);
	assert_ptr_equal(jag_meta_find(&meta, "a"), &meta.members[1]);
	jag_meta_free(&meta);
}

static void a_leaf_has_dtype_and_shape_and_no_type(void **state)
{
	(void)state;
	struct jag_meta meta = parse("{\"dtype\":{\"shape\":[],\"dtype\":\"torch.bool\"},"
				     "\"type\":{\"shape\":[],\"dtype\":\"torch.bool\",\"type\":\"T\"},"
				     "\"n\":{\"shape\":[]}}");
	assert_int_equal(meta.members[0].type, JAG_META_LEAF);
	assert_int_equal(meta.members[1].type, JAG_META_COLLECTION);
	assert_int_equal(meta.members[2].type, JAG_META_OTHER);
	jag_meta_free(&meta);
}

static void bad_leaves_are_kept_with_their_problem(void **state)
{
	(void)state;
	const char *shapes[] = { "5", "[1.5]", "[-1]", "[99999999999999999999]", "[\"1\"]", "[null]", "{}" };
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		char text[200];
		snprintf(text, sizeof(text), "{\"a\":{\"shape\":%s,\"dtype\":\"torch.uint8\"}}", shapes[i]);
		struct jag_meta meta = parse(text);
		assert_int_equal(meta.members[0].problem, -EINVAL);
		assert_non_null(meta.members[0].problem_text);
		jag_meta_free(&meta);
	}
}

static void many_members(void **state)
{
	(void)state;
	struct jag_buffer text = { 0 };
	char member[64];
	for (int i = 0; i < 1000; i++) {
		int n = snprintf(member, sizeof(member), "%s\"k%d\":{\"type\":\"T\"}", i ? "," : "{", i);
		assert_int_equal(jag_buffer_append(&text, member, (size_t)n), 0);
	}
	assert_int_equal(jag_buffer_append(&text, "}", 2), 0);
	struct jag_meta meta = parse((const char *)text.data);
	assert_int_equal(meta.count, 1000);
	assert_ptr_equal(jag_meta_find(&meta, "k777"), &meta.members[777]);
	jag_meta_free(&meta);
	jag_buffer_free(&text);
}

static void every_cut_is_refused(void **state)
{
	(void)state;
	const char text[] = "{\"a\":{\"shape\":[2,3],\"dtype\":\"torch.int64\"},\"d\":[NaN,\"\\\"\",1e5,true],\"s\":2}";
	for (size_t n = 0; n < strlen(text); n++) {
		/* on the heap, so that a sanitizer sees a step beyond the cut */
		char *cut = malloc(n ? n : 1);
		memcpy(cut, text, n);
		assert_refused(cut, n);
		free(cut);
	}
}

static void what_is_no_json_object(void **state)
{
	(void)state;
	const char *texts[] = { "",
				" ",
				"[]",
				"null",
				"{",
				"}",
				"{}{}",
				"{}x",
				"{,}",
				"{\"a\"}",
				"{\"a\":}",
				"{\"a\":1,}",
				"{a:1}",
				"{'a':1}",
				"{\"a\":nan}",
				"{\"a\":1 2}",
				"{\"a\":[}",
				"{\"a\":\"\n}",
				"{\"a\":1/**/}",
				"\xef\xbb\xbf{}",
				"{\"a\":+1}",
				"{\"a\" 1}",
				"{\"a\":1 \"b\":2}" };
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_refused(texts[i], strlen(texts[i]));
	assert_refused("{\"a\":1}\0", 8);
	assert_refused("{\"a\0\":1}", 8);
}

static void empty_is_called_an_interrupted_write(void **state)
{
	(void)state;
	struct jag_meta meta;
	struct jag_error err = { 0 };
	assert_int_equal(jag_meta_parse("", 0, &meta, &err), -EINVAL);
	assert_non_null(strstr(err.message, "interrupted"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_collections_and_own_entries),
		cmocka_unit_test(entries_may_come_after_type_and_in_python_spacing),
		cmocka_unit_test(python_tokens_long_integers_and_surrogates),
		cmocka_unit_test(tokens_inside_strings_stay),
		cmocka_unit_test(the_last_of_duplicate_keys_wins),
		cmocka_unit_test(a_nul_does_not_cut_a_key),
		cmocka_unit_test(a_leaf_has_dtype_and_shape_and_no_type),
		cmocka_unit_test(bad_leaves_are_kept_with_their_problem),
		cmocka_unit_test(many_members),
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(what_is_no_json_object),
		cmocka_unit_test(empty_is_called_an_interrupted_write),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
