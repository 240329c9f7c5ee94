/* SPDX-License-Identifier: MIT */
/* .txt: every value survives, and what is no number of the type is refused. */
#include "codec_helpers.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

static const struct jag_codec *txt(void)
{
	return jag_codec_by_format(JAG_FORMAT_TXT);
}

static char *encode(const struct jag_shape *shape, const void *data)
{
	static char text[1 << 12];
	struct jag_view view = { shape, data, shape_nbytes(shape) };
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_buffer out = { 0 };
	assert_int_equal(txt()->encode(&view, &look, &out), 0);
	assert_true(out.nbytes < sizeof(text));
	memcpy(text, out.data, out.nbytes);
	text[out.nbytes] = '\0';
	jag_buffer_free(&out);
	return text;
}

/* 0 and the bytes in `item`, or -errno. The text lies before an unmapped page, without a NUL. */
static int decode(const struct jag_shape *shape, const char *text, void *item)
{
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_array array = { 0 };
	struct guarded g = guarded_copy(text, strlen(text));
	int rc = txt()->decode(g.data, strlen(text), shape, &look, &array, NULL);
	if (rc == 0) {
		assert_int_equal(array.data.nbytes, shape_nbytes(shape));
		memcpy(item, array.data.data, array.data.nbytes);
	}
	guarded_free(&g);
	jag_array_free(&array);
	return rc;
}

static struct jag_shape scalar(enum jag_dtype dtype)
{
	return (struct jag_shape){ .dtype = dtype };
}

static void assert_text(enum jag_dtype dtype, const void *item, const char *text)
{
	struct jag_shape shape = scalar(dtype);
	uint8_t back[16];
	char line[128];
	snprintf(line, sizeof(line), "%s\n", text);
	assert_string_equal(encode(&shape, item), line);
	assert_int_equal(decode(&shape, line, back), 0);
	assert_memory_equal(back, item, shape_nbytes(&shape));
}

static void test_integers_are_exact_to_their_ends(void **state)
{
	(void)state;
	assert_text(JAG_INT64, &(int64_t){ INT64_MIN }, "-9223372036854775808");
	assert_text(JAG_INT64, &(int64_t){ INT64_MAX }, "9223372036854775807");
	assert_text(JAG_UINT64, &(uint64_t){ UINT64_MAX }, "18446744073709551615");
	assert_text(JAG_INT8, &(int8_t){ -128 }, "-128");
	assert_text(JAG_INT16, &(int16_t){ -2 }, "-2");
	assert_text(JAG_UINT32, &(uint32_t){ UINT32_MAX }, "4294967295");
	assert_text(JAG_BOOL, &(uint8_t){ 1 }, "1");
}

static void test_floats_are_short_and_exact(void **state)
{
	(void)state;
	assert_text(JAG_FLOAT64, &(double){ 0.1 }, "0.1");
	assert_text(JAG_FLOAT64, &(double){ 0.1 + 0.2 }, "0.30000000000000004");
	assert_text(JAG_FLOAT64, &(double){ -0.0 }, "-0");
	assert_text(JAG_FLOAT32, &(float){ 0.1f }, "0.1");
	assert_text(JAG_FLOAT32, &(float){ 16777216.0f }, "16777216");
	assert_text(JAG_FLOAT64, &(double){ (double)INFINITY }, "inf");
	assert_text(JAG_FLOAT32, &(float){ -INFINITY }, "-inf");
	assert_text(JAG_FLOAT16, &(uint16_t){ 0x2e66 }, "0.1");
	assert_text(JAG_BFLOAT16, &(uint16_t){ 0x3dcd }, "0.1");
}

static void test_nan_keeps_its_sign(void **state)
{
	(void)state;
	assert_text(JAG_FLOAT64, &(uint64_t){ UINT64_C(0x7ff8000000000000) }, "nan");
	assert_text(JAG_FLOAT64, &(uint64_t){ UINT64_C(0xfff8000000000000) }, "-nan");
	assert_text(JAG_FLOAT32, &(uint32_t){ 0x7fc00000 }, "nan");
	assert_text(JAG_FLOAT16, &(uint16_t){ 0xfe00 }, "-nan");
	assert_text(JAG_BFLOAT16, &(uint16_t){ 0x7fc0 }, "nan");
}

