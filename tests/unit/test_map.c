/* SPDX-License-Identifier: MIT */
/* test_map.c - a function over the elements of a sequence, one element into many, setting elements. */
#include "unit.h"

#include "jag/map.h"
#include "jag/store.h"
#include "tempdir.h"

/* A store with `n` (nested uint8, sizes 0..count-1), `d` (dense float32 [count, 2]) and `one` (dense uint8 [3]). */
struct world {
	struct tempdir *t;
	struct jag_store *store;
	struct jag_sequence *nested, *dense;
	uint64_t count;
};

static struct jag_sequence *sequence(struct jag_store *store, const char *key)
{
	struct jag_entry entry;
	struct jag_sequence *seq;
	assert_int_equal(jag_store_find(store, key, &entry), 0);
	assert_int_equal(jag_sequence_of_leaf(entry.leaf, 1, &seq), 0);
	return seq;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	void *t;
	assert_int_equal(tempdir_setup(&t), 0);
	w->t = t;
	w->count = 100;
	struct jag_create *create;
	struct jag_create_leaf *leaf;
	int64_t sizes[100];
	for (int i = 0; i < 100; i++)
		sizes[i] = i;
	struct jag_rows rows = { .count = 100, .rank = 1, .values = sizes };
	struct jag_shape dense = { .dtype = JAG_FLOAT32, .rank = 2, .dims = { 100, 2 } };
	assert_int_equal(jag_create_new(tempdir_path(w->t, "s"), JAG_CREATE_NOSYNC, &create, NULL), 0);
	assert_int_equal(jag_create_nested(jag_create_root(create), "n", JAG_UINT8, &rows, &leaf, NULL), 0);
	assert_int_equal(jag_create_dense(jag_create_root(create), "d", &dense, &leaf, NULL), 0);
	assert_int_equal(jag_create_finish(create, NULL), 0);
	assert_int_equal(jag_store_open(tempdir_path(w->t, "s"), JAG_STORE_WRITE, &w->store, NULL), 0);
	w->nested = sequence(w->store, "n");
	w->dense = sequence(w->store, "d");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;
	jag_sequence_free(w->nested);
	jag_sequence_free(w->dense);
	jag_store_close(w->store);
	void *t = w->t;
	free(w);
	return tempdir_teardown(&t);
}

static int fill_with_index(void *ctx, struct jag_map_item *item, struct jag_error *err)
{
	(void)ctx;
	(void)err;
	assert_null(item->in.data);
	memset(item->out, (int)item->index, (size_t)item->out_nbytes);
	return 0;
}

/* [sum of the bytes, number of bytes] as float32. */
static int sum_up(void *ctx, struct jag_map_item *item, struct jag_error *err)
{
	float sums[2] = { 0, (float)item->in.nbytes };
	(void)err;
	assert_int_equal(item->out_nbytes, sizeof(sums));
	assert_int_equal(item->out_shape->rank, 1);
	for (uint64_t i = 0; i < item->in.nbytes; i++)
		sums[0] += item->in.data[i];
	memcpy(item->out, sums, sizeof(sums));
	if (ctx)
		atomic_fetch_add((atomic_int *)ctx, 1);
	return 0;
}

static void results_go_to_their_own_element(void **state)
{
	struct world *w = *state;
	for (unsigned workers = 1; workers <= 3; workers++) {
		atomic_int calls = 0;
		struct jag_map first = { .destination = w->nested, .call = fill_with_index, .workers = workers };
		struct jag_map second = {
			.source = w->nested, .destination = w->dense, .call = sum_up, .ctx = &calls, .workers = workers
		};
		assert_int_equal(jag_map(&first, NULL), 0);
		assert_int_equal(jag_map(&second, NULL), 0);
		assert_int_equal(calls, 100);
		for (uint64_t i = 0; i < w->count; i++) {
			struct jag_element element;
			float sums[2];
			assert_int_equal(jag_sequence_locate(w->dense, i, &element), 0);
			assert_int_equal(jag_element_read(&element, sums, sizeof(sums), 0), 0);
			assert_true(sums[0] == (float)(i * i) && sums[1] == (float)i);
		}
	}
}

