/* SPDX-License-Identifier: MIT */
/* Pixels of every kind of JPEG and PNG equal what Pillow decodes from the same file (image_vectors.h). */
#include "image_samples.h"

#include <libdeflate.h>

static void check_mode(const struct image_vector *v, const struct jag_buffer *file, enum jag_mode mode,
		       struct jag_image *image)
{
	static const unsigned channels[] = { 3, 1, 4 };
	struct jag_error err = { 0 };
	struct guarded g = guarded_copy(file->data, file->nbytes);
	if (jag_image_decode(g.data, file->nbytes, mode, 8, NULL, image, &err))
		fail_msg("%s: %s", v->name, err.message);
	guarded_free(&g);
	assert_int_equal(image->width, v->width);
	assert_int_equal(image->height, v->height);
	assert_int_equal(image->channels, channels[mode]);
	assert_int_equal(image->depth, 8);
	assert_int_equal(image->buf.nbytes, (size_t)v->width * v->height * channels[mode]);
	if (libdeflate_crc32(0, image->buf.data, image->buf.nbytes) != v->crc[mode])
		fail_msg("%s: other pixels in mode %d", v->name, (int)mode);
}

/* One struct is reused for all, as a packing worker does. */
static void test_pixels_equal_those_of_pillow(void **state)
{
	(void)state;
	struct jag_image image = { 0 };
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		struct jag_buffer file = sample_file(image_vectors[i].name);
		for (int mode = JAG_MODE_RGB; mode <= JAG_MODE_RGBA; mode++)
			check_mode(&image_vectors[i], &file, (enum jag_mode)mode, &image);
		jag_buffer_free(&file);
	}
	jag_image_free(&image);
}

static void test_keep_has_the_channels_and_the_depth_of_the_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		const struct image_vector *v = &image_vectors[i];
		struct jag_buffer file = sample_file(v->name);
		struct jag_image image = { 0 };
		assert_int_equal(jag_image_decode(file.data, file.nbytes, JAG_MODE_KEEP, 16, NULL, &image, NULL), 0);
		assert_int_equal(image.channels, v->channels);
		assert_int_equal(image.depth, v->depth == 16 ? 16 : 8);
		assert_int_equal(image.buf.nbytes, (size_t)v->width * v->height * v->channels * (image.depth / 8));
		jag_image_free(&image);
		jag_buffer_free(&file);
	}
}

/* The high byte of what comes out with 16 bits is what comes out with 8. */
static void test_8_bit_is_the_high_byte_of_16(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		const struct image_vector *v = &image_vectors[i];
		if (v->depth != 16)
			continue;
		struct jag_buffer file = sample_file(v->name);
		struct jag_image wide = { 0 }, narrow = { 0 };
		assert_int_equal(jag_image_decode(file.data, file.nbytes, JAG_MODE_KEEP, 16, NULL, &wide, NULL), 0);
		assert_int_equal(jag_image_decode(file.data, file.nbytes, JAG_MODE_KEEP, 8, NULL, &narrow, NULL), 0);
		assert_int_equal(wide.buf.nbytes, 2 * narrow.buf.nbytes);
		for (size_t k = 0; k < narrow.buf.nbytes; k++)
			assert_int_equal(narrow.buf.data[k], ((const uint16_t *)(const void *)wide.buf.data)[k] >> 8);
		jag_image_free(&wide);
		jag_image_free(&narrow);
		jag_buffer_free(&file);
	}
}

static void test_a_buffer_is_reused_without_growing(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("rgb-420.jpg");
	struct jag_image image = { 0 };
	assert_int_equal(jag_image_decode(file.data, file.nbytes, JAG_MODE_RGBA, 8, NULL, &image, NULL), 0);
	const uint8_t *data = image.buf.data;
	assert_int_equal(jag_image_decode(file.data, file.nbytes, JAG_MODE_GRAY, 8, NULL, &image, NULL), 0);
	assert_ptr_equal(image.buf.data, data);
	jag_image_free(&image);
	jag_buffer_free(&file);
}

static void test_the_codec_refuses_another_size_before_decoding(void **state)
{
	(void)state;
	const struct jag_codec *jpg = jag_codec_by_format(JAG_FORMAT_JPG);
	struct jag_buffer file = sample_file("rgb-420.jpg");
	struct jag_shape right = SHAPE(JAG_UINT8, 3, 11, 19), wrong = SHAPE(JAG_UINT8, 3, 19, 11);
	struct jag_look look = make_look(JAG_LAYOUT_CHW);
	struct jag_array array = { 0 };
	struct jag_error err = { 0 };
	assert_int_equal(jpg->decode(file.data, file.nbytes, &wrong, &look, &array, &err), -EINVAL);
	assert_int_equal(array.data.capacity, 0);
	assert_string_equal(err.message, "expected an image 11 wide and 19 high, got 19 wide and 11 high");
	assert_int_equal(jpg->decode(file.data, file.nbytes, &right, &look, &array, &err), 0);
	assert_true(array.image);
	jag_array_free(&array);
	jag_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pixels_equal_those_of_pillow),
		cmocka_unit_test(test_keep_has_the_channels_and_the_depth_of_the_file),
		cmocka_unit_test(test_8_bit_is_the_high_byte_of_16),
		cmocka_unit_test(test_a_buffer_is_reused_without_growing),
		cmocka_unit_test(test_the_codec_refuses_another_size_before_decoding),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
