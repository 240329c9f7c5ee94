/* SPDX-License-Identifier: MIT */
/* What every format promises, checked for each row of the registry over dtypes, layouts and sizes. */
#include "codec_helpers.h"

#include "jag/image.h"

static const enum jag_layout layouts[] = { JAG_LAYOUT_NONE, JAG_LAYOUT_CHW, JAG_LAYOUT_HWC, JAG_LAYOUT_PLANES };

static const int64_t shapes[][4] = {
	/* rank, dims */
	{ 0 },          { 1, 5 },       { 1, 0 },       { 2, 3, 4 },    { 2, 1, 1 },    { 2, 0, 4 },
	{ 3, 1, 7, 5 }, { 3, 2, 5, 7 }, { 3, 3, 9, 6 }, { 3, 4, 3, 3 }, { 3, 5, 7, 1 }, { 3, 5, 7, 2 },
	{ 3, 7, 5, 3 }, { 3, 5, 3, 4 }, { 3, 3, 0, 4 }, { 3, 5, 5, 5 }, { 3, 3, 1, 1 }, { 3, 3, 200, 301 },
};

struct sample {
	const struct jag_codec *codec;
	struct jag_shape shape;
	struct jag_look look;
	struct element element;
};

/* bool elements hold 0 and 1, all others any bytes that are no NaN. */
static void fill(struct sample *s)
{
	s->element.nbytes = shape_nbytes(&s->shape);
	s->element.mem = guarded_alloc(s->element.nbytes);
	fill_random(s->element.mem.data, s->element.nbytes, s->element.nbytes + s->shape.dtype);
	for (size_t i = 0; i < s->element.nbytes; i++)
		s->element.mem.data[i] &= s->shape.dtype == JAG_BOOL ? 1 : s->shape.dtype == JAG_UINT8 ? 0xff : 0x3f;
}

/* The whole file, by reads of odd sizes or by encoding. */
static struct jag_buffer whole_file(const struct sample *s)
{
	struct jag_buffer out = { 0 };
	if (s->codec->encode) {
		struct jag_view view = { &s->shape, s->element.mem.data, s->element.nbytes };
		uint64_t size;
		assert_int_equal(jag_buffer_append(&out, "before", 6), 0);
		assert_int_equal(s->codec->encode(&view, &s->look, &out), 0);
		assert_memory_equal(out.data, "before", 6);
		out.nbytes -= 6;
		memmove(out.data, out.data + 6, out.nbytes);
		if (s->codec->size && s->codec->size(&s->shape, &s->look, &size) == 0)
			assert_int_equal(size, out.nbytes);
		return out;
	}
	struct jag_live live;
	const struct element *ctx = &s->element;
	uint8_t part[1009];
	assert_int_equal(s->codec->live(&s->shape, &s->look, &live), 0);
	assert_int_equal(live.payload_nbytes, s->element.nbytes);
	for (size_t n = 1;; n = n * 3 % sizeof(part) + 1) {
		int64_t got = jag_live_read(&live, element_fetch, &ctx, part, n, out.nbytes);
		assert_true(got >= 0 && (size_t)got <= n);
		if (got == 0)
			break;
		assert_int_equal(jag_buffer_append(&out, part, (size_t)got), 0);
	}
	assert_int_equal(out.nbytes, live.header_nbytes + live.payload_nbytes + live.pad_nbytes);
	return out;
}

static void check_undone(const struct sample *s, const struct jag_buffer *file)
{
	struct jag_array array = { 0 };
	struct jag_buffer back = { 0 };
	struct jag_error err = { 0 };
	struct guarded bytes = guarded_copy(file->data, file->nbytes);
	int rc = s->codec->decode(bytes.data, file->nbytes, &s->shape, &s->look, &array, &err);
	if (rc == 0)
		rc = jag_array_to_element(&array, &s->shape, &s->look, &back, &err);
	if (rc)
		print_error("%s: %s\n", s->codec->name, err.message);
	assert_int_equal(rc, 0);
	assert_int_equal(back.nbytes, s->element.nbytes);
	if (back.nbytes && s->codec->format != JAG_FORMAT_JPG)
		assert_memory_equal(back.data, s->element.mem.data, back.nbytes);
	guarded_free(&bytes);
	jag_buffer_free(&back);
	jag_array_free(&array);
}

static void check(const struct jag_codec *codec, enum jag_dtype dtype, const int64_t *dims, struct jag_look look)
{
	struct sample s = { .codec = codec, .shape = make_shape(dtype, (unsigned)dims[0], dims + 1), .look = look };
	const char *suffix = codec->suffix(&s.shape, &look);
	bool listed = false;
	if (!suffix)
		return;
	for (const char *const *p = codec->suffixes; *p; p++)
		listed |= *p == suffix;
	assert_true(listed);
	fill(&s);
	struct jag_buffer file = whole_file(&s);
	if (codec->format != JAG_FORMAT_RAW && codec->format != JAG_FORMAT_TXT)
		assert_ptr_equal(jag_codec_by_content(file.data, file.nbytes), codec);
	check_undone(&s, &file);
	jag_buffer_free(&file);
	guarded_free(&s.element.mem);
}

