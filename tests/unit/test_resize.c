/* SPDX-License-Identifier: MIT */
/* test_resize.c - what --size and --fit mean: spelling, and the sizes that follow for one image. */
#include "unit.h"

#include "jag/resize.h"

static struct jag_resize_spec parsed(const char *text)
{
	struct jag_resize_spec spec = { 0 };
	assert_int_equal(jag_resize_parse(text, &spec, NULL), 0);
	return spec;
}

static void spellings(void **state)
{
	(void)state;
	struct jag_resize_spec spec = parsed("32x48");
	assert_int_equal(spec.rule, JAG_SIZE_EXACT);
	assert_int_equal(spec.height, 32);
	assert_int_equal(spec.width, 48);
	spec = parsed("short:256");
	assert_int_equal(spec.rule, JAG_SIZE_SHORT);
	assert_int_equal(spec.side, 256);
	spec = parsed("max:16777216");
	assert_int_equal(spec.rule, JAG_SIZE_MAX);
	assert_int_equal(spec.side, JAG_RESIZE_SIDE_MAX);
}

static void bad_spellings_are_refused_and_change_nothing(void **state)
{
	(void)state;
	static const char *const bad[] = { "",
					   "32",
					   "x",
					   "32x",
					   "x32",
					   "0x5",
					   "5x0",
					   "-1x5",
					   "+1x5",
					   "5x5 ",
					   " 5x5",
					   "5X5",
					   "5x5x5",
					   "short:",
					   "short:0",
					   "max:",
					   "max:1x1",
					   "max:-3",
					   "min:3",
					   "short",
					   "1e3x10",
					   "16777217x1",
					   "max:99999999999999999999",
					   "0x10x10" };
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct jag_resize_spec spec = { .rule = JAG_SIZE_SHORT, .side = 7 };
		struct jag_error err = { 0 };
		assert_int_equal(jag_resize_parse(bad[i], &spec, &err), -EINVAL);
		assert_int_equal(err.code, -EINVAL);
		assert_int_equal(spec.rule, JAG_SIZE_SHORT);
		assert_int_equal(spec.side, 7);
	}
}

static void fits(void **state)
{
	(void)state;
	enum jag_fit fit = JAG_FIT_COVER;
	assert_int_equal(jag_fit_parse("stretch", &fit, NULL), 0);
	assert_int_equal(fit, JAG_FIT_STRETCH);
	assert_int_equal(jag_fit_parse("cover", &fit, NULL), 0);
	assert_int_equal(fit, JAG_FIT_COVER);
	assert_int_equal(jag_fit_parse("contain", &fit, NULL), 0);
	assert_int_equal(fit, JAG_FIT_CONTAIN);
	assert_int_equal(jag_fit_parse("Cover", &fit, NULL), -EINVAL);
	assert_int_equal(fit, JAG_FIT_CONTAIN);
}

struct expectation {
	const char *size;
	enum jag_fit fit;
	uint32_t height, width;               /* given */
	uint32_t out_height, out_width;       /* result */
	uint32_t scaled_height, scaled_width; /* the whole image */
	uint32_t crop_y, crop_x, pad_y, pad_x;
};

static void check(const struct expectation *want, size_t count)
{
	for (size_t i = 0; i < count; i++, want++) {
		struct jag_resize_spec spec = parsed(want->size);
		struct jag_resize_plan plan;
		spec.fit = want->fit;
		assert_int_equal(jag_resize_plan(&spec, want->height, want->width, &plan), 0);
		assert_int_equal(plan.in_height, want->height);
		assert_int_equal(plan.in_width, want->width);
		assert_int_equal(plan.out_height, want->out_height);
		assert_int_equal(plan.out_width, want->out_width);
		assert_int_equal(plan.scaled_height, want->scaled_height);
		assert_int_equal(plan.scaled_width, want->scaled_width);
		assert_int_equal(plan.crop_y, want->crop_y);
		assert_int_equal(plan.crop_x, want->crop_x);
		assert_int_equal(plan.pad_y, want->pad_y);
		assert_int_equal(plan.pad_x, want->pad_x);
	}
}

