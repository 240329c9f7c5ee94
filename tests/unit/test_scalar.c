/* SPDX-License-Identifier: MIT */
/* test_scalar.c - values from text, casts, and the small float types. Expected bits are what torch 2.13 gives. */
#include "unit.h"

#include <math.h>

#include "jag/scalar.h"
#include "smallfloat.h"

static struct jag_scalar parsed(const char *text)
{
	struct jag_scalar value;
	assert_int_equal(jag_scalar_parse(text, &value), 0);
	return value;
}

static void text_becomes_values(void **state)
{
	(void)state;
	assert_int_equal(parsed("-12").i, -12);
	assert_int_equal(parsed("0xff").i, 255);
	assert_int_equal(parsed("true").i, 1);
	assert_int_equal(parsed("False").i, 0);
	assert_int_equal(parsed("18446744073709551615").kind, JAG_SCALAR_UINT);
	assert_true(parsed("18446744073709551615").u == UINT64_MAX);
	assert_true(parsed("-2.5e3").re == -2500.0);
	assert_true(isinf(parsed("inf").re) && isnan(parsed("nan").re));
	assert_true(parsed("1e30").kind == JAG_SCALAR_REAL);
	struct jag_scalar z = parsed("1.5-2j");
	assert_true(z.kind == JAG_SCALAR_COMPLEX && z.re == 1.5 && z.im == -2.0);
	assert_true(parsed("3j").im == 3.0 && parsed("3j").re == 0.0);
}

static void other_text_is_refused(void **state)
{
	(void)state;
	const char *const texts[] = { "",     " 1", "1 ",     "x",     "1x",     "--1",      "1+2",   "j",
				      "1+j2", "0x", "truely", "1e309", "-1e309", "1+1e309j", "1e309j" };
	struct jag_scalar value;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_int_equal(jag_scalar_parse(texts[i], &value), -EINVAL);
}

static uint64_t stored(const char *text, enum jag_dtype dtype)
{
	struct jag_scalar value = parsed(text);
	uint64_t item[2] = { 0 };
	assert_int_equal(jag_scalar_store(&value, dtype, item), 0);
	return item[0];
}

static void floats_are_cut_to_integers(void **state)
{
	(void)state;
	assert_int_equal(stored("0.9", JAG_UINT8), 0);
	assert_int_equal(stored("-0.9", JAG_INT32), 0);
	assert_int_equal(stored("2.5", JAG_INT64), 2);
	assert_int_equal(stored("300.0", JAG_UINT8), 44);
	assert_int_equal(stored("-300.0", JAG_UINT8), 212);
	assert_int_equal(stored("-1.0", JAG_UINT16), 65535);
	assert_true(stored("1e19", JAG_UINT64) == UINT64_C(10000000000000000000));
	assert_true(stored("nan", JAG_INT64) == UINT64_C(1) << 63);
	assert_int_equal(stored("nan", JAG_UINT8), 0);
}

static void integers_wrap(void **state)
{
	(void)state;
	assert_int_equal(stored("300", JAG_UINT8), 44);
	assert_int_equal(stored("-1", JAG_UINT8), 255);
	assert_int_equal(stored("-1", JAG_UINT32), UINT32_MAX);
	assert_int_equal(stored("18446744073709551615", JAG_INT8), 255);
}

static void everything_but_zero_is_true(void **state)
{
	(void)state;
	assert_int_equal(stored("0", JAG_BOOL), 0);
	assert_int_equal(stored("256", JAG_BOOL), 1);
	assert_int_equal(stored("0.5", JAG_BOOL), 1);
	assert_int_equal(stored("nan", JAG_BOOL), 1);
	assert_int_equal(stored("2j", JAG_BOOL), 1);
	assert_int_equal(stored("-0.0", JAG_BOOL), 0);
}

