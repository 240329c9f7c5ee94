/* SPDX-License-Identifier: MIT */
/* test_keyname.c - keys as file names: tensordict's own vectors. */
#include "unit.h"

#include "store/keyname.h"

static void assert_encodes(const char *key, const char *expected)
{
	char name[300];
	assert_int_equal(jag_key_encode(key, name, sizeof(name)), strlen(expected));
	assert_string_equal(name, expected);
}

static void vectors(void **state)
{
	(void)state;
	assert_encodes("a/b", "a%2Fb");
	assert_encodes("a b", "a%20b");
	assert_encodes("%", "%25");
	assert_encodes("", "%");
	assert_encodes(".", "%2E");
	assert_encodes("..", "%2E%2E");
	assert_encodes("...", "...");
	assert_encodes(".x", ".x");
	assert_encodes("a.b", "a.b");
	assert_encodes("\xc3\xa9", "\xc3\xa9");
	assert_encodes("<>:\"|?*\\", "%3C%3E%3A%22%7C%3F%2A%5C");
	assert_encodes("tab\t\x01\x1f\x7f", "tab%09%01%1F%7F");
	assert_encodes("a,'~#-", "a,'~#-");
}

static void nul_is_encoded_too(void **state)
{
	(void)state;
	char name[16];
	assert_int_equal(jag_keyname_encode("a\0b", 3, name, sizeof(name)), 5);
	assert_string_equal(name, "a%00b");
}

static void what_does_not_fit_is_refused(void **state)
{
	(void)state;
	char name[5] = "????";
	assert_int_equal(jag_key_encode("abcd", name, 5), 4);
	assert_int_equal(jag_key_encode("abcde", name, 5), -ENAMETOOLONG);
	assert_int_equal(jag_key_encode("a b", name, 5), -ENAMETOOLONG);
	assert_int_equal(jag_key_encode("", name, 1), -ENAMETOOLONG);
	assert_int_equal(jag_key_encode("x", name, 0), -ENAMETOOLONG);
}

static void raw_names_only_where_they_are_harmless(void **state)
{
	(void)state;
	assert_true(jag_keyname_raw_allowed("a b", 3, true));
	assert_true(jag_keyname_raw_allowed("", 0, false));
	assert_true(jag_keyname_raw_allowed("..", 2, false)); /* "...memmap" is a name like any other */
	assert_false(jag_keyname_raw_allowed("", 0, true));
	assert_false(jag_keyname_raw_allowed(".", 1, true));
	assert_false(jag_keyname_raw_allowed("..", 2, true));
	assert_false(jag_keyname_raw_allowed("../x", 4, false));
	assert_false(jag_keyname_raw_allowed("a\\b", 3, false));
	assert_false(jag_keyname_raw_allowed("a\0b", 3, false));
	assert_false(jag_keyname_raw_allowed("C:x", 3, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(nul_is_encoded_too),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(raw_names_only_where_they_are_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
