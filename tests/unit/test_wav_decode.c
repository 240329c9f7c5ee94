/* SPDX-License-Identifier: MIT */
/* .wav files of other writers: every kind of header, open-ended ones, damaged ones. */
#include "codec_helpers.h"

static const struct jag_codec *wav(void)
{
	return jag_codec_by_format(JAG_FORMAT_WAV);
}

struct file {
	uint8_t bytes[1024];
	size_t n;
	bool big;
};

static void put(struct file *f, const void *bytes, size_t n)
{
	memcpy(f->bytes + f->n, bytes, n);
	f->n += n;
}

static void put_number(struct file *f, uint64_t value, unsigned nbytes)
{
	for (unsigned i = 0; i < nbytes; i++)
		f->bytes[f->n++] = (uint8_t)(value >> 8 * (f->big ? nbytes - 1 - i : i));
}

static void chunk(struct file *f, const char *id, const void *bytes, size_t n)
{
	put(f, id, 4);
	put_number(f, n, 4);
	put(f, bytes, n);
	if (n & 1)
		put(f, "", 1);
}

static struct file form(const char *id)
{
	struct file f = { .big = !strcmp(id, "RIFX") };
	put(&f, id, 4);
	put(&f, "\0\0\0\0WAVE", 8);
	return f;
}

static void fmt(struct file *f, unsigned tag, unsigned channels, unsigned bits)
{
	put(f, "fmt ", 4);
	put_number(f, 16, 4);
	put_number(f, tag, 2);
	put_number(f, channels, 2);
	put_number(f, 8000, 4);
	put_number(f, 8000 * channels * bits / 8, 4);
	put_number(f, channels * bits / 8, 2);
	put_number(f, bits, 2);
}

/* ... with the sub-format's GUID; `spoilt`: of another family. */
static void fmt_extensible(struct file *f, unsigned tag, unsigned channels, unsigned bits, bool spoilt)
{
	size_t at = f->n;
	fmt(f, 0xfffe, channels, bits);
	f->bytes[at + (f->big ? 7 : 4)] = 40;
	put_number(f, 22, 2);
	put_number(f, bits - 4, 2); /* bits in use */
	put_number(f, 3, 4);        /* loudspeakers */
	put_number(f, tag, 4);
	put_number(f, 0, 2);
	put_number(f, 0x10, 2);
	put(f, spoilt ? "\x80\0\0\xaa\0\x38\x9b\x72" : "\x80\0\0\xaa\0\x38\x9b\x71", 8);
}

static void set32(struct file *f, size_t at, uint64_t value)
{
	size_t n = f->n;
	f->n = at;
	put_number(f, value, 4);
	f->n = n;
}

/* The size after RIFF. */
static struct file closed(struct file f)
{
	set32(&f, 4, f.n - 8);
	return f;
}

static int decode(const struct file *f, const struct jag_shape *want, struct jag_array *out)
{
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_error err = { 0 };
	struct guarded g = guarded_copy(f->bytes, f->n);
	int rc = wav()->decode(g.data, f->n, want, &look, out, &err);
	assert_true(rc == 0 || err.message[0] != '\0');
	guarded_free(&g);
	return rc;
}

/* Decodes to this text. */
static void assert_decodes(const struct file *f, const struct jag_shape *shape, const char *bytes)
{
	struct jag_array a = { 0 };
	assert_ptr_equal(jag_codec_by_content(f->bytes, f->n), wav());
	assert_int_equal(decode(f, shape, &a), 0);
	assert_true(jag_shape_equal(&a.shape, shape));
	assert_false(a.image);
	assert_int_equal(a.data.nbytes, shape_nbytes(shape));
	if (a.data.nbytes)
		assert_memory_equal(a.data.data, bytes, a.data.nbytes);
	jag_array_free(&a);
}

static void assert_refused(const struct file *f)
{
	struct jag_array a = { 0 };
	assert_int_equal(decode(f, NULL, &a), -EINVAL);
	jag_array_free(&a);
}

static void test_every_type_of_sample(void **state)
{
	static const struct {
		unsigned tag, bits;
		enum jag_dtype dtype;
	} rows[] = { { 1, 8, JAG_UINT8 },
		     { 1, 16, JAG_INT16 },
		     { 1, 32, JAG_INT32 },
		     { 3, 32, JAG_FLOAT32 },
		     { 3, 64, JAG_FLOAT64 } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct jag_shape want = SHAPE(rows[i].dtype, 64 / rows[i].bits);
		for (int extensible = 0; extensible < 2; extensible++) {
			struct file f = form("RIFF");
			if (extensible)
				fmt_extensible(&f, rows[i].tag, 1, rows[i].bits, false);
			else
				fmt(&f, rows[i].tag, 1, rows[i].bits);
			chunk(&f, "data", "abcdefgh", 8);
			f = closed(f);
			assert_decodes(&f, &want, "abcdefgh");
		}
	}
}

