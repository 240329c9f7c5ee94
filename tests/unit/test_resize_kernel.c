/* SPDX-License-Identifier: MIT */
/* test_resize_kernel.c - pixels of the resize filter: equal to torch's, the same from every twin, nothing read or
 * written outside the images. */
#include "unit.h"

#include "resize_image.h"
#include "resize_vectors.h"

static const struct jag_resize_passes *twins[JAG_RESIZE_PASSES_MAX];

static struct jag_resizer *resizer_with(const struct jag_resize_passes *passes)
{
	struct jag_resizer *resizer;
	assert_int_equal(jag_resizer_create(&resizer), 0);
	if (passes)
		resizer->passes = passes;
	return resizer;
}

static struct jag_resize_plan plan_of(const struct jag_resize_spec *spec, uint32_t height, uint32_t width)
{
	struct jag_resize_plan plan;
	assert_int_equal(jag_resize_plan(spec, height, width, &plan), 0);
	return plan;
}

static void unhex(const char *hex, struct guarded *out)
{
	assert_int_equal(strlen(hex), out->nbytes * 2);
	for (size_t i = 0; i < out->nbytes; i++) {
		char pair[3] = { hex[2 * i], hex[2 * i + 1], 0 };
		out->data[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
}

static void check_vector(const struct vector *v, struct jag_resizer *resizer, enum jag_layout from, enum jag_layout to)
{
	size_t in_pixels = (size_t)v->height * v->width, out_pixels = (size_t)v->out_height * v->out_width;
	struct guarded planar = seeded_image(v->seed, v->channels * in_pixels);
	struct guarded mixed = interleaved_copy(planar.data, v->channels, in_pixels);
	struct guarded want = guarded_new(v->channels * out_pixels), got = guarded_new(v->channels * out_pixels);
	unhex(v->hex, &want);
	struct guarded want_mixed = interleaved_copy(want.data, v->channels, out_pixels);
	struct jag_resize_spec spec = { .height = v->out_height, .width = v->out_width, .no_antialias = !v->antialias };
	struct jag_resize_plan plan = plan_of(&spec, v->height, v->width);
	struct jag_pixels pixels = { .dtype = JAG_UINT8, .channels = v->channels, .from = from, .to = to };
	memset(got.data, 0x5a, got.nbytes);
	const uint8_t *src = from == JAG_LAYOUT_HWC ? mixed.data : planar.data;
	assert_int_equal(jag_resize(resizer, &plan, &pixels, src, got.data), 0);
	assert_memory_equal(got.data, to == JAG_LAYOUT_HWC ? want_mixed.data : want.data, got.nbytes);
	guarded_free(&planar);
	guarded_free(&mixed);
	guarded_free(&want);
	guarded_free(&want_mixed);
	guarded_free(&got);
}

static void pixels_equal_torchs_in_every_layout(void **state)
{
	(void)state;
	struct jag_resizer *resizer = resizer_with(NULL);
	for (size_t i = 0; i < COUNT_OF(vectors); i++)
		for (int from = JAG_LAYOUT_CHW; from <= JAG_LAYOUT_HWC; from++)
			for (int to = JAG_LAYOUT_CHW; to <= JAG_LAYOUT_HWC; to++)
				check_vector(&vectors[i], resizer, (enum jag_layout)from, (enum jag_layout)to);
	jag_resizer_destroy(resizer);
}

static void every_twin_gives_torchs_pixels(void **state)
{
	(void)state;
	for (size_t t = 0; twins[t]; t++) {
		struct jag_resizer *resizer = resizer_with(twins[t]);
		for (size_t i = 0; i < COUNT_OF(vectors); i++)
			check_vector(&vectors[i], resizer, JAG_LAYOUT_CHW, JAG_LAYOUT_CHW);
		jag_resizer_destroy(resizer);
	}
}

static uint32_t random_side(uint32_t *seed)
{
	uint32_t r = xorshift(seed);
	return r % 3 ? 1 + (r >> 8) % 70 : 1 + (r >> 8) % 600;
}

static void twins_agree_on_random_sizes(void **state)
{
	(void)state;
	uint32_t seed = 20240607;
	struct jag_resizer *resizers[JAG_RESIZE_PASSES_MAX] = { 0 };
	for (size_t t = 0; twins[t]; t++)
		resizers[t] = resizer_with(twins[t]);
	for (int round = 0; round < 300; round++) {
		uint32_t h = random_side(&seed), w = random_side(&seed);
		struct jag_resize_spec spec = { .height = random_side(&seed),
						.width = random_side(&seed),
						.fit = (enum jag_fit)(xorshift(&seed) % 3),
						.no_antialias = xorshift(&seed) % 4 == 0 };
		struct jag_resize_plan plan = plan_of(&spec, h, w);
		struct jag_pixels pixels = { JAG_UINT8, 1, JAG_LAYOUT_CHW, JAG_LAYOUT_PLANES };
		struct guarded src = seeded_image(xorshift(&seed), (size_t)h * w);
		struct guarded want = guarded_new((size_t)spec.height * spec.width), got = guarded_new(want.nbytes);
		for (size_t t = 0; twins[t]; t++) {
			memset(got.data, (int)t, got.nbytes);
			assert_int_equal(jag_resize(resizers[t], &plan, &pixels, src.data, got.data), 0);
			if (t == 0)
				memcpy(want.data, got.data, got.nbytes);
			assert_memory_equal(got.data, want.data, want.nbytes);
		}
		guarded_free(&src);
		guarded_free(&want);
		guarded_free(&got);
	}
	for (size_t t = 0; twins[t]; t++)
		jag_resizer_destroy(resizers[t]);
}

/* What a resizer remembers from other images changes nothing, also when tables are dropped for want of room. */
static void a_used_resizer_gives_the_same_pixels(void **state)
{
	(void)state;
	struct jag_resizer *used = resizer_with(NULL);
	struct guarded src = seeded_image(99, 1200 * 16), a = guarded_new(600 * 40), b = guarded_new(600 * 40);
	struct jag_pixels pixels = { JAG_UINT8, 1, JAG_LAYOUT_CHW, JAG_LAYOUT_CHW };
	for (uint32_t w = 300; w < 1200; w += 3) {
		struct jag_resize_spec spec = { .height = 40, .width = 1 + w % 600 };
		struct jag_resize_plan plan = plan_of(&spec, 16, w);
		struct jag_resizer *fresh = resizer_with(NULL);
		assert_int_equal(jag_resize(used, &plan, &pixels, src.data, a.data), 0);
		assert_int_equal(jag_resize(fresh, &plan, &pixels, src.data, b.data), 0);
		assert_memory_equal(a.data, b.data, (size_t)spec.width * 40);
		jag_resizer_destroy(fresh);
	}
	jag_resizer_destroy(used);
	guarded_free(&src);
	guarded_free(&a);
	guarded_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pixels_equal_torchs_in_every_layout),
		cmocka_unit_test(every_twin_gives_torchs_pixels),
		cmocka_unit_test(twins_agree_on_random_sizes),
		cmocka_unit_test(a_used_resizer_gives_the_same_pixels),
	};
	jag_resize_passes_list(twins);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