static int fail_at_40(void *ctx, struct jag_map_item *item, struct jag_error *err)
{
	(void)ctx;
	memset(item->out, 7, (size_t)item->out_nbytes);
	return item->index >= 40 ? jag_error_set(err, -EDOM, NULL, 0, "no") : 0;
}

static void the_first_error_comes_back(void **state)
{
	struct world *w = *state;
	for (unsigned workers = 1; workers <= 3; workers++) {
		struct jag_error err = { 0 };
		struct jag_element element;
		uint8_t byte = 1;
		struct jag_map map = { .destination = w->nested, .call = fail_at_40, .workers = workers };
		assert_int_equal(jag_map(&map, &err), -EDOM);
		assert_string_equal(err.message, "element 40: no");
		/* What failed is not written; what came before is. */
		assert_int_equal(jag_sequence_locate(w->nested, 40, &element), 0);
		assert_int_equal(jag_element_read(&element, &byte, 1, 0), 0);
		assert_int_equal(byte, 0);
		assert_int_equal(jag_sequence_locate(w->nested, 39, &element), 0);
		assert_int_equal(jag_element_read(&element, &byte, 1, 0), 0);
		assert_int_equal(byte, 7);
	}
}

static int cancel(void *ctx, struct jag_map_item *item, struct jag_error *err)
{
	(void)item;
	(void)err;
	atomic_store(&((struct jag_watch *)ctx)->cancel, true);
	return 0;
}

static void a_map_can_be_cancelled(void **state)
{
	struct world *w = *state;
	for (unsigned workers = 1; workers <= 2; workers++) {
		struct jag_watch watch = { 0 };
		struct jag_map map = {
			.source = w->nested, .call = cancel, .ctx = &watch, .workers = workers, .watch = &watch
		};
		assert_int_equal(jag_map(&map, NULL), -ECANCELED);
	}
}

static void counts_must_agree(void **state)
{
	struct world *w = *state;
	struct jag_entry entry;
	struct jag_sequence *whole;
	assert_int_equal(jag_store_find(w->store, "d", &entry), 0);
	assert_int_equal(jag_sequence_whole(entry.leaf, &whole), 0);
	struct jag_map uneven = { .source = w->nested, .destination = whole, .call = sum_up },
		       none = { .call = sum_up };
	assert_int_equal(jag_map(&uneven, NULL), -EINVAL);
	assert_int_equal(jag_map(&none, NULL), -EINVAL);
	jag_sequence_free(whole);
}

static void one_element_is_repeated(void **state)
{
	struct world *w = *state;
	struct jag_element first, last;
	const float pair[2] = { 1.5f, -2.0f };
	float got[2];
	assert_int_equal(jag_sequence_locate(w->dense, 0, &first), 0);
	assert_int_equal(jag_element_write(&first, pair, sizeof(pair), 0), 0);
	assert_int_equal(jag_expand(&first, w->dense, 2, NULL, NULL), 0);
	assert_int_equal(jag_sequence_locate(w->dense, 99, &last), 0);
	assert_int_equal(jag_element_read(&last, got, sizeof(got), 0), 0);
	assert_memory_equal(got, pair, sizeof(pair));
	/* The nested elements have other shapes: refused, and nothing is written. */
	assert_int_equal(jag_expand(&first, w->nested, 2, NULL, NULL), -EINVAL);
}

static int set(struct world *w, uint64_t index, const struct jag_shape *shape, const void *data)
{
	struct jag_element element;
	struct jag_view value = { shape, data, 0 };
	assert_int_equal(jag_shape_nbytes(shape, &value.nbytes), 0);
	assert_int_equal(jag_sequence_locate(w->nested, index, &element), 0);
	return jag_element_set(&element, &value, NULL);
}

