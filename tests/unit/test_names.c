/* SPDX-License-Identifier: MIT */
/* test_names.c - element names: index <-> zero-padded name. */
#include "unit.h"

#include "tree/names.h"

static void width_is_that_of_the_last_index(void **state)
{
	(void)state;
	static const struct {
		uint64_t count;
		unsigned width;
	} cases[] = { { 0, 1 },   { 1, 1 },   { 2, 1 },       { 10, 1 },      { 11, 2 },
		      { 100, 2 }, { 101, 3 }, { 1000000, 6 }, { 1000001, 7 }, { UINT64_MAX, 20 } };
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(jag_index_width(cases[i].count), cases[i].width);
}

/* Every index of many counts, or a seeded sample of them, there and back. */
static void names_and_indices_agree_both_ways(void **state)
{
	(void)state;
	static const uint64_t counts[] = { 1, 9, 10, 11, 99, 100, 101, 12345, UINT64_C(10000000), UINT64_C(1) << 40 };
	uint64_t seed = 42;
	char name[64];
	for (size_t c = 0; c < COUNT_OF(counts); c++) {
		unsigned width = jag_index_width(counts[c]);
		for (uint64_t n = 0; n < 2000; n++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
			uint64_t index = n < 500 ? n % counts[c] : seed % counts[c], back;
			const char *suffix;
			int length = jag_index_name(index, width, ".png", name, sizeof(name));
			assert_int_equal(length, width + 4);
			assert_int_equal(strlen(name), length);
			assert_int_equal(jag_index_parse(name, width, counts[c], &back, &suffix), 0);
			assert_int_equal(back, index);
			assert_string_equal(suffix, ".png");
		}
	}
}

static void an_index_has_one_spelling(void **state)
{
	(void)state;
	static const char *const wrong[] = { "42.png",
					     "0042.png",
					     "00042.png",
					     "0000042.png",
					     "+00042.png",
					     "-00042.png",
					     " 00042.png",
					     "0x0042.png",
					     "00004a.png",
					     "",
					     "000100.png",
					     "999999.png",
					     ".png",
					     "\xd9\xa1\xd9\xa1\xd9\xa1.png",
					     "99999999999999999999999999.png" };
	uint64_t index;
	const char *suffix;
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		assert_int_equal(jag_index_parse(wrong[i], 6, 100, &index, &suffix), -ENOENT);
	assert_int_equal(jag_index_parse("000099", 6, 100, &index, &suffix), 0);
	assert_string_equal(suffix, "");
}

static void numbers_beyond_64_bits_are_no_index(void **state)
{
	(void)state;
	uint64_t index;
	const char *suffix;
	assert_int_equal(jag_index_parse("18446744073709551614", 20, UINT64_MAX, &index, &suffix), 0);
	assert_true(index == UINT64_MAX - 1);
	assert_int_equal(jag_index_parse("18446744073709551616", 20, UINT64_MAX, &index, &suffix), -ENOENT);
	assert_int_equal(jag_index_parse("99999999999999999999", 20, UINT64_MAX, &index, &suffix), -ENOENT);
}

static void a_name_that_does_not_fit_is_refused(void **state)
{
	(void)state;
	char name[8];
	assert_int_equal(jag_index_name(7, 3, ".png", name, 8), 7);
	assert_int_equal(jag_index_name(7, 4, ".png", name, 8), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(width_is_that_of_the_last_index),
		cmocka_unit_test(names_and_indices_agree_both_ways),
		cmocka_unit_test(an_index_has_one_spelling),
		cmocka_unit_test(numbers_beyond_64_bits_are_no_index),
		cmocka_unit_test(a_name_that_does_not_fit_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