/* The numbers are torchvision 0.28's Resize(S): int(S * longer / shorter). */
static void short_rounds_down_like_torchvision(void **state)
{
	(void)state;
	static const struct expectation want[] = {
		{ "short:256", 0, 375, 500, 256, 341, 256, 341, 0, 0, 0, 0 },
		{ "short:256", 0, 500, 375, 341, 256, 341, 256, 0, 0, 0, 0 },
		{ "short:32", 0, 32, 99, 32, 99, 32, 99, 0, 0, 0, 0 },
		{ "short:3", 0, 7, 7, 3, 3, 3, 3, 0, 0, 0, 0 },
		{ "short:10", 0, 1, 3, 10, 30, 10, 30, 0, 0, 0, 0 },
		{ "short:29", 0, 30, 31, 29, 29, 29, 29, 0, 0, 0, 0 },
	};
	check(want, COUNT_OF(want));
}

static void max_bounds_the_longer_side_and_never_enlarges(void **state)
{
	(void)state;
	static const struct expectation want[] = {
		{ "max:512", 0, 3000, 4000, 384, 512, 384, 512, 0, 0, 0, 0 },
		{ "max:512", 0, 512, 100, 512, 100, 512, 100, 0, 0, 0, 0 },
		{ "max:512", 0, 7, 9, 7, 9, 7, 9, 0, 0, 0, 0 },
		{ "max:10", 0, 1, 1000, 1, 10, 1, 10, 0, 0, 0, 0 },
		{ "max:100", 0, 333, 250, 100, 75, 100, 75, 0, 0, 0, 0 },
	};
	check(want, COUNT_OF(want));
}

static void exact_sizes_by_fit(void **state)
{
	(void)state;
	static const struct expectation want[] = {
		{ "32x48", JAG_FIT_STRETCH, 100, 7, 32, 48, 32, 48, 0, 0, 0, 0 },
		/* Resize(32), CenterCrop(32): the crop of an odd rest rounds to even, 1.5 -> 2, 0.5 -> 0 */
		{ "32x32", JAG_FIT_COVER, 300, 200, 32, 32, 48, 32, 8, 0, 0, 0 },
		{ "32x32", JAG_FIT_COVER, 200, 222, 32, 32, 32, 35, 0, 2, 0, 0 },
		{ "32x32", JAG_FIT_COVER, 200, 210, 32, 32, 32, 33, 0, 0, 0, 0 },
		{ "10x20", JAG_FIT_COVER, 5, 100, 10, 20, 10, 200, 0, 90, 0, 0 },
		{ "10x20", JAG_FIT_COVER, 50, 100, 10, 20, 10, 20, 0, 0, 0, 0 },
		{ "32x32", JAG_FIT_CONTAIN, 300, 200, 32, 32, 32, 21, 0, 0, 0, 5 },
		{ "32x32", JAG_FIT_CONTAIN, 10, 20, 32, 32, 16, 32, 0, 0, 8, 0 },
		{ "32x32", JAG_FIT_CONTAIN, 1, 1000, 32, 32, 1, 32, 0, 0, 15, 0 },
	};
	check(want, COUNT_OF(want));
}

static void impossible_sizes(void **state)
{
	(void)state;
	struct jag_resize_spec spec = parsed("short:16777216");
	struct jag_resize_plan plan;
	assert_int_equal(jag_resize_plan(&spec, 10, 10, &plan), 0);
	assert_int_equal(jag_resize_plan(&spec, 10, 11, &plan), -EINVAL); /* the longer side is too long */
	spec = parsed("10x16777216");
	spec.fit = JAG_FIT_COVER;
	assert_int_equal(jag_resize_plan(&spec, 10, 10, &plan), 0);
	assert_int_equal(jag_resize_plan(&spec, 11, 10, &plan), -EINVAL);
	assert_int_equal(jag_resize_plan(&spec, 0, 10, &plan), -EINVAL);
	assert_int_equal(jag_resize_plan(&spec, 10, 0, &plan), -EINVAL);
	assert_int_equal(jag_resize_plan(&spec, JAG_RESIZE_SIDE_MAX + 1, 1, &plan), -EINVAL);
	spec = (struct jag_resize_spec){ .rule = JAG_SIZE_EXACT };
	assert_int_equal(jag_resize_plan(&spec, 10, 10, &plan), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings),
		cmocka_unit_test(bad_spellings_are_refused_and_change_nothing),
		cmocka_unit_test(fits),
		cmocka_unit_test(short_rounds_down_like_torchvision),
		cmocka_unit_test(max_bounds_the_longer_side_and_never_enlarges),
		cmocka_unit_test(exact_sizes_by_fit),
		cmocka_unit_test(impossible_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
