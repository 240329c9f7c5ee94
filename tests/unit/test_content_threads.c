/* SPDX-License-Identifier: MIT */
/* test_content_threads.c - snapshots by several threads at a time, and while commits are made. */
#include "imagestore.h"

#include <pthread.h>
#include <stdatomic.h>

struct race {
	struct opened *o;
	const char *committed; /* what is stored to: the last element, or the whole that it is part of */
	pthread_barrier_t start;
	atomic_bool done;
	atomic_uint bad;
	atomic_uint attempts; /* snapshots begun */
};

static void *size_and_snapshot(void *arg)
{
	struct race *race = arg;
	struct jag_place place;
	struct jag_blob *blob;
	uint64_t size;
	jag_node node = node_at(race->o->tree, "image/4.jpg");
	if (jag_tree_place(race->o->tree, node, &place))
		return NULL;
	pthread_barrier_wait(&race->start);
	if (jag_content_size(race->o->content, node, &place, &size, NULL) ||
	    jag_content_snapshot(race->o->content, node, &place, &blob)) {
		atomic_fetch_add(&race->bad, 1);
		return NULL;
	}
	if (blob->nbytes != size)
		atomic_fetch_add(&race->bad, 1);
	jag_blob_unref(blob);
	return NULL;
}

static void readers_of_one_element_share_one_encoding(void **state)
{
	enum { THREADS = 6 };
	struct jag_content_stats stats;
	struct opened o = open_images(*state, NULL, NULL);
	struct race race = { .o = &o };
	pthread_t threads[THREADS];
	pthread_barrier_init(&race.start, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, size_and_snapshot, &race), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&race.start);
	jag_content_stats(o.content, &stats);
	assert_int_equal(race.bad, 0);
	assert_int_equal(stats.encodes, 1);
	close_images(&o);
}

/* Let both readers begin a snapshot; with the lock held they then wait. */
static void give_readers_a_chance(struct race *race)
{
	unsigned target = atomic_load(&race->attempts) + 2;
	for (unsigned i = 0; i < 1000 && atomic_load(&race->attempts) < target; i++)
		sched_yield();
}

/* Whole contents of one colour, stored under the element's lock as a commit does. */
static void *commit_colours(void *arg)
{
	struct race *race = arg;
	uint8_t *bytes = malloc(COUNT * NBYTES);
	struct jag_place place;
	if (bytes && jag_tree_place(race->o->tree, node_at(race->o->tree, race->committed), &place) == 0) {
		/* in two parts, so that a snapshot that does not wait sees both colours in the last element */
		size_t nbytes = place.element.nbytes, first = nbytes - NBYTES / 2;
		for (unsigned i = 0; i < 300; i++) {
			memset(bytes, (int)(i % 251), nbytes);
			jag_content_lock(race->o->content, &place);
			int rc = jag_element_write(&place.element, bytes, first, 0);
			give_readers_a_chance(race);
			if (rc || jag_element_write(&place.element, bytes, nbytes - first, first))
				atomic_fetch_add(&race->bad, 1);
			jag_content_unlock(race->o->content, &place);
		}
	} else {
		atomic_fetch_add(&race->bad, 1);
	}
	free(bytes);
	atomic_store(&race->done, true);
	return NULL;
}

/* A stored png of one colour has one value in every row; found without a decoder: its longest run of equal bytes. */
static bool has_one_colour(const struct jag_blob *blob)
{
	size_t counts[256] = { 0 }, most = 0;
	for (size_t i = 0; i < blob->nbytes; i++)
		counts[blob->data[i]]++;
	for (size_t i = 0; i < 256; i++)
		most = counts[i] > most ? counts[i] : most;
	return most >= NBYTES;
}

static void *read_colours(void *arg)
{
	struct race *race = arg;
	struct jag_place place;
	jag_node node = node_at(race->o->tree, "image/5.png");
	if (jag_tree_place(race->o->tree, node, &place))
		return NULL;
	while (!atomic_load(&race->done)) {
		struct jag_blob *blob;
		atomic_fetch_add(&race->attempts, 1);
		if (jag_content_snapshot(race->o->content, node, &place, &blob)) {
			atomic_fetch_add(&race->bad, 1);
			continue;
		}
		if (!has_one_colour(blob))
			atomic_fetch_add(&race->bad, 1);
		jag_blob_unref(blob);
	}
	return NULL;
}

static void run_race(struct opened *o, const char *committed)
{
	struct race race = { .o = o, .committed = committed };
	pthread_t writer, readers[2];
	assert_int_equal(pthread_create(&writer, NULL, commit_colours, &race), 0);
	for (unsigned i = 0; i < COUNT_OF(readers); i++)
		assert_int_equal(pthread_create(&readers[i], NULL, read_colours, &race), 0);
	pthread_join(writer, NULL);
	for (unsigned i = 0; i < COUNT_OF(readers); i++)
		pthread_join(readers[i], NULL);
	assert_int_equal(race.bad, 0);
}

static void snapshots_and_commits_exclude_each_other(void **state)
{
	struct opened o = open_images(*state, NULL, NULL);
	run_race(&o, "image@raw/5.bin");
	close_images(&o);
}

static void a_commit_of_the_whole_excludes_snapshots_of_its_rows(void **state)
{
	struct opened o = open_as(*state, false, NULL, NULL);
	run_race(&o, "image.bin");
	close_images(&o);
}

#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIRECTORY(readers_of_one_element_share_one_encoding),
		WITH_DIRECTORY(snapshots_and_commits_exclude_each_other),
		WITH_DIRECTORY(a_commit_of_the_whole_excludes_snapshots_of_its_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
