/* SPDX-License-Identifier: MIT */
/* test_staging.c - staged bytes, their budget, episodes and commit points. */
#include "staged.h"

/* Opened with O_TRUNC. */
static struct jag_staging *stage_anew(struct opened *o, const char *path)
{
	struct jag_staging *staging = stage(o, path);
	assert_int_equal(jag_staging_open(staging, true), 0);
	return staging;
}

static void write_all(struct jag_staging *staging, char byte, size_t n, uint64_t offset)
{
	char bytes[256];
	assert_true(n <= sizeof(bytes));
	memset(bytes, byte, n);
	assert_int_equal(jag_staging_write(staging, bytes, n, offset), 0);
}

static int commit_at(struct opened *o, struct jag_staging *staging, enum jag_staging_point point)
{
	struct jag_staging_result result;
	return jag_staging_commit(staging, o->content, point, &result);
}

/* True: abandoned. */
static bool close_one(struct opened *o, struct jag_staging *staging)
{
	struct jag_staging_result result;
	return jag_staging_close(staging, o->content, &result);
}

static void end(struct opened *o, struct jag_staging *staging)
{
	close_one(o, staging);
	jag_staging_free(staging);
}

static bool holds(struct opened *o, const char *path, char byte)
{
	struct jag_buffer now = { 0 };
	bool all = true;
	read_file_at(o->content, path, &now);
	for (size_t i = 0; i < now.nbytes; i++)
		all = all && now.data[i] == (uint8_t)byte;
	jag_buffer_free(&now);
	return all;
}

static void commits_at_the_flush_of_its_opener(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging = stage_anew(o, "blob/0.bin");
	write_all(staging, 'a', NBYTES, 0);
	assert_false(holds(o, "blob/0.bin", 'a'));
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH), 0);
	assert_true(holds(o, "blob/0.bin", 'a'));
	end(o, staging);
	assert_int_equal(o->pool.commits, 1);
	assert_int_equal(o->pool.committed_nbytes, NBYTES);
}

static void nothing_written_is_no_error_and_no_commit(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging = stage_anew(o, "blob/0.bin");
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH), 0);
	assert_true(close_one(o, staging));
	jag_staging_free(staging);
	assert_int_equal(o->pool.abandoned, 1);
}

static void emptied_and_left_is_refused(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging = stage_anew(o, "blob/0.bin");
	assert_int_equal(jag_staging_truncate(staging, 0, true), 0);
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH), -EINVAL);
	end(o, staging);
	assert_int_equal(o->pool.refusals, 1);
}

static void a_refusal_is_told_again_but_logged_once(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging_result result;
	struct jag_staging *staging = stage_anew(o, "blob/0.bin");
	write_all(staging, 'a', NBYTES - 1, 0);
	assert_int_equal(jag_staging_commit(staging, o->content, JAG_STAGING_FSYNC, &result), -EINVAL);
	assert_true(result.refused);
	assert_string_equal(result.err.message, "24 bytes expected, 23 written");
	assert_int_equal(jag_staging_commit(staging, o->content, JAG_STAGING_FLUSH, &result), -EINVAL);
	assert_false(result.refused);
	write_all(staging, 'a', 1, NBYTES - 1);
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH), 0);
	end(o, staging);
	assert_int_equal(o->pool.commits, 1);
	assert_int_equal(o->pool.refusals, 0); /* an episode ends in one way */
}

static void heirs_hear_of_nothing(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging = stage_anew(o, "feat/0.bin");
	write_all(staging, 'a', 20, 0);
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH_OTHER), 0);
	write_all(staging, 'a', 60, 20);
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH_OTHER), 0);
	assert_true(holds(o, "feat/0.bin", 'a'));
	end(o, staging);
}

static void the_last_release_commits_what_came_after_the_flush(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging = stage_anew(o, "blob/1.bin");
	assert_int_equal(jag_staging_open(staging, false), 0);
	write_all(staging, 'b', NBYTES, 0);
	assert_false(close_one(o, staging)); /* one more has it open */
	assert_false(holds(o, "blob/1.bin", 'b'));
	end(o, staging);
	assert_true(holds(o, "blob/1.bin", 'b'));
}

struct closer {
	struct opened *o;
	struct jag_staging *staging;
	pthread_barrier_t start;
};

static void *close_at_once(void *arg)
{
	struct closer *closer = arg;
	pthread_barrier_wait(&closer->start);
	close_one(closer->o, closer->staging);
	return NULL;
}

