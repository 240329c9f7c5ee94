/* SPDX-License-Identifier: MIT */
/* test_resize_fit.c - cropped and padded results, decoded images, and the types other than uint8. */
#include "unit.h"

#include "resize_image.h"

static struct jag_resizer *resizer;

static int setup(void **state)
{
	(void)state;
	return jag_resizer_create(&resizer);
}

static int teardown(void **state)
{
	(void)state;
	jag_resizer_destroy(resizer);
	return 0;
}

static const struct jag_pixels planes3 = { JAG_UINT8, 3, JAG_LAYOUT_CHW, JAG_LAYOUT_CHW };

static struct guarded resized(const struct jag_resize_spec *spec, uint32_t h, uint32_t w, const void *src,
			      const struct jag_pixels *pixels)
{
	struct jag_resize_plan plan;
	assert_int_equal(jag_resize_plan(spec, h, w, &plan), 0);
	size_t item = jag_dtype_info(pixels->dtype)->itemsize;
	struct guarded out = guarded_new(pixels->channels * (size_t)plan.out_height * plan.out_width * item);
	memset(out.data, 0xa5, out.nbytes);
	assert_int_equal(jag_resize(resizer, &plan, pixels, src, out.data), 0);
	return out;
}

/* Three planes of height x width. */
struct planes {
	struct guarded mem;
	uint32_t height, width;
};

/* `small` is what `large` shows from (y, x) on. */
static void assert_window(const struct planes *small, const struct planes *large, uint32_t y, uint32_t x)
{
	for (uint32_t c = 0; c < 3; c++)
		for (uint32_t row = 0; row < small->height; row++)
			assert_memory_equal(small->mem.data + (size_t)(c * small->height + row) * small->width,
					    large->mem.data + (size_t)(c * large->height + y + row) * large->width + x,
					    small->width);
}

static void cover_is_the_middle_of_the_scaled_image(void **state)
{
	(void)state;
	struct guarded src = seeded_image(5, 3 * 57 * 131);
	struct jag_resize_spec all = { .height = 20, .width = 45 };
	struct jag_resize_spec cover = { .height = 20, .width = 20, .fit = JAG_FIT_COVER };
	struct guarded whole = resized(&all, 57, 131, src.data, &planes3);
	struct guarded middle = resized(&cover, 57, 131, src.data, &planes3);
	assert_window(&(struct planes){ middle, 20, 20 }, &(struct planes){ whole, 20, 45 }, 0, 12);
	guarded_free(&src);
	guarded_free(&whole);
	guarded_free(&middle);
}

/* The largest weight of this axis belongs to rows that the crop leaves out; it decides the precision all the same,
 * which shows in a few pixels of a thousand. */
static void cover_crops_rows_too(void **state)
{
	(void)state;
	struct jag_resize_spec all = { .height = 28, .width = 14 };
	struct jag_resize_spec cover = { .height = 12, .width = 14, .fit = JAG_FIT_COVER };
	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct guarded src = seeded_image(seed, 3 * 54 * 27);
		struct guarded whole = resized(&all, 54, 27, src.data, &planes3);
		struct guarded middle = resized(&cover, 54, 27, src.data, &planes3);
		assert_window(&(struct planes){ middle, 12, 14 }, &(struct planes){ whole, 28, 14 }, 8, 0);
		guarded_free(&src);
		guarded_free(&whole);
		guarded_free(&middle);
	}
}

static void contain_centres_on_zeros(void **state)
{
	(void)state;
	struct guarded src = seeded_image(7, 3 * 30 * 60);
	struct jag_resize_spec all = { .height = 9, .width = 18 };
	struct jag_resize_spec contain = { .height = 20, .width = 18, .fit = JAG_FIT_CONTAIN };
	struct guarded whole = resized(&all, 30, 60, src.data, &planes3);
	struct guarded padded = resized(&contain, 30, 60, src.data, &planes3);
	assert_window(&(struct planes){ whole, 9, 18 }, &(struct planes){ padded, 20, 18 }, 5, 0);
	for (uint32_t c = 0; c < 3; c++)
		for (uint32_t y = 0; y < 20; y++)
			for (uint32_t x = 0; (y < 5 || y >= 14) && x < 18; x++)
				assert_int_equal(padded.data[(c * 20 + y) * 18 + x], 0);
	guarded_free(&src);
	guarded_free(&whole);
	guarded_free(&padded);
}

