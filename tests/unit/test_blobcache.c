/* SPDX-License-Identifier: MIT */
/* test_blobcache.c - finished encodings: bound, order of use, one encoder for each key. */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "content/blob.h"
#include "content/blobcache.h"

static struct jag_blob *blob_of(size_t nbytes, uint64_t hash)
{
	struct jag_buffer buf = { 0 };
	struct jag_blob *blob;
	assert_int_equal(jag_buffer_reserve(&buf, nbytes + 1), 0);
	memset(buf.data, (int)hash, nbytes);
	buf.nbytes = nbytes;
	assert_int_equal(jag_blob_take(&buf, hash, &blob), 0);
	return blob;
}

static struct jag_blobcache *cache_of(uint64_t limit)
{
	struct jag_blobcache *cache;
	assert_int_equal(jag_blobcache_create(limit, &cache), 0);
	return cache;
}

/* Encode a key that is not there. */
static void fill(struct jag_blobcache *cache, uint64_t key, size_t nbytes, enum jag_blob_sort sort)
{
	struct jag_blob *blob;
	assert_int_equal(jag_blobcache_begin(cache, key, &blob), 0);
	blob = blob_of(nbytes, key);
	jag_blobcache_end(cache, key, 0, blob, sort, true);
	jag_blob_unref(blob);
}

/* Is it there? Counts as a use. */
static bool has(struct jag_blobcache *cache, uint64_t key)
{
	struct jag_blob *blob;
	int rc = jag_blobcache_begin(cache, key, &blob);
	if (rc == 1) {
		assert_int_equal(blob->hash, key);
		jag_blob_unref(blob);
		return true;
	}
	assert_int_equal(rc, 0);
	jag_blobcache_end(cache, key, -ECANCELED, NULL, JAG_BLOB_COSTLY, false);
	return false;
}

static void what_was_encoded_is_found(void **state)
{
	(void)state;
	struct jag_blobcache *cache = cache_of(1000);
	fill(cache, 1, 10, JAG_BLOB_COSTLY);
	assert_true(has(cache, 1));
	assert_false(has(cache, 2));
	assert_int_equal(jag_blobcache_nbytes(cache), 10);
	jag_blobcache_destroy(cache);
}

static void the_least_recently_used_goes_first(void **state)
{
	(void)state;
	struct jag_blobcache *cache = cache_of(100);
	fill(cache, 1, 40, JAG_BLOB_COSTLY);
	fill(cache, 2, 40, JAG_BLOB_COSTLY);
	assert_true(has(cache, 1));
	fill(cache, 3, 40, JAG_BLOB_COSTLY);
	assert_false(has(cache, 2));
	assert_true(has(cache, 1));
	assert_true(has(cache, 3));
	jag_blobcache_destroy(cache);
}

static void the_limit_holds_whatever_is_put_in(void **state)
{
	(void)state;
	struct jag_blobcache *cache = cache_of(10000);
	unsigned seed = 9;
	for (uint64_t key = 1; key < 3000; key++) {
		seed = seed * 1103515245U + 12345U;
		fill(cache, key, (seed >> 16) % 4000, key % 3 ? JAG_BLOB_COSTLY : JAG_BLOB_CHEAP);
		assert_true(jag_blobcache_nbytes(cache) <= 10000);
	}
	assert_true(jag_blobcache_nbytes(cache) > 4000);
	jag_blobcache_destroy(cache);
}

static void what_is_larger_than_the_limit_is_not_kept(void **state)
{
	(void)state;
	struct jag_blobcache *cache = cache_of(100);
	fill(cache, 1, 60, JAG_BLOB_COSTLY);
	fill(cache, 2, 101, JAG_BLOB_COSTLY);
	assert_true(has(cache, 1));
	assert_false(has(cache, 2));
	jag_blobcache_destroy(cache);
}

static void cheap_blobs_push_no_costly_ones_out(void **state)
{
	(void)state;
	struct jag_blobcache *cache = cache_of(1000);
	for (uint64_t key = 1; key <= 9; key++)
		fill(cache, key, 100, JAG_BLOB_COSTLY);
	for (uint64_t key = 100; key < 150; key++)
		fill(cache, key, 100, JAG_BLOB_CHEAP);
	for (uint64_t key = 1; key <= 9; key++)
		assert_true(has(cache, key));
	assert_true(has(cache, 149));
	fill(cache, 10, 100, JAG_BLOB_COSTLY);
	fill(cache, 11, 100, JAG_BLOB_COSTLY);
	assert_false(has(cache, 149));
	jag_blobcache_destroy(cache);
}

static void cheap_blobs_have_a_quarter(void **state)
{
	(void)state;
	struct jag_blobcache *cache = cache_of(1000);
	for (uint64_t key = 100; key < 150; key++)
		fill(cache, key, 100, JAG_BLOB_CHEAP);
	assert_int_equal(jag_blobcache_nbytes(cache), 200);
	jag_blobcache_destroy(cache);
}