static void test_other_types_are_refused(void **state)
{
	static const unsigned rows[][2] = { { 1, 24 }, { 1, 64 }, { 1, 12 }, { 3, 16 },  { 3, 8 },
					    { 2, 4 },  { 6, 8 },  { 7, 8 },  { 0x55, 0 } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct file f = form("RIFF");
		fmt(&f, rows[i][0], 1, rows[i][1]);
		chunk(&f, "data", "abcdefghijklmnopqrstuvwx", 24);
		f = closed(f);
		assert_refused(&f);
	}
	struct file f = form("RIFF");
	fmt_extensible(&f, 1, 1, 16, true);
	chunk(&f, "data", "ab", 2);
	f = closed(f);
	assert_refused(&f);
}

static void test_channels_become_planes(void **state)
{
	(void)state;
	struct file f = form("RIFF");
	fmt(&f, 1, 2, 16);
	chunk(&f, "data", "aAbBcCdDeEfF", 12);
	f = closed(f);
	struct jag_shape want = SHAPE(JAG_INT16, 2, 3);
	assert_decodes(&f, &want, "aAcCeEbBdDfF");
	f = form("RIFF");
	fmt(&f, 1, 6, 8);
	chunk(&f, "data", "123456abcdef", 12);
	f = closed(f);
	want = SHAPE(JAG_UINT8, 6, 2);
	assert_decodes(&f, &want, "1a2b3c4d5e6f");
}

static void test_one_channel_is_what_the_element_has(void **state)
{
	(void)state;
	struct file f = form("RIFF");
	fmt(&f, 1, 1, 16);
	chunk(&f, "data", "abcd", 4);
	f = closed(f);
	struct jag_shape row = SHAPE(JAG_INT16, 1, 2), line = SHAPE(JAG_INT16, 2);
	assert_decodes(&f, &row, "abcd");
	assert_decodes(&f, &line, "abcd");
	struct jag_array a = { 0 };
	assert_int_equal(decode(&f, NULL, &a), 0);
	assert_true(jag_shape_equal(&a.shape, &line));
	jag_array_free(&a);
}

static void test_other_chunks_are_passed_by(void **state)
{
	(void)state;
	struct file f = form("RIFF");
	chunk(&f, "JUNK", "odd", 3);
	fmt(&f, 1, 1, 8);
	chunk(&f, "LIST", "INFOISFT\5\0\0\0Lavf\0", 17);
	chunk(&f, "fact", "\3\0\0\0", 4);
	chunk(&f, "fmt ", "second one", 10);
	chunk(&f, "data", "abc", 3);
	chunk(&f, "LIST", "data", 4);
	put(&f, "cue", 3); /* cut: behind the samples nothing matters */
	f = closed(f);
	struct jag_shape want = SHAPE(JAG_UINT8, 3);
	assert_decodes(&f, &want, "abc");
}

/* The last chunk of a file often has no padding. */
static void test_padding_may_be_missing_at_the_end(void **state)
{
	(void)state;
	struct file f = form("RIFF");
	fmt(&f, 1, 1, 8);
	chunk(&f, "data", "abc", 3);
	f.n--;
	f = closed(f);
	struct jag_shape want = SHAPE(JAG_UINT8, 3);
	assert_decodes(&f, &want, "abc");
}

static void test_big_endian_and_64_bit_files(void **state)
{
	(void)state;
	struct jag_shape want = SHAPE(JAG_INT16, 2, 2);
	for (int extensible = 0; extensible < 2; extensible++) {
		struct file f = form("RIFX");
		if (extensible)
			fmt_extensible(&f, 1, 2, 16, false);
		else
			fmt(&f, 1, 2, 16);
		chunk(&f, "data", "AaBbCcDd", 8);
		f = closed(f);
		assert_decodes(&f, &want, "aAcCbBdD");
	}
	for (int writer = 0; writer < 3; writer++) { /* closed; with chunks behind; streamed, nothing filled in */
		struct file f = form(writer == 1 ? "BW64" : "RF64");
		uint8_t ds64[28] = { 0 };
		ds64[8] = writer < 2 ? 8 : 0;
		set32(&f, 4, UINT32_MAX);
		chunk(&f, "ds64", ds64, sizeof(ds64));
		fmt(&f, 1, 2, 16);
		chunk(&f, "data", "aAbBcCdD", 8);
		set32(&f, f.n - 12, UINT32_MAX);
		if (writer == 1)
			chunk(&f, "LIST", "more", 4);
		assert_decodes(&f, &want, "aAcCbBdD");
	}
}

