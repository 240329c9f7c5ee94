/* SPDX-License-Identifier: MIT */
/* test_orient.c - the eight EXIF orientations, on an image whose pixels are letters. */
#include "unit.h"

#include "pipeline/orient.h"

/* abc
 * def  as it lies in the file */
static void assert_upright(unsigned orientation, uint32_t width, uint32_t height, const char *expected)
{
	for (unsigned channels = 1; channels <= 4; channels++) {
		uint8_t bytes[6 * 4], want[6 * 4];
		for (unsigned i = 0; i < 6; i++) {
			memset(bytes + i * channels, "abcdef"[i], channels);
			memset(want + i * channels, expected[i], channels);
		}
		struct jag_image in = { .width = 3, .height = 2, .channels = channels, .depth = 8 };
		in.buf = (struct jag_buffer){ .data = bytes, .nbytes = 6 * channels, .capacity = sizeof(bytes) };
		struct jag_image out = { 0 };
		assert_int_equal(jag_image_orient(&in, orientation, &out), 0);
		assert_int_equal(out.width, width);
		assert_int_equal(out.height, height);
		assert_int_equal(out.channels, channels);
		assert_memory_equal(out.buf.data, want, 6 * channels);
		jag_buffer_free(&out.buf);
	}
}

static void each_orientation_is_turned_upright(void **state)
{
	(void)state;
	assert_upright(1, 3, 2, "abcdef");
	assert_upright(2, 3, 2, "cbafed");
	assert_upright(3, 3, 2, "fedcba");
	assert_upright(4, 3, 2, "defabc");
	assert_upright(5, 2, 3, "adbecf");
	assert_upright(6, 2, 3, "daebfc");
	assert_upright(7, 2, 3, "fcebda");
	assert_upright(8, 2, 3, "cfbead");
}

static void other_numbers_are_refused(void **state)
{
	(void)state;
	struct jag_image in = { 0 }, out = { 0 };
	assert_int_equal(jag_image_orient(&in, 0, &out), -EINVAL);
	assert_int_equal(jag_image_orient(&in, 9, &out), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_orientation_is_turned_upright),
		cmocka_unit_test(other_numbers_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
