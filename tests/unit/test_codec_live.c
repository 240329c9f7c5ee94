/* SPDX-License-Identifier: MIT */
/* Byte ranges of live files, against a model that permutes the whole payload one item at a time. */
#include "codec_helpers.h"

#define HEADER_NBYTES 11

/* The file of `live` over `element`, item by item from the definition in the header. */
static void model(const struct jag_live *live, const uint8_t *element, uint8_t *file)
{
	size_t channels = live->channels > 1 ? live->channels : live->pixel_items ? live->pixel_items : 1;
	size_t items = live->itemsize ? live->payload_nbytes / live->itemsize : 0;
	memcpy(file, live->header, live->header_nbytes);
	for (size_t f = 0; f < items; f++) {
		size_t p = f / channels, c = f % channels;
		if (live->reverse && channels >= 3 && c < 3)
			c = 2 - c;
		size_t e = live->channels > 1 ? c * live->plane_count + p : p * channels + c;
		for (size_t b = 0; b < live->itemsize; b++)
			file[live->header_nbytes + f * live->itemsize + b] =
				element[e * live->itemsize + (live->swap ? live->itemsize - 1 - b : b)];
	}
}

struct variant {
	unsigned channels, itemsize, pixel_items;
	bool swap, reverse;
};

static const struct variant variants[] = {
	{ 1, 1, 0, false, false }, { 1, 2, 0, true, false },  { 3, 1, 0, false, false }, { 3, 1, 0, false, true },
	{ 4, 1, 0, false, true },  { 2, 2, 0, true, false },  { 3, 2, 0, true, true },   { 4, 2, 0, false, false },
	{ 1, 1, 3, false, true },  { 1, 2, 4, true, true },   { 2, 1, 0, false, false }, { 1, 2, 3, true, false },
	{ 2, 4, 0, false, false }, { 6, 2, 0, false, false }, { 5, 8, 0, false, false }, { 9, 1, 0, false, false },
};

static struct jag_live make_live(const struct variant *v, size_t pixels)
{
	struct jag_live live = { .header_nbytes = HEADER_NBYTES,
				 .channels = v->channels,
				 .itemsize = v->itemsize,
				 .swap = v->swap,
				 .reverse = v->reverse,
				 .pixel_items = v->pixel_items };
	size_t per_pixel = v->channels > 1 ? v->channels : v->pixel_items ? v->pixel_items : 1;
	live.plane_count = v->channels > 1 ? pixels : pixels * per_pixel;
	live.payload_nbytes = pixels * per_pixel * v->itemsize;
	memcpy(live.header, "0123456789\n", HEADER_NBYTES);
	return live;
}

static void check_reads(const struct variant *v, size_t pixels, unsigned ranges)
{
	struct jag_live live = make_live(v, pixels);
	struct element e = { .nbytes = live.payload_nbytes }, *ctx = &e;
	size_t size = HEADER_NBYTES + e.nbytes;
	uint8_t *file = malloc(size);
	uint64_t state = pixels * 31 + 7;
	e.mem = guarded_alloc(e.nbytes);
	fill_random(e.mem.data, e.nbytes, pixels);
	model(&live, e.mem.data, file);
	for (unsigned i = 0; i < ranges; i++) {
		size_t offset = next_random(&state) % (size + 3), n = next_random(&state) % (size + 3);
		size_t expect = offset >= size ? 0 : n < size - offset ? n : size - offset;
		struct guarded dst = guarded_alloc(expect);
		assert_int_equal(jag_live_read(&live, element_fetch, &ctx, dst.data, n, offset), expect);
		if (expect)
			assert_memory_equal(dst.data, file + offset, expect);
		guarded_free(&dst);
	}
	guarded_free(&e.mem);
	free(file);
}

static void test_any_range_reads_as_the_whole_does(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
		check_reads(&variants[v], 5, 300);
		check_reads(&variants[v], 40000, 12); /* more than one tile */
	}
}

