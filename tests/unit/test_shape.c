/* SPDX-License-Identifier: MIT */
/* test_shape.c - sizes and spelling of shapes. */
#include "unit.h"

#include "jag/shape.h"

static void sizes(void **state)
{
	(void)state;
	uint64_t v;
	struct jag_shape s = { .dtype = JAG_INT64, .rank = 3, .dims = { 3, 4, 5 } };
	assert_int_equal(jag_shape_numel(&s, &v), 0);
	assert_int_equal(v, 60);
	assert_int_equal(jag_shape_nbytes(&s, &v), 0);
	assert_int_equal(v, 480);
	s.rank = 0;
	assert_int_equal(jag_shape_nbytes(&s, &v), 0);
	assert_int_equal(v, 8);
}

static void bytes_overflow_where_elements_do_not(void **state)
{
	(void)state;
	uint64_t v;
	struct jag_shape s = { .dtype = JAG_INT64, .rank = 1, .dims = { INT64_MAX } };
	assert_int_equal(jag_shape_numel(&s, &v), 0);
	assert_int_equal(jag_shape_nbytes(&s, &v), -EOVERFLOW);
}

static void bad_shapes(void **state)
{
	(void)state;
	uint64_t v;
	struct jag_shape s = { .dtype = JAG_UINT8, .rank = 1, .dims = { -1 } };
	assert_int_equal(jag_shape_numel(&s, &v), -EINVAL);
	s.rank = JAG_MAX_RANK + 1;
	assert_int_equal(jag_shape_numel(&s, &v), -EINVAL);
}

static void equality_looks_at_used_dimensions_only(void **state)
{
	(void)state;
	struct jag_shape a = { .dtype = JAG_UINT8, .rank = 2, .dims = { 1, 2, 3 } }, b;
	memset(&b, 0x55, sizeof(b));
	jag_shape_copy(&b, &a);
	assert_true(jag_shape_equal(&a, &b));
	b.dims[1] = 9;
	assert_false(jag_shape_equal(&a, &b));
	b.dims[1] = 2;
	b.dtype = JAG_INT8;
	assert_false(jag_shape_equal(&a, &b));
}

static void text_is_pythons_and_cut_to_fit(void **state)
{
	(void)state;
	char text[64];
	struct jag_shape s = { .dtype = JAG_UINT8, .rank = 3, .dims = { 3, 224, 224 } };
	assert_string_equal(jag_shape_text(&s, text, sizeof(text)), "[3, 224, 224]");
	assert_int_equal(strlen(jag_shape_text(&s, text, 8)), 7);
	s.rank = 1;
	assert_string_equal(jag_shape_text(&s, text, sizeof(text)), "[3]");
	s.rank = 0;
	assert_string_equal(jag_shape_text(&s, text, sizeof(text)), "[]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(bytes_overflow_where_elements_do_not),
		cmocka_unit_test(bad_shapes),
		cmocka_unit_test(equality_looks_at_used_dimensions_only),
		cmocka_unit_test(text_is_pythons_and_cut_to_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
