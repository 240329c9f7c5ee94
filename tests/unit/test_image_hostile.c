/* SPDX-License-Identifier: MIT */
/* Damaged and hostile images: refused or decoded, never a crash, never a byte read outside, nothing guessed. */
#include "image_samples.h"

#include <libdeflate.h>

static int decode(const uint8_t *bytes, size_t n, const struct jag_image_limits *limits, struct jag_error *err)
{
	struct guarded g = guarded_copy(bytes, n);
	struct jag_image image = { 0 };
	int rc = jag_image_decode(g.data, n, JAG_MODE_RGB, 8, limits, &image, err);
	jag_image_free(&image);
	guarded_free(&g);
	return rc;
}

static void test_a_file_that_ends_early_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		struct jag_buffer file = sample_file(image_vectors[i].name);
		assert_int_equal(decode(file.data, file.nbytes, NULL, NULL), 0);
		for (size_t n = 0; n < file.nbytes; n++)
			if (decode(file.data, n, NULL, NULL) != -EINVAL)
				fail_msg("%s: read from %zu of %zu bytes", image_vectors[i].name, n, file.nbytes);
		jag_buffer_free(&file);
	}
}

/* Damage may pass unseen in JPEG's entropy-coded data, but not crash. PNG has checksums: every change is refused but
 * in the bytes of a length that is not used. */
static void test_changed_bytes_do_no_harm(void **state)
{
	(void)state;
	uint64_t seed = 11;
	const struct jag_image_limits limits = { .pixels = 1 << 20, .scans = 50 };
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		struct jag_buffer file = sample_file(image_vectors[i].name);
		for (size_t at = 0; at < file.nbytes; at++) {
			uint8_t before = file.data[at];
			file.data[at] ^= (uint8_t)(next_random(&seed) | 1);
			int rc = decode(file.data, file.nbytes, &limits, NULL);
			if (strstr(image_vectors[i].name, ".png"))
				assert_true(rc == -EINVAL || rc == -E2BIG);
			else
				assert_true(rc == 0 || rc == -EINVAL || rc == -E2BIG);
			file.data[at] = before;
		}
		jag_buffer_free(&file);
	}
}

static uint8_t *find(struct jag_buffer *file, const char *what)
{
	uint8_t *p = memmem(file->data, file->nbytes, what, strlen(what));
	assert_non_null(p);
	return p;
}

/* Recompute the checksum of the chunk whose type is at p. */
static void fix_crc(uint8_t *p)
{
	uint32_t n = (uint32_t)p[-4] << 24 | (uint32_t)p[-3] << 16 | (uint32_t)p[-2] << 8 | p[-1];
	uint32_t crc = libdeflate_crc32(0, p, n + 4);
	for (int i = 0; i < 4; i++)
		p[4 + n + i] = (uint8_t)(crc >> (24 - 8 * i));
}

static void test_a_bomb_is_refused_by_its_header(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("rgb-8.png");
	struct jag_error err = { 0 };
	uint8_t *ihdr = find(&file, "IHDR");
	memcpy(ihdr + 4, "\0\0\xea\x60\0\0\xea\x60", 8); /* 60,000 x 60,000 */
	fix_crc(ihdr);
	assert_int_equal(decode(file.data, file.nbytes, NULL, &err), -E2BIG);
	assert_non_null(strstr(err.message, "60000x60000"));
	jag_buffer_free(&file);
}

static void test_more_pixels_claimed_than_there_are(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("rgb-8.png");
	uint8_t *ihdr = find(&file, "IHDR");
	ihdr[7] = 200;
	fix_crc(ihdr);
	assert_int_equal(decode(file.data, file.nbytes, NULL, NULL), -EINVAL);
	jag_buffer_free(&file);
}

static void test_a_broken_adler_sum_is_refused(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("rgb-8.png");
	uint8_t *idat = find(&file, "IDAT");
	uint32_t n = (uint32_t)idat[-2] << 8 | idat[-1];
	idat[4 + n - 1] ^= 1;
	fix_crc(idat);
	assert_int_equal(decode(file.data, file.nbytes, NULL, NULL), -EINVAL);
	jag_buffer_free(&file);
}

static void test_scans_are_limited(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("progressive.jpg");
	struct jag_image_limits limits = { .scans = 2 };
	struct jag_error err = { 0 };
	assert_int_equal(decode(file.data, file.nbytes, &limits, &err), -E2BIG);
	assert_non_null(strstr(err.message, "scans"));
	limits.scans = 0;
	assert_int_equal(decode(file.data, file.nbytes, &limits, NULL), 0);
	jag_buffer_free(&file);
}

/* The last scan of a progressive file, many times over. */
static void test_a_scan_bomb_is_refused(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("progressive.jpg"), bomb = { 0 };
	size_t last = 0;
	for (size_t i = 0; i + 1 < file.nbytes; i++)
		if (file.data[i] == 0xff && file.data[i + 1] == 0xda)
			last = i;
	assert_int_equal(jag_buffer_append(&bomb, file.data, last), 0);
	for (int i = 0; i < 600; i++)
		assert_int_equal(jag_buffer_append(&bomb, file.data + last, file.nbytes - 2 - last), 0);
	assert_int_equal(jag_buffer_append(&bomb, "\xff\xd9", 2), 0);
	int rc = decode(bomb.data, bomb.nbytes, NULL, NULL);
	assert_true(rc == -E2BIG || rc == -EINVAL); /* the library may see the inconsistent progression first */
	jag_buffer_free(&bomb);
	jag_buffer_free(&file);
}

/* A second frame header that says other dimensions than the one that the memory was sized by. */
static void test_two_frame_headers_are_refused(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("rgb-420.jpg"), twice = { 0 };
	uint8_t *sof = find(&file, "\xff\xc0");
	size_t at = (size_t)(sof - file.data), n = 2 + ((size_t)sof[2] << 8 | sof[3]);
	assert_int_equal(jag_buffer_append(&twice, file.data, at + n), 0);
	sof[5] = 0x40;
	assert_int_equal(jag_buffer_append(&twice, file.data + at, file.nbytes - at), 0);
	assert_int_equal(decode(twice.data, twice.nbytes, NULL, NULL), -EINVAL);
	jag_buffer_free(&twice);
	jag_buffer_free(&file);
}

static void test_corrupt_data_that_the_library_would_guess_is_refused(void **state)
{
	(void)state;
	struct jag_buffer file = sample_file("rgb-444.jpg");
	struct jag_error err = { 0 };
	/* An end marker in the middle of the scan: libjpeg would fill the rest with gray. */
	file.data[file.nbytes - 30] = 0xff;
	file.data[file.nbytes - 29] = 0xd9;
	assert_int_equal(decode(file.data, file.nbytes, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.message, "Corrupt JPEG data"));
	jag_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_that_ends_early_is_refused),
		cmocka_unit_test(test_changed_bytes_do_no_harm),
		cmocka_unit_test(test_a_bomb_is_refused_by_its_header),
		cmocka_unit_test(test_more_pixels_claimed_than_there_are),
		cmocka_unit_test(test_a_broken_adler_sum_is_refused),
		cmocka_unit_test(test_scans_are_limited),
		cmocka_unit_test(test_a_scan_bomb_is_refused),
		cmocka_unit_test(test_two_frame_headers_are_refused),
		cmocka_unit_test(test_corrupt_data_that_the_library_would_guess_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
