/* SPDX-License-Identifier: MIT */
/* test_nested.c - the index over a shape matrix: right offsets, little memory, no trust in a file that changes. */
#include "tempstore.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "jag/sequence.h"
#include "nested.h"

static const char entry[] =
	"\"x\":{\"device\":\"cpu\",\"shape\":[%llu,%u],\"dtype\":\"torch.uint8\",\"is_nested\":true}";

static void put_nested(const char *dir, uint64_t n, unsigned d, uint64_t nbytes)
{
	char text[200];
	snprintf(text, sizeof(text), entry, (unsigned long long)n, d);
	put_meta(dir, text, "[]");
	put_hole(dir, "x.memmap", nbytes);
}

/* Row i is [i % 5, i % 3, 2]: zeros, and products that differ. */
static uint64_t put_varied(const char *dir, size_t n)
{
	int64_t *rows = calloc(n, 3 * sizeof(*rows));
	uint64_t total = 0;
	for (size_t i = 0; i < n; i++) {
		rows[3 * i] = (int64_t)(i % 5);
		rows[3 * i + 1] = (int64_t)(i % 3);
		rows[3 * i + 2] = 2;
		total += (i % 5) * (i % 3) * 2;
	}
	put_i64(dir, "x.shape.memmap", rows, 3 * n);
	free(rows);
	put_nested(dir, n, 3, total);
	return total;
}

static void offsets_are_the_running_sum(void **state)
{
	const size_t counts[] = { 1, 2, 63, 64, 65, 128, 129, 1000 };
	for (size_t c = 0; c < COUNT_OF(counts); c++) {
		uint64_t total = put_varied(*state, counts[c]), offset = 0;
		struct jag_store *store = open_store(*state, 0);
		const struct jag_leaf *leaf = get_leaf(store, "x");
		struct jag_sequence *seq;
		assert_int_equal(leaf->fault, 0);
		assert_int_equal(leaf->numel, total);
		assert_int_equal(jag_sequence_of_leaf(leaf, 0, &seq), 0);
		for (uint64_t i = 0; i < counts[c]; i++) {
			struct jag_element element;
			assert_int_equal(jag_sequence_locate(seq, i, &element), 0);
			assert_int_equal(element.shape.rank, 3);
			assert_int_equal(element.shape.dims[0], i % 5);
			assert_int_equal(element.shape.dims[1], i % 3);
			assert_int_equal(element.nbytes, (i % 5) * (i % 3) * 2);
			assert_int_equal(element.piece_count, element.nbytes ? 1 : 0);
			if (element.nbytes)
				assert_int_equal(element.pieces[0].offset, offset);
			offset += element.nbytes;
		}
		jag_sequence_free(seq);
		jag_store_close(store);
	}
}

static void statistics_of_dimensions(void **state)
{
	const int64_t rows[] = { 1, 4, 2, 3, 4, 900, 1, 4, 4 };
	put_i64(*state, "x.shape.memmap", rows, COUNT_OF(rows));
	put_nested(*state, 3, 3, 20000);
	struct jag_store *store = open_store(*state, 0);
	const struct jag_dim_stats *dims = get_leaf(store, "x")->dims;
	assert_true(dims[0].min == 1 && dims[0].max == 3);
	assert_true(dims[0].only_1_3 && dims[0].only_1_3_4 && !dims[0].only_4 && !dims[0].any_4);
	assert_true(dims[1].min == 4 && dims[1].max == 4);
	assert_true(!dims[1].only_1_3 && dims[1].only_1_3_4 && dims[1].only_4 && dims[1].any_4);
	assert_true(dims[2].min == 2 && dims[2].max == 900);
	assert_true(!dims[2].only_1_3_4 && !dims[2].only_4 && dims[2].any_4);
	jag_store_close(store);
}

static void ten_million_rows_cost_less_than_4_mib(void **state)
{
	const uint64_t n = 10 * 1000 * 1000;
	/* a hole: every row is [0, 0, 0] */
	put_hole(*state, "x.shape.memmap", n * 3 * 8);
	put_nested(*state, n, 3, 0);
	struct mallinfo2 before = mallinfo2();
	struct jag_store *store = open_store(*state, 0);
	struct mallinfo2 after = mallinfo2();
	size_t used = (after.uordblks + after.hblkhd) - (before.uordblks + before.hblkhd);
	assert_int_equal(get_leaf(store, "x")->count, n);
	assert_non_null(get_leaf(store, "x")->index);
	assert_true(used < (size_t)4 << 20);
	/* what is counted is really the index; a sanitizer's malloc counts nothing */
	if (after.uordblks > 0)
		assert_true(used > n / JAG_INDEX_BLOCK * 8);
	jag_store_close(store);
}

