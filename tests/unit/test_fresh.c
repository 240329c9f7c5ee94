/* SPDX-License-Identifier: MIT */
/* test_fresh.c - how old a remembered size is, and which of two looks counts. */
#include "unit.h"

#include <time.h>

#include "content/fresh.h"

#define NODE 77
#define MOMENT 0.002 /* seconds */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void let_a_moment_pass(void)
{
	double start = now();
	while (now() - start <= MOMENT)
		;
}

/* A slow encoding made the size young again: a stat was then older than attr_timeout by the time that it took. */
static void a_size_is_as_old_as_the_beginning_of_its_look(void **state)
{
	struct jag_fresh *fresh;
	uint64_t size;
	double age;
	(void)state;
	assert_int_equal(jag_fresh_create(&fresh), 0);
	struct jag_fresh_look look = jag_fresh_begin(fresh);
	let_a_moment_pass();
	jag_fresh_set(fresh, NODE, 5, look);
	assert_false(jag_fresh_get(fresh, NODE, MOMENT, &size, &age));
	assert_true(jag_fresh_get(fresh, NODE, 60, &size, &age));
	assert_int_equal(size, 5);
	assert_true(age > MOMENT);
	jag_fresh_destroy(fresh);
}

/* Who began to encode before the element changed, and ends after it, took the place of what others had found since. */
static void a_look_that_began_earlier_and_ends_later_changes_nothing(void **state)
{
	struct jag_fresh *fresh;
	uint64_t size;
	double age;
	(void)state;
	assert_int_equal(jag_fresh_create(&fresh), 0);
	struct jag_fresh_look early = jag_fresh_begin(fresh);
	let_a_moment_pass();
	jag_fresh_set(fresh, NODE, 6, jag_fresh_begin(fresh));
	jag_fresh_set(fresh, NODE, 5, early);
	assert_true(jag_fresh_get(fresh, NODE, 60, &size, &age));
	assert_int_equal(size, 6);
	early = jag_fresh_begin(fresh);
	let_a_moment_pass();
	jag_fresh_drop(fresh, NODE);
	assert_false(jag_fresh_get(fresh, NODE, 60, &size, &age));
	jag_fresh_set(fresh, NODE, 5, early);
	assert_false(jag_fresh_get(fresh, NODE, 60, &size, &age));
	jag_fresh_set(fresh, NODE, 7, jag_fresh_begin(fresh));
	assert_true(jag_fresh_get(fresh, NODE, 60, &size, &age));
	assert_int_equal(size, 7);
	jag_fresh_destroy(fresh);
}

static void a_write_voids_looks_under_way_and_ended_ones(void **state)
{
	struct jag_fresh *fresh;
	uint64_t size;
	double age;
	(void)state;
	assert_int_equal(jag_fresh_create(&fresh), 0);
	struct jag_fresh_look look = jag_fresh_begin(fresh);
	jag_fresh_set(fresh, NODE, 5, look);
	jag_fresh_clear(fresh);
	assert_false(jag_fresh_get(fresh, NODE, 60, &size, &age));
	jag_fresh_set(fresh, NODE, 5, look);
	assert_false(jag_fresh_get(fresh, NODE, 60, &size, &age));
	jag_fresh_destroy(fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_size_is_as_old_as_the_beginning_of_its_look),
		cmocka_unit_test(a_look_that_began_earlier_and_ends_later_changes_nothing),
		cmocka_unit_test(a_write_voids_looks_under_way_and_ended_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
