/* SPDX-License-Identifier: MIT */
/* test_node.c - packing of node ids. */
#include "unit.h"

#include "tree/node.h"

static void the_root_is_fuse_root_id(void **state)
{
	(void)state;
	assert_int_equal(jag_node_pack(0, 0, JAG_FORMAT_DIR, JAG_INDEX_SELF), JAG_NODE_ROOT);
}

static void every_part_comes_back(void **state)
{
	(void)state;
	static const uint32_t objects[] = { 0, 1, 77, JAG_OBJECT_LIMIT - 1 };
	static const uint64_t indices[] = { 0, 1, 2, 1000000, JAG_INDEX_LIMIT - 1 };
	for (size_t o = 0; o < COUNT_OF(objects); o++) {
		for (size_t i = 0; i < COUNT_OF(indices); i++) {
			for (unsigned f = 0; f < 16; f++) {
				jag_node node = jag_node_pack(objects[o], 15 - f, f, indices[i]);
				struct jag_node_parts parts = jag_node_unpack(node);
				assert_false(node & JAG_NODE_FOREIGN);
				assert_int_equal(parts.object, objects[o]);
				assert_int_equal(parts.view, 15 - f);
				assert_int_equal(parts.format, f);
				assert_int_equal(parts.index, indices[i]);
			}
		}
	}
}

static void views_of_a_file_differ_only_in_the_view(void **state)
{
	(void)state;
	jag_node plain = jag_node_pack(5, 0, JAG_FORMAT_JPG, 42),
		 view = jag_node_pack(5, JAG_FORMAT_JPG, JAG_FORMAT_JPG, 42);
	assert_int_not_equal(plain, view);
	assert_int_equal(jag_node_without_view(view), plain);
}

static void formats_fit_into_their_bits(void **state)
{
	(void)state;
	assert_true(JAG_FORMAT_COUNT <= 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_root_is_fuse_root_id),
		cmocka_unit_test(every_part_comes_back),
		cmocka_unit_test(views_of_a_file_differ_only_in_the_view),
		cmocka_unit_test(formats_fit_into_their_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
