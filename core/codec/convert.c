/* SPDX-License-Identifier: MIT */
/* convert.c - pixels between gray, gray and alpha, RGB and RGBA, by the formulas that Pillow uses, so that packed
 * pixels equal what Image.convert() gives: L = (19595 R + 38470 G + 7471 B + 32768) >> 16, alpha dropped or opaque,
 * CMYK through RGB as (255 - K) - C (255 - K) / 255, rounded.
 *
 * The conversion is in place: forward where pixels shrink, backward where they grow. The loop is written once and
 * inlined for each pair of channel counts.
 */
#include <string.h>

#include "codec/image_formats.h"

struct pixel {
	uint32_t r, g, b, a;
};

/* x / 255, rounded, for x up to 255 * 255. */
static inline uint32_t div255(uint32_t x)
{
	x += 128;
	return (x + (x >> 8)) >> 8;
}

/* Adobe's files hold 255 - C and so on. */
static inline struct pixel from_cmyk(const uint8_t *p)
{
	uint32_t nk = p[3];
	return (struct pixel){ nk - div255((255U - p[0]) * nk), nk - div255((255U - p[1]) * nk),
			       nk - div255((255U - p[2]) * nk), 255 };
}

/* The weights add up to 65536, so this fits 32 bits for 16-bit values too. */
static inline uint32_t luma(struct pixel v)
{
	return (v.r * 19595 + v.g * 38470 + v.b * 7471 + 0x8000) >> 16;
}

#define INLINED static inline __attribute__((always_inline))

/* Item i of a pixel, of 8 or 16 bit. */
INLINED uint32_t get(const uint8_t *p, size_t i, unsigned depth)
{
	uint16_t v;
	if (depth == 8)
		return p[i];
	memcpy(&v, p + 2 * i, 2);
	return v;
}

INLINED void put(uint8_t *p, size_t i, unsigned depth, uint32_t value)
{
	uint16_t v = (uint16_t)value;
	if (depth == 8)
		p[i] = (uint8_t)value;
	else
		memcpy(p + 2 * i, &v, 2);
}

INLINED struct pixel load(const uint8_t *p, unsigned from, unsigned depth)
{
	uint32_t first = get(p, 0, depth), opaque = depth == 8 ? 255 : 65535;
	if (from < 3)
		return (struct pixel){ first, first, first, from == 2 ? get(p, 1, depth) : opaque };
	return (struct pixel){ first, get(p, 1, depth), get(p, 2, depth), from == 4 ? get(p, 3, depth) : opaque };
}

/* `gray`: the three colours are one. */
INLINED void store(uint8_t *p, unsigned to, unsigned depth, struct pixel v, bool gray)
{
	if (to < 3) {
		put(p, 0, depth, gray ? v.r : luma(v));
	} else {
		put(p, 0, depth, v.r);
		put(p, 1, depth, v.g);
		put(p, 2, depth, v.b);
	}
	if (to == 2 || to == 4)
		put(p, to - 1, depth, v.a);
}

INLINED void loop(unsigned from, unsigned to, unsigned depth, bool cmyk, uint8_t *pixels, size_t npixels)
{
	const size_t item = depth / 8;
	for (size_t k = 0; k < npixels; k++) {
		size_t i = to > from ? npixels - 1 - k : k;
		const uint8_t *p = pixels + i * from * item;
		struct pixel v = cmyk ? from_cmyk(p) : load(p, from, depth);
		store(pixels + i * to * item, to, depth, v, !cmyk && from < 3);
	}
}

#define PAIR(from, to) ((from)*8 + (to))

static void convert8(const struct jag_conversion *how, uint8_t *p, size_t n)
{
	switch (PAIR(how->from, how->to)) {
	case PAIR(1, 3):
		loop(1, 3, 8, false, p, n);
		break;
	case PAIR(1, 4):
		loop(1, 4, 8, false, p, n);
		break;
	case PAIR(3, 1):
		loop(3, 1, 8, false, p, n);
		break;
	case PAIR(3, 4):
		loop(3, 4, 8, false, p, n);
		break;
	case PAIR(4, 3):
		loop(4, 3, 8, false, p, n);
		break;
	default:
		loop(how->from, how->to, 8, false, p, n);
	}
}

void jag_convert_pixels(const struct jag_conversion *how, uint8_t *pixels, size_t npixels)
{
	if (how->depth == 16) {
		if (how->from != how->to)
			loop(how->from, how->to, 16, false, pixels, npixels);
	} else if (how->cmyk) {
		loop(4, how->to, 8, true, pixels, npixels);
	} else if (how->from != how->to) {
		convert8(how, pixels, npixels);
	}
}
