/* SPDX-License-Identifier: MIT */
/* fuzz_decode.c - any bytes as a file that was written to an element: every decoder refuses it or makes an array that
 * keeps its promises and survives its own format. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "jag/codec.h"
#include "jag/image.h"

/* A broken promise is a crash that the fuzzer keeps. */
static void check(bool good)
{
	if (!good)
		abort();
}

static const struct jag_image_limits limits = { .pixels = 1 << 16, .scans = 20 };

/* The pixels as a PNG, and back. */
static void check_png(const struct jag_image *image)
{
	const struct jag_codec *png = jag_codec_by_format(JAG_FORMAT_PNG);
	struct jag_shape shape = { .dtype = image->depth == 16 ? JAG_UINT16 : JAG_UINT8,
				   .rank = 3,
				   .dims = { image->height, image->width, image->channels } };
	struct jag_view view = { &shape, image->buf.data, image->buf.nbytes };
	struct jag_look look;
	struct jag_buffer file = { 0 };
	struct jag_image again = { 0 };
	jag_look_default(&look);
	look.layout = JAG_LAYOUT_HWC;
	check(png->encode(&view, &look, &file) == 0);
	check(jag_image_decode(file.data, file.nbytes, JAG_MODE_KEEP, image->depth, &limits, &again, NULL) == 0);
	check(again.buf.nbytes == image->buf.nbytes);
	check(memcmp(again.buf.data, image->buf.data, image->buf.nbytes) == 0);
	jag_image_free(&again);
	jag_buffer_free(&file);
}

static void try_image(const uint8_t *data, size_t size)
{
	struct jag_image image = { 0 };
	struct jag_image_info info;
	struct jag_error err = { 0 };
	int probed = jag_image_probe(data, size, &limits, &info, &err);
	for (int mode = JAG_MODE_RGB; mode <= JAG_MODE_KEEP; mode++)
		for (unsigned depth = 8; depth <= 16; depth += 8) {
			if (jag_image_decode(data, size, (enum jag_mode)mode, depth, &limits, &image, &err)) {
				check(err.code < 0 && err.message[0] != '\0');
				continue;
			}
			check(probed == 0 && image.width == info.width && image.height == info.height);
			check(image.depth == 8 || (depth == 16 && info.depth == 16));
			check(image.buf.nbytes ==
			      (size_t)image.width * image.height * image.channels * (image.depth / 8));
			if (mode == JAG_MODE_KEEP) {
				check(image.channels == info.channels);
				check_png(&image);
			}
		}
	jag_image_free(&image);
}

/* What was decoded is an element of its own shape. */
static void check_array(const struct jag_array *array, const struct jag_look *look)
{
	struct jag_buffer element = { 0 };
	uint64_t nbytes;
	check(jag_shape_nbytes(&array->shape, &nbytes) == 0 && nbytes == array->data.nbytes);
	check(jag_array_to_element(array, &array->shape, look, &element, NULL) == 0);
	check(element.nbytes == nbytes);
	check(nbytes == 0 || memcmp(element.data, array->data.data, (size_t)nbytes) == 0);
	jag_buffer_free(&element);
}

static void try_wav(const uint8_t *data, size_t size, const struct jag_look *look)
{
	static const struct jag_shape matrix = { .dtype = JAG_INT16, .rank = 2 };
	const struct jag_codec *wav = jag_codec_by_format(JAG_FORMAT_WAV);
	const struct jag_shape *wants[] = { NULL, &matrix };
	struct jag_array array = { 0 };
	struct jag_live live;
	for (size_t i = 0; i < 2; i++) {
		if (wav->decode(data, size, wants[i], look, &array, NULL) != 0)
			continue;
		check(i == 0 || array.shape.rank == 2);
		check_array(&array, look);
		/* what a header can tell can be told by ours; what stands before the samples is at least a header */
		check(wav->live(&array.shape, look, &live) == 0 && live.payload_nbytes + 44 <= size);
	}
	jag_array_free(&array);
}

static void try_npy(const uint8_t *data, size_t size, const struct jag_look *look)
{
	struct jag_array array = { 0 };
	if (jag_codec_by_format(JAG_FORMAT_NPY)->decode(data, size, NULL, look, &array, NULL) == 0)
		check_array(&array, look);
	jag_array_free(&array);
}

static void try_txt(const uint8_t *data, size_t size, const struct jag_shape *want, const struct jag_look *look)
{
	const struct jag_codec *txt = jag_codec_by_format(JAG_FORMAT_TXT);
	struct jag_array array = { 0 }, again = { 0 };
	struct jag_buffer file = { 0 };
	if (txt->decode(data, size, want, look, &array, NULL) == 0) {
		check_array(&array, look);
		struct jag_view view = { &array.shape, array.data.data, array.data.nbytes };
		check(txt->encode(&view, look, &file) == 0);
		check(txt->decode(file.data, file.nbytes, want, look, &again, NULL) == 0);
		check(memcmp(array.data.data, again.data.data, array.data.nbytes) == 0);
	}
	jag_buffer_free(&file);
	jag_array_free(&array);
	jag_array_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum jag_dtype dtypes[] = { JAG_BOOL,    JAG_INT8,     JAG_UINT64,  JAG_INT64,
						 JAG_FLOAT16, JAG_BFLOAT16, JAG_FLOAT32, JAG_COMPLEX128 };
	struct jag_look look;
	jag_look_default(&look);
	try_image(data, size);
	try_npy(data, size, &look);
	look.rate = 16000;
	try_wav(data, size, &look);
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++) {
		struct jag_shape scalar = { .dtype = dtypes[i] };
		struct jag_shape matrix = { .dtype = dtypes[i], .rank = 2, .dims = { 2, 2 } };
		try_txt(data, size, &scalar, &look);
		try_txt(data, size, &matrix, &look);
	}
	return 0;
}
