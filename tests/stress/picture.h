/* SPDX-License-Identifier: MIT */
/* picture.h - pictures that carry a number in each pixel, so that a mix of two is found out. Made and read by libpng
 * and libjpeg alone: nothing of what is tested takes part. */
#ifndef JAG_STRESS_PICTURE_H
#define JAG_STRESS_PICTURE_H

#include <stddef.h>
#include <stdint.h>

#define PICTURE_COUNT 24 /* numbers 0 .. 23 */

enum picture_format { PICTURE_PNG, PICTURE_JPG, PICTURE_RAW, PICTURE_FORMATS };
extern const char *const picture_suffixes[PICTURE_FORMATS]; /* ".png" */

/* Blocks of 16 x 16 pixels have the number's colour, shifted in brightness alone by a pattern of the number's own.
 * Colours of two numbers differ by more than JPEG's error, and so do not the pixels of one number. */
void picture_draw(unsigned number, uint32_t width, uint32_t height, uint8_t *rgb);

/* A whole file, malloc memory. RAW is [3, H, W]. */
uint8_t *picture_encode(enum picture_format format, const uint8_t *rgb, uint32_t width, uint32_t height,
			size_t *nbytes);

/* Decode; the number if every pixel is that number's; -1 it does not decode, -2 another size, -3 no or several
 * numbers. */
int picture_check(enum picture_format format, const uint8_t *bytes, size_t nbytes, uint32_t width, uint32_t height);

#endif
