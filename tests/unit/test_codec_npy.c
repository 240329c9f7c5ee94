/* SPDX-License-Identifier: MIT */
/* .npy: the header as NumPy writes it, and files of other writers. */
#include "codec_helpers.h"

static const struct jag_codec *npy(void)
{
	return jag_codec_by_format(JAG_FORMAT_NPY);
}

/* prefix of version `major`, header text, data; in guarded memory. */
static int decode(unsigned major, const char *header, const void *data, size_t n, struct jag_array *out)
{
	uint8_t file[1024] = "\x93NUMPY";
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_error err;
	size_t length = strlen(header), at = 8;
	file[6] = (uint8_t)major;
	file[at++] = (uint8_t)length;
	file[at++] = (uint8_t)(length >> 8);
	if (major > 1)
		file[at++] = 0, file[at++] = 0;
	memcpy(file + at, header, length);
	memcpy(file + at + length, data, n);
	struct guarded g = guarded_copy(file, at + length + n);
	int rc = npy()->decode(g.data, at + length + n, NULL, &look, out, &err);
	guarded_free(&g);
	return rc;
}

static void assert_header(const struct jag_shape *shape, const char *dict, size_t total)
{
	struct jag_live live;
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	assert_int_equal(npy()->live(shape, &look, &live), 0);
	assert_int_equal(live.header_nbytes, total);
	assert_memory_equal(live.header, "\x93NUMPY\x01\x00", 8);
	assert_int_equal(live.header[8] | live.header[9] << 8, total - 10);
	assert_memory_equal(live.header + 10, dict, strlen(dict));
	for (size_t i = 10 + strlen(dict); i < total - 1; i++)
		assert_int_equal(live.header[i], ' ');
	assert_int_equal(live.header[total - 1], '\n');
}

static void test_headers_are_those_of_numpy(void **state)
{
	(void)state;
	struct jag_shape s = SHAPE(JAG_UINT8, 3, 224, 224);
	assert_header(&s, "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 224, 224), }", 128);
	s = SHAPE(JAG_FLOAT32, 5);
	assert_header(&s, "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }", 128);
	s.rank = 0;
	assert_header(&s, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 128);
	s = SHAPE(JAG_BOOL, 0, 3);
	assert_header(&s, "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 3), }", 128);
}

static void test_every_rank_fits_the_header(void **state)
{
	(void)state;
	struct jag_shape shape = { .dtype = JAG_UINT8, .rank = JAG_MAX_RANK };
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_live live;
	for (unsigned i = 0; i < JAG_MAX_RANK; i++)
		shape.dims[i] = INT64_MAX;
	shape.dims[7] = 0;
	assert_int_equal(npy()->live(&shape, &look, &live), 0);
	assert_int_equal(live.header_nbytes % 64, 0);
	assert_int_equal(live.payload_nbytes, 0);
}

static void test_bits_are_opt_in(void **state)
{
	(void)state;
	struct jag_shape shape = SHAPE(JAG_BFLOAT16, 2);
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_live live;
	assert_null(npy()->suffix(&shape, &look));
	assert_int_equal(npy()->live(&shape, &look, &live), -EINVAL);
	look.npy_bits = true;
	assert_string_equal(npy()->suffix(&shape, &look), ".npy");
	assert_int_equal(npy()->live(&shape, &look, &live), 0);
	assert_non_null(strstr((char *)live.header + 10, "'<u2'"));
}

static void test_versions_quotes_and_orders_of_keys(void **state)
{
	(void)state;
	struct jag_array a = { 0 };
	for (unsigned major = 1; major <= 3; major++) {
		assert_int_equal(
			decode(major, "{\"shape\":(2L ,),'fortran_order' :False,'descr':'<u2'}\n", "abcd", 4, &a), 0);
		assert_int_equal(a.shape.dtype, JAG_UINT16);
		assert_int_equal(a.shape.rank, 1);
		assert_int_equal(a.shape.dims[0], 2);
		assert_memory_equal(a.data.data, "abcd", 4);
	}
	jag_array_free(&a);
}

static void test_big_endian_is_swapped(void **state)
{
	(void)state;
	struct jag_array a = { 0 };
	assert_int_equal(decode(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "\1\2\3\4", 4, &a), 0);
	assert_memory_equal(a.data.data, "\4\3\2\1", 4);
	assert_int_equal(decode(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (), }", "abcdefgh", 8, &a), 0);
	assert_memory_equal(a.data.data, "dcbahgfe", 8);
	jag_array_free(&a);
}

static void test_fortran_order_is_transposed(void **state)
{
	(void)state;
	struct jag_array a = { 0 };
	/* index (i,j,k) of a (2,3,2) array lies at i + 2j + 6k. */
	assert_int_equal(
		decode(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }", "ABCDEFGHIJKL", 12, &a), 0);
	assert_memory_equal(a.data.data, "AGCIEKBHDJFL", 12);
	assert_int_equal(decode(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (3, 0), }", "", 0, &a), 0);
	assert_int_equal(a.data.nbytes, 0);
	jag_array_free(&a);
}

static void test_what_is_no_plain_array_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': [('a', '<u2')], 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '|u2', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (1), }",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (-1,), }",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (99999999999999999999,), }",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904), }",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (1,)",
		"{'descr': '<u2', 'fortran_order': False, }",
		"{'descr': '<u2', 'fortran_order': 0, 'shape': (1,), }",
		"{'descr': '<u2', 'descr': '<u2', 'fortran_order': False, 'shape': (1,), }",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (1,), 'x': 1}",
		"{'descr': '<u2', 'fortran_order': False, 'shape': (1,), } x",
		"{'descr': '<u2",
		"",
	};
	struct jag_array a = { 0 };
	assert_int_equal(decode(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "ab", 2, &a), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(decode(1, bad[i], "ab", 2, &a), -EINVAL);
	assert_int_equal(decode(4, "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "ab", 2, &a), -EINVAL);
	jag_array_free(&a);
}

static void test_data_must_end_where_the_file_ends(void **state)
{
	(void)state;
	struct jag_array a = { 0 };
	const char *header = "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }";
	assert_int_equal(decode(1, header, "abc", 3, &a), -EINVAL);
	assert_int_equal(decode(1, header, "abcde", 5, &a), -EINVAL);
	jag_array_free(&a);
}

static void test_every_prefix_is_refused(void **state)
{
	(void)state;
	struct jag_shape shape = SHAPE(JAG_INT16, 2, 2);
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_live live;
	struct jag_array a = { 0 };
	assert_int_equal(npy()->live(&shape, &look, &live), 0);
	for (size_t n = 0; n < live.header_nbytes + 8; n++) {
		struct guarded g = guarded_alloc(n);
		memcpy(g.data, live.header, n < live.header_nbytes ? n : live.header_nbytes);
		assert_int_equal(npy()->decode(g.data, n, NULL, &look, &a, NULL), -EINVAL);
		guarded_free(&g);
	}
	jag_array_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers_are_those_of_numpy),
		cmocka_unit_test(test_every_rank_fits_the_header),
		cmocka_unit_test(test_bits_are_opt_in),
		cmocka_unit_test(test_versions_quotes_and_orders_of_keys),
		cmocka_unit_test(test_big_endian_is_swapped),
		cmocka_unit_test(test_fortran_order_is_transposed),
		cmocka_unit_test(test_what_is_no_plain_array_is_refused),
		cmocka_unit_test(test_data_must_end_where_the_file_ends),
		cmocka_unit_test(test_every_prefix_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
