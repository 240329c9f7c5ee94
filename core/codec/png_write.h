/* SPDX-License-Identifier: MIT */
/* png_write.h - what the two PNG writers share: how an element's rows lie in a PNG, and the chunks around them.
 * Private to core/codec. */
#ifndef JAG_CODEC_PNG_WRITE_H
#define JAG_CODEC_PNG_WRITE_H

#include "codec/pixels.h"

/* Signature and IHDR, a chunk's length, type and checksum, IEND. */
#define JAG_PNG_HEAD_NBYTES 33
#define JAG_PNG_CHUNK_NBYTES 12
#define JAG_PNG_CHUNK_MAX UINT64_C(0x7fffffff)

struct jag_png_rows {
	struct jag_geometry g;
	struct jag_pixel_order order;
	size_t npixels;
	size_t pixel_nbytes; /* in the file; 1 for bool, where a byte is 8 pixels */
	size_t row_nbytes;   /* pixels of one row in the file, without its filter byte */
	const uint8_t *element;
};

/* -EINVAL if the shape cannot be a PNG. `element` may be NULL if no pixels will be read. */
int jag_png_rows(const struct jag_shape *shape, const struct jag_look *look, const uint8_t *element,
		 struct jag_png_rows *out);

/* Bytes [first, first+n) of row `y` in the file's order; whole pixels. */
void jag_png_row(const struct jag_png_rows *rows, uint64_t y, size_t first, size_t n, uint8_t *out);

/* Signature and IHDR; returns the byte after. */
uint8_t *jag_png_put_head(uint8_t *p, const struct jag_geometry *g);

/* A chunk around `n` bytes that already lie at p + 8; returns the byte after the checksum. */
uint8_t *jag_png_close_chunk(uint8_t *p, const char type[4], size_t n);

/* Level 0: its exact size, and the file into `p`, which has that much room. */
uint64_t jag_png_stored_nbytes(const struct jag_png_rows *rows);
void jag_png_write_stored(const struct jag_png_rows *rows, uint8_t *p);

/* Levels 1..9: appends the file. 0, -ENOMEM, -E2BIG. */
int jag_png_write_deflated(const struct jag_png_rows *rows, int level, struct jag_buffer *out);

#endif