static void the_same_size_is_a_copy(void **state)
{
	(void)state;
	struct guarded src = seeded_image(8, 3 * 17 * 23);
	struct jag_resize_spec spec = { .rule = JAG_SIZE_MAX, .side = 23 };
	struct guarded out = resized(&spec, 17, 23, src.data, &planes3);
	assert_memory_equal(out.data, src.data, src.nbytes);
	guarded_free(&src);
	guarded_free(&out);
}

static void a_decoded_image_gives_planes(void **state)
{
	(void)state;
	struct guarded planar = seeded_image(9, 3 * 40 * 30);
	struct guarded mixed = interleaved_copy(planar.data, 3, 40 * 30);
	struct jag_image image = { .width = 30, .height = 40, .channels = 3, .depth = 8 };
	image.buf = (struct jag_buffer){ mixed.data, mixed.nbytes, mixed.nbytes };
	struct jag_resize_spec spec = { .height = 11, .width = 13 };
	struct jag_resize_plan plan;
	assert_int_equal(jag_resize_plan(&spec, 40, 30, &plan), 0);
	struct guarded want = resized(&spec, 40, 30, planar.data, &planes3), got = guarded_new(3 * 11 * 13);
	assert_int_equal(jag_resize_image(resizer, &plan, &image, JAG_LAYOUT_CHW, got.data, got.nbytes), 0);
	assert_memory_equal(got.data, want.data, want.nbytes);
	assert_int_equal(jag_resize_image(resizer, &plan, &image, JAG_LAYOUT_CHW, got.data, got.nbytes - 1), -EINVAL);
	image.height = 41;
	assert_int_equal(jag_resize_image(resizer, &plan, &image, JAG_LAYOUT_CHW, got.data, got.nbytes), -EINVAL);
	guarded_free(&planar);
	guarded_free(&mixed);
	guarded_free(&want);
	guarded_free(&got);
}

/* A triangle over a straight line gives the line, away from the ends. */
static void uint16_keeps_its_range_and_a_slope(void **state)
{
	(void)state;
	enum { WIDTH = 512 };
	struct guarded src = guarded_new(WIDTH * sizeof(uint16_t));
	for (unsigned x = 0; x < WIDTH; x++) {
		uint16_t value = (uint16_t)(x * 128);
		memcpy(src.data + 2 * x, &value, sizeof(value));
	}
	const struct jag_pixels pixels = { JAG_UINT16, 1, JAG_LAYOUT_CHW, JAG_LAYOUT_CHW };
	struct jag_resize_spec spec = { .height = 2, .width = WIDTH / 4 };
	struct guarded out = resized(&spec, 1, WIDTH, src.data, &pixels);
	for (unsigned x = 1; x + 1 < WIDTH / 4; x++) {
		uint16_t upper, lower;
		memcpy(&upper, out.data + 2 * x, sizeof(upper));
		memcpy(&lower, out.data + 2 * (WIDTH / 4 + x), sizeof(lower));
		assert_int_equal(upper, x * 512 + 192);
		assert_int_equal(lower, upper);
	}
	memset(src.data, 0xff, src.nbytes);
	struct guarded white = resized(&spec, 1, WIDTH, src.data, &pixels);
	for (size_t i = 0; i < white.nbytes; i++)
		assert_int_equal(white.data[i], 0xff);
	guarded_free(&src);
	guarded_free(&out);
	guarded_free(&white);
}