/* Each of two closes looked for other handles before either had gone: both left the commit to the other. */
static void the_last_of_two_that_close_at_a_time_commits(void **state)
{
	struct closer closer = { .o = opened(state) };
	pthread_t threads[2];
	for (int round = 0; round < 500; round++) {
		char byte = (char)('a' + round % 26);
		closer.staging = stage_anew(closer.o, "blob/1.bin");
		assert_int_equal(jag_staging_open(closer.staging, false), 0);
		write_all(closer.staging, byte, NBYTES, 0);
		pthread_barrier_init(&closer.start, NULL, 2);
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, close_at_once, &closer), 0);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		pthread_barrier_destroy(&closer.start);
		jag_staging_free(closer.staging);
		assert_true(holds(closer.o, "blob/1.bin", byte));
	}
}

/* The shapes can be cut under us: then nothing was said of what had been written, and it was counted as abandoned. */
static void what_cannot_be_located_is_refused(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging_result result;
	struct jag_staging *staging;
	jag_node nowhere = node_at(o->tree, "blob/1.bin") + 1000;
	assert_int_equal(jag_staging_create(&o->pool, nowhere, NULL, &staging), 0);
	assert_int_equal(jag_staging_open(staging, true), 0);
	write_all(staging, 'b', NBYTES, 0);
	assert_false(jag_staging_close(staging, o->content, &result));
	assert_true(result.refused);
	assert_non_null(strstr(result.err.message, "cannot be located"));
	assert_int_equal(o->pool.refusals, 1);
	jag_staging_free(staging);
}

static void holes_are_zero(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging = stage_anew(o, "blob/0.bin");
	char bytes[NBYTES + 8];
	write_all(staging, 'x', NBYTES, 0);
	assert_int_equal(jag_staging_truncate(staging, 4, true), 0);
	write_all(staging, 'a', 1, NBYTES - 1); /* over memory that held x */
	assert_int_equal(jag_staging_read(staging, bytes, sizeof(bytes), 0), NBYTES);
	assert_memory_equal(bytes, "xxxx", 4);
	for (size_t i = 4; i < NBYTES - 1; i++)
		assert_int_equal(bytes[i], 0);
	assert_int_equal(bytes[NBYTES - 1], 'a');
	assert_int_equal(jag_staging_read(staging, bytes, 5, NBYTES), 0);
	end(o, staging);
}

static void bytes_are_bounded_and_given_back(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *a = stage(o, NULL), *b = stage(o, NULL);
	assert_int_equal(jag_staging_truncate(a, 50000, true), 0);
	assert_int_equal(jag_staging_truncate(b, 50000, true), -ENOSPC);
	write_all(b, 'b', 100, 0); /* there is still room for a little */
	assert_int_equal(jag_staging_write(b, "b", 1, UINT64_MAX), -EFBIG);
	jag_staging_free(a);
	assert_int_equal(jag_staging_truncate(b, 50000, true), 0);
	jag_staging_free(b);
}

struct greedy {
	struct opened *o;
	bool stop; /* atomic */
};

/* Over and over more than the budget allows. */
static void *ask_too_much(void *arg)
{
	struct greedy *greedy = arg;
	struct jag_staging *staging = stage(greedy->o, NULL);
	while (!__atomic_load_n(&greedy->stop, __ATOMIC_RELAXED))
		if (jag_staging_write(staging, "A", 1, 1 << 20) != -ENOSPC)
			break;
	jag_staging_free(staging);
	return NULL;
}