/* A range is written in the model's file; the element must become what makes that file, and nothing else. */
static void check_writes(const struct variant *v, size_t pixels, unsigned ranges)
{
	struct jag_live live = make_live(v, pixels);
	struct element e = { .nbytes = live.payload_nbytes }, *ctx = &e;
	size_t size = HEADER_NBYTES + e.nbytes;
	uint8_t *file = malloc(size), *again = malloc(size), *data = malloc(size);
	uint64_t state = pixels * 17 + 3;
	e.mem = guarded_alloc(e.nbytes);
	fill_random(e.mem.data, e.nbytes, pixels);
	for (unsigned i = 0; i < ranges; i++) {
		size_t offset = next_random(&state) % size, n = next_random(&state) % (size - offset + 1);
		model(&live, e.mem.data, file);
		fill_random(data, n, i + 1000);
		if (offset < HEADER_NBYTES)
			memcpy(data, file + offset, n < HEADER_NBYTES - offset ? n : HEADER_NBYTES - offset);
		memcpy(file + offset, data, n);
		struct guarded src = guarded_copy(data, n);
		assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, src.data, n, offset), 0);
		guarded_free(&src);
		model(&live, e.mem.data, again);
		assert_memory_equal(file, again, size);
	}
	guarded_free(&e.mem);
	free(file);
	free(again);
	free(data);
}

static void test_any_range_written_reads_back(void **state)
{
	(void)state;
	for (size_t v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
		check_writes(&variants[v], 5, 300);
		check_writes(&variants[v], 30000, 4);
	}
}

static void test_whole_pixels_need_one_store_for_a_plane_and_no_fetch(void **state)
{
	(void)state;
	struct jag_live live = make_live(&variants[2], 40000);
	struct element e = { .nbytes = live.payload_nbytes }, *ctx = &e;
	uint8_t *data = calloc(1, e.nbytes);
	e.mem = guarded_alloc(e.nbytes);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, data, e.nbytes, HEADER_NBYTES), 0);
	assert_int_equal(e.stores, 3);
	assert_int_equal(e.fetches, 0);
	guarded_free(&e.mem);
	free(data);
}

/* Two writers of one pixel's channels must not undo each other. */
static void test_items_outside_of_the_range_are_not_stored(void **state)
{
	(void)state;
	struct jag_live live = make_live(&variants[2], 100);
	struct element e = { .nbytes = live.payload_nbytes }, *ctx = &e;
	e.mem = guarded_alloc(e.nbytes);
	/* The last byte of pixel 3 and the first of pixel 4: one item of plane 2, one of plane 0. */
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, "xy", 2, HEADER_NBYTES + 11), 0);
	assert_int_equal(e.stores, 2);
	assert_int_equal(e.stored, 2);
	assert_int_equal(e.mem.data[203], 'x');
	assert_int_equal(e.mem.data[4], 'y');
	guarded_free(&e.mem);
}

static void test_a_different_header_byte_is_refused_and_nothing_stored(void **state)
{
	(void)state;
	struct jag_live live = make_live(&variants[2], 4);
	struct element e = { .nbytes = live.payload_nbytes }, *ctx = &e;
	uint8_t data[HEADER_NBYTES + 3] = "012345678x\nabc";
	e.mem = guarded_alloc(e.nbytes);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, data, sizeof(data), 0), -EINVAL);
	assert_int_equal(e.stores, 0);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, live.header, HEADER_NBYTES, 0), 0);
	assert_int_equal(e.stores, 0);
	guarded_free(&e.mem);
}

static void test_a_range_across_the_end_is_refused_whole(void **state)
{
	(void)state;
	struct jag_live live = make_live(&variants[0], 4);
	struct element e = { .nbytes = live.payload_nbytes }, *ctx = &e;
	uint8_t data[8] = { 0 };
	e.mem = guarded_alloc(e.nbytes);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, data, 5, HEADER_NBYTES), -EFBIG);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, data, 1, UINT64_MAX), -EFBIG);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, data, 1, HEADER_NBYTES + 4), -EFBIG);
	assert_int_equal(e.stores, 0);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, data, 0, HEADER_NBYTES + 4), 0);
	guarded_free(&e.mem);
}