/* Sizes as they are left by writers that cannot seek: RIFF's, data's. */
static void test_open_sizes_end_with_the_file(void **state)
{
	static const uint32_t open[][2] = {
		{ UINT32_MAX, UINT32_MAX }, { 0, 0 },          { UINT32_MAX, 0 }, { 36, 0 },
		{ 0x7ffff024, 0x7ffff000 }, { 0, UINT32_MAX },
	};
	static const uint32_t cut[][2] = { { 48, 14 }, { 1000, 1000 }, { 0x7ffeffff, 0x7ffeffff } };
	(void)state;
	struct jag_shape want = SHAPE(JAG_INT16, 2, 3), none = SHAPE(JAG_INT16, 2, 0);
	struct file f = form("RIFF");
	fmt(&f, 1, 2, 16);
	chunk(&f, "data", "aAbBcCdDeEfF", 12);
	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
		set32(&f, 4, open[i][0]);
		set32(&f, 40, open[i][1]);
		assert_decodes(&f, &want, "aAcCeEbBdDfF");
	}
	/* less than stated, by a writer that did state it: a piece of a file */
	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		set32(&f, 4, cut[i][0]);
		set32(&f, 40, cut[i][1]);
		assert_refused(&f);
	}
	/* really no samples: something else follows inside of the file */
	set32(&f, 4, f.n - 8);
	set32(&f, 40, 0);
	assert_decodes(&f, &none, "");
}

static void test_hostile_headers_are_refused(void **state)
{
	(void)state;
	struct file good = form("RIFF");
	fmt(&good, 1, 2, 16);
	chunk(&good, "data", "aAbBcCdD", 8);
	good = closed(good);
	static const struct {
		size_t at;
		const char *bytes;
		size_t n;
	} edits[] = {
		{ 0, "RIFE", 4 },
		{ 8, "WEBP", 4 },
		{ 16, "\xff\xff\xff\xff", 4 },
		{ 16, "\x0f\0\0\0", 4 },
		{ 16, "\0\0\0\x80", 4 },
		{ 20, "\2", 1 },
		{ 22, "\0\0", 2 },
		{ 22, "\1", 1 },
		{ 22, "\xff\xff", 2 },
		{ 32, "\0\0", 2 },
		{ 32, "\1", 1 },
		{ 34, "\x18", 1 },
		{ 34, "\0", 1 },
		{ 36, "dat_", 4 },
		{ 40, "\7", 1 },
		{ 40, "\x9", 1 },
		{ 36, "LIST\xff\xff\xff\xff", 8 },
		{ 12, "fmx ", 4 },
		{ 40, "\xff\xff\xff\x7e", 4 },
	};
	struct jag_shape want = SHAPE(JAG_INT16, 2, 2);
	assert_decodes(&good, &want, "aAcCbBdD");
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		struct file f = good;
		memcpy(f.bytes + edits[i].at, edits[i].bytes, edits[i].n);
		assert_refused(&f);
	}
}

static void test_every_prefix_is_refused(void **state)
{
	(void)state;
	struct jag_shape shape = SHAPE(JAG_FLOAT32, 2, 2);
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	struct jag_live live;
	look.rate = 8000;
	assert_int_equal(wav()->live(&shape, &look, &live), 0);
	struct file f = { 0 };
	put(&f, live.header, live.header_nbytes);
	put(&f, "abcdefghijklmnop", 16);
	assert_decodes(&f, &shape, "abcdijklefghmnop");
	for (f.n = 0; f.n < live.header_nbytes + 16; f.n++)
		assert_refused(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type_of_sample),
		cmocka_unit_test(test_other_types_are_refused),
		cmocka_unit_test(test_channels_become_planes),
		cmocka_unit_test(test_one_channel_is_what_the_element_has),
		cmocka_unit_test(test_other_chunks_are_passed_by),
		cmocka_unit_test(test_padding_may_be_missing_at_the_end),
		cmocka_unit_test(test_big_endian_and_64_bit_files),
		cmocka_unit_test(test_open_sizes_end_with_the_file),
		cmocka_unit_test(test_hostile_headers_are_refused),
		cmocka_unit_test(test_every_prefix_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
