/* SPDX-License-Identifier: MIT */
/* png_decode.c - PNG -> pixels with libpng: palettes and low bit depths expanded, tRNS as an alpha channel, 16-bit
 * values in native order or cut to their high byte. Gamma and colour profiles are not applied.
 *
 * As in jpeg_decode.c everything that lives across setjmp() is in `struct job`, owned by run()'s caller.
 */
#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "codec/bytes.h"
#include "codec/image_formats.h"

#define SIGNATURE_NBYTES 8
#define CHUNK_NBYTES 12
#define CHUNK_MAX 0x7fffffffU

enum { PALETTE_BIT = 1, COLOUR_BIT = 2, ALPHA_BIT = 4 };

/* `p` is the 13 bytes of IHDR. */
static int read_ihdr(const uint8_t *p, struct jag_image_info *info, struct jag_error *err)
{
	unsigned depth = p[8], type = p[9];
	info->width = jag_be32(p);
	info->height = jag_be32(p + 4);
	if (!info->width || !info->height || info->width > CHUNK_MAX || info->height > CHUNK_MAX)
		return jag_error_set(err, -EINVAL, NULL, 16, "PNG of %ux%u pixels", info->width, info->height);
	if (type > 6 || type == 1 || type == 5 || !depth || depth > 16 || (depth & (depth - 1)) != 0)
		return jag_error_set(err, -EINVAL, NULL, 24, "PNG of colour type %u, %u bit", type, depth);
	info->palette = (type & PALETTE_BIT) != 0;
	info->alpha = (type & ALPHA_BIT) != 0;
	info->channels = (type & COLOUR_BIT ? 3U : 1U) + info->alpha;
	info->depth = info->palette ? 8 : depth;
	info->interlaced = p[12] == 1;
	return 0;
}

/* Walks the chunks up to the first IDAT: tRNS adds a channel, eXIf has the orientation. */
static int png_probe(const uint8_t *bytes, size_t nbytes, struct jag_image_info *info, struct jag_error *err)
{
	size_t at = SIGNATURE_NBYTES;
	for (bool first = true;; first = false) {
		if (nbytes - at < 8)
			return -EAGAIN;
		const uint8_t *p = bytes + at;
		size_t length = jag_be32(p);
		bool ihdr = memcmp(p + 4, "IHDR", 4) == 0;
		if (length > CHUNK_MAX || first != ihdr || (ihdr && length != 13))
			return jag_error_set(err, -EINVAL, NULL, at, "PNG with a broken chunk");
		if (memcmp(p + 4, "IDAT", 4) == 0)
			return 0;
		if (nbytes - at - 8 < length + 4)
			return -EAGAIN;
		if (ihdr) {
			int rc = read_ihdr(p + 8, info, err);
			if (rc)
				return rc;
		} else if (memcmp(p + 4, "tRNS", 4) == 0 && !info->alpha) {
			info->alpha = true;
			info->channels++;
		} else if (memcmp(p + 4, "eXIf", 4) == 0) {
			info->orientation = jag_exif_orientation(p + 8, length);
		} else if (memcmp(p + 4, "IEND", 4) == 0) {
			return jag_error_set(err, -EINVAL, NULL, at, "PNG without image data");
		}
		at += CHUNK_NBYTES + length;
	}
}

struct job {
	const struct jag_image_source *src;
	uint8_t *out;
	size_t at; /* bytes of the file that were read */
	png_structp png;
	png_infop info;
	int code;
	char message[256];
};

static void fail(png_structp png, png_const_charp message)
{
	struct job *job = png_get_error_ptr(png);
	if (!job->code)
		job->code = -EINVAL;
	if (!job->message[0])
		snprintf(job->message, sizeof(job->message), "%s", message);
	png_longjmp(png, 1);
}

/* Most warnings are about colour profiles and other things that are not used. Of those about the pixels only bytes
 * behind a complete image are harmless. */
static void warn(png_structp png, png_const_charp message)
{
	if (strncmp(message, "IDAT", 4) == 0 && !strstr(message, "Extra compressed data"))
		fail(png, message);
}

static void read_bytes(png_structp png, png_bytep out, size_t n)
{
	struct job *job = png_get_io_ptr(png);
	if (n > job->src->nbytes - job->at)
		png_error(png, "the file ends early");
	memcpy(out, job->src->bytes + job->at, n);
	job->at += n;
}

static void set_up(struct job *job)
{
	png_structp png = job->png;
	png_set_read_fn(png, job, read_bytes);
	png_set_user_limits(png, CHUNK_MAX, CHUNK_MAX); /* the pixels are limited already */
	png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
	/* Profiles, texts and the like: skipped unread, which disarms their decompression bombs. */
	png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
	png_read_info(png, job->info);
	png_set_expand(png);
	if (job->src->depth == 8)
		png_set_strip_16(png);
	else
		png_set_swap(png);
}

static int run(struct job *job)
{
	const struct jag_image_source *src = job->src;
	if (setjmp(png_jmpbuf(job->png)))
		return job->code;
	set_up(job);
	int passes = png_set_interlace_handling(job->png);
	png_read_update_info(job->png, job->info);
	/* The memory was sized by our own reading of the header. */
	size_t stride = (size_t)src->info->width * src->channels * (src->depth / 8);
	if (png_get_rowbytes(job->png, job->info) != stride ||
	    png_get_image_width(job->png, job->info) != src->info->width ||
	    png_get_image_height(job->png, job->info) != src->info->height)
		png_error(job->png, "contradicting chunks");
	for (int pass = 0; pass < passes; pass++)
		for (size_t y = 0; y < src->info->height; y++)
			png_read_row(job->png, job->out + y * stride, NULL);
	png_read_end(job->png, NULL);
	return 0;
}

static int png_decode(const struct jag_image_source *src, uint8_t *out, struct jag_error *err)
{
	struct job job = { .src = src, .out = out };
	int rc = -ENOMEM;
	job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, fail, warn);
	if (job.png)
		job.info = png_create_info_struct(job.png);
	if (job.info)
		rc = run(&job);
	png_destroy_read_struct(&job.png, &job.info, NULL);
	return rc ? jag_error_set(err, rc, NULL, job.at, "PNG: %s", job.message) : 0;
}

const struct jag_image_format jag_image_png = {
	.type = JAG_IMAGE_PNG,
	.probe = png_probe,
	.decode = png_decode,
};
