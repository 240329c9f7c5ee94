/* SPDX-License-Identifier: MIT */
/* permute.c - interleaved <-> planar in portable C, and the choice of a faster twin at run time. */
#include "codec/permute.h"

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

/* Kernels exist for 8-bit pixels of 2 to 4 channels; the planes are handed to them in the file's order. The rest of
 * the pixels, or all, are left to the loops above. */
static bool has_kernel(const struct jag_permute *how)
{
	return how->itemsize == 1 && how->channels >= 2 && how->channels <= 4;
}

void jag_interleave(const struct jag_permute *how, const uint8_t *const planes[], size_t npixels, uint8_t *out)
{
	const uint8_t *rest[4];
	size_t done = 0;
	if (!has_kernel(how)) {
		jag_interleave_portable(how, planes, npixels, out);
		return;
	}
	for (size_t c = 0; c < how->channels; c++)
		rest[c] = planes[plane_of(how, c)];
	jag_interleave_kernel kernel = jag_permute_kernels(0)->interleave[how->channels];
	if (kernel)
		done = kernel(rest, npixels, out);
	for (size_t c = 0; c < how->channels; c++)
		interleave8(how->channels, rest[c] + done, npixels - done, out + done * how->channels + c);
}

void jag_deinterleave(const struct jag_permute *how, const uint8_t *in, size_t npixels, uint8_t *const planes[])
{
	uint8_t *rest[4];
	size_t done = 0;
	if (!has_kernel(how)) {
		jag_deinterleave_portable(how, in, npixels, planes);
		return;
	}
	for (size_t c = 0; c < how->channels; c++)
		rest[c] = planes[plane_of(how, c)];
	jag_deinterleave_kernel kernel = jag_permute_kernels(0)->deinterleave[how->channels];
	if (kernel)
		done = kernel(in, npixels, rest);
	for (size_t c = 0; c < how->channels; c++)
		deinterleave8(how->channels, in + done * how->channels + c, npixels - done, rest[c] + done);
}
