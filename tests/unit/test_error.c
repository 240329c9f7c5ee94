/* SPDX-License-Identifier: MIT */
/* test_error.c - the error record. */
#include "unit.h"

#include "jag/error.h"

static void returns_its_code_and_fills_the_record(void **state)
{
	(void)state;
	struct jag_error err = { 0 };
	assert_int_equal(jag_error_set(&err, -EINVAL, "a.memmap", 12, "%d bytes expected, %d there", 3, 2), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_int_equal(err.offset, 12);
	assert_string_equal(err.path, "a.memmap");
	assert_string_equal(err.message, "3 bytes expected, 2 there");
}

static void record_and_path_may_be_null(void **state)
{
	(void)state;
	struct jag_error err = { 0 };
	assert_int_equal(jag_error_set(NULL, -EIO, "x", 0, "y"), -EIO);
	assert_int_equal(jag_error_set(&err, -EIO, NULL, 0, "y"), -EIO);
	assert_string_equal(err.path, "");
}

static void control_bytes_cannot_reach_a_terminal(void **state)
{
	(void)state;
	struct jag_error err = { 0 };
	jag_error_set(&err, -EINVAL, "a\nb\033[2J", 0, "%s", "c\r\x7f\xc3\xa9");
	assert_string_equal(err.path, "a?b?[2J");
	assert_string_equal(err.message, "c??\xc3\xa9");
}

static void long_text_is_cut(void **state)
{
	(void)state;
	struct jag_error err = { 0 };
	char text[2000];
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	jag_error_set(&err, -EINVAL, text, 0, "%s", text);
	assert_int_equal(strlen(err.path), sizeof(err.path) - 1);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_its_code_and_fills_the_record),
		cmocka_unit_test(record_and_path_may_be_null),
		cmocka_unit_test(control_bytes_cannot_reach_a_terminal),
		cmocka_unit_test(long_text_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