static void check_format(const struct jag_codec *codec)
{
	for (int dtype = JAG_DTYPE_NONE + 1; dtype < JAG_DTYPE_COUNT; dtype++)
		for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
			for (size_t l = 0; l < 4; l++)
				for (unsigned variant = 0; variant < 6; variant++) {
					struct jag_look look = make_look(layouts[l]);
					look.rate = 48000;
					look.bgr = variant & 1;
					look.npy_bits = variant & 1;
					look.png_level = (uint8_t[]){ 0, 1, 6 }[variant / 2];
					look.subsampling = (uint8_t)(variant / 2);
					if (variant > 1 && codec->format != JAG_FORMAT_PNG &&
					    codec->format != JAG_FORMAT_JPG)
						continue;
					check(codec, (enum jag_dtype)dtype, shapes[s], look);
				}
}

static void test_decode_undoes_what_was_made(void **state)
{
	(void)state;
	for (int f = 0; f < JAG_FORMAT_COUNT; f++)
		if (jag_codec_by_format((enum jag_format)f))
			check_format(jag_codec_by_format((enum jag_format)f));
}

static void test_a_format_is_either_live_or_encoded(void **state)
{
	(void)state;
	for (int f = 0; f < JAG_FORMAT_COUNT; f++) {
		const struct jag_codec *codec = jag_codec_by_format((enum jag_format)f);
		if (codec)
			assert_true(!codec->live != !codec->encode);
	}
}

static void test_names_and_suffixes_find_their_format(void **state)
{
	(void)state;
	for (int f = 0; f < JAG_FORMAT_COUNT; f++) {
		const struct jag_codec *codec = jag_codec_by_format((enum jag_format)f);
		if (!codec)
			continue;
		assert_int_equal(codec->format, f);
		assert_ptr_equal(jag_codec_by_name(codec->name, strlen(codec->name)), codec);
		for (const char *const *s = codec->suffixes; *s; s++)
			assert_ptr_equal(jag_codec_by_suffix(*s, strlen(*s)), codec);
	}
	assert_null(jag_codec_by_name("np", 2));
	assert_null(jag_codec_by_suffix(".NPY", 4));
	assert_null(jag_codec_by_suffix("", 0));
	assert_null(jag_codec_by_content("", 0));
	assert_null(jag_codec_by_format(JAG_FORMAT_DIR));
	assert_null(jag_codec_by_format(JAG_FORMAT_COUNT));
}

static void test_zero_sizes_fit_only_raw_and_npy(void **state)
{
	(void)state;
	struct jag_shape shape = SHAPE(JAG_UINT8, 3, 0, 4);
	struct jag_look look = make_look(JAG_LAYOUT_CHW);
	for (int f = 0; f < JAG_FORMAT_COUNT; f++) {
		const struct jag_codec *codec = jag_codec_by_format((enum jag_format)f);
		if (codec)
			assert_int_equal(codec->suffix(&shape, &look) != NULL,
					 f == JAG_FORMAT_RAW || f == JAG_FORMAT_NPY);
	}
}

/* Encoding needs the whole element in memory; a store can claim any size by a hole in its file. */
static void test_huge_images_fit_live_formats_only(void **state)
{
	(void)state;
	struct jag_shape most = SHAPE(JAG_UINT8, 1, 32768, 32768), more = SHAPE(JAG_UINT8, 1, 32768, 32769);
	struct jag_look look = make_look(JAG_LAYOUT_CHW);
	for (int f = 0; f < JAG_FORMAT_COUNT; f++) {
		const struct jag_codec *codec = jag_codec_by_format((enum jag_format)f);
		if (!codec || f == JAG_FORMAT_TXT || f == JAG_FORMAT_WAV)
			continue;
		assert_non_null(codec->suffix(&most, &look));
		assert_int_equal(codec->suffix(&more, &look) != NULL, codec->live != NULL);
	}
}

static void test_what_does_not_fit_cannot_be_made(void **state)
{
	(void)state;
	struct jag_shape shape = SHAPE(JAG_FLOAT4_E2M1FN_X2, 7, 7, 7);
	struct jag_view view = { &shape, (const uint8_t[343]){ 0 }, 343 };
	struct jag_look look = make_look(JAG_LAYOUT_CHW);
	struct jag_buffer out = { 0 };
	struct jag_live live;
	for (int f = JAG_FORMAT_NPY; f < JAG_FORMAT_COUNT; f++) {
		const struct jag_codec *codec = jag_codec_by_format((enum jag_format)f);
		if (codec && codec->live)
			assert_int_equal(codec->live(&shape, &look, &live), -EINVAL);
		else if (codec)
			assert_int_equal(codec->encode(&view, &look, &out), -EINVAL);
	}
	assert_int_equal(out.nbytes, 0);
	jag_buffer_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_format_is_either_live_or_encoded),
		cmocka_unit_test(test_names_and_suffixes_find_their_format),
		cmocka_unit_test(test_decode_undoes_what_was_made),
		cmocka_unit_test(test_zero_sizes_fit_only_raw_and_npy),
		cmocka_unit_test(test_huge_images_fit_live_formats_only),
		cmocka_unit_test(test_what_does_not_fit_cannot_be_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
