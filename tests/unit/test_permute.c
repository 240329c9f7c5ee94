/* SPDX-License-Identifier: MIT */
/* Interleaving: the portable loops against the definition, every SIMD twin against the portable loops, at all sizes
 * 0..200 in buffers that end at an unmapped page. */
#include "codec_helpers.h"

#include "codec/permute.h"

#define SIZES 201

struct planes {
	struct guarded mem[4];
	uint8_t *at[4];
};

static struct planes make_planes(unsigned channels, size_t nbytes, uint64_t seed)
{
	struct planes p = { 0 };
	for (unsigned c = 0; c < channels; c++) {
		p.mem[c] = guarded_alloc(nbytes);
		p.at[c] = p.mem[c].data;
		fill_random(p.at[c], nbytes, seed + c);
	}
	return p;
}

static void free_planes(struct planes *p, unsigned channels)
{
	for (unsigned c = 0; c < channels; c++)
		guarded_free(&p->mem[c]);
}

static void check_definition(const struct jag_permute *how, size_t npixels)
{
	const size_t plane = npixels * how->itemsize, nbytes = plane * how->channels;
	struct planes p = make_planes(how->channels, plane, npixels);
	struct planes back = make_planes(how->channels, plane, 99);
	struct guarded out = guarded_alloc(nbytes);
	jag_interleave(how, (const uint8_t *const *)p.at, npixels, out.data);
	for (size_t i = 0; i < nbytes; i++) {
		size_t item = i / how->itemsize, byte = i % how->itemsize;
		size_t pixel = item / how->channels, c = item % how->channels;
		if (how->reverse && how->channels >= 3 && c < 3)
			c = 2 - c;
		if (how->swap)
			byte = how->itemsize - 1 - byte;
		assert_int_equal(out.data[i], p.at[c][pixel * how->itemsize + byte]);
	}
	jag_deinterleave(how, out.data, npixels, back.at);
	for (unsigned c = 0; c < how->channels && plane; c++)
		assert_memory_equal(back.at[c], p.at[c], plane);
	guarded_free(&out);
	free_planes(&p, how->channels);
	free_planes(&back, how->channels);
}

static void test_every_order_follows_the_definition(void **state)
{
	(void)state;
	for (unsigned channels = 1; channels <= 4; channels++)
		for (unsigned bits = 0; bits < 6; bits++) {
			struct jag_permute how = { channels, bits < 2 ? 1 : 2, bits >= 4, bits & 1 };
			for (size_t n = 0; n < SIZES; n += n < 40 ? 1 : 23)
				check_definition(&how, n);
		}
}

static void check_kernels(const struct jag_permute_kernels *k, unsigned channels, size_t npixels)
{
	const struct jag_permute how = { channels, 1, false, false };
	struct planes p = make_planes(channels, npixels, npixels), q = make_planes(channels, npixels, 5);
	struct planes r = make_planes(channels, npixels, 5);
	struct guarded a = guarded_alloc(npixels * channels), b = guarded_alloc(npixels * channels);
	memset(a.data, 0, npixels * channels);
	memset(b.data, 0, npixels * channels);
	size_t done = k->interleave[channels]((const uint8_t *const *)p.at, npixels, a.data);
	assert_true(done <= npixels && npixels - done < 32);
	jag_interleave_portable(&how, (const uint8_t *const *)p.at, done, b.data);
	if (npixels)
		assert_memory_equal(a.data, b.data, npixels * channels);
	fill_random(a.data, npixels * channels, npixels);
	done = k->deinterleave[channels](a.data, npixels, q.at);
	assert_true(done <= npixels && npixels - done < 32);
	jag_deinterleave_portable(&how, a.data, done, r.at);
	for (unsigned c = 0; c < channels && npixels; c++)
		assert_memory_equal(q.at[c], r.at[c], npixels);
	guarded_free(&a);
	guarded_free(&b);
	free_planes(&p, channels);
	free_planes(&q, channels);
	free_planes(&r, channels);
}

static void test_every_twin_equals_the_portable_loops(void **state)
{
	(void)state;
	size_t twins = 0;
	for (; jag_permute_kernels(twins)->name; twins++)
		for (unsigned channels = 2; channels <= 4; channels++)
			for (size_t n = 0; n < SIZES; n++)
				check_kernels(jag_permute_kernels(twins), channels, n);
	print_message("# %zu sets of kernels\n", twins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_order_follows_the_definition),
		cmocka_unit_test(test_every_twin_equals_the_portable_loops),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
