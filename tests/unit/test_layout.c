/* SPDX-License-Identifier: MIT */
/* test_layout.c - where the image lies: one decision for each leaf, from all of its shapes. */
#include "treestore.h"

#include "tree/layout.h"

#define ROWS 3

struct layout_case {
	const char *dtype;
	unsigned rank;
	int64_t rows[ROWS][4];
	enum jag_layout layout;
};

/* Three shapes each; the third is often the odd one that decides. */
static const struct layout_case cases[] = {
	{ "uint8", 3, { { 3, 20, 30 }, { 1, 9, 9 }, { 3, 7, 5 } }, JAG_LAYOUT_CHW },
	{ "uint8", 3, { { 3, 20, 3 }, { 1, 9, 1 }, { 3, 7, 4 } }, JAG_LAYOUT_CHW },
	{ "uint8", 3, { { 20, 30, 3 }, { 9, 9, 1 }, { 7, 5, 4 } }, JAG_LAYOUT_HWC },
	{ "uint8", 3, { { 3, 30, 3 }, { 3, 9, 1 }, { 2, 5, 4 } }, JAG_LAYOUT_HWC },
	{ "uint8", 3, { { 4, 30, 20 }, { 4, 9, 9 }, { 4, 7, 5 } }, JAG_LAYOUT_CHW },
	{ "uint8", 3, { { 4, 30, 4 }, { 4, 9, 4 }, { 4, 7, 4 } }, JAG_LAYOUT_HWC },
	{ "uint8", 3, { { 4, 30, 20 }, { 4, 9, 4 }, { 4, 7, 5 } }, JAG_LAYOUT_NONE },
	{ "uint8", 3, { { 4, 30, 20 }, { 4, 4, 9 }, { 4, 7, 5 } }, JAG_LAYOUT_NONE },
	{ "uint8", 3, { { 3, 20, 30 }, { 1, 9, 9 }, { 2, 7, 5 } }, JAG_LAYOUT_NONE },
	{ "uint8", 3, { { 3, 20, 30 }, { 4, 9, 9 }, { 3, 7, 5 } }, JAG_LAYOUT_NONE },
	{ "uint8", 3, { { 0, 20, 30 }, { 3, 9, 9 }, { 3, 7, 5 } }, JAG_LAYOUT_NONE },
	{ "uint16", 3, { { 1, 20, 30 }, { 1, 9, 9 }, { 1, 7, 5 } }, JAG_LAYOUT_CHW },
	{ "bool", 2, { { 20, 30 }, { 9, 9 }, { 7, 5 } }, JAG_LAYOUT_PLANES },
	{ "uint8", 2, { { 20, 3 }, { 9, 1 }, { 7, 4 } }, JAG_LAYOUT_PLANES },
	{ "uint8", 1, { { 20 }, { 3 }, { 7 } }, JAG_LAYOUT_NONE },
	{ "float32", 3, { { 3, 20, 30 }, { 1, 9, 9 }, { 3, 7, 5 } }, JAG_LAYOUT_NONE },
	{ "int8", 2, { { 20, 30 }, { 9, 9 }, { 7, 5 } }, JAG_LAYOUT_NONE },
	{ "int16", 3, { { 3, 20, 30 }, { 1, 9, 9 }, { 3, 7, 5 } }, JAG_LAYOUT_NONE },
	{ "uint8", 4, { { 9, 3, 20, 30 }, { 2, 1, 9, 9 }, { 7, 3, 7, 5 } }, JAG_LAYOUT_CHW },
	{ "uint8", 4, { { 9, 20, 30, 3 }, { 2, 9, 9, 4 }, { 7, 7, 5, 1 } }, JAG_LAYOUT_HWC },
	{ "uint8", 4, { { 3, 20, 30, 5 }, { 3, 9, 9, 6 }, { 1, 7, 5, 7 } }, JAG_LAYOUT_NONE },
};

static struct jag_sequence *sequence_of(const char *dir, const struct layout_case *c, struct jag_store **store)
{
	struct maker m = maker_at(dir);
	int64_t rows[ROWS * 4];
	struct jag_sequence *seq;
	for (unsigned i = 0; i < ROWS; i++)
		memcpy(rows + i * c->rank, c->rows[i], c->rank * sizeof(rows[0]));
	add_nested(&m, "k", c->dtype, c->rank, ROWS, rows);
	finish(&m, "[3]");
	*store = open_store(dir, 0);
	assert_int_equal(jag_sequence_of_leaf(get_leaf(*store, "k"), 1, &seq), 0);
	return seq;
}

static void the_rule(void **state)
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct jag_store *store;
		struct jag_layout_choice choice;
		struct jag_sequence *seq = sequence_of(*state, &cases[i], &store);
		jag_layout_decide(seq, JAG_LAYOUT_GUESS, JAG_LAYOUT_NONE, &choice);
		if (choice.layout != cases[i].layout)
			fail_msg("case %zu: %s instead of %s (%s)", i, jag_layout_name(choice.layout),
				 jag_layout_name(cases[i].layout), choice.why);
		assert_memory_equal(choice.why, cases[i].dtype, strlen(cases[i].dtype));
		jag_sequence_free(seq);
		jag_store_close(store);
	}
}

static void what_was_said_wins_over_the_guess(void **state)
{
	struct jag_store *store;
	struct jag_layout_choice choice;
	struct jag_sequence *seq = sequence_of(*state, &cases[0], &store);
	jag_layout_decide(seq, JAG_LAYOUT_OPTION, JAG_LAYOUT_NONE, &choice);
	assert_int_equal(choice.layout, JAG_LAYOUT_NONE);
	jag_layout_decide(seq, JAG_LAYOUT_RECORDED, JAG_LAYOUT_PLANES, &choice);
	assert_int_equal(choice.layout, JAG_LAYOUT_PLANES);
	assert_non_null(strstr(choice.why, "as the store says"));
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void a_layout_of_three_dimensions_needs_three(void **state)
{
	struct jag_store *store;
	struct jag_layout_choice choice;
	struct jag_sequence *seq = sequence_of(*state, &cases[12], &store);
	jag_layout_decide(seq, JAG_LAYOUT_OPTION, JAG_LAYOUT_CHW, &choice);
	assert_int_equal(choice.layout, JAG_LAYOUT_PLANES);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void names_of_layouts(void **state)
{
	(void)state;
	enum jag_layout layout;
	assert_int_equal(jag_layout_from_name("hwc", &layout), 1);
	assert_int_equal(layout, JAG_LAYOUT_HWC);
	assert_int_equal(jag_layout_from_name("auto", &layout), 0);
	assert_int_equal(jag_layout_from_name("CHW", &layout), -EINVAL);
	assert_int_equal(jag_layout_from_name("", &layout), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_rule, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(what_was_said_wins_over_the_guess, temp_setup, temp_teardown),
		cmocka_unit_test_setup_teardown(a_layout_of_three_dimensions_needs_three, temp_setup, temp_teardown),
		cmocka_unit_test(names_of_layouts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