static void test_complex(void **state)
{
	(void)state;
	assert_text(JAG_COMPLEX64, ((float[]){ 1.5f, -2.0f }), "(1.5-2j)");
	assert_text(JAG_COMPLEX128, ((double[]){ -0.0, (double)INFINITY }), "(-0+infj)");
	assert_text(JAG_COMPLEX32, ((uint16_t[]){ 0x3c00, 0x7c00 }), "(1+infj)");
	struct jag_shape shape = scalar(JAG_COMPLEX128);
	double z[2];
	assert_int_equal(decode(&shape, "2j", z), 0);
	assert_true(z[0] == 0 && z[1] == 2);
	assert_int_equal(decode(&shape, "3", z), 0);
	assert_true(z[0] == 3 && z[1] == 0);
	assert_int_equal(decode(&shape, "1+2", z), -EINVAL);
	assert_int_equal(decode(&shape, "(1+2j", z), -EINVAL);
	assert_int_equal(decode(&shape, "1+2j)", z), -EINVAL);
}

/* All 65,536 values but the NaNs with payloads, in one matrix each. */
static void test_every_16_bit_float_survives(void **state)
{
	(void)state;
	static uint16_t all[65536], back[65536];
	enum jag_dtype dtypes[] = { JAG_FLOAT16, JAG_BFLOAT16 };
	for (size_t d = 0; d < 2; d++) {
		struct jag_shape shape = SHAPE(dtypes[d], 256, 256);
		struct jag_view view = { &shape, (const uint8_t *)all, sizeof(all) };
		struct jag_look look = make_look(JAG_LAYOUT_NONE);
		struct jag_buffer out = { 0 };
		struct jag_array array = { 0 };
		uint16_t infinity = d ? 0x7f80 : 0x7c00, nan = d ? 0x7fc0 : 0x7e00;
		for (size_t i = 0; i < 65536; i++)
			all[i] = (uint16_t)((i & 0x7fff) > infinity ? nan | (i & 0x8000) : i);
		assert_int_equal(txt()->encode(&view, &look, &out), 0);
		assert_int_equal(txt()->decode(out.data, out.nbytes, &shape, &look, &array, NULL), 0);
		memcpy(back, array.data.data, sizeof(back));
		assert_memory_equal(all, back, sizeof(all));
		jag_buffer_free(&out);
		jag_array_free(&array);
	}
}

static void test_random_floats_survive(void **state)
{
	(void)state;
	uint64_t seed = 42;
	for (int i = 0; i < 4000; i++) {
		uint64_t bits = (uint64_t)next_random(&seed) << 32 | next_random(&seed), back64;
		uint32_t bits32 = (uint32_t)bits, back32;
		struct jag_shape shape = scalar(JAG_FLOAT64);
		if ((bits >> 52 & 0x7ff) != 0x7ff) {
			assert_int_equal(decode(&shape, encode(&shape, &bits), &back64), 0);
			assert_int_equal(bits, back64);
		}
		shape.dtype = JAG_FLOAT32;
		if ((bits32 >> 23 & 0xff) != 0xff) {
			assert_int_equal(decode(&shape, encode(&shape, &bits32), &back32), 0);
			assert_int_equal(bits32, back32);
		}
	}
}

static void test_shapes_decide_the_lines(void **state)
{
	(void)state;
	struct jag_shape vector = SHAPE(JAG_UINT8, 3), matrix = SHAPE(JAG_UINT8, 2, 3);
	const uint8_t data[] = { 1, 2, 3, 4, 5, 6 };
	uint8_t back[6];
	assert_string_equal(encode(&vector, data), "1\n2\n3\n");
	assert_string_equal(encode(&matrix, data), "1 2 3\n4 5 6\n");
	assert_int_equal(decode(&vector, "1 2 3", back), 0);
	assert_int_equal(decode(&vector, "# head\n1\n\n2 # two\n3\n#", back), 0);
	assert_memory_equal(back, data, 3);
	assert_int_equal(decode(&vector, "1 2\n3", back), -EINVAL);
	assert_int_equal(decode(&vector, "1 2", back), -EINVAL);
	assert_int_equal(decode(&vector, "1 2 3 4", back), -EINVAL);
	assert_int_equal(decode(&vector, "", back), -EINVAL);
	assert_int_equal(decode(&matrix, "1\t2 3\r\n\r\n4 5 6", back), 0);
	assert_memory_equal(back, data, 6);
	assert_int_equal(decode(&matrix, "1 2\n3 4\n5 6\n", back), -EINVAL);
	assert_int_equal(decode(&matrix, "1 2 3 4 5 6\n", back), -EINVAL);
	assert_int_equal(decode(&matrix, "1 2 3\n4 5 6\n7", back), -EINVAL);
}

