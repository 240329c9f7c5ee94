/* SPDX-License-Identifier: MIT */
/* .wav: headers byte by byte, and what fits. */
#include "codec_helpers.h"

#include "codec/bytes.h"

static const struct jag_codec *wav(void)
{
	return jag_codec_by_format(JAG_FORMAT_WAV);
}

static struct jag_look at_rate(uint32_t rate)
{
	struct jag_look look = make_look(JAG_LAYOUT_NONE);
	look.rate = rate;
	return look;
}

static struct jag_live live_of(const struct jag_shape *shape, uint32_t rate)
{
	struct jag_live live = { 0 };
	struct jag_look look = at_rate(rate);
	assert_int_equal(wav()->live(shape, &look, &live), 0);
	return live;
}

static bool fits(const struct jag_shape *shape, uint32_t rate)
{
	struct jag_look look = at_rate(rate);
	struct jag_live live;
	bool yes = wav()->suffix(shape, &look) != NULL;
	assert_int_equal(wav()->live(shape, &look, &live), yes ? 0 : -EINVAL);
	return yes;
}

/* --- headers --------------------------------------------------------------------------------------------------- */

#define TEXT(text) (text), sizeof(text) - 1

static void assert_header(const struct jag_shape *shape, uint32_t rate, const char *bytes, size_t nbytes)
{
	struct jag_live live = live_of(shape, rate);
	assert_int_equal(live.header_nbytes, nbytes);
	assert_memory_equal(live.header, bytes, nbytes);
	assert_int_equal(live.payload_nbytes, shape_nbytes(shape));
	assert_int_equal(live.pad_nbytes, live.payload_nbytes & 1);
}

/* As Python's wave module writes them. */
static void test_headers_of_integers(void **state)
{
	(void)state;
	struct jag_shape s = SHAPE(JAG_INT16, 2, 1000);
	assert_header(&s, 44100,
		      TEXT("RIFF\xc4\x0f\0\0WAVEfmt \x10\0\0\0\1\0\2\0\x44\xac\0\0\x10\xb1\2\0\4\0\x10\0"
			   "data\xa0\x0f\0\0"));
	s = SHAPE(JAG_UINT8, 5);
	assert_header(&s, 8000,
		      TEXT("RIFF\x2a\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x8\0data\5\0\0\0"));
	s = SHAPE(JAG_INT32, 0);
	assert_header(&s, 1, TEXT("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\1\0\0\0\4\0\0\0\4\0\x20\0data\0\0\0\0"));
}

/* As SciPy's wavfile writes them. */
static void test_headers_of_floats(void **state)
{
	(void)state;
	struct jag_shape s = SHAPE(JAG_FLOAT32, 2, 3);
	assert_header(&s, 16000,
		      TEXT("RIFF\x4a\0\0\0WAVEfmt \x12\0\0\0\3\0\2\0\x80\x3e\0\0\0\xf4\1\0\x8\0\x20\0\0\0"
			   "fact\4\0\0\0\3\0\0\0data\x18\0\0\0"));
	s = SHAPE(JAG_FLOAT64, 1);
	assert_header(&s, 16000,
		      TEXT("RIFF\x3a\0\0\0WAVEfmt \x12\0\0\0\3\0\1\0\x80\x3e\0\0\0\xf4\1\0\x8\0\x40\0\0\0"
			   "fact\4\0\0\0\1\0\0\0data\x8\0\0\0"));
}

static void test_bytes_a_second_end_at_the_largest(void **state)
{
	(void)state;
	struct jag_shape s = SHAPE(JAG_INT16, 4, 1);
	struct jag_live live = live_of(&s, UINT32_MAX);
	assert_int_equal(jag_le32(live.header + 24), UINT32_MAX);
	assert_int_equal(jag_le32(live.header + 28), UINT32_MAX);
}

/* --- what fits ------------------------------------------------------------------------------------------------- */

static void test_types_and_ranks(void **state)
{
	(void)state;
	for (int dtype = JAG_DTYPE_NONE + 1; dtype < JAG_DTYPE_COUNT; dtype++) {
		struct jag_shape s = SHAPE((enum jag_dtype)dtype, 2, 4);
		bool sound = dtype == JAG_UINT8 || dtype == JAG_INT16 || dtype == JAG_INT32 || dtype == JAG_FLOAT32 ||
			     dtype == JAG_FLOAT64;
		assert_int_equal(fits(&s, 8000), sound);
		assert_false(fits(&s, 0));
		s.rank = 1;
		assert_int_equal(fits(&s, 8000), sound);
		s.rank = 0;
		assert_false(fits(&s, 8000));
		s.rank = 3;
		s.dims[2] = 1;
		assert_false(fits(&s, 8000));
	}
}

static void test_limits_of_channels(void **state)
{
	static const struct {
		enum jag_dtype dtype;
		int64_t most;
	} rows[] = { { JAG_UINT8, 65535 }, { JAG_INT16, 32767 }, { JAG_FLOAT32, 16383 }, { JAG_FLOAT64, 8191 } };
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct jag_shape s = SHAPE(rows[i].dtype, rows[i].most, 3);
		assert_true(fits(&s, 8000));
		s.dims[0]++;
		assert_false(fits(&s, 8000));
		s.dims[0] = 0;
		assert_false(fits(&s, 8000));
	}
	struct jag_shape s = SHAPE(JAG_INT16, 2, 0);
	assert_true(fits(&s, 8000));
}

static void test_limits_of_size(void **state)
{
	(void)state;
	/* the size after RIFF: 36 and the samples, even, and below 0xFFFFFFFF, which means unknown */
	struct jag_shape s = SHAPE(JAG_UINT8, 0xffffffff - 36 - 1);
	assert_true(fits(&s, 8000));
	assert_int_equal(jag_le32(live_of(&s, 8000).header + 4), 0xfffffffe);
	s.dims[0]++;
	assert_false(fits(&s, 8000));
	s = SHAPE(JAG_FLOAT64, INT64_MAX / 4);
	assert_false(fits(&s, 8000));
	s = SHAPE(JAG_INT16, 2, INT64_C(1) << 31);
	assert_false(fits(&s, 8000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers_of_integers),
		cmocka_unit_test(test_headers_of_floats),
		cmocka_unit_test(test_bytes_a_second_end_at_the_largest),
		cmocka_unit_test(test_types_and_ranks),
		cmocka_unit_test(test_limits_of_channels),
		cmocka_unit_test(test_limits_of_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
