/* SPDX-License-Identifier: MIT */
/* test_workers.c - threads over an index range. */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "pipeline/workers.h"

#define TOTAL 1000

struct seen {
	atomic_uint count[TOTAL];
	atomic_uint workers_at_once[8];
	atomic_bool overlap;
	uint64_t fail_from;          /* indices from here fail */
	struct jag_watch *cancel_at; /* cancelled by index 100 */
	pthread_t caller;
	atomic_bool elsewhere;
};

static int visit(void *ctx, struct jag_range *range, struct jag_error *err)
{
	struct seen *seen = ctx;
	if (atomic_fetch_add(&seen->workers_at_once[range->worker], 1))
		atomic_store(&seen->overlap, true);
	if (!pthread_equal(pthread_self(), seen->caller))
		atomic_store(&seen->elsewhere, true);
	int rc = 0;
	for (uint64_t i = range->first; i < range->first + range->n && !rc; i++) {
		if (i >= seen->fail_from) {
			range->failed_at = i;
			rc = jag_error_set(err, -EIO, "file", i, "index %d", (int)i);
			break;
		}
		atomic_fetch_add(&seen->count[i], 1);
		if (seen->cancel_at && i == 100)
			atomic_store(&seen->cancel_at->cancel, true);
		/* Who is ahead waits, or it could do all the rest before the other thread gets to run. */
		while (seen->cancel_at && i > 100 && !atomic_load(&seen->cancel_at->cancel))
			sched_yield();
	}
	range->nbytes = 10 * range->n;
	atomic_fetch_sub(&seen->workers_at_once[range->worker], 1);
	return rc;
}

static struct seen *new_seen(void)
{
	struct seen *seen = calloc(1, sizeof(*seen));
	assert_non_null(seen);
	seen->fail_from = UINT64_MAX;
	seen->caller = pthread_self();
	return seen;
}

static int run(struct seen *seen, unsigned count, struct jag_watch *watch, struct jag_error *err)
{
	struct jag_workers job = { .count = count,
				   .total = TOTAL,
				   .chunk = 7,
				   .watch = watch,
				   .phase = JAG_PHASE_WORK,
				   .nbytes_total = 10 * TOTAL,
				   .work = visit,
				   .ctx = seen };
	return jag_workers_run(&job, err);
}

static void every_index_is_visited_once(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 4; count++) {
		struct seen *seen = new_seen();
		assert_int_equal(run(seen, count, NULL, NULL), 0);
		for (unsigned i = 0; i < TOTAL; i++)
			assert_int_equal(seen->count[i], 1);
		assert_false(seen->overlap);
		free(seen);
	}
}

static void one_worker_is_the_calling_thread(void **state)
{
	(void)state;
	struct seen *seen = new_seen();
	assert_int_equal(run(seen, 1, NULL, NULL), 0);
	assert_false(seen->elsewhere);
	free(seen);
}

static void several_workers_are_other_threads(void **state)
{
	(void)state;
	struct seen *seen = new_seen();
	assert_int_equal(run(seen, 3, NULL, NULL), 0);
	assert_true(seen->elsewhere);
	free(seen);
}

static void the_lowest_failing_index_wins(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		struct seen *seen = new_seen();
		struct jag_error err = { 0 };
		seen->fail_from = 333;
		assert_int_equal(run(seen, 1 + round % 4, NULL, &err), -EIO);
		assert_string_equal(err.message, "index 333");
		for (unsigned i = 0; i < 333; i++)
			assert_int_equal(seen->count[i], 1);
		free(seen);
	}
}

static void a_failure_stops_the_rest(void **state)
{
	(void)state;
	struct seen *seen = new_seen();
	seen->fail_from = 0;
	assert_int_equal(run(seen, 1, NULL, NULL), -EIO);
	assert_int_equal(seen->count[TOTAL - 1], 0);
	free(seen);
}

static void cancelling_stops_the_work(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 2; count++) {
		struct seen *seen = new_seen();
		struct jag_watch watch = { 0 };
		struct jag_error err = { 0 };
		seen->cancel_at = &watch;
		assert_int_equal(run(seen, count, &watch, &err), -ECANCELED);
		assert_int_equal(seen->count[TOTAL - 1], 0);
		free(seen);
	}
}

static void remember(void *ctx, const struct jag_progress_state *state)
{
	*(struct jag_progress_state *)ctx = *state;
}

static void the_last_report_is_complete(void **state)
{
	(void)state;
	for (unsigned count = 1; count <= 2; count++) {
		struct seen *seen = new_seen();
		struct jag_progress_state last = { 0 };
		struct jag_watch watch = { .report = remember, .ctx = &last };
		assert_int_equal(run(seen, count, &watch, NULL), 0);
		assert_int_equal(last.items_done, TOTAL);
		assert_int_equal(last.items_total, TOTAL);
		assert_int_equal(last.nbytes_done, 10 * TOTAL);
		assert_int_equal(last.phase, JAG_PHASE_WORK);
		free(seen);
	}
}

static void an_empty_range_is_done_at_once(void **state)
{
	(void)state;
	struct jag_workers job = { .count = 4, .work = visit };
	assert_int_equal(jag_workers_threads(&job), 1);
	assert_int_equal(jag_workers_run(&job, NULL), 0);
}

static void there_are_never_more_threads_than_indices(void **state)
{
	(void)state;
	struct jag_workers job = { .count = 64, .total = 3 };
	assert_int_equal(jag_workers_threads(&job), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_index_is_visited_once),
		cmocka_unit_test(one_worker_is_the_calling_thread),
		cmocka_unit_test(several_workers_are_other_threads),
		cmocka_unit_test(the_lowest_failing_index_wins),
		cmocka_unit_test(a_failure_stops_the_rest),
		cmocka_unit_test(cancelling_stops_the_work),
		cmocka_unit_test(the_last_report_is_complete),
		cmocka_unit_test(an_empty_range_is_done_at_once),
		cmocka_unit_test(there_are_never_more_threads_than_indices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