/* Overwrite one dimension of the open store's matrix. */
static void set_dim(const char *dir, uint64_t row, unsigned dim, int64_t v)
{
	int fd = open(path_in(dir, "x.shape.memmap"), O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &v, sizeof(v), (off_t)(row * 24 + dim * 8)), sizeof(v));
	close(fd);
}

struct open_leaf {
	struct jag_store *store;
	struct jag_sequence *seq;
};

static struct open_leaf open_varied(const char *dir, size_t n)
{
	struct open_leaf o;
	put_varied(dir, n);
	o.store = open_store(dir, 0);
	assert_int_equal(jag_sequence_of_leaf(get_leaf(o.store, "x"), 0, &o.seq), 0);
	return o;
}

static void close_leaf(struct open_leaf o)
{
	jag_sequence_free(o.seq);
	jag_store_close(o.store);
}

static void a_changed_matrix_is_an_error_in_its_block_only(void **state)
{
	const int64_t values[] = { 100, -1, INT64_MAX, INT64_MIN, 0 };
	struct jag_element element;
	struct open_leaf o = open_varied(*state, 200);
	for (size_t v = 0; v < COUNT_OF(values); v++) {
		set_dim(*state, 71, 2, values[v]);
		assert_int_equal(jag_sequence_locate(o.seq, 70, &element), -EIO);
		assert_int_equal(jag_sequence_locate(o.seq, 71, &element), -EIO);
		assert_int_equal(jag_sequence_locate(o.seq, 127, &element), -EIO);
		assert_int_equal(jag_sequence_locate(o.seq, 63, &element), 0);
		assert_int_equal(jag_sequence_locate(o.seq, 128, &element), 0);
	}
	set_dim(*state, 71, 2, 2);
	assert_int_equal(jag_sequence_locate(o.seq, 71, &element), 0);
	close_leaf(o);
}

static void a_swap_with_the_same_sum_stays_inside_the_block(void **state)
{
	struct jag_element element;
	struct open_leaf o = open_varied(*state, 200);
	/* rows 71 = [1,2,2] and 74 = [4,2,2]: exchange their first dimensions */
	set_dim(*state, 71, 0, 4);
	set_dim(*state, 74, 0, 1);
	assert_int_equal(jag_sequence_locate(o.seq, 74, &element), 0);
	assert_int_equal(element.nbytes, 4);
	assert_true(element.pieces[0].offset + element.nbytes <= get_leaf(o.store, "x")->nbytes);
	close_leaf(o);
}

static void a_cut_matrix_is_eio(void **state)
{
	struct jag_element element;
	struct open_leaf o = open_varied(*state, 200);
	cut_file(*state, "x.shape.memmap", 130 * 24);
	assert_int_equal(jag_sequence_locate(o.seq, 127, &element), 0);
	assert_int_equal(jag_sequence_locate(o.seq, 128, &element), -EIO);
	assert_int_equal(jag_sequence_locate(o.seq, 199, &element), -EIO);
	close_leaf(o);
}

static void components_of_rank_64(void **state)
{
	int64_t rows[128];
	for (size_t k = 0; k < 128; k++)
		rows[k] = 1;
	rows[63] = 5;
	rows[64] = 7;
	put_i64(*state, "x.shape.memmap", rows, 128);
	put_nested(*state, 2, 64, 12);
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *seq;
	struct jag_element element;
	assert_int_equal(jag_sequence_of_leaf(get_leaf(store, "x"), 0, &seq), 0);
	assert_int_equal(jag_sequence_locate(seq, 1, &element), 0);
	assert_int_equal(element.pieces[0].offset, 5);
	assert_int_equal(element.nbytes, 7);
	jag_sequence_free(seq);
	jag_store_close(store);
}

#define in_temp(test) cmocka_unit_test_setup_teardown(test, temp_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_temp(offsets_are_the_running_sum),
		in_temp(statistics_of_dimensions),
		in_temp(ten_million_rows_cost_less_than_4_mib),
		in_temp(a_changed_matrix_is_an_error_in_its_block_only),
		in_temp(a_swap_with_the_same_sum_stays_inside_the_block),
		in_temp(a_cut_matrix_is_eio),
		in_temp(components_of_rank_64),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
