/* SPDX-License-Identifier: MIT */
/* Decoded arrays and images -> element bytes: layouts, lossless conversions, refusals. */
#include "codec_helpers.h"

static struct jag_array make_array(struct jag_shape shape, bool image, const void *bytes, size_t n)
{
	struct jag_array a = { .image = image };
	jag_shape_copy(&a.shape, &shape);
	assert_int_equal(jag_buffer_append(&a.data, bytes, n), 0);
	return a;
}

static void assert_becomes(struct jag_array a, struct jag_shape shape, struct jag_look look, const void *bytes,
			   size_t n)
{
	struct jag_buffer out = { 0 };
	struct jag_error err = { 0 };
	assert_int_equal(jag_array_to_element(&a, &shape, &look, &out, &err), 0);
	assert_int_equal(out.nbytes, n);
	assert_memory_equal(out.data, bytes, n);
	jag_buffer_free(&out);
	jag_array_free(&a);
}

static void assert_refused(struct jag_array a, struct jag_shape shape, struct jag_look look, const char *word)
{
	struct jag_buffer out = { 0 };
	struct jag_error err = { 0 };
	assert_int_equal(jag_array_to_element(&a, &shape, &look, &out, &err), -EINVAL);
	assert_int_equal(out.nbytes, 0);
	assert_non_null(strstr(err.message, word));
	jag_buffer_free(&out);
	jag_array_free(&a);
}

static void test_images_take_the_layout_of_the_element(void **state)
{
	(void)state;
	struct jag_look chw = make_look(JAG_LAYOUT_CHW), hwc = make_look(JAG_LAYOUT_HWC);
	struct jag_look planes = make_look(JAG_LAYOUT_PLANES);
	struct jag_shape image = SHAPE(JAG_UINT8, 1, 2, 3);
	assert_becomes(make_array(image, true, "rgbRGB", 6), SHAPE(JAG_UINT8, 3, 1, 2), chw, "rRgGbB", 6);
	assert_becomes(make_array(image, true, "rgbRGB", 6), image, hwc, "rgbRGB", 6);
	assert_becomes(make_array(SHAPE(JAG_UINT8, 1, 2, 1), true, "ab", 2), SHAPE(JAG_UINT8, 1, 2), planes, "ab", 2);
	chw.bgr = hwc.bgr = true;
	assert_becomes(make_array(image, true, "rgbRGB", 6), SHAPE(JAG_UINT8, 3, 1, 2), chw, "bBgGrR", 6);
	assert_becomes(make_array(image, true, "rgbRGB", 6), image, hwc, "bgrBGR", 6);
}

static void test_channels_and_depth_change_where_nothing_is_lost(void **state)
{
	(void)state;
	struct jag_look hwc = make_look(JAG_LAYOUT_HWC);
	struct jag_shape gray = SHAPE(JAG_UINT8, 1, 1, 1), rgb = SHAPE(JAG_UINT8, 1, 1, 3);
	struct jag_shape rgba = SHAPE(JAG_UINT8, 1, 1, 4), gray16 = SHAPE(JAG_UINT16, 1, 1, 1);
	struct jag_shape mask = SHAPE(JAG_BOOL, 1, 1, 1);
	assert_becomes(make_array(gray, true, "a", 1), rgb, hwc, "aaa", 3);
	assert_becomes(make_array(gray, true, "a", 1), rgba, hwc, "aaa\xff", 4);
	assert_becomes(make_array(rgb, true, "aaa", 3), gray, hwc, "a", 1);
	assert_becomes(make_array(rgba, true, "abc\xff", 4), rgb, hwc, "abc", 3);
	assert_becomes(make_array(gray, true, "a", 1), gray16, hwc, "aa", 2);
	assert_becomes(make_array(gray16, true, "aa", 2), gray, hwc, "a", 1);
	assert_becomes(make_array(gray, true, "\xff", 1), mask, hwc, "\1", 1);
	assert_becomes(make_array(gray, true, "\0", 1), mask, hwc, "\0", 1);
}

static void test_a_conversion_that_loses_something_is_refused(void **state)
{
	(void)state;
	struct jag_look hwc = make_look(JAG_LAYOUT_HWC);
	struct jag_shape gray = SHAPE(JAG_UINT8, 1, 1, 1), rgb = SHAPE(JAG_UINT8, 1, 1, 3);
	struct jag_shape rgba = SHAPE(JAG_UINT8, 1, 1, 4), gray16 = SHAPE(JAG_UINT16, 1, 1, 1);
	assert_refused(make_array(rgb, true, "aab", 3), gray, hwc, "lose");
	assert_refused(make_array(rgba, true, "abcd", 4), rgb, hwc, "lose");
	assert_refused(make_array(gray16, true, "ab", 2), gray, hwc, "lose");
	assert_refused(make_array(gray, true, "a", 1), SHAPE(JAG_BOOL, 1, 1, 1), hwc, "lose");
}

static void test_other_sizes_are_refused_and_both_named(void **state)
{
	(void)state;
	struct jag_look hwc = make_look(JAG_LAYOUT_HWC);
	struct jag_shape image = SHAPE(JAG_UINT8, 1, 2, 3);
	assert_refused(make_array(image, true, "rgbRGB", 6), SHAPE(JAG_UINT8, 2, 1, 3), hwc, "[2, 1, 3]");
	assert_refused(make_array(image, true, "rgbRGB", 6), SHAPE(JAG_UINT8, 2, 1, 3), hwc, "[1, 2, 3]");
	assert_refused(make_array(image, true, "rgbRGB", 6), SHAPE(JAG_FLOAT32, 1, 2, 3), hwc, "not an image");
}

static void test_arrays_must_have_the_same_shape_and_type(void **state)
{
	(void)state;
	struct jag_look look = make_look(JAG_LAYOUT_CHW);
	struct jag_shape shape = SHAPE(JAG_UINT16, 1, 2);
	assert_becomes(make_array(shape, false, "abcd", 4), shape, look, "abcd", 4);
	assert_refused(make_array(shape, false, "abcd", 4), SHAPE(JAG_UINT16, 2, 1), look, "[2, 1]");
	assert_refused(make_array(shape, false, "abcd", 4), SHAPE(JAG_INT16, 1, 2), look, "int16");
	assert_refused(make_array(shape, false, "abcd", 4), SHAPE(JAG_BFLOAT16, 1, 2), look, "bfloat16");
	look.npy_bits = true;
	assert_becomes(make_array(shape, false, "abcd", 4), SHAPE(JAG_BFLOAT16, 1, 2), look, "abcd", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_images_take_the_layout_of_the_element),
		cmocka_unit_test(test_channels_and_depth_change_where_nothing_is_lost),
		cmocka_unit_test(test_a_conversion_that_loses_something_is_refused),
		cmocka_unit_test(test_other_sizes_are_refused_and_both_named),
		cmocka_unit_test(test_arrays_must_have_the_same_shape_and_type),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
