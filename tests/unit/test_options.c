/* SPDX-License-Identifier: MIT */
/* test_options.c - VALUE and PATH=VALUE lists. */
#include "unit.h"

#include "tree/options.h"

static struct jag_option_list parsed(const char *text)
{
	struct jag_option_list list;
	struct jag_error err = { 0 };
	if (jag_option_list_parse("format", text, &list, &err))
		fail_msg("%s: %s", text, err.message);
	return list;
}

static const char *value_for(struct jag_option_list *list, const char *path)
{
	const char *value = jag_option_find(list, path, NULL);
	return value ? value : "-";
}

static void a_path_wins_over_all(void **state)
{
	(void)state;
	bool exact;
	struct jag_option_list list = parsed("image=jpg:png:obs/pixels=raw.a.b");
	assert_string_equal(value_for(&list, "image"), "jpg");
	assert_string_equal(value_for(&list, "obs/pixels"), "raw.a.b");
	assert_string_equal(value_for(&list, "other"), "png");
	assert_string_equal(value_for(&list, NULL), "png");
	jag_option_find(&list, "image", &exact);
	assert_true(exact);
	jag_option_find(&list, "other", &exact);
	assert_false(exact);
	jag_option_list_free(&list);
}

static void the_last_of_several_counts(void **state)
{
	(void)state;
	struct jag_option_list list = parsed("jpg:a=png:npy:a=raw");
	assert_string_equal(value_for(&list, "a"), "raw");
	assert_string_equal(value_for(&list, "b"), "npy");
	jag_option_list_free(&list);
}

static void paths_may_hold_equals_signs_and_slashes_around(void **state)
{
	(void)state;
	struct jag_option_list list = parsed("/a=b/c/=png");
	assert_string_equal(value_for(&list, "a=b/c"), "png");
	assert_string_equal(value_for(&list, "a"), "-");
	jag_option_list_free(&list);
}

static void no_option_is_an_empty_list(void **state)
{
	(void)state;
	struct jag_option_list list = parsed(NULL);
	assert_int_equal(list.count, 0);
	assert_string_equal(value_for(&list, "a"), "-");
	assert_int_equal(jag_option_list_unused(&list, NULL), 0);
	jag_option_list_free(&list);
}

static void what_is_no_item_is_refused_by_name(void **state)
{
	(void)state;
	static const char *const wrong[] = { "", ":", "png:", "a=", "=png", "a=b:=c", "/=png" };
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct jag_option_list list;
		struct jag_error err = { 0 };
		assert_int_equal(jag_option_list_parse("format", wrong[i], &list, &err), -EINVAL);
		assert_non_null(strstr(err.message, "format"));
	}
}

static void a_path_that_nothing_has_is_refused(void **state)
{
	(void)state;
	struct jag_error err = { 0 };
	struct jag_option_list list = parsed("a=png:b=npy");
	jag_option_find(&list, "a", NULL);
	assert_int_equal(jag_option_list_unused(&list, &err), -EINVAL);
	assert_non_null(strstr(err.message, "\"b\""));
	jag_option_find(&list, "b", NULL);
	assert_int_equal(jag_option_list_unused(&list, &err), 0);
	jag_option_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_wins_over_all),
		cmocka_unit_test(the_last_of_several_counts),
		cmocka_unit_test(paths_may_hold_equals_signs_and_slashes_around),
		cmocka_unit_test(no_option_is_an_empty_list),
		cmocka_unit_test(what_is_no_item_is_refused_by_name),
		cmocka_unit_test(a_path_that_nothing_has_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