static void floats_are_rounded_to_even(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned f16, bf16, e4m3fn, e5m2, e4m3fnuz, e5m2fnuz, e8m0;
	} rows[] = {
		{ "0.0", 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0 },
		{ "-0.0", 0x8000, 0x8000, 0x80, 0x80, 0x0, 0x0, 0x0 },
		{ "1", 0x3c00, 0x3f80, 0x38, 0x3c, 0x40, 0x40, 0x7f },
		{ "-1", 0xbc00, 0xbf80, 0xb8, 0xbc, 0xc0, 0xc0, 0x7f },
		{ "0.9", 0x3b33, 0x3f66, 0x36, 0x3b, 0x3e, 0x3f, 0x7f },
		{ "1.5", 0x3e00, 0x3fc0, 0x3c, 0x3e, 0x44, 0x42, 0x80 },
		{ "2.5", 0x4100, 0x4020, 0x42, 0x41, 0x4a, 0x45, 0x80 },
		{ "255", 0x5bf8, 0x437f, 0x78, 0x5c, 0x80, 0x60, 0x87 },
		{ "-300", 0xdcb0, 0xc396, 0xf9, 0xdd, 0x80, 0xe1, 0x87 },
		{ "65504", 0x7bff, 0x4780, 0x7e, 0x7c, 0x80, 0x80, 0x8f },
		{ "65519", 0x7bff, 0x4780, 0x7e, 0x7c, 0x80, 0x80, 0x8f },
		{ "65520", 0x7c00, 0x4780, 0x7e, 0x7c, 0x80, 0x80, 0x8f },
		{ "448", 0x5f00, 0x43e0, 0x7e, 0x5f, 0x80, 0x63, 0x88 },
		{ "480", 0x5f80, 0x43f0, 0x7e, 0x60, 0x80, 0x64, 0x88 },
		{ "1e-8", 0x0, 0x322c, 0x0, 0x0, 0x0, 0x0, 0x64 },
		{ "6e-8", 0x1, 0x3381, 0x0, 0x0, 0x0, 0x0, 0x67 },
		{ "0.001953125", 0x1800, 0x3b00, 0x1, 0x18, 0x2, 0x1c, 0x76 },
		{ "0.0009765625", 0x1400, 0x3a80, 0x0, 0x14, 0x1, 0x18, 0x75 },
		{ "61439", 0x7b80, 0x4770, 0x7e, 0x7b, 0x80, 0x7f, 0x8f },
		{ "61440", 0x7b80, 0x4770, 0x7e, 0x7c, 0x80, 0x80, 0x8f },
		{ "inf", 0x7c00, 0x7f80, 0x7e, 0x7c, 0x80, 0x80, 0xff },
		{ "-1e39", 0xfc00, 0xff80, 0xfe, 0xfc, 0x80, 0x80, 0xff },
		{ "nan", 0x7e00, 0x7fc0, 0x7f, 0x7f, 0x80, 0x80, 0xff },
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(stored(rows[i].text, JAG_FLOAT16), rows[i].f16);
		assert_int_equal(stored(rows[i].text, JAG_BFLOAT16), rows[i].bf16);
		assert_int_equal(stored(rows[i].text, JAG_FLOAT8_E4M3FN), rows[i].e4m3fn);
		assert_int_equal(stored(rows[i].text, JAG_FLOAT8_E5M2), rows[i].e5m2);
		assert_int_equal(stored(rows[i].text, JAG_FLOAT8_E4M3FNUZ), rows[i].e4m3fnuz);
		assert_int_equal(stored(rows[i].text, JAG_FLOAT8_E5M2FNUZ), rows[i].e5m2fnuz);
		assert_int_equal(stored(rows[i].text, JAG_FLOAT8_E8M0FNU), rows[i].e8m0);
	}
}

/* Every finite number of a type is its own nearest, and the middle between two goes to the even one. */
static void every_small_float_survives(void **state)
{
	(void)state;
	static const struct {
		enum jag_dtype dtype;
		unsigned sign;
	} types[] = { { JAG_FLOAT16, 0x8000 },      { JAG_BFLOAT16, 0x8000 },      { JAG_FLOAT8_E4M3FN, 0x80 },
		      { JAG_FLOAT8_E5M2, 0x80 },    { JAG_FLOAT8_E4M3FNUZ, 0x80 }, { JAG_FLOAT8_E5M2FNUZ, 0x80 },
		      { JAG_FLOAT4_E2M1FN_X2, 0x8 } };
	for (size_t t = 0; t < COUNT_OF(types); t++)
		for (unsigned bits = 0; bits < 2 * types[t].sign; bits++) {
			double value = jag_smallfloat_decode(types[t].dtype, (uint16_t)bits);
			if (isnan(value))
				continue;
			assert_int_equal(jag_smallfloat_encode(types[t].dtype, (float)value), bits);
			double next = jag_smallfloat_decode(types[t].dtype, (uint16_t)(bits + 1));
			if ((bits & (types[t].sign - 1)) + 1 == types[t].sign || !isfinite(value) || !isfinite(next))
				continue;
			float middle = (float)((value + next) / 2);
			assert_int_equal(jag_smallfloat_encode(types[t].dtype, middle), bits + (bits & 1));
		}
}

