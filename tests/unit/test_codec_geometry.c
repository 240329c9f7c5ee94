/* SPDX-License-Identifier: MIT */
/* Shapes as images under each layout. */
#include "codec_helpers.h"

static void assert_image(struct jag_shape shape, enum jag_layout layout, unsigned channels, uint64_t height,
			 uint64_t width, unsigned depth, bool planar)
{
	struct jag_look look = make_look(layout);
	struct jag_geometry g;
	assert_int_equal(jag_geometry(&shape, &look, &g), 0);
	assert_int_equal(g.channels, channels);
	assert_int_equal(g.height, height);
	assert_int_equal(g.width, width);
	assert_int_equal(g.depth, depth);
	assert_int_equal(g.planar, planar);
}

static void assert_no_image(struct jag_shape shape, enum jag_layout layout)
{
	struct jag_look look = make_look(layout);
	struct jag_geometry g;
	assert_int_equal(jag_geometry(&shape, &look, &g), -EINVAL);
}

static void test_layouts(void **state)
{
	(void)state;
	assert_image(SHAPE(JAG_UINT8, 3, 4, 5), JAG_LAYOUT_CHW, 3, 4, 5, 8, true);
	assert_image(SHAPE(JAG_UINT16, 4, 5, 3), JAG_LAYOUT_HWC, 3, 4, 5, 16, false);
	assert_image(SHAPE(JAG_UINT8, 1, 4, 5), JAG_LAYOUT_CHW, 1, 4, 5, 8, false);
	assert_image(SHAPE(JAG_BOOL, 4, 5), JAG_LAYOUT_PLANES, 1, 4, 5, 1, false);
}

static void test_what_is_no_image(void **state)
{
	(void)state;
	assert_no_image(SHAPE(JAG_UINT8, 3, 4, 5), JAG_LAYOUT_NONE);
	assert_no_image(SHAPE(JAG_UINT8, 3, 4, 5), JAG_LAYOUT_PLANES);
	assert_no_image(SHAPE(JAG_UINT8, 4, 5), JAG_LAYOUT_CHW);
	assert_no_image(SHAPE(JAG_UINT8, 5, 4, 5), JAG_LAYOUT_CHW);
	assert_no_image(SHAPE(JAG_UINT8, 0, 4, 5), JAG_LAYOUT_CHW);
	assert_no_image(SHAPE(JAG_UINT8, 3, 0, 5), JAG_LAYOUT_CHW);
	assert_no_image(SHAPE(JAG_UINT8, 3, 4, -5), JAG_LAYOUT_CHW);
	assert_no_image(SHAPE(JAG_INT8, 3, 4, 5), JAG_LAYOUT_CHW);
	assert_no_image(SHAPE(JAG_FLOAT32, 3, 4, 5), JAG_LAYOUT_CHW);
	assert_no_image(SHAPE(JAG_UINT8, 3, 4, INT64_C(0x80000000)), JAG_LAYOUT_CHW);
	assert_no_image(SHAPE(JAG_UINT8, 2, 3, 4, 5), JAG_LAYOUT_CHW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_what_is_no_image),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