static void assert_bytes(struct world *w, uint64_t index, const char *expected)
{
	struct jag_element element;
	char got[100] = "";
	assert_int_equal(jag_sequence_locate(w->nested, index, &element), 0);
	assert_int_equal(jag_element_read(&element, got, (size_t)element.nbytes, 0), 0);
	assert_memory_equal(got, expected, (size_t)element.nbytes);
}

static void values_are_cast_and_repeated(void **state)
{
	struct world *w = *state;
	struct jag_shape same = { .dtype = JAG_UINT8, .rank = 1, .dims = { 3 } };
	struct jag_shape floats = { .dtype = JAG_FLOAT32, .rank = 1, .dims = { 3 } };
	struct jag_shape one = { .dtype = JAG_INT64, .rank = 1, .dims = { 1 } }, scalar = { .dtype = JAG_INT16 };
	const float numbers[] = { 65.9f, 66.0f, 0.9f };
	const int64_t wide = 0x141;
	const int16_t narrow = 'z';
	assert_int_equal(set(w, 3, &same, "xyz"), 0);
	assert_bytes(w, 3, "xyz");
	assert_int_equal(set(w, 3, &floats, numbers), 0);
	assert_bytes(w, 3, "AB\0");
	assert_int_equal(set(w, 5, &one, &wide), 0);
	assert_bytes(w, 5, "AAAAA");
	assert_int_equal(set(w, 4, &scalar, &narrow), 0);
	assert_bytes(w, 4, "zzzz");
}

static void values_of_another_shape_are_refused(void **state)
{
	struct world *w = *state;
	struct jag_shape two = { .dtype = JAG_UINT8, .rank = 1, .dims = { 2 } };
	struct jag_shape deep = { .dtype = JAG_UINT8, .rank = 2, .dims = { 1, 3 } };
	assert_int_equal(set(w, 3, &two, "xy"), -EINVAL);
	assert_int_equal(set(w, 3, &deep, "xyz"), -EINVAL);
	assert_bytes(w, 3, "\0\0\0");
}

/* [2, 3, 2] from [3, 1]: rows and columns repeat. */
static void inner_dimensions_are_broadcast(void **state)
{
	struct world *w = *state;
	struct jag_create *create;
	struct jag_create_leaf *leaf;
	struct jag_store *store;
	struct jag_shape shape = { .dtype = JAG_INT16, .rank = 4, .dims = { 1, 2, 3, 2 } };
	struct jag_shape column = { .dtype = JAG_UINT8, .rank = 2, .dims = { 3, 1 } };
	struct jag_view value = { &column, (const uint8_t *)"\1\2\3", 3 };
	struct jag_element element;
	int16_t got[12];
	static const int16_t want[12] = { 1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3 };
	assert_int_equal(jag_create_new(tempdir_path(w->t, "b"), JAG_CREATE_NOSYNC, &create, NULL), 0);
	assert_int_equal(jag_create_dense(jag_create_root(create), "x", &shape, &leaf, NULL), 0);
	assert_int_equal(jag_create_allocate(create, NULL), 0);
	assert_int_equal(jag_create_store(create, &store, NULL), 0);
	struct jag_sequence *seq = sequence(store, "x");
	assert_int_equal(jag_sequence_locate(seq, 0, &element), 0);
	assert_int_equal(jag_element_set(&element, &value, NULL), 0);
	assert_int_equal(jag_element_read(&element, got, sizeof(got), 0), 0);
	assert_memory_equal(got, want, sizeof(want));
	jag_sequence_free(seq);
	jag_store_close(store);
	jag_create_discard(create);
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(results_go_to_their_own_element),
		T(the_first_error_comes_back),
		T(a_map_can_be_cancelled),
		T(counts_must_agree),
		T(one_element_is_repeated),
		T(values_are_cast_and_repeated),
		T(values_of_another_shape_are_refused),
		T(inner_dimensions_are_broadcast),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
