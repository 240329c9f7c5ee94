/* SPDX-License-Identifier: MIT */
/* Headers: from prefixes of the file, with EXIF segments of every size and none that can be trusted. */
#include "image_samples.h"

/* The probe of the first n bytes, before an unmapped page. */
static int probe(const uint8_t *bytes, size_t n, struct jag_image_info *info)
{
	struct guarded g = guarded_copy(bytes, n);
	int rc = jag_image_probe(g.data, n, NULL, info, NULL);
	guarded_free(&g);
	return rc;
}

static void test_headers_say_what_is_in_the_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		const struct image_vector *v = &image_vectors[i];
		struct jag_buffer file = sample_file(v->name);
		struct jag_image_info info;
		assert_int_equal(probe(file.data, file.nbytes, &info), 0);
		assert_int_equal(info.type, strstr(v->name, ".png") ? JAG_IMAGE_PNG : JAG_IMAGE_JPEG);
		assert_int_equal(info.width, v->width);
		assert_int_equal(info.height, v->height);
		assert_int_equal(info.channels, v->channels);
		assert_int_equal(info.depth, v->depth);
		assert_int_equal(info.orientation, v->orientation);
		assert_int_equal(info.cmyk, v->cmyk);
		assert_int_equal(info.palette, v->palette);
		assert_int_equal(info.interlaced, v->interlaced);
		assert_int_equal(info.progressive, v->progressive);
		assert_int_equal(info.alpha, v->alpha);
		jag_buffer_free(&file);
	}
}

/* Too short a prefix asks for more, and from the first that suffices on the answer stays the same. */
static void test_every_prefix_asks_for_more_or_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		struct jag_buffer file = sample_file(image_vectors[i].name);
		struct jag_image_info whole, info;
		bool answered = false;
		assert_int_equal(probe(file.data, file.nbytes, &whole), 0);
		for (size_t n = 8; n < file.nbytes; n++) {
			int rc = probe(file.data, n, &info);
			if (!answered && rc == -EAGAIN)
				continue;
			assert_int_equal(rc, 0);
			assert_int_equal(info.width, whole.width);
			assert_int_equal(info.channels, whole.channels);
			assert_int_equal(info.orientation, whole.orientation);
			answered = true;
		}
		assert_true(answered);
		jag_buffer_free(&file);
	}
}

/* sample "rgb-420.jpg" with an APP1 segment of `n` bytes in front. */
static struct jag_buffer with_app1(const uint8_t *segment, size_t n)
{
	struct jag_buffer file = sample_file("rgb-420.jpg"), out = { 0 };
	const uint8_t head[] = { 0xff, 0xd8, 0xff, 0xe1, (uint8_t)((n + 2) >> 8), (uint8_t)(n + 2) };
	assert_int_equal(jag_buffer_append(&out, head, sizeof(head)), 0);
	assert_int_equal(jag_buffer_append(&out, segment, n), 0);
	assert_int_equal(jag_buffer_append(&out, file.data + 2, file.nbytes - 2), 0);
	jag_buffer_free(&file);
	return out;
}

static const uint8_t exif5[] = "Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x05\0\0";

static void test_a_full_exif_segment_needs_all_of_its_bytes(void **state)
{
	(void)state;
	static uint8_t segment[65533];
	struct jag_image_info info;
	memcpy(segment, exif5, sizeof(exif5));
	struct jag_buffer file = with_app1(segment, sizeof(segment));
	assert_int_equal(probe(file.data, 65536, &info), -EAGAIN);
	assert_int_equal(probe(file.data, file.nbytes, &info), 0);
	assert_int_equal(info.orientation, 5);
	assert_int_equal(info.width, 19);
	jag_buffer_free(&file);
}

/* Every cut and every changed byte of the segment: an orientation 1..8, no byte read outside. */
static void test_damaged_exif_is_orientation_1_to_8(void **state)
{
	(void)state;
	uint64_t seed = 5;
	for (unsigned i = 0; i < 3000; i++) {
		uint8_t segment[sizeof(exif5)];
		struct jag_image_info info;
		memcpy(segment, exif5, sizeof(exif5));
		for (unsigned k = 0; k < i % 4; k++)
			segment[6 + next_random(&seed) % (sizeof(exif5) - 6)] = (uint8_t)next_random(&seed);
		struct jag_buffer file = with_app1(segment, next_random(&seed) % sizeof(exif5));
		assert_int_equal(probe(file.data, file.nbytes, &info), 0);
		assert_in_range(info.orientation, 1, 8);
		jag_buffer_free(&file);
	}
}

static void test_what_is_no_image_is_named_so(void **state)
{
	(void)state;
	static const char *const none[] = { "", "x", "GIF89a", "\x89PNG", "\xff\xd8", "P", "P8 1 1 255 a", "BM" };
	struct jag_image_info info;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_int_equal(jag_image_sniff(none[i], strlen(none[i])), JAG_IMAGE_NONE);
		assert_int_equal(probe((const uint8_t *)none[i], strlen(none[i]), &info), -EINVAL);
	}
}

static void test_the_pixel_limit_comes_before_everything(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("rgb-8.png");
	struct jag_image_limits limits = { .pixels = 62 };
	struct jag_image_info info;
	struct jag_image image = { 0 };
	struct jag_error err = { 0 };
	assert_int_equal(jag_image_probe(file.data, file.nbytes, &limits, &info, &err), -E2BIG);
	assert_non_null(strstr(err.message, "62"));
	assert_int_equal(jag_image_decode(file.data, file.nbytes, JAG_MODE_RGB, 8, &limits, &image, NULL), -E2BIG);
	assert_int_equal(image.buf.capacity, 0);
	limits.pixels = 63;
	assert_int_equal(jag_image_probe(file.data, file.nbytes, &limits, &info, NULL), 0);
	jag_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers_say_what_is_in_the_file),
		cmocka_unit_test(test_every_prefix_asks_for_more_or_answers),
		cmocka_unit_test(test_a_full_exif_segment_needs_all_of_its_bytes),
		cmocka_unit_test(test_damaged_exif_is_orientation_1_to_8),
		cmocka_unit_test(test_what_is_no_image_is_named_so),
		cmocka_unit_test(test_the_pixel_limit_comes_before_everything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
