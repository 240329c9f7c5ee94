/* SPDX-License-Identifier: MIT */
/* png.c - .png: uint8 and uint16 images of 1 to 4 channels, bool masks as 1-bit gray. Level 0 is png_stored.c, levels
 * 1-9 are png_deflate.c; this file holds the format's row and what both share. Reading is image.c's. */
#include <errno.h>
#include <libdeflate.h>
#include <string.h>

#include "codec/bytes.h"
#include "codec/codecs.h"
#include "codec/image_formats.h"
#include "codec/png_write.h"

static const char *const suffixes[] = { ".png", NULL };

int jag_png_rows(const struct jag_shape *shape, const struct jag_look *look, const uint8_t *element,
		 struct jag_png_rows *out)
{
	struct jag_png_rows r = { .element = element };
	if (jag_geometry(shape, look, &r.g) || (r.g.depth == 1 && r.g.channels != 1) || jag_is_too_large(&r.g))
		return -EINVAL;
	r.order = jag_pixel_order(&r.g, look, true);
	r.npixels = (size_t)(r.g.width * r.g.height);
	r.pixel_nbytes = (size_t)r.order.itemsize * r.g.channels;
	r.row_nbytes = (size_t)(r.g.depth == 1 ? (r.g.width + 7) / 8 : r.g.width * r.pixel_nbytes);
	*out = r;
	return 0;
}

/* Bytes that are not zero become set bits, the first pixel in the highest. */
static void pack_bits(const uint8_t *bools, size_t n, uint8_t *out)
{
	for (size_t i = 0; i < n; i += 8) {
		unsigned bits = 0;
		for (size_t k = 0; k < 8; k++)
			bits = bits << 1 | (i + k < n && bools[i + k] != 0);
		*out++ = (uint8_t)bits;
	}
}

void jag_png_row(const struct jag_png_rows *rows, uint64_t y, size_t first, size_t n, uint8_t *out)
{
	size_t start = (size_t)(y * rows->g.width), width = (size_t)rows->g.width;
	if (rows->g.depth == 1)
		pack_bits(rows->element + start + first * 8, width - first * 8 < n * 8 ? width - first * 8 : n * 8,
			  out);
	else
		jag_pixels_read(&rows->order, rows->element, rows->npixels, start + first / rows->pixel_nbytes,
				n / rows->pixel_nbytes, out);
}

uint8_t *jag_png_close_chunk(uint8_t *p, const char type[4], size_t n)
{
	jag_put_be32(p, (uint32_t)n);
	memcpy(p + 4, type, 4);
	return jag_put_be32(p + 8 + n, libdeflate_crc32(0, p + 4, n + 4));
}

uint8_t *jag_png_put_head(uint8_t *p, const struct jag_geometry *g)
{
	static const uint8_t colour_types[] = { 0, 0, 4, 2, 6 }; /* by channels: gray, gray+alpha, RGB, RGBA */
	memcpy(p, "\x89PNG\r\n\x1a\n", 8);
	uint8_t *body = p + 16;
	jag_put_be32(body, (uint32_t)g->width);
	jag_put_be32(body + 4, (uint32_t)g->height);
	body[8] = (uint8_t)g->depth;
	body[9] = colour_types[g->channels];
	memset(body + 10, 0, 3); /* deflate, adaptive filters, not interlaced */
	return jag_png_close_chunk(p + 8, "IHDR", 13);
}

static const char *png_suffix(const struct jag_shape *shape, const struct jag_look *look)
{
	struct jag_png_rows rows;
	return jag_png_rows(shape, look, NULL, &rows) ? NULL : suffixes[0];
}

static int png_size(const struct jag_shape *shape, const struct jag_look *look, uint64_t *nbytes)
{
	struct jag_png_rows rows;
	int rc = jag_png_rows(shape, look, NULL, &rows);
	if (rc)
		return rc;
	if (look->png_level)
		return 1;
	*nbytes = jag_png_stored_nbytes(&rows);
	return 0;
}

static int png_encode(const struct jag_view *view, const struct jag_look *look, struct jag_buffer *out)
{
	struct jag_png_rows rows;
	int rc = jag_png_rows(view->shape, look, view->data, &rows);
	if (rc)
		return rc;
	if (look->png_level)
		return jag_png_write_deflated(&rows, look->png_level, out);
	uint64_t nbytes = jag_png_stored_nbytes(&rows);
	rc = jag_buffer_reserve(out, out->nbytes + (size_t)nbytes);
	if (rc)
		return rc;
	jag_png_write_stored(&rows, out->data + out->nbytes);
	out->nbytes += (size_t)nbytes;
	return 0;
}

const struct jag_codec jag_codec_png = {
	.name = "png",
	.format = JAG_FORMAT_PNG,
	.suffixes = suffixes,
	.suffix = png_suffix,
	.size = png_size,
	.encode = png_encode,
	.decode = jag_image_codec_decode,
};
