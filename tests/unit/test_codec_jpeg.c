/* SPDX-License-Identifier: MIT */
/* .jpg: the bytes are those of the library used the plain way, as cjpeg and Pillow do. */
#include "codec_helpers.h"

#include <stdio.h>

#include <jpeglib.h>

enum { W = 37, H = 21 };

/* Interleaved pixels -> file, by the library's own example. */
static struct jag_buffer reference(const uint8_t *pixels, unsigned channels, int quality, int h, int v)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr errors;
	unsigned char *file = NULL;
	unsigned long nbytes = 0;
	c.err = jpeg_std_error(&errors);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &file, &nbytes);
	c.image_width = W;
	c.image_height = H;
	c.input_components = (int)channels;
	c.in_color_space = channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
	jpeg_set_defaults(&c);
	jpeg_set_quality(&c, quality, TRUE);
	c.comp_info[0].h_samp_factor = h;
	c.comp_info[0].v_samp_factor = v;
	jpeg_start_compress(&c, TRUE);
	for (int y = 0; y < H; y++) {
		uint8_t copy[W * 3];
		JSAMPROW row = copy;
		memcpy(copy, pixels + (size_t)y * W * channels, W * channels);
		jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	struct jag_buffer out = { 0 };
	assert_int_equal(jag_buffer_append(&out, file, nbytes), 0);
	free(file);
	return out;
}

static void check(unsigned channels, int quality, enum jag_subsampling subsampling, int h, int v)
{
	const struct jag_codec *jpg = jag_codec_by_format(JAG_FORMAT_JPG);
	uint8_t hwc[W * H * 3], chw[W * H * 3];
	struct jag_shape shape = SHAPE(JAG_UINT8, channels, H, W);
	struct jag_view view = { &shape, chw, (uint64_t)W * H * channels };
	struct jag_look look = make_look(JAG_LAYOUT_CHW);
	struct jag_buffer out = { 0 };
	look.quality = (uint8_t)quality;
	look.subsampling = (uint8_t)subsampling;
	for (unsigned i = 0; i < W * H; i++)
		for (unsigned c = 0; c < channels; c++)
			chw[c * W * H + i] = hwc[i * channels + c] = (uint8_t)(i * (c + 3) + i / W * 11);
	struct jag_buffer want = reference(hwc, channels, quality, h, v);
	assert_int_equal(jpg->encode(&view, &look, &out), 0);
	assert_int_equal(out.nbytes, want.nbytes);
	assert_memory_equal(out.data, want.data, want.nbytes);
	jag_buffer_free(&want);
	jag_buffer_free(&out);
}

static void test_quality_and_subsampling(void **state)
{
	(void)state;
	static const int qualities[] = { 1, 20, 75, 95, 100 };
	for (size_t q = 0; q < sizeof(qualities) / sizeof(qualities[0]); q++) {
		check(3, qualities[q], JAG_420, 2, 2);
		check(3, qualities[q], JAG_422, 2, 1);
		check(3, qualities[q], JAG_444, 1, 1);
		check(1, qualities[q], JAG_420, 1, 1);
	}
}

/* Noise at quality 100 does not fit the first guess of the file's size, at any start in the buffer. */
static void test_a_file_larger_than_guessed_is_whole(void **state)
{
	(void)state;
	const struct jag_codec *jpg = jag_codec_by_format(JAG_FORMAT_JPG);
	static uint8_t noise[3 * 200 * 200];
	struct jag_shape shape = SHAPE(JAG_UINT8, 3, 200, 200);
	struct jag_view view = { &shape, noise, sizeof(noise) };
	struct jag_look look = make_look(JAG_LAYOUT_CHW);
	struct jag_buffer a = { 0 }, b = { 0 };
	fill_random(noise, sizeof(noise), 1);
	look.quality = 100;
	look.subsampling = JAG_444;
	assert_int_equal(jpg->encode(&view, &look, &a), 0);
	assert_true(a.nbytes > sizeof(noise) / 6 + 4096);
	assert_int_equal(jag_buffer_reserve(&b, 1000), 0);
	b.nbytes = 999;
	memset(b.data, 'x', 999);
	assert_int_equal(jpg->encode(&view, &look, &b), 0);
	assert_int_equal(b.nbytes, a.nbytes + 999);
	assert_memory_equal(b.data + 999, a.data, a.nbytes);
	assert_int_equal(b.data[998], 'x');
	jag_buffer_free(&a);
	jag_buffer_free(&b);
}

static void test_what_jpeg_cannot_hold_does_not_fit(void **state)
{
	(void)state;
	const struct jag_codec *jpg = jag_codec_by_format(JAG_FORMAT_JPG);
	struct jag_look look = make_look(JAG_LAYOUT_CHW);
	struct jag_shape two = SHAPE(JAG_UINT8, 2, 5, 5), wide = SHAPE(JAG_UINT8, 1, 1, 65501);
	struct jag_shape deep = SHAPE(JAG_UINT16, 1, 5, 5), edge = SHAPE(JAG_UINT8, 1, 1, 65500);
	assert_null(jpg->suffix(&two, &look));
	assert_null(jpg->suffix(&wide, &look));
	assert_null(jpg->suffix(&deep, &look));
	assert_non_null(jpg->suffix(&edge, &look));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quality_and_subsampling),
		cmocka_unit_test(test_a_file_larger_than_guessed_is_whole),
		cmocka_unit_test(test_what_jpeg_cannot_hold_does_not_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
