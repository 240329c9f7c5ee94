/* SPDX-License-Identifier: MIT */
/* test_sizes.c - sizes remembered with the hash that they belong to. */
#include "unit.h"

#include <malloc.h>
#include <pthread.h>

#include "content/sizes.h"
#include "tree/node.h"

static void what_was_set_is_got_in_every_view(void **state)
{
	(void)state;
	struct jag_sizes *sizes;
	uint64_t hash, size;
	jag_node node = jag_node_pack(3, 0, JAG_FORMAT_JPG, 1000), view = jag_node_pack(3, 6, JAG_FORMAT_JPG, 1000);
	assert_int_equal(jag_sizes_create(&sizes), 0);
	assert_false(jag_sizes_get(sizes, node, &hash, &size));
	jag_sizes_set(sizes, node, 77, 0);
	assert_true(jag_sizes_get(sizes, view, &hash, &size));
	assert_int_equal(hash, 77);
	assert_int_equal(size, 0);
	jag_sizes_set(sizes, view, 78, 123456);
	assert_true(jag_sizes_get(sizes, node, &hash, &size));
	assert_int_equal(size, 123456);
	assert_int_equal(jag_sizes_count(sizes), 1);
	assert_false(jag_sizes_get(sizes, node + 1, &hash, &size));
	jag_sizes_destroy(sizes);
}

static void sizes_beyond_32_bits_are_forgotten(void **state)
{
	(void)state;
	struct jag_sizes *sizes;
	uint64_t hash, size;
	assert_int_equal(jag_sizes_create(&sizes), 0);
	jag_sizes_set(sizes, 5, 1, UINT32_MAX - 1);
	assert_true(jag_sizes_get(sizes, 5, &hash, &size));
	assert_int_equal(size, UINT32_MAX - 1);
	jag_sizes_set(sizes, 5, 2, UINT32_MAX);
	assert_false(jag_sizes_get(sizes, 5, &hash, &size));
	assert_int_equal(jag_sizes_count(sizes), 0);
	jag_sizes_destroy(sizes);
}

static void twelve_bytes_for_each_element(void **state)
{
	(void)state;
	enum { COUNT = 1 << 20 };
	struct jag_sizes *sizes;
	uint64_t hash, size;
	size_t before = mallinfo2().uordblks;
	assert_int_equal(jag_sizes_create(&sizes), 0);
	for (uint64_t i = 0; i < COUNT; i++)
		jag_sizes_set(sizes, jag_node_pack(1, 0, JAG_FORMAT_JPG, i), i * 3, i);
	size_t used = mallinfo2().uordblks - before;
	assert_true(used < COUNT * 125 / 10);
	for (uint64_t i = 0; i < COUNT; i += 997) {
		assert_true(jag_sizes_get(sizes, jag_node_pack(1, 0, JAG_FORMAT_JPG, i), &hash, &size));
		assert_int_equal(hash, i * 3);
		assert_int_equal(size, i);
	}
	assert_int_equal(jag_sizes_count(sizes), COUNT);
	jag_sizes_destroy(sizes);
}

/* Writers of pairs that belong together; readers that must never see halves of two. */
struct torn {
	struct jag_sizes *sizes;
	int bad;
};

static void *write_pairs(void *arg)
{
	struct torn *torn = arg;
	for (uint64_t i = 0; i < 40000; i++)
		jag_sizes_set(torn->sizes, i % 8, i, i);
	return NULL;
}

static void *read_pairs(void *arg)
{
	struct torn *torn = arg;
	uint64_t hash, size;
	for (uint64_t i = 0; i < 40000; i++)
		if (jag_sizes_get(torn->sizes, i % 8, &hash, &size) && hash != size)
			__atomic_store_n(&torn->bad, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void hash_and_size_are_never_torn(void **state)
{
	(void)state;
	struct torn torn = { 0 };
	pthread_t threads[4];
	assert_int_equal(jag_sizes_create(&torn.sizes), 0);
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, i % 2 ? read_pairs : write_pairs, &torn), 0);
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(torn.bad, 0);
	jag_sizes_destroy(torn.sizes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_set_is_got_in_every_view),
		cmocka_unit_test(sizes_beyond_32_bits_are_forgotten),
		cmocka_unit_test(twelve_bytes_for_each_element),
		cmocka_unit_test(hash_and_size_are_never_torn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