static void float32_and_bool(void **state)
{
	(void)state;
	const float values[8] = { 0, 10, 1, 11, 2, 12, 3, 13 }; /* two interleaved channels */
	struct jag_resize_spec one = { .height = 1, .width = 1 };
	struct guarded out =
		resized(&one, 1, 4, values, &(struct jag_pixels){ JAG_FLOAT32, 2, JAG_LAYOUT_HWC, JAG_LAYOUT_CHW });
	float mean[2];
	memcpy(mean, out.data, sizeof(mean));
	assert_float_equal(mean[0], 1.5f, 1e-5f);
	assert_float_equal(mean[1], 11.5f, 1e-5f);
	guarded_free(&out);
	const uint8_t mask[4] = { 1, 1, 1, 0 };
	out = resized(&one, 1, 4, mask, &(struct jag_pixels){ JAG_BOOL, 1, JAG_LAYOUT_CHW, JAG_LAYOUT_CHW });
	assert_int_equal(out.data[0], 1);
	guarded_free(&out);
}

static void a_written_image_takes_the_size_of_its_element(void **state)
{
	(void)state;
	struct jag_shape element = { .dtype = JAG_UINT8, .rank = 3, .dims = { 3, 11, 13 } };
	struct jag_array array = { .shape = { .dtype = JAG_UINT8, .rank = 3, .dims = { 40, 30, 3 } }, .image = true };
	struct guarded planar = seeded_image(9, 3 * 40 * 30), mixed = interleaved_copy(planar.data, 3, 40 * 30);
	struct jag_resize_spec spec = { .height = 11, .width = 13 };
	struct guarded want = resized(&spec, 40, 30, planar.data, &planes3);
	struct guarded want_mixed = interleaved_copy(want.data, 3, 11 * 13);
	struct jag_look look;
	jag_look_default(&look);
	look.layout = JAG_LAYOUT_CHW;
	assert_int_equal(jag_buffer_append(&array.data, mixed.data, mixed.nbytes), 0);
	for (int round = 0; round < 2; round++) { /* the second finds the size that it wants */
		assert_int_equal(jag_resize_array(&array, &element, &look), 0);
		assert_int_equal(array.shape.dims[0], 11);
		assert_int_equal(array.shape.dims[1], 13);
		assert_int_equal(array.data.nbytes, want_mixed.nbytes);
		assert_memory_equal(array.data.data, want_mixed.data, want_mixed.nbytes);
	}
	array.image = false;
	element.dims[1] = 12;
	assert_int_equal(jag_resize_array(&array, &element, &look), 0);
	assert_int_equal(array.shape.dims[0], 11);
	jag_array_free(&array);
	guarded_free(&planar);
	guarded_free(&mixed);
	guarded_free(&want);
	guarded_free(&want_mixed);
}

static void what_cannot_be_resized(void **state)
{
	(void)state;
	uint8_t bytes[64] = { 0 }, out[64];
	struct jag_resize_spec spec = { .height = 2, .width = 2 };
	struct jag_resize_plan plan;
	assert_int_equal(jag_resize_plan(&spec, 4, 4, &plan), 0);
	struct jag_pixels pixels = { JAG_INT64, 1, JAG_LAYOUT_CHW, JAG_LAYOUT_CHW };
	assert_int_equal(jag_resize(resizer, &plan, &pixels, bytes, out), -EINVAL);
	pixels.dtype = JAG_UINT8;
	pixels.channels = 0;
	assert_int_equal(jag_resize(resizer, &plan, &pixels, bytes, out), -EINVAL);
	pixels.channels = 1;
	pixels.to = JAG_LAYOUT_NONE;
	assert_int_equal(jag_resize(resizer, &plan, &pixels, bytes, out), -EINVAL);
	pixels.to = JAG_LAYOUT_CHW;
	plan.crop_x = 1;
	assert_int_equal(jag_resize(resizer, &plan, &pixels, bytes, out), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cover_is_the_middle_of_the_scaled_image),
		cmocka_unit_test(cover_crops_rows_too),
		cmocka_unit_test(contain_centres_on_zeros),
		cmocka_unit_test(the_same_size_is_a_copy),
		cmocka_unit_test(a_decoded_image_gives_planes),
		cmocka_unit_test(uint16_keeps_its_range_and_a_slope),
		cmocka_unit_test(float32_and_bool),
		cmocka_unit_test(a_written_image_takes_the_size_of_its_element),
		cmocka_unit_test(what_cannot_be_resized),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
