/* SPDX-License-Identifier: MIT */
/* test_dtype.c - the table of element types. */
#include "unit.h"

#include "jag/dtype.h"

static void every_row_is_filled_and_found_by_its_name(void **state)
{
	(void)state;
	for (int i = JAG_DTYPE_NONE + 1; i < JAG_DTYPE_COUNT; i++) {
		const struct jag_dtype_info *info = jag_dtype_info((enum jag_dtype)i);
		assert_non_null(info->torch);
		assert_true(info->itemsize > 0);
		assert_true((info->npy == NULL) != (info->npy_bits == NULL));
		assert_int_equal(jag_dtype_from_name(info->torch), i);
		assert_int_equal(jag_dtype_from_name(info->torch + strlen("torch.")), i);
	}
}

static void npy_names_lead_back(void **state)
{
	(void)state;
	for (int i = JAG_DTYPE_NONE + 1; i < JAG_DTYPE_COUNT; i++) {
		const struct jag_dtype_info *info = jag_dtype_info((enum jag_dtype)i);
		bool swap = true;
		if (!info->npy)
			continue;
		assert_int_equal(jag_dtype_from_npy(info->npy, &swap), i);
		assert_false(swap);
	}
}

static void unknown_and_refused_names(void **state)
{
	(void)state;
	const char *names[] = { "",       "torch.",      "torch.qint8", "torch.quint4x2", "torch.bits8", "torch.uint7",
				"uint8 ", "TORCH.uint8", "torch.float", "<class 'int'>" };
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_int_equal(jag_dtype_from_name(names[i]), JAG_DTYPE_NONE);
	assert_int_equal(jag_dtype_info(JAG_DTYPE_NONE)->itemsize, 0);
	assert_int_equal(jag_dtype_info((enum jag_dtype)999)->itemsize, 0);
}

static void npy_byte_orders(void **state)
{
	(void)state;
	bool swap = false;
	assert_int_equal(jag_dtype_from_npy(">u2", &swap), JAG_UINT16);
	assert_true(swap);
	assert_int_equal(jag_dtype_from_npy("=f4", &swap), JAG_FLOAT32);
	assert_false(swap);
	assert_int_equal(jag_dtype_from_npy(">u1", &swap), JAG_UINT8);
	assert_false(swap);
	const char *none[] = { "|O", "<U4", "|S3", "<M8[ns]", "", "u1", "|V2", "<f16", "<", "|u2" };
	for (size_t i = 0; i < COUNT_OF(none); i++)
		assert_int_equal(jag_dtype_from_npy(none[i], &swap), JAG_DTYPE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_filled_and_found_by_its_name),
		cmocka_unit_test(npy_names_lead_back),
		cmocka_unit_test(unknown_and_refused_names),
		cmocka_unit_test(npy_byte_orders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
