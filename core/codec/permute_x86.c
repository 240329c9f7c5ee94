/* SPDX-License-Identifier: MIT */
/* permute_x86.c - 8-bit pixels of 2, 3 and 4 channels with SSSE3 and AVX2; twins of permute.c's loops.
 *
 * Each kernel moves blocks of 16 (SSSE3) or 32 (AVX2) pixels and touches nothing outside the buffers. Three channels: byte j of output vector k is channel (16k+j) % 3 of pixel
 * (16k+j) / 3, which one byte shuffle of each plane brings into place (0x80 gives zero), and an OR joins them. The
 * AVX2 kernels do the same in both 128-bit lanes, one block of 16 pixels in each.
 */
#include "codec/permute.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#define TARGET_SSSE3 __attribute__((target("ssse3")))
#define TARGET_AVX2 __attribute__((target("avx2")))
#define Z (-128)

/* The block after the one at pixel i. The last is moved back so that it ends with the pixels: a few are done twice,
 * which is cheaper than a loop over single ones at the end of each row. */
static inline size_t after(size_t i, size_t npixels, size_t block)
{
	i += block;
	return i < npixels && i > npixels - block ? npixels - block : i;
}

/* [output vector][channel]: which pixel's byte goes where. */
static const int8_t join3[3][3][16] = {
	{ { 0, Z, Z, 1, Z, Z, 2, Z, Z, 3, Z, Z, 4, Z, Z, 5 },
	  { Z, 0, Z, Z, 1, Z, Z, 2, Z, Z, 3, Z, Z, 4, Z, Z },
	  { Z, Z, 0, Z, Z, 1, Z, Z, 2, Z, Z, 3, Z, Z, 4, Z } },
	{ { Z, Z, 6, Z, Z, 7, Z, Z, 8, Z, Z, 9, Z, Z, 10, Z },
	  { 5, Z, Z, 6, Z, Z, 7, Z, Z, 8, Z, Z, 9, Z, Z, 10 },
	  { Z, 5, Z, Z, 6, Z, Z, 7, Z, Z, 8, Z, Z, 9, Z, Z } },
	{ { Z, 11, Z, Z, 12, Z, Z, 13, Z, Z, 14, Z, Z, 15, Z, Z },
	  { Z, Z, 11, Z, Z, 12, Z, Z, 13, Z, Z, 14, Z, Z, 15, Z },
	  { 10, Z, Z, 11, Z, Z, 12, Z, Z, 13, Z, Z, 14, Z, Z, 15 } },
};

/* [channel][input vector]: the reverse. */
static const int8_t split3[3][3][16] = {
	{ { 0, 3, 6, 9, 12, 15, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z },
	  { Z, Z, Z, Z, Z, Z, 2, 5, 8, 11, 14, Z, Z, Z, Z, Z },
	  { Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, 1, 4, 7, 10, 13 } },
	{ { 1, 4, 7, 10, 13, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z },
	  { Z, Z, Z, Z, Z, 0, 3, 6, 9, 12, 15, Z, Z, Z, Z, Z },
	  { Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, 2, 5, 8, 11, 14 } },
	{ { 2, 5, 8, 11, 14, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z },
	  { Z, Z, Z, Z, Z, 1, 4, 7, 10, 13, Z, Z, Z, Z, Z, Z },
	  { Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, 0, 3, 6, 9, 12, 15 } },
};

/* Bytes of four RGBA pixels grouped by channel. */
static const int8_t split4[16] = { 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15 };

/* 16 bytes at any address. */
static TARGET_SSSE3 inline __m128i load(const void *p)
{
	return _mm_loadu_si128((const __m128i *)p);
}

static TARGET_SSSE3 inline void store(uint8_t *p, __m128i v)
{
	_mm_storeu_si128((__m128i *)(void *)p, v);
}

static TARGET_SSSE3 inline __m128i shuffle3(__m128i a, __m128i b, __m128i c, const int8_t masks[3][16])
{
	return _mm_or_si128(_mm_or_si128(_mm_shuffle_epi8(a, load(masks[0])), _mm_shuffle_epi8(b, load(masks[1]))),
			    _mm_shuffle_epi8(c, load(masks[2])));
}

