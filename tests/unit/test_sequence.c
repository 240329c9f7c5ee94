/* SPDX-License-Identifier: MIT */
/* test_sequence.c - where elements lie, joined and narrowed; reading and writing them while files change. */
#include "tempstore.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jag/sequence.h"
#include "store/file.h"

#define LEAF(key, shape, dtype) "\"" key "\":{\"shape\":" shape ",\"dtype\":\"torch." dtype "\",\"is_nested\":false}"
#define NESTED(key, shape) "\"" key "\":{\"shape\":" shape ",\"dtype\":\"torch.uint8\",\"is_nested\":true}"

/* x: nested [3,2,2], [3,1,4] with bytes 0..23; y: dense uint8 [2,3,4] with bytes 100..123; z: int16 [2]. */
static void put_sample(const char *dir)
{
	uint8_t bytes[24];
	const int64_t rows[] = { 3, 2, 2, 3, 1, 4 };
	put_meta(dir, NESTED("x", "[2,3]") "," LEAF("y", "[2,3,4]", "uint8") "," LEAF("z", "[2]", "int16"), "[2]");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	put_bytes(dir, "x.memmap", bytes, sizeof(bytes));
	put_i64(dir, "x.shape.memmap", rows, COUNT_OF(rows));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(100 + i);
	put_bytes(dir, "y.memmap", bytes, sizeof(bytes));
	put_bytes(dir, "z.memmap", "\1\0\2\0", 4);
}

static int sample_setup(void **state)
{
	int rc = temp_setup(state);
	if (rc == 0)
		put_sample(*state);
	return rc;
}

static struct jag_sequence *elements_of(const struct jag_store *store, const char *key, unsigned batch_rank)
{
	struct jag_sequence *seq = NULL;
	assert_int_equal(jag_sequence_of_leaf(get_leaf(store, key), batch_rank, &seq), 0);
	return seq;
}

static struct jag_element locate(const struct jag_sequence *seq, uint64_t i)
{
	struct jag_element element;
	assert_int_equal(jag_sequence_locate(seq, i, &element), 0);
	return element;
}

static void assert_element(const struct jag_element *element, const char *shape, uint8_t first, size_t nbytes)
{
	char text[64];
	uint8_t bytes[64];
	assert_string_equal(jag_shape_text(&element->shape, text, sizeof(text)), shape);
	assert_int_equal(element->nbytes, nbytes);
	assert_int_equal(jag_element_read(element, bytes, nbytes, 0), 0);
	for (size_t i = 0; i < nbytes; i++)
		assert_int_equal(bytes[i], first + i);
}