/* What was refused had been taken from the budget for a moment, and a write that had room was refused with it. */
static void a_refused_write_refuses_no_other(void **state)
{
	struct opened *o = opened(state);
	struct greedy greedy = { .o = o };
	struct timespec begin, now;
	pthread_t thread;
	int rc = 0;
	assert_int_equal(pthread_create(&thread, NULL, ask_too_much, &greedy), 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		struct jag_staging *staging = stage(o, NULL);
		rc = jag_staging_write(staging, "A", 1, 0);
		jag_staging_free(staging);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (rc == 0 && now.tv_sec - begin.tv_sec < 1);
	__atomic_store_n(&greedy.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_int_equal(rc, 0);
}

static void unchanged_content_keeps_its_size(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging;
	struct jag_blob *origin;
	char bytes[4];
	assert_int_equal(jag_blob_create("abc", 3, &origin), 0);
	assert_int_equal(jag_staging_create(&o->pool, node_at(o->tree, "blob/0.bin"), origin, &staging), 0);
	jag_blob_unref(origin);
	assert_int_equal(jag_staging_open(staging, false), 0);
	assert_int_equal(jag_staging_truncate(staging, 3, true), 0);
	assert_int_equal(jag_staging_truncate(staging, 4, true), -EFBIG);
	assert_int_equal(jag_staging_truncate(staging, 2, true), -EINVAL);
	assert_int_equal(o->pool.staged, 0);
	write_all(staging, 'x', 1, 1);
	assert_int_equal(jag_staging_truncate(staging, 2, true), 0);
	assert_int_equal(jag_staging_read(staging, bytes, 4, 0), 2);
	assert_memory_equal(bytes, "ax", 2);
	end(o, staging);
}

static void a_finished_one_has_to_be_looked_up_again(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging = stage_anew(o, "blob/0.bin");
	uint64_t size;
	write_all(staging, 'a', NBYTES, 0);
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH), 0);
	close_one(o, staging);
	assert_false(jag_staging_size(staging, &size));
	assert_int_equal(jag_staging_open(staging, false), -ESTALE);
	assert_int_equal(jag_staging_open(staging, true), 0);
	end(o, staging);
	assert_int_equal(o->pool.staged, 2);
}

static void a_rename_commits_and_the_open_file_may_commit_again(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging_result result;
	struct jag_staging *staging = stage(o, NULL);
	assert_int_equal(jag_staging_open(staging, false), 0);
	write_all(staging, 'a', NBYTES, 0);
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH), 0);
	assert_false(holds(o, "blob/1.bin", 'a'));
	assert_int_equal(jag_staging_rename(staging, o->content, node_at(o->tree, "feat/0.bin"), &result), -EINVAL);
	assert_int_equal(jag_staging_target(staging), 0);
	assert_int_equal(jag_staging_rename(staging, o->content, node_at(o->tree, "blob/1.bin"), &result), 0);
	assert_true(result.committed);
	assert_int_equal(o->pool.anew, 1); /* sizes that are told until it is closed may change again */
	assert_false(jag_staging_drop_name(staging));
	assert_true(holds(o, "blob/1.bin", 'a'));
	write_all(staging, 'b', NBYTES, 0);
	assert_int_equal(commit_at(o, staging, JAG_STAGING_FLUSH), 0);
	assert_true(holds(o, "blob/1.bin", 'b'));
	end(o, staging);
}

static void a_dropped_name_is_abandoned_when_nobody_has_it_open(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging *staging = stage(o, NULL);
	assert_int_equal(jag_staging_open(staging, false), 0);
	write_all(staging, 'a', 10, 0);
	assert_false(jag_staging_drop_name(staging));
	assert_true(close_one(o, staging));
	jag_staging_free(staging);
	assert_int_equal(o->pool.abandoned, 1);
}

static void a_set_time_stays_until_the_next_write(void **state)
{
	struct opened *o = opened(state);
	struct jag_staging_result result;
	struct jag_staging *staging = stage_anew(o, "blob/0.bin");
	write_all(staging, 'a', NBYTES, 0);
	staging->mtime = (struct timespec){ .tv_sec = 1234 };
	staging->has_mtime = true;
	assert_int_equal(jag_staging_commit(staging, o->content, JAG_STAGING_FLUSH, &result), 0);
	assert_int_equal(result.mtime.tv_sec, 1234);
	write_all(staging, 'b', NBYTES, 0);
	assert_int_equal(jag_staging_commit(staging, o->content, JAG_STAGING_FLUSH, &result), 0);
	assert_true(result.mtime.tv_sec > 1000000);
	end(o, staging);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(commits_at_the_flush_of_its_opener),
		TEST(nothing_written_is_no_error_and_no_commit),
		TEST(emptied_and_left_is_refused),
		TEST(a_refusal_is_told_again_but_logged_once),
		TEST(heirs_hear_of_nothing),
		TEST(the_last_release_commits_what_came_after_the_flush),
		TEST(the_last_of_two_that_close_at_a_time_commits),
		TEST(what_cannot_be_located_is_refused),
		TEST(holes_are_zero),
		TEST(bytes_are_bounded_and_given_back),
		TEST(a_refused_write_refuses_no_other),
		TEST(unchanged_content_keeps_its_size),
		TEST(a_finished_one_has_to_be_looked_up_again),
		TEST(a_rename_commits_and_the_open_file_may_commit_again),
		TEST(a_dropped_name_is_abandoned_when_nobody_has_it_open),
		TEST(a_set_time_stays_until_the_next_write),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
