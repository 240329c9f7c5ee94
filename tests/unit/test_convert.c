/* SPDX-License-Identifier: MIT */
/* Conversions between modes against Pillow's formulas, written out here another way. */
#include "codec_helpers.h"

#include "codec/image_formats.h"

/* round(x / 255), halves up. */
static unsigned over255(unsigned x)
{
	return (2 * x + 255) / 510;
}

/* All colours: one step of a weight shows in few of them. */
static void test_gray_is_the_weighted_sum_rounded(void **state)
{
	(void)state;
	const struct jag_conversion how = { 3, 1, 8, false };
	for (unsigned rg = 0; rg < 65536; rg++) {
		uint8_t pixels[256 * 3];
		unsigned r = rg >> 8, g = rg & 255;
		for (unsigned b = 0; b < 256; b++) {
			pixels[3 * b] = (uint8_t)r;
			pixels[3 * b + 1] = (uint8_t)g;
			pixels[3 * b + 2] = (uint8_t)b;
		}
		jag_convert_pixels(&how, pixels, 256);
		for (unsigned b = 0; b < 256; b++)
			if (pixels[b] != (19595 * r + 38470 * g + 7471 * b + 32768) / 65536)
				fail_msg("%u %u %u became %u", r, g, b, pixels[b]);
	}
}

static void test_16_bit_gray_has_the_same_weights(void **state)
{
	(void)state;
	const struct jag_conversion how = { 3, 1, 16, false };
	uint64_t seed = 3;
	for (int i = 0; i < 5000; i++) {
		uint16_t pixel[3];
		for (int c = 0; c < 3; c++)
			pixel[c] = i ? (uint16_t)next_random(&seed) : 65535;
		uint64_t sum = UINT64_C(19595) * pixel[0] + UINT64_C(38470) * pixel[1] + UINT64_C(7471) * pixel[2];
		jag_convert_pixels(&how, (uint8_t *)pixel, 1);
		assert_int_equal(pixel[0], (sum + 32768) / 65536);
	}
}

/* Every ink against every black, as Adobe stores them: inverted. */
static void test_cmyk_is_multiplied_and_rounded(void **state)
{
	(void)state;
	const struct jag_conversion how = { 4, 3, 8, true };
	for (unsigned c = 0; c < 256; c++)
		for (unsigned k = 0; k < 256; k++) {
			uint8_t pixel[4] = { (uint8_t)(255 - c), (uint8_t)c, 255, (uint8_t)(255 - k) };
			jag_convert_pixels(&how, pixel, 1);
			assert_int_equal(pixel[0], 255 - k - over255(c * (255 - k)));
			assert_int_equal(pixel[1], 255 - k - over255((255 - c) * (255 - k)));
			assert_int_equal(pixel[2], 255 - k);
		}
}

/* Growing and shrinking in one piece of memory, more than one pixel. */
static void test_pixels_are_converted_in_place(void **state)
{
	(void)state;
	uint8_t m[16] = "ab";
	jag_convert_pixels(&(struct jag_conversion){ 1, 3, 8, false }, m, 2);
	assert_memory_equal(m, "aaabbb", 6);
	jag_convert_pixels(&(struct jag_conversion){ 3, 4, 8, false }, m, 2);
	assert_memory_equal(m,
			    "aaa\xff"
			    "bbb\xff",
			    8);
	m[3] = 7;
	jag_convert_pixels(&(struct jag_conversion){ 4, 3, 8, false }, m, 2);
	assert_memory_equal(m, "aaabbb", 6);
	memcpy(m, "a1b2", 4);
	jag_convert_pixels(&(struct jag_conversion){ 2, 4, 8, false }, m, 2);
	assert_memory_equal(m, "aaa1bbb2", 8);
	memcpy(m, "a1b2", 4);
	jag_convert_pixels(&(struct jag_conversion){ 2, 1, 8, false }, m, 2);
	assert_memory_equal(m, "ab", 2);
	memcpy(m, "a1b2", 4);
	jag_convert_pixels(&(struct jag_conversion){ 1, 4, 16, false }, m, 2);
	assert_memory_equal(m,
			    "a1a1a1\xff\xff"
			    "b2b2b2\xff\xff",
			    16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gray_is_the_weighted_sum_rounded),
		cmocka_unit_test(test_16_bit_gray_has_the_same_weights),
		cmocka_unit_test(test_cmyk_is_multiplied_and_rounded),
		cmocka_unit_test(test_pixels_are_converted_in_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
