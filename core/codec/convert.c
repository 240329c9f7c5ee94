/* SPDX-License-Identifier: MIT */
/* convert.c - pixels between gray, gray and alpha, RGB and RGBA, by the formulas that Pillow uses, so that packed
 * pixels equal what Image.convert() gives: L = (19595 R + 38470 G + 7471 B + 32768) >> 16, alpha dropped or opaque,
 * CMYK through RGB as (255 - K) - C (255 - K) / 255, rounded.
 *
 * The conversion is in place: forward where pixels shrink, backward where they grow. The loop is written once and
 * inlined for each pair of channel counts.
 */
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

#define DEFINE_LOOP(name, type, opaque, cmyk_load)                                                                  \
	static inline __attribute__((always_inline)) void name(unsigned from, unsigned to, bool cmyk, type *pixels, \
							       size_t npixels)                                      \
	{                                                                                                           \
		for (size_t k = 0; k < npixels; k++) {                                                              \
			size_t i = to > from ? npixels - 1 - k : k;                                                 \
			const type *p = pixels + i * from;                                                          \
			type *q = pixels + i * to;                                                                  \
			struct pixel v;                                                                             \
			if (cmyk)                                                                                   \
				v = cmyk_load;                                                                      \
			else if (from < 3)                                                                          \
				v = (struct pixel){ p[0], p[0], p[0], from == 2 ? p[1] : (opaque) };                \
			else                                                                                        \
				v = (struct pixel){ p[0], p[1], p[2], from == 4 ? p[3] : (opaque) };                \
			if (to < 3) {                                                                               \
				q[0] = (type)(from < 3 ? v.r : luma(v));                                            \
			} else {                                                                                    \
				q[0] = (type)v.r;                                                                   \
				q[1] = (type)v.g;                                                                   \
				q[2] = (type)v.b;                                                                   \
			}                                                                                           \
			if (to == 2 || to == 4)                                                                     \
				q[to - 1] = (type)v.a;                                                              \
		}                                                                                                   \
	}

DEFINE_LOOP(loop8, uint8_t, 255U, from_cmyk(p))
DEFINE_LOOP(loop16, uint16_t, 65535U, ((struct pixel){ 0 }))

#define PAIR(from, to) ((from)*8 + (to))

static void convert8(const struct jag_conversion *how, uint8_t *p, size_t n)
{
	switch (PAIR(how->from, how->to)) {
	case PAIR(1, 3):
		loop8(1, 3, false, p, n);
		break;
	case PAIR(1, 4):
		loop8(1, 4, false, p, n);
		break;
	case PAIR(3, 1):
		loop8(3, 1, false, p, n);
		break;
	case PAIR(3, 4):
		loop8(3, 4, false, p, n);
		break;
	case PAIR(4, 3):
		loop8(4, 3, false, p, n);
		break;
	default:
		loop8(how->from, how->to, false, p, n);
	}
}

void jag_convert_pixels(const struct jag_conversion *how, uint8_t *pixels, size_t npixels)
{
	if (how->depth == 16) {
		if (how->from != how->to)
			loop16(how->from, how->to, false, (uint16_t *)(void *)pixels, npixels);
	} else if (how->cmyk) {
		loop8(4, how->to, true, pixels, npixels);
	} else if (how->from != how->to) {
		convert8(how, pixels, npixels);
	}
}