static TARGET_SSSE3 size_t join2_ssse3(const uint8_t *const planes[], size_t npixels, uint8_t *out)
{
	for (size_t i = npixels < 16 ? npixels : 0; i < npixels; i = after(i, npixels, 16)) {
		uint8_t *to = out + i * 2;
		__m128i a = load(planes[0] + i), b = load(planes[1] + i);
		store(to, _mm_unpacklo_epi8(a, b));
		store(to + 16, _mm_unpackhi_epi8(a, b));
	}
	return npixels >= 16 ? npixels : 0;
}

static TARGET_SSSE3 size_t join3_ssse3(const uint8_t *const planes[], size_t npixels, uint8_t *out)
{
	for (size_t i = npixels < 16 ? npixels : 0; i < npixels; i = after(i, npixels, 16)) {
		uint8_t *to = out + i * 3;
		__m128i a = load(planes[0] + i), b = load(planes[1] + i), c = load(planes[2] + i);
		store(to, shuffle3(a, b, c, join3[0]));
		store(to + 16, shuffle3(a, b, c, join3[1]));
		store(to + 32, shuffle3(a, b, c, join3[2]));
	}
	return npixels >= 16 ? npixels : 0;
}

static TARGET_SSSE3 size_t join4_ssse3(const uint8_t *const planes[], size_t npixels, uint8_t *out)
{
	for (size_t i = npixels < 16 ? npixels : 0; i < npixels; i = after(i, npixels, 16)) {
		uint8_t *to = out + i * 4;
		__m128i a = load(planes[0] + i), b = load(planes[1] + i);
		__m128i c = load(planes[2] + i), d = load(planes[3] + i);
		__m128i ab0 = _mm_unpacklo_epi8(a, b), ab1 = _mm_unpackhi_epi8(a, b);
		__m128i cd0 = _mm_unpacklo_epi8(c, d), cd1 = _mm_unpackhi_epi8(c, d);
		store(to, _mm_unpacklo_epi16(ab0, cd0));
		store(to + 16, _mm_unpackhi_epi16(ab0, cd0));
		store(to + 32, _mm_unpacklo_epi16(ab1, cd1));
		store(to + 48, _mm_unpackhi_epi16(ab1, cd1));
	}
	return npixels >= 16 ? npixels : 0;
}

static TARGET_SSSE3 size_t split2_ssse3(const uint8_t *in, size_t npixels, uint8_t *const planes[])
{
	const __m128i low = _mm_set1_epi16(0xff);
	for (size_t i = npixels < 16 ? npixels : 0; i < npixels; i = after(i, npixels, 16)) {
		const uint8_t *from = in + i * 2;
		__m128i a = load(from), b = load(from + 16);
		store(planes[0] + i, _mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low)));
		store(planes[1] + i, _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8)));
	}
	return npixels >= 16 ? npixels : 0;
}

static TARGET_SSSE3 size_t split3_ssse3(const uint8_t *in, size_t npixels, uint8_t *const planes[])
{
	for (size_t i = npixels < 16 ? npixels : 0; i < npixels; i = after(i, npixels, 16)) {
		const uint8_t *from = in + i * 3;
		__m128i a = load(from), b = load(from + 16), c = load(from + 32);
		store(planes[0] + i, shuffle3(a, b, c, split3[0]));
		store(planes[1] + i, shuffle3(a, b, c, split3[1]));
		store(planes[2] + i, shuffle3(a, b, c, split3[2]));
	}
	return npixels >= 16 ? npixels : 0;
}

static TARGET_SSSE3 size_t split4_ssse3(const uint8_t *in, size_t npixels, uint8_t *const planes[])
{
	const __m128i mask = load(split4);
	for (size_t i = npixels < 16 ? npixels : 0; i < npixels; i = after(i, npixels, 16)) {
		const uint8_t *from = in + i * 4;
		__m128i a = _mm_shuffle_epi8(load(from), mask), b = _mm_shuffle_epi8(load(from + 16), mask);
		__m128i c = _mm_shuffle_epi8(load(from + 32), mask), d = _mm_shuffle_epi8(load(from + 48), mask);
		__m128i ab0 = _mm_unpacklo_epi32(a, b), ab1 = _mm_unpackhi_epi32(a, b);
		__m128i cd0 = _mm_unpacklo_epi32(c, d), cd1 = _mm_unpackhi_epi32(c, d);
		store(planes[0] + i, _mm_unpacklo_epi64(ab0, cd0));
		store(planes[1] + i, _mm_unpackhi_epi64(ab0, cd0));
		store(planes[2] + i, _mm_unpacklo_epi64(ab1, cd1));
		store(planes[3] + i, _mm_unpackhi_epi64(ab1, cd1));
	}
	return npixels >= 16 ? npixels : 0;
}