static int failing_fetch(const void *ctx, void *dst, size_t n, uint64_t offset)
{
	(void)ctx, (void)dst, (void)n, (void)offset;
	return -ESTALE;
}

static void test_a_failing_fetch_is_reported(void **state)
{
	(void)state;
	uint8_t out[64];
	for (size_t v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
		struct jag_live live = make_live(&variants[v], 4);
		assert_int_equal(jag_live_read(&live, failing_fetch, NULL, out, 4, HEADER_NBYTES), -ESTALE);
		assert_int_equal(jag_live_read(&live, failing_fetch, NULL, out, HEADER_NBYTES, 0), HEADER_NBYTES);
	}
}

/* One sample of each channel is nearly 64 KiB, more than the block that others are handled in. */
static void test_frames_of_many_channels(void **state)
{
	static const struct variant wide[] = { { 65535, 1, 0, false, false }, { 8191, 8, 0, false, false } };
	(void)state;
	for (size_t v = 0; v < sizeof(wide) / sizeof(wide[0]); v++) {
		check_reads(&wide[v], 3, 8);
		check_writes(&wide[v], 3, 4);
	}
}

/* RIFF's zero behind an odd number of bytes: it is read, may be written as it is, and is no part of the element. */
static void test_padding_is_a_zero_that_stays(void **state)
{
	(void)state;
	const struct variant v = { 3, 1, 0, false, false };
	struct jag_live live = make_live(&v, 5);
	struct element e = { .nbytes = 15 }, *ctx = &e;
	uint8_t file[HEADER_NBYTES + 16], got[sizeof(file) + 1];
	live.pad_nbytes = 1;
	e.mem = guarded_alloc(e.nbytes);
	fill_random(e.mem.data, e.nbytes, 5);
	model(&live, e.mem.data, file);
	file[sizeof(file) - 1] = 0;
	for (size_t offset = 0; offset <= sizeof(file); offset++)
		for (size_t n = 1; n <= sizeof(file) + 1 - offset; n++) {
			size_t expect = n < sizeof(file) - offset ? n : sizeof(file) - offset;
			memset(got, 0xaa, sizeof(got));
			assert_int_equal(jag_live_read(&live, element_fetch, &ctx, got, n, offset), expect);
			assert_memory_equal(got, file + offset, expect);
			assert_int_equal(got[expect], 0xaa);
		}
	e.stores = 0;
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, "", 1, sizeof(file) - 1), 0);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, "ab", 2, sizeof(file) - 2), -EINVAL);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, "a\0", 3, sizeof(file) - 2), -EFBIG);
	assert_int_equal(e.stores, 0);
	assert_int_equal(jag_live_write(&live, element_fetch, element_store, &ctx, "a", 2, sizeof(file) - 2), 0);
	assert_int_equal(e.stored, 1);
	assert_int_equal(e.mem.data[14], 'a');
	/* one channel passes through only where nothing follows */
	live.channels = 1;
	assert_false(jag_live_is_plain(&live));
	live.pad_nbytes = 0;
	assert_true(jag_live_is_plain(&live));
	guarded_free(&e.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_range_reads_as_the_whole_does),
		cmocka_unit_test(test_any_range_written_reads_back),
		cmocka_unit_test(test_whole_pixels_need_one_store_for_a_plane_and_no_fetch),
		cmocka_unit_test(test_items_outside_of_the_range_are_not_stored),
		cmocka_unit_test(test_a_different_header_byte_is_refused_and_nothing_stored),
		cmocka_unit_test(test_a_range_across_the_end_is_refused_whole),
		cmocka_unit_test(test_a_failing_fetch_is_reported),
		cmocka_unit_test(test_frames_of_many_channels),
		cmocka_unit_test(test_padding_is_a_zero_that_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