static void nested_components(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *seq = elements_of(store, "x", 9);
	struct jag_element element;
	assert_int_equal(jag_sequence_count(seq), 2);
	assert_int_equal(jag_sequence_rank(seq), 3);
	assert_int_equal(jag_sequence_dtype(seq), JAG_UINT8);
	element = locate(seq, 0);
	assert_element(&element, "[3, 2, 2]", 0, 12);
	element = locate(seq, 1);
	assert_element(&element, "[3, 1, 4]", 12, 12);
	assert_string_equal(jag_element_path(&element), "x.memmap");
	assert_int_equal(jag_sequence_locate(seq, 2, &element), -ERANGE);
	assert_int_equal(jag_sequence_locate(seq, UINT64_MAX, &element), -ERANGE);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void rows_of_a_dense_leaf(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	const struct jag_leaf *leaf = get_leaf(store, "y");
	const struct {
		unsigned batch_rank;
		uint64_t count;
		const char *shape;
		size_t nbytes;
	} cases[] = { { 0, 1, "[2, 3, 4]", 24 }, { 1, 2, "[3, 4]", 12 }, { 2, 6, "[4]", 4 }, { 3, 24, "[]", 1 } };
	for (size_t c = 0; c < COUNT_OF(cases); c++) {
		struct jag_sequence *seq = elements_of(store, "y", cases[c].batch_rank);
		assert_int_equal(jag_sequence_count(seq), cases[c].count);
		for (uint64_t i = 0; i < cases[c].count; i++) {
			struct jag_element element = locate(seq, i);
			assert_element(&element, cases[c].shape, (uint8_t)(100 + i * cases[c].nbytes), cases[c].nbytes);
		}
		jag_sequence_free(seq);
	}
	struct jag_sequence *seq = NULL;
	assert_int_equal(jag_sequence_of_leaf(leaf, 4, &seq), -EINVAL);
	jag_store_close(store);
}

static void whole_matrix_and_file(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *seq = NULL;
	int64_t rows[6];
	assert_int_equal(jag_sequence_whole(get_leaf(store, "y"), &seq), 0);
	struct jag_element element = locate(seq, 0);
	assert_element(&element, "[2, 3, 4]", 100, 24);
	jag_sequence_free(seq);
	assert_int_equal(jag_sequence_whole(get_leaf(store, "x"), &seq), -EINVAL);
	assert_int_equal(jag_sequence_shape_matrix(get_leaf(store, "y"), &seq), -EINVAL);
	assert_int_equal(jag_sequence_shape_matrix(get_leaf(store, "x"), &seq), 0);
	assert_int_equal(jag_sequence_dtype(seq), JAG_INT64);
	element = locate(seq, 0);
	assert_int_equal(jag_element_read(&element, rows, sizeof(rows), 0), 0);
	assert_int_equal(rows[5], 4);
	jag_sequence_free(seq);
	assert_int_equal(jag_sequence_file(get_leaf(store, "y")->data, 3, 5, &seq), 0);
	element = locate(seq, 0);
	assert_element(&element, "[5]", 103, 5);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void statistics(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *seq = elements_of(store, "x", 0);
	struct jag_dim_stats stats;
	assert_int_equal(jag_sequence_dim_stats(seq, 2, &stats), 0);
	assert_true(stats.min == 2 && stats.max == 4 && stats.any_4 && !stats.only_4);
	assert_int_equal(jag_sequence_dim_stats(seq, 3, &stats), -EINVAL);
	jag_sequence_free(seq);
	seq = elements_of(store, "y", 1);
	assert_int_equal(jag_sequence_dim_stats(seq, 0, &stats), 0);
	assert_true(stats.min == 3 && stats.max == 3 && stats.only_1_3);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void joined_end_to_end(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *parts[] = { elements_of(store, "x", 0), elements_of(store, "y", 0),
					 elements_of(store, "x", 0) };
	struct jag_sequence *seq = NULL;
	struct jag_dim_stats stats;
	assert_int_equal(jag_sequence_join(parts, 3, &seq), 0);
	assert_int_equal(jag_sequence_count(seq), 5);
	assert_int_equal(jag_sequence_rank(seq), 3);
	struct jag_element element = locate(seq, 1);
	assert_element(&element, "[3, 1, 4]", 12, 12);
	element = locate(seq, 2);
	assert_element(&element, "[2, 3, 4]", 100, 24);
	element = locate(seq, 3);
	assert_element(&element, "[3, 2, 2]", 0, 12);
	assert_int_equal(jag_sequence_locate(seq, 5, &element), -ERANGE);
	assert_int_equal(jag_sequence_dim_stats(seq, 0, &stats), 0);
	assert_true(stats.min == 2 && stats.max == 3 && !stats.only_1_3);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void joining_passes_over_empty_parts(void **state)
{
	put_meta(path_in(*state, "e"), LEAF("y", "[0,9]", "uint8"), "[]");
	struct jag_store *store = open_store(*state, 0), *empty = open_store(path_in(*state, "e"), 0);
	struct jag_sequence *parts[] = { elements_of(empty, "y", 1), elements_of(store, "y", 2),
					 elements_of(empty, "y", 1), elements_of(store, "y", 2),
					 elements_of(empty, "y", 1) };
	struct jag_sequence *seq = NULL;
	assert_int_equal(jag_sequence_join(parts, 5, &seq), 0);
	assert_int_equal(jag_sequence_count(seq), 12);
	for (uint64_t i = 0; i < 12; i++) {
		struct jag_element element = locate(seq, i);
		assert_element(&element, "[4]", (uint8_t)(100 + i % 6 * 4), 4);
	}
	jag_sequence_free(seq);
	jag_store_close(empty);
	jag_store_close(store);
}

static void joining_needs_one_dtype_but_not_one_rank(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *mixed[] = { elements_of(store, "y", 1), elements_of(store, "z", 1) };
	struct jag_sequence *ranks[] = { elements_of(store, "y", 1), elements_of(store, "y", 2) };
	struct jag_sequence *seq = NULL;
	struct jag_dim_stats stats;
	assert_int_equal(jag_sequence_join(mixed, 2, &seq), -EINVAL);
	assert_int_equal(jag_sequence_join(NULL, 0, &seq), -EINVAL);
	assert_int_equal(jag_sequence_join(ranks, 2, &seq), 0);
	assert_int_equal(jag_sequence_rank(seq), -1);
	assert_int_equal(jag_sequence_dim_stats(seq, 0, &stats), -EINVAL);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static struct jag_sequence *concat_y_y(const struct jag_store *store)
{
	struct jag_sequence *wholes[2], *seq = NULL;
	assert_int_equal(jag_sequence_whole(get_leaf(store, "y"), &wholes[0]), 0);
	assert_int_equal(jag_sequence_whole(get_leaf(store, "y"), &wholes[1]), 0);
	assert_int_equal(jag_sequence_concat(wholes, 2, &seq), 0);
	return seq;
}

static void concatenated_wholes_are_one_element_of_pieces(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *seq = concat_y_y(store);
	uint8_t bytes[8];
	struct jag_element element = locate(seq, 0);
	char text[32];
	int fd;
	uint64_t at;
	assert_string_equal(jag_shape_text(&element.shape, text, sizeof(text)), "[4, 3, 4]");
	assert_int_equal(element.nbytes, 48);
	assert_int_equal(element.piece_count, 2);
	/* across the seam */
	assert_int_equal(jag_element_read(&element, bytes, 8, 20), 0);
	assert_memory_equal(bytes, ((const uint8_t[]){ 120, 121, 122, 123, 100, 101, 102, 103 }), 8);
	assert_int_equal(jag_element_fd(&element, 8, 20, &fd, &at), -EOPNOTSUPP); /* across two pieces */
	assert_int_equal(jag_element_fd(&element, 4, 20, &fd, &at), 0);
	assert_int_equal(pread(fd, bytes, 4, (off_t)at), 4);
	assert_memory_equal(bytes, ((const uint8_t[]){ 120, 121, 122, 123 }), 4);
	assert_int_equal(jag_element_narrow(&element, 1, 0), -EINVAL);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void concatenation_needs_equal_rows(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *wholes[2], *seq = NULL;
	assert_int_equal(jag_sequence_whole(get_leaf(store, "y"), &wholes[0]), 0);
	assert_int_equal(jag_sequence_whole(get_leaf(store, "z"), &wholes[1]), 0);
	assert_int_equal(jag_sequence_concat(wholes, 2, &seq), -EINVAL);
	assert_int_equal(jag_sequence_whole(get_leaf(store, "z"), &wholes[0]), 0);
	assert_int_equal(jag_sequence_concat(wholes, 1, &seq), 0);
	struct jag_element element = locate(seq, 0);
	assert_int_equal(element.piece_count, 1);
	assert_int_equal(jag_element_narrow(&element, 1, 1), 0);
	assert_int_equal(element.nbytes, 2);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void narrowing(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *seq = elements_of(store, "y", 0);
	struct jag_element element = locate(seq, 0);
	assert_int_equal(jag_element_narrow(&element, 2, 4), 0);
	assert_element(&element, "[4]", 116, 4);
	element = locate(seq, 0);
	assert_int_equal(jag_element_narrow(&element, 2, 6), -ERANGE);
	assert_int_equal(jag_element_narrow(&element, 4, 0), -EINVAL);
	assert_int_equal(jag_element_narrow(&element, 0, 0), 0);
	assert_element(&element, "[2, 3, 4]", 100, 24);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void a_copied_element_still_works(void **state)
{
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *seq = elements_of(store, "y", 1);
	struct jag_element original = locate(seq, 1), copy = original;
	memset(&original, 0xff, sizeof(original));
	assert_element(&copy, "[3, 4]", 112, 12);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void ranges_outside_the_element(void **state)
{
	struct jag_store *store = open_store(*state, JAG_STORE_WRITE);
	struct jag_sequence *seq = elements_of(store, "y", 1);
	struct jag_element element = locate(seq, 0);
	uint8_t bytes[16] = { 0 };
	int fd;
	uint64_t at;
	assert_int_equal(jag_element_read(&element, bytes, 12, 0), 0);
	assert_int_equal(jag_element_read(&element, bytes, 0, 12), 0);
	assert_int_equal(jag_element_read(&element, bytes, 13, 0), -ERANGE);
	assert_int_equal(jag_element_read(&element, bytes, 1, 12), -ERANGE);
	assert_int_equal(jag_element_read(&element, bytes, 1, UINT64_MAX), -ERANGE);
	assert_int_equal(jag_element_write(&element, bytes, 13, 0), -ERANGE);
	assert_int_equal(jag_element_fd(&element, 13, 0, &fd, &at), -ERANGE);
	assert_int_equal(jag_element_fd(&element, 0, 0, &fd, &at), -EOPNOTSUPP);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void a_write_is_seen_by_everybody(void **state)
{
	struct jag_store *store = open_store(*state, JAG_STORE_WRITE), *other = open_store(*state, 0);
	struct jag_sequence *seq = elements_of(store, "x", 0), *seen = elements_of(other, "x", 0);
	struct jag_element element = locate(seq, 1), again = locate(seen, 1);
	int fd;
	uint64_t at;
	assert_int_equal(jag_element_fd(&again, 12, 0, &fd, &at), 0);
	/* as another process maps it */
	const uint8_t *file = mmap(NULL, at + 12, PROT_READ, MAP_SHARED, fd, 0), *map = file + at;
	assert_ptr_not_equal(file, MAP_FAILED);
	assert_int_equal(jag_element_write(&element, (const uint8_t[]){ 7, 8 }, 2, 3), 0);
	assert_int_equal(jag_element_sync(&element), 0);
	assert_int_equal(map[3], 7);
	assert_int_equal(map[4], 8);
	assert_int_equal(map[5], 17);
	assert_int_equal(munmap((void *)(uintptr_t)file, at + 12), 0);
	assert_int_equal(jag_element_write(&again, "x", 1, 0), -EROFS);
	jag_sequence_free(seq);
	jag_sequence_free(seen);
	jag_store_close(store);
	jag_store_close(other);
}

static void a_cut_file_is_eio_and_is_not_extended(void **state)
{
	struct jag_store *store = open_store(*state, JAG_STORE_WRITE);
	struct jag_sequence *seq = elements_of(store, "y", 1);
	struct jag_element first = locate(seq, 0), second = locate(seq, 1);
	struct stat st;
	uint8_t bytes[12] = { 0 };
	int fd;
	uint64_t at;
	assert_int_equal(jag_element_fd(&second, 12, 0, &fd, &at), 0);
	cut_file(*state, "y.memmap", 20);
	assert_int_equal(jag_element_read(&first, bytes, 12, 0), 0);
	assert_int_equal(jag_element_read(&second, bytes, 8, 0), 0);
	assert_int_equal(jag_element_read(&second, bytes, 12, 0), -EIO);
	assert_int_equal(jag_element_write(&second, bytes, 12, 0), -EIO);
	assert_int_equal(jag_element_sync(&second), -EIO);
	assert_int_equal(jag_element_fd(&second, 12, 0, &fd, &at), -EIO);
	assert_int_equal(stat(path_in(*state, "y.memmap"), &st), 0);
	assert_int_equal(st.st_size, 20);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void a_file_cut_to_nothing_does_not_kill(void **state)
{
	struct jag_store *store = open_store(*state, JAG_STORE_WRITE);
	struct jag_sequence *seq = elements_of(store, "y", 1);
	struct jag_element element = locate(seq, 1);
	uint8_t bytes[12];
	int sink[2], fd;
	uint64_t at;
	assert_int_equal(pipe(sink), 0);
	assert_int_equal(jag_element_fd(&element, 12, 0, &fd, &at), 0);
	cut_file(*state, "y.memmap", 0);
	assert_int_equal(jag_element_read(&element, bytes, 12, 0), -EIO);
	/* what a zero-copy reply does with a range from before the cut */
	loff_t offset = (loff_t)at;
	assert_int_equal(splice(fd, &offset, sink[1], NULL, 12, 0), 0);
	close(sink[0]);
	close(sink[1]);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void an_unlinked_or_replaced_file_is_estale(void **state)
{
	struct jag_store *store = open_store(*state, JAG_STORE_WRITE);
	struct jag_sequence *seq = elements_of(store, "y", 1);
	struct jag_element element = locate(seq, 1);
	uint8_t bytes[12] = { 0 };
	put_hole(*state, "new", 24);
	int fd;
	uint64_t at;
	assert_int_equal(rename(path_in(*state, "new"), path_in(*state, "y.memmap")), 0);
	assert_int_equal(jag_element_read(&element, bytes, 12, 0), -ESTALE);
	assert_int_equal(jag_element_write(&element, bytes, 12, 0), -ESTALE);
	assert_int_equal(jag_element_sync(&element), -ESTALE);
	assert_int_equal(jag_element_fd(&element, 12, 0, &fd, &at), -ESTALE);
	jag_sequence_free(seq);
	jag_store_close(store);
}

static void leaves_with_a_fault_have_no_sequence(void **state)
{
	cut_file(*state, "y.memmap", 5);
	struct jag_store *store = open_store(*state, 0);
	struct jag_sequence *seq = NULL;
	assert_int_equal(jag_sequence_of_leaf(get_leaf(store, "y"), 1, &seq), -EINVAL);
	assert_int_equal(jag_sequence_whole(get_leaf(store, "y"), &seq), -EINVAL);
	jag_store_close(store);
}

static void attributes_are_those_of_the_data_file(void **state)
{
	const struct timespec times[] = { { 1000, 0 }, { 123456789, 987654321 } };
	struct jag_file_attr attr;
	assert_int_equal(chmod(path_in(*state, "y.memmap"), 0640), 0);
	assert_int_equal(utimensat(AT_FDCWD, path_in(*state, "y.memmap"), times, 0), 0);
	struct jag_store *store = open_store(*state, JAG_STORE_WRITE);
	jag_file_attr(get_leaf(store, "y")->data, &attr);
	assert_int_equal(attr.mode, 0640);
	assert_int_equal(attr.uid, getuid());
	assert_int_equal(attr.mtime_sec, 123456789);
	assert_int_equal(attr.mtime_nsec, 987654321);
	assert_true(attr.writable);
	jag_file_attr(get_leaf(store, "x")->shapes, &attr);
	assert_false(attr.writable);
	jag_store_close(store);
	store = open_store(*state, 0);
	jag_file_attr(get_leaf(store, "y")->data, &attr);
	assert_false(attr.writable);
	jag_store_close(store);
}

#define in_sample(test) cmocka_unit_test_setup_teardown(test, sample_setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_sample(nested_components),
		in_sample(rows_of_a_dense_leaf),
		in_sample(whole_matrix_and_file),
		in_sample(statistics),
		in_sample(joined_end_to_end),
		in_sample(joining_passes_over_empty_parts),
		in_sample(joining_needs_one_dtype_but_not_one_rank),
		in_sample(concatenated_wholes_are_one_element_of_pieces),
		in_sample(concatenation_needs_equal_rows),
		in_sample(narrowing),
		in_sample(a_copied_element_still_works),
		in_sample(ranges_outside_the_element),
		in_sample(a_write_is_seen_by_everybody),
		in_sample(a_cut_file_is_eio_and_is_not_extended),
		in_sample(a_file_cut_to_nothing_does_not_kill),
		in_sample(an_unlinked_or_replaced_file_is_estale),
		in_sample(leaves_with_a_fault_have_no_sequence),
		in_sample(attributes_are_those_of_the_data_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
