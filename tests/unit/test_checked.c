/* SPDX-License-Identifier: MIT */
/* test_checked.c - the arithmetic that stands between a hostile store and memory. */
#include "unit.h"

#include "checked.h"

static void add_and_mul_stop_at_2_63(void **state)
{
	(void)state;
	uint64_t v = 7;
	assert_int_equal(jag_checked_add(1, 2, &v), 0);
	assert_int_equal(v, 3);
	assert_int_equal(jag_checked_add(JAG_SIZE_LIMIT, 1, &v), -EOVERFLOW);
	assert_int_equal(jag_checked_add(UINT64_MAX, 1, &v), -EOVERFLOW);
	assert_int_equal(jag_checked_mul(UINT64_C(1) << 32, UINT64_C(1) << 31, &v), -EOVERFLOW);
	assert_int_equal(v, 3); /* untouched by the failures */
	assert_int_equal(jag_checked_mul(UINT64_C(1) << 32, UINT64_C(1) << 30, &v), 0);
	assert_true(v == UINT64_C(1) << 62);
}

static void product_of_no_dimensions_is_one(void **state)
{
	(void)state;
	uint64_t v = 7;
	assert_int_equal(jag_checked_product(NULL, 0, &v), 0);
	assert_int_equal(v, 1);
}

static void product_refuses_negative_and_overflow(void **state)
{
	(void)state;
	uint64_t v = 7;
	int64_t big = INT64_C(1) << 40;
	assert_int_equal(jag_checked_product((int64_t[]){ 2, -1 }, 2, &v), -EINVAL);
	assert_int_equal(jag_checked_product((int64_t[]){ 0, -1 }, 2, &v), -EINVAL);
	assert_int_equal(jag_checked_product((int64_t[]){ big, big }, 2, &v), -EOVERFLOW);
	assert_int_equal(v, 7);
	/* 2^64 * 4 wraps to 0 in plain arithmetic: the flag must survive a later multiplication that fits */
	assert_int_equal(jag_checked_product((int64_t[]){ INT64_C(1) << 32, INT64_C(1) << 32, 4 }, 3, &v), -EOVERFLOW);
}

static void a_zero_dimension_wins_over_overflow(void **state)
{
	(void)state;
	uint64_t v = 7;
	int64_t big = INT64_C(1) << 40;
	assert_int_equal(jag_checked_product((int64_t[]){ big, big, 0 }, 3, &v), 0);
	assert_int_equal(v, 0);
}

static void ranges(void **state)
{
	(void)state;
	assert_true(jag_range_inside(0, 0, 0));
	assert_true(jag_range_inside(10, 0, 10));
	assert_true(jag_range_inside(4, 6, 10));
	assert_false(jag_range_inside(4, 7, 10));
	assert_false(jag_range_inside(11, 0, 10));
	assert_false(jag_range_inside(1, UINT64_MAX, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(add_and_mul_stop_at_2_63),
		cmocka_unit_test(product_of_no_dimensions_is_one),
		cmocka_unit_test(product_refuses_negative_and_overflow),
		cmocka_unit_test(a_zero_dimension_wins_over_overflow),
		cmocka_unit_test(ranges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