static void complex_numbers_have_two_parts(void **state)
{
	(void)state;
	struct jag_scalar z = parsed("1.5-2j"), back;
	const enum jag_dtype types[] = { JAG_COMPLEX32, JAG_COMPLEX64, JAG_COMPLEX128 };
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		uint8_t item[16];
		assert_int_equal(jag_scalar_store(&z, types[i], item), 0);
		assert_int_equal(jag_scalar_load(types[i], item, &back), 0);
		assert_true(back.re == 1.5 && back.im == -2.0);
	}
	assert_int_equal(stored("1.5-2j", JAG_INT8), 1);
}

static void integers_of_every_width_come_back(void **state)
{
	(void)state;
	const enum jag_dtype types[] = { JAG_INT8, JAG_INT16, JAG_INT32, JAG_INT64 };
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		uint8_t item[16];
		struct jag_scalar value = parsed("-5"), back;
		jag_scalar_store(&value, types[i], item);
		assert_int_equal(jag_scalar_load(types[i], item, &back), 0);
		assert_int_equal(back.i, -5);
	}
}

static int fits(const char *text, enum jag_dtype dtype)
{
	struct jag_scalar value = parsed(text);
	return jag_scalar_fits(&value, dtype);
}

static void what_a_type_cannot_hold_does_not_fit(void **state)
{
	(void)state;
	assert_int_equal(fits("255", JAG_UINT8), 0);
	assert_int_equal(fits("255.0", JAG_UINT8), 0);
	assert_int_equal(fits("256", JAG_UINT8), -ERANGE);
	assert_int_equal(fits("-1", JAG_UINT8), -ERANGE);
	assert_int_equal(fits("0.9", JAG_UINT8), -ERANGE);
	assert_int_equal(fits("nan", JAG_UINT8), -ERANGE);
	assert_int_equal(fits("2", JAG_BOOL), -ERANGE);
	assert_int_equal(fits("18446744073709551615", JAG_UINT64), 0);
	assert_int_equal(fits("18446744073709551615", JAG_INT64), -ERANGE);
	assert_int_equal(fits("-1", JAG_UINT64), -ERANGE);
	assert_int_equal(fits("0.1", JAG_FLOAT16), 0);
	assert_int_equal(fits("1e6", JAG_FLOAT16), -ERANGE);
	assert_int_equal(fits("inf", JAG_FLOAT16), 0);
	assert_int_equal(fits("nan", JAG_FLOAT8_E4M3FN), 0);
	assert_int_equal(fits("500", JAG_FLOAT8_E4M3FN), -ERANGE);
	assert_int_equal(fits("inf", JAG_FLOAT8_E4M3FN), -ERANGE);
	assert_int_equal(fits("0", JAG_FLOAT8_E8M0FNU), -ERANGE);
	assert_int_equal(fits("1e39", JAG_FLOAT32), -ERANGE);
	assert_int_equal(fits("1j", JAG_FLOAT32), -ERANGE);
	assert_int_equal(fits("1j", JAG_COMPLEX64), 0);
	assert_int_equal(fits("7", JAG_FLOAT4_E2M1FN_X2), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_becomes_values),
		cmocka_unit_test(other_text_is_refused),
		cmocka_unit_test(floats_are_cut_to_integers),
		cmocka_unit_test(integers_wrap),
		cmocka_unit_test(everything_but_zero_is_true),
		cmocka_unit_test(floats_are_rounded_to_even),
		cmocka_unit_test(every_small_float_survives),
		cmocka_unit_test(complex_numbers_have_two_parts),
		cmocka_unit_test(integers_of_every_width_come_back),
		cmocka_unit_test(what_a_type_cannot_hold_does_not_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
