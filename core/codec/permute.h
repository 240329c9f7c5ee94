/* SPDX-License-Identifier: MIT */
/* permute.h - what permute.c and its SIMD twins share. Private to core/codec and the unit tests. */
#ifndef JAG_CODEC_PERMUTE_H
#define JAG_CODEC_PERMUTE_H

#include "jag/image.h"

/* Portable loops: any channel count, any start. The twins below hand them their remainders. */
void jag_interleave_portable(const struct jag_permute *how, const uint8_t *const planes[], size_t npixels,
			     uint8_t *out);
void jag_deinterleave_portable(const struct jag_permute *how, const uint8_t *in, size_t npixels,
			       uint8_t *const planes[]);

/* A kernel handles the first part of the pixels and says how many it did (a multiple of its block, perhaps 0). It
 * never touches a byte outside the planes' and the pixels' npixels. Channels are in file order already. */
typedef size_t (*jag_interleave_kernel)(const uint8_t *const planes[], size_t npixels, uint8_t *out);
typedef size_t (*jag_deinterleave_kernel)(const uint8_t *in, size_t npixels, uint8_t *const planes[]);

/* For 8-bit pixels of 2, 3 and 4 channels at [channels]; NULL: none. */
struct jag_permute_kernels {
	const char *name;
	jag_interleave_kernel interleave[5];
	jag_deinterleave_kernel deinterleave[5];
};

/* Best first, ends with a row without a name; only those that this processor runs. */
const struct jag_permute_kernels *jag_permute_kernels(size_t i);

#endif
