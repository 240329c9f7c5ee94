/* SPDX-License-Identifier: MIT */
/* pixels.h - the orders that the pixels of an element can be in, and moving runs of pixels to and from a file's
 * order (interleaved; 16-bit items perhaps big-endian). Private to core/codec. */
#ifndef JAG_CODEC_PIXELS_H
#define JAG_CODEC_PIXELS_H

#include "jag/codec.h"

#define JAG_PIXEL_CHANNELS_MAX 4

struct jag_pixel_order {
	unsigned channels;
	unsigned itemsize; /* 1 or 2; sound also 4 and 8 */
	bool swap;         /* the file's items have the other byte order */
	bool reverse;      /* the element's channels are B, G, R */
	bool planar;       /* the element's channels lie in planes */
};

/* Formats that encode need the element and its encoding in memory, both whole: an image of more bytes than this would
 * take all the memory there is, so they do not fit it. */
#define JAG_ENCODE_NBYTES_MAX (UINT64_C(1) << 30)

/* No overflow: jag_geometry() has checked the product. */
static inline bool jag_is_too_large(const struct jag_geometry *g)
{
	return g->width * g->height * g->channels * (g->depth == 16 ? 2 : 1) > JAG_ENCODE_NBYTES_MAX;
}

/* Sound: more channels or larger items than pictures have. These are only gathered and scattered, never swapped or
 * reversed. */
static inline bool jag_pixels_are_wide(const struct jag_pixel_order *order)
{
	return order->channels > JAG_PIXEL_CHANNELS_MAX || order->itemsize > 2;
}

/* The order of an element's pixels; `swap` for a big-endian file. */
struct jag_pixel_order jag_pixel_order(const struct jag_geometry *geometry, const struct jag_look *look, bool swap);

/* The element's channel that is the file's channel c. */
static inline size_t jag_pixel_channel(const struct jag_pixel_order *order, size_t c)
{
	return order->reverse && order->channels >= 3 && c < 3 ? 2 - c : c;
}

/* Planes -> `count` pixels in the file's order; plane c starts at c * stride bytes. */
void jag_pixels_gather(const struct jag_pixel_order *order, const uint8_t *planes, size_t stride, size_t count,
		       uint8_t *out);

/* The reverse. */
void jag_pixels_scatter(const struct jag_pixel_order *order, const uint8_t *in, size_t count, uint8_t *planes,
			size_t stride);

/* Interleaved element <-> file: swap bytes, reverse channels. Its own inverse. */
void jag_pixels_in_place(const struct jag_pixel_order *order, uint8_t *pixels, size_t count);

/* Pixels [first, first+count) of a whole element of `npixels` -> the file's order, whatever the element's is. */
void jag_pixels_read(const struct jag_pixel_order *order, const uint8_t *element, size_t npixels, size_t first,
		     size_t count, uint8_t *out);

#endif