static void a_held_blob_outlives_its_eviction(void **state)
{
	(void)state;
	struct jag_blobcache *cache = cache_of(100);
	struct jag_blob *held;
	fill(cache, 7, 60, JAG_BLOB_COSTLY);
	assert_int_equal(jag_blobcache_begin(cache, 7, &held), 1);
	fill(cache, 8, 60, JAG_BLOB_COSTLY);
	assert_false(has(cache, 7));
	jag_blobcache_destroy(cache);
	for (size_t i = 0; i < 60; i++)
		assert_int_equal(held->data[i], 7);
	jag_blob_unref(held);
}

/* --- several threads want one key ------------------------------------------------------------------------------ */

struct flight {
	struct jag_blobcache *cache;
	pthread_barrier_t start;
	atomic_uint encoders, served, failed;
	int outcome; /* what the encoder ends with */
	bool keep;
};

static void *want(void *arg)
{
	struct flight *flight = arg;
	struct jag_blob *blob = NULL;
	pthread_barrier_wait(&flight->start);
	int rc = jag_blobcache_begin(flight->cache, 5, &blob);
	if (rc == 0) {
		atomic_fetch_add(&flight->encoders, 1);
		blob = flight->outcome ? NULL : blob_of(100, 5);
		/* the others have time to come: one that comes too late would encode again, and be counted */
		for (unsigned i = 0; i < 100; i++)
			sched_yield();
		jag_blobcache_end(flight->cache, 5, flight->outcome, blob, JAG_BLOB_CHEAP, flight->keep);
		rc = flight->outcome ? flight->outcome : 1;
	}
	if (rc == 1 && blob->hash == 5)
		atomic_fetch_add(&flight->served, 1);
	if (rc < 0 && rc == flight->outcome)
		atomic_fetch_add(&flight->failed, 1);
	if (rc == 1)
		jag_blob_unref(blob);
	return NULL;
}

#define THREADS 8

static void fly(struct flight *flight)
{
	pthread_t threads[THREADS];
	flight->cache = cache_of(1000);
	pthread_barrier_init(&flight->start, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, want, flight), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&flight->start);
	jag_blobcache_destroy(flight->cache);
}

static void one_encodes_and_all_are_served(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		struct flight flight = { .keep = true };
		fly(&flight);
		assert_int_equal(flight.encoders, 1);
		assert_int_equal(flight.served, THREADS);
	}
}

static void waiters_are_served_by_what_is_not_kept(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		struct flight flight = { .keep = false };
		fly(&flight);
		assert_true(flight.encoders >= 1);
		assert_int_equal(flight.served, THREADS);
	}
}

static void a_failure_wakes_those_who_wait(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		struct flight flight = { .outcome = -EIO };
		fly(&flight);
		assert_int_equal(flight.served, 0);
		assert_int_equal(flight.failed, THREADS);
	}
}

static void *come_and_go(void *arg)
{
	struct jag_blobcache *cache = arg;
	unsigned seed = (unsigned)(uintptr_t)pthread_self();
	for (unsigned i = 0; i < 5000; i++) {
		seed = seed * 1103515245U + 12345U;
		uint64_t key = (seed >> 16) % 40;
		struct jag_blob *blob;
		int rc = jag_blobcache_begin(cache, key, &blob);
		if (rc == 0) {
			bool fails = seed % 7 == 0;
			blob = fails ? NULL : blob_of(50 + key, key);
			jag_blobcache_end(cache, key, fails ? -EIO : 0, blob,
					  key % 2 ? JAG_BLOB_CHEAP : JAG_BLOB_COSTLY, seed % 5 != 0);
			rc = fails ? -EIO : 1;
		}
		if (rc == 1) {
			assert_int_equal(blob->data[0], key);
			jag_blob_unref(blob);
		}
	}
	return NULL;
}

static void many_keys_and_threads_leave_nothing_behind(void **state)
{
	(void)state;
	struct jag_blobcache *cache = cache_of(1000);
	pthread_t threads[4];
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, cache), 0);
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		pthread_join(threads[i], NULL);
	assert_true(jag_blobcache_nbytes(cache) <= 1000);
	jag_blobcache_destroy(cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_encoded_is_found),
		cmocka_unit_test(the_least_recently_used_goes_first),
		cmocka_unit_test(the_limit_holds_whatever_is_put_in),
		cmocka_unit_test(what_is_larger_than_the_limit_is_not_kept),
		cmocka_unit_test(cheap_blobs_push_no_costly_ones_out),
		cmocka_unit_test(cheap_blobs_have_a_quarter),
		cmocka_unit_test(a_held_blob_outlives_its_eviction),
		cmocka_unit_test(one_encodes_and_all_are_served),
		cmocka_unit_test(waiters_are_served_by_what_is_not_kept),
		cmocka_unit_test(a_failure_wakes_those_who_wait),
		cmocka_unit_test(many_keys_and_threads_leave_nothing_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