static TARGET_AVX2 inline __m256i load256(const uint8_t *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

static TARGET_AVX2 inline void store256(uint8_t *p, __m256i v)
{
	_mm256_storeu_si256((__m256i *)(void *)p, v);
}

/* 16 bytes at `low` and at `high`, one in each lane. */
static TARGET_AVX2 inline __m256i load_lanes(const uint8_t *low, const uint8_t *high)
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)low)),
				       _mm_loadu_si128((const __m128i *)(const void *)high), 1);
}

static TARGET_AVX2 inline __m256i both_lanes(const int8_t mask[16])
{
	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)mask));
}

static TARGET_AVX2 inline __m256i shuffle3_256(__m256i a, __m256i b, __m256i c, const int8_t masks[3][16])
{
	return _mm256_or_si256(_mm256_or_si256(_mm256_shuffle_epi8(a, both_lanes(masks[0])),
					       _mm256_shuffle_epi8(b, both_lanes(masks[1]))),
			       _mm256_shuffle_epi8(c, both_lanes(masks[2])));
}

static TARGET_AVX2 size_t join3_avx2(const uint8_t *const planes[], size_t npixels, uint8_t *out)
{
	if (npixels < 32)
		return join3_ssse3(planes, npixels, out);
	for (size_t i = 0; i < npixels; i = after(i, npixels, 32)) {
		uint8_t *to = out + i * 3;
		__m256i a = load256(planes[0] + i), b = load256(planes[1] + i), c = load256(planes[2] + i);
		__m256i v0 = shuffle3_256(a, b, c, join3[0]);
		__m256i v1 = shuffle3_256(a, b, c, join3[1]);
		__m256i v2 = shuffle3_256(a, b, c, join3[2]);
		/* Low lanes are the first 48 bytes, high lanes the next. */
		store256(to, _mm256_permute2x128_si256(v0, v1, 0x20));
		store256(to + 32, _mm256_permute2x128_si256(v2, v0, 0x30));
		store256(to + 64, _mm256_permute2x128_si256(v1, v2, 0x31));
	}
	return npixels;
}

static TARGET_AVX2 size_t split3_avx2(const uint8_t *in, size_t npixels, uint8_t *const planes[])
{
	if (npixels < 32)
		return split3_ssse3(in, npixels, planes);
	for (size_t i = 0; i < npixels; i = after(i, npixels, 32)) {
		const uint8_t *from = in + i * 3;
		__m256i a = load_lanes(from, from + 48);
		__m256i b = load_lanes(from + 16, from + 64);
		__m256i c = load_lanes(from + 32, from + 80);
		store256(planes[0] + i, shuffle3_256(a, b, c, split3[0]));
		store256(planes[1] + i, shuffle3_256(a, b, c, split3[1]));
		store256(planes[2] + i, shuffle3_256(a, b, c, split3[2]));
	}
	return npixels;
}

/* Two and four channels are unpack instructions alone: SSSE3 keeps up with the cache there. */
static const struct jag_permute_kernels avx2 = {
	"avx2",
	{ NULL, NULL, join2_ssse3, join3_avx2, join4_ssse3 },
	{ NULL, NULL, split2_ssse3, split3_avx2, split4_ssse3 },
};
static const struct jag_permute_kernels ssse3 = {
	"ssse3",
	{ NULL, NULL, join2_ssse3, join3_ssse3, join4_ssse3 },
	{ NULL, NULL, split2_ssse3, split3_ssse3, split4_ssse3 },
};
static const struct jag_permute_kernels none;

const struct jag_permute_kernels *jag_permute_kernels(size_t i)
{
	bool has_avx2 = __builtin_cpu_supports("avx2"), has_ssse3 = __builtin_cpu_supports("ssse3");
	if (has_avx2 && i-- == 0)
		return &avx2;
	if (has_ssse3 && i == 0)
		return &ssse3;
	return &none;
}

#else

static const struct jag_permute_kernels none;

const struct jag_permute_kernels *jag_permute_kernels(size_t i)
{
	(void)i;
	return &none;
}

#endif
