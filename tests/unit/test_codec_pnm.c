/* SPDX-License-Identifier: MIT */
/* PNM and PAM: headers as netpbm writes them, and files of other writers. */
#include "codec_helpers.h"

#include "jag/image.h"

static void assert_file(enum jag_format format, struct jag_shape shape, struct jag_look look, const char *suffix,
			const char *header)
{
	const struct jag_codec *codec = jag_codec_by_format(format);
	struct jag_live live;
	assert_string_equal(codec->suffix(&shape, &look), suffix);
	assert_int_equal(codec->live(&shape, &look, &live), 0);
	assert_int_equal(live.header_nbytes, strlen(header));
	assert_memory_equal(live.header, header, strlen(header));
}

static void test_headers(void **state)
{
	(void)state;
	struct jag_look chw = make_look(JAG_LAYOUT_CHW), planes = make_look(JAG_LAYOUT_PLANES);
	assert_file(JAG_FORMAT_PNM, SHAPE(JAG_UINT8, 3, 2, 5), chw, ".ppm", "P6\n5 2\n255\n");
	assert_file(JAG_FORMAT_PNM, SHAPE(JAG_UINT16, 2, 5), planes, ".pgm", "P5\n5 2\n65535\n");
	assert_file(JAG_FORMAT_PAM, SHAPE(JAG_UINT8, 4, 2, 5), chw, ".pam",
		    "P7\nWIDTH 5\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n");
}

static void test_channels_that_do_not_fit(void **state)
{
	(void)state;
	struct jag_look chw = make_look(JAG_LAYOUT_CHW);
	struct jag_shape two = SHAPE(JAG_UINT8, 2, 2, 5), mask = SHAPE(JAG_BOOL, 1, 2, 5);
	const struct jag_codec *pnm = jag_codec_by_format(JAG_FORMAT_PNM), *pam = jag_codec_by_format(JAG_FORMAT_PAM);
	assert_null(pnm->suffix(&two, &chw));
	assert_non_null(pam->suffix(&two, &chw));
	assert_null(pnm->suffix(&mask, &chw));
	assert_null(pam->suffix(&mask, &chw));
}

/* The file lies before an unmapped page. */
static int decode(const char *file, size_t n, unsigned depth, struct jag_image *image)
{
	struct guarded g = guarded_copy(file, n);
	int rc = jag_image_decode(g.data, n, JAG_MODE_KEEP, depth, NULL, image, NULL);
	guarded_free(&g);
	return rc;
}

static void assert_pixels(const char *file, size_t n, unsigned channels, const void *pixels, size_t pixels_nbytes)
{
	struct jag_image image = { 0 };
	assert_int_equal(decode(file, n, 16, &image), 0);
	assert_int_equal(image.channels, channels);
	assert_int_equal(image.buf.nbytes, pixels_nbytes);
	assert_memory_equal(image.buf.data, pixels, pixels_nbytes);
	jag_image_free(&image);
}

#define FILE_AND_SIZE(text) text, sizeof(text) - 1

static void test_all_kinds_decode(void **state)
{
	(void)state;
	assert_pixels(FILE_AND_SIZE("P6 1 2 255\nabcdef"), 3, "abcdef", 6);
	assert_pixels(FILE_AND_SIZE("P5\n# made by hand\n2 #w\n1\n255\nab"), 1, "ab", 2);
	assert_pixels(FILE_AND_SIZE("P2\n2 1\n255\n7 # seven\n 250\n"), 1, "\x07\xfa", 2);
	assert_pixels(FILE_AND_SIZE("P3 1 1 255 1 2 3"), 3, "\1\2\3", 3);
	assert_pixels(FILE_AND_SIZE("P4 9 1\n\x55\x80"), 1, "\xff\0\xff\0\xff\0\xff\0\0", 9);
	assert_pixels(FILE_AND_SIZE("P1 3 1\n01 0\n"), 1, "\xff\0\xff", 3);
	assert_pixels(
		FILE_AND_SIZE("P7\nWIDTH 1\nHEIGHT 1\n# c\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nab"),
		2, "ab", 2);
	assert_pixels(FILE_AND_SIZE("P5 2 1 65535\n\1\2\xff\xff"), 1, ((uint16_t[]){ 0x102, 0xffff }), 4);
}

static void test_other_maxima_are_scaled(void **state)
{
	(void)state;
	assert_pixels(FILE_AND_SIZE("P5 3 1 15\n\0\7\17"), 1, "\0\x77\xff", 3);
	assert_pixels(FILE_AND_SIZE("P2 2 1 1023\n1023 512"), 1, ((uint16_t[]){ 65535, 32800 }), 4);
	struct jag_image image = { 0 };
	assert_int_equal(decode(FILE_AND_SIZE("P5 2 1 65535\n\x80\0\xff\xff"), 8, &image), 0);
	assert_int_equal(image.depth, 8);
	assert_memory_equal(image.buf.data, "\x80\xff", 2);
	jag_image_free(&image);
}

static void test_broken_files_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"P6 1 2 255\nabcde",
		"P5 2 1 256\nabc",
		"P5 0 1 255\n",
		"P5 1 0 255\n",
		"P5 1 1 0\na",
		"P5 1 1 65536\nab",
		"P5 -1 1 255\na",
		"P5 1 1 255",
		"P5 99999999999 1 255\na",
		"P5 1 x 255\na",
		"P2 1 1 255\n256",
		"P2 1 1 255\n",
		"P5 1 1 7\n\x08",
		"P3 1 1 255 1 2",
		"P4 9 1\n\x55",
		"P1 3 1\n01",
		"P1 1 1\n2",
		"P5 1 1 255x",
		"P7\nWIDTH 1\nENDHDR\n",
		"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\nabcd",
		"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nabcde",
		"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcd",
		"P2 1 1 255\n99999999999999999999",
	};
	struct jag_image image = { 0 };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (decode(bad[i], strlen(bad[i]), 16, &image) != -EINVAL)
			fail_msg("read: %s", bad[i]);
	jag_image_free(&image);
}

static void test_a_huge_claim_costs_nothing(void **state)
{
	(void)state;
	struct jag_image image = { 0 };
	assert_int_equal(decode(FILE_AND_SIZE("P5 2147483647 2147483647 255\na"), 8, &image), -E2BIG);
	assert_int_equal(image.buf.capacity, 0);
	jag_image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_channels_that_do_not_fit),
		cmocka_unit_test(test_all_kinds_decode),
		cmocka_unit_test(test_other_maxima_are_scaled),
		cmocka_unit_test(test_broken_files_are_refused),
		cmocka_unit_test(test_a_huge_claim_costs_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