static void test_what_numpy_writes_by_default_is_read(void **state)
{
	(void)state;
	struct jag_shape shape = scalar(JAG_INT64);
	int64_t i;
	uint8_t b;
	assert_int_equal(decode(&shape, "7.000000000000000000e+00\n", &i), 0);
	assert_int_equal(i, 7);
	shape.dtype = JAG_BOOL;
	assert_int_equal(decode(&shape, "True\n", &b), 0);
	assert_int_equal(b, 1);
	shape.dtype = JAG_UINT8;
	assert_int_equal(decode(&shape, "-0.0", &b), 0);
	assert_int_equal(b, 0);
}

static void test_what_does_not_fit_the_type_is_refused(void **state)
{
	(void)state;
	static const struct {
		enum jag_dtype dtype;
		const char *text;
	} bad[] = {
		{ JAG_UINT8, "256" },
		{ JAG_UINT8, "-1" },
		{ JAG_INT8, "128" },
		{ JAG_INT8, "-129" },
		{ JAG_BOOL, "2" },
		{ JAG_INT64, "9223372036854775808" },
		{ JAG_INT64, "9007199254740993.0" },
		{ JAG_UINT64, "1e19" },
		{ JAG_UINT64, "18446744073709551616" },
		{ JAG_INT32, "1.5" },
		{ JAG_INT32, "nan" },
		{ JAG_INT32, "" },
		{ JAG_INT32, "0x10" },
		{ JAG_INT32, "+" },
		{ JAG_INT32, "1 2" },
		{ JAG_INT32, "seven" },
		{ JAG_INT32, "7;" },
		{ JAG_FLOAT32, "1e39" },
		{ JAG_FLOAT64, "1e309" },
		{ JAG_FLOAT64, "0x1p3" },
		{ JAG_FLOAT64, "nan(7)" },
		{ JAG_FLOAT64, "1.2.3" },
		{ JAG_FLOAT64, "1,5" },
		{ JAG_FLOAT64, "--1" },
		{ JAG_FLOAT64, "-" },
		{ JAG_FLOAT16, "65520" },
		{ JAG_FLOAT64, "infinit" },
		{ JAG_BFLOAT16, "1e39" },
		{ JAG_FLOAT64, "e5" },
		{ JAG_FLOAT64, "." },
	};
	uint8_t back[16];
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct jag_shape shape = scalar(bad[i].dtype);
		if (decode(&shape, bad[i].text, back) != -EINVAL)
			fail_msg("'%s' was read as type %d", bad[i].text, (int)bad[i].dtype);
	}
}

static void test_a_NUL_inside_is_refused(void **state)
{
	(void)state;
	struct jag_shape shape = SHAPE(JAG_UINT8, 1);
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_array array = { 0 };
	assert_int_equal(txt()->decode("1\0", 2, &shape, &look, &array, NULL), -EINVAL);
	jag_array_free(&array);
}

static void test_too_many_values_or_dimensions_do_not_fit(void **state)
{
	(void)state;
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_shape fits = SHAPE(JAG_UINT8, 65536), many = SHAPE(JAG_UINT8, 65537);
	struct jag_shape deep = SHAPE(JAG_UINT8, 1, 1, 1), opaque = SHAPE(JAG_FLOAT8_E5M2, 1);
	assert_non_null(txt()->suffix(&fits, &look));
	assert_null(txt()->suffix(&many, &look));
	assert_null(txt()->suffix(&deep, &look));
	assert_null(txt()->suffix(&opaque, &look));
}

static void test_the_decimal_point_is_a_point_in_every_locale(void **state)
{
	(void)state;
	/* Passes trivially where no locale with a comma is installed. */
	const char *set = setlocale(LC_ALL, "de_DE.UTF-8");
	assert_text(JAG_FLOAT64, &(double){ 0.5 }, "0.5");
	if (set)
		setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers_are_exact_to_their_ends),
		cmocka_unit_test(test_floats_are_short_and_exact),
		cmocka_unit_test(test_nan_keeps_its_sign),
		cmocka_unit_test(test_complex),
		cmocka_unit_test(test_every_16_bit_float_survives),
		cmocka_unit_test(test_random_floats_survive),
		cmocka_unit_test(test_shapes_decide_the_lines),
		cmocka_unit_test(test_what_numpy_writes_by_default_is_read),
		cmocka_unit_test(test_what_does_not_fit_the_type_is_refused),
		cmocka_unit_test(test_a_NUL_inside_is_refused),
		cmocka_unit_test(test_too_many_values_or_dimensions_do_not_fit),
		cmocka_unit_test(test_the_decimal_point_is_a_point_in_every_locale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
