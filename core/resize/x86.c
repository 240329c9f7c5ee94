/* SPDX-License-Identifier: MIT */
/* x86.c - the passes of resize_kernel.h with SSE4.1 and AVX2, chosen at run time.
 *
 * Both use pmaddwd: pairs of 16-bit samples times pairs of 16-bit weights, added in 32 bits. Along a row the samples
 * are widened as they lie, and the lanes of several sums are added at the end; across rows two rows are interleaved,
 * so that each lane is one column. Whole groups only: a row's last group is computed again over the one before it
 * (source and destination never overlap), and rows shorter than a group are left to the portable code. */
#include "resize_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define SSE41 __attribute__((target("sse4.1")))
#define AVX2 __attribute__((target("avx2")))
#define INLINE static inline __attribute__((always_inline))

/* The two weights of a pair of rows, as one 32-bit lane. */
INLINE int32_t weight_pair(const int16_t *weights)
{
	int32_t pair;
	memcpy(&pair, weights, sizeof(pair));
	return pair;
}

INLINE int32_t half(unsigned precision)
{
	return precision ? 1 << (precision - 1) : 0;
}

/* --- SSE4.1 ------------------------------------------------------------------------------------------------------ */

INLINE SSE41 __m128i widen8_sse(const uint8_t *src)
{
	return _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(const void *)src));
}

INLINE SSE41 __m128i dot_sse(const uint8_t *src, const int16_t *weights, unsigned width)
{
	__m128i sum = _mm_setzero_si128();
	for (unsigned k = 0; k < width; k += 8) {
		__m128i w = _mm_loadu_si128((const __m128i *)(const void *)(weights + k));
		sum = _mm_add_epi32(sum, _mm_madd_epi16(widen8_sse(src + k), w));
	}
	return sum;
}

/* Samples i .. i+3 of a row. */
INLINE SSE41 void columns4_sse(const struct jag_filter *filter, const uint8_t *src, uint32_t i, uint8_t *dst)
{
	unsigned width = filter->width;
	const int16_t *weights = filter->weights + (size_t)i * width;
	const uint32_t *start = filter->start + i;
	__m128i a = dot_sse(src + start[0], weights, width);
	__m128i b = dot_sse(src + start[1], weights + width, width);
	__m128i c = dot_sse(src + start[2], weights + (size_t)2 * width, width);
	__m128i d = dot_sse(src + start[3], weights + (size_t)3 * width, width);
	__m128i sum = _mm_hadd_epi32(_mm_hadd_epi32(a, b), _mm_hadd_epi32(c, d));
	sum = _mm_add_epi32(sum, _mm_set1_epi32(half(filter->precision)));
	sum = _mm_sra_epi32(sum, _mm_cvtsi32_si128((int)filter->precision));
	sum = _mm_packus_epi16(_mm_packs_epi32(sum, sum), sum);
	int32_t bytes = _mm_cvtsi128_si32(sum);
	memcpy(dst + i, &bytes, sizeof(bytes));
}

static SSE41 void columns_sse(const struct jag_filter *filter, const uint8_t *src, size_t row_nbytes, size_t row_count,
			      uint8_t *dst, size_t dst_row_nbytes)
{
	uint32_t count = filter->axis.count;
	for (size_t y = 0; y < row_count; y++, src += row_nbytes, dst += dst_row_nbytes) {
		uint32_t i = 0;
		for (; i + 4 <= count; i += 4)
			columns4_sse(filter, src, i, dst);
		if (i < count && count >= 4)
			columns4_sse(filter, src, count - 4, dst);
		else
			jag_resize_columns_scalar(filter, src, i, count, dst);
	}
}

/* Columns x .. x+7. */
INLINE SSE41 void rows8_sse(const int16_t *weights, uint32_t size, unsigned precision, const uint8_t *src,
			    size_t row_nbytes, uint8_t *dst)
{
	__m128i low = _mm_set1_epi32(half(precision)), high = low;
	for (uint32_t k = 0; k < size; k += 2, src += 2 * row_nbytes) {
		const uint8_t *next = k + 1 < size ? src + row_nbytes : src; /* an odd one's partner has weight 0 */
		__m128i w = _mm_set1_epi32(weight_pair(weights + k));
		__m128i a = widen8_sse(src), b = widen8_sse(next);
		low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), w));
		high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(a, b), w));
	}
	__m128i count = _mm_cvtsi32_si128((int)precision);
	__m128i words = _mm_packs_epi32(_mm_sra_epi32(low, count), _mm_sra_epi32(high, count));
	_mm_storel_epi64((__m128i *)(void *)dst, _mm_packus_epi16(words, words));
}

static SSE41 void rows_sse(const struct jag_filter *filter, uint32_t i, const uint8_t *src, size_t row_nbytes,
			   uint8_t *dst, size_t n)
{
	const int16_t *weights = filter->weights + (size_t)i * filter->width;
	if (n < 8) {
		jag_resize_rows_scalar(filter, i, src, row_nbytes, dst, n);
		return;
	}
	size_t x = 0;
	for (; x + 8 <= n; x += 8)
		rows8_sse(weights, filter->size[i], filter->precision, src + x, row_nbytes, dst + x);
	if (x < n)
		rows8_sse(weights, filter->size[i], filter->precision, src + n - 8, row_nbytes, dst + n - 8);
}

const struct jag_resize_passes jag_resize_sse41 = { .name = "sse4.1", .columns = columns_sse, .rows = rows_sse };

/* --- AVX2 -------------------------------------------------------------------------------------------------------- */

/* The second load of 16 weights may reach 8 beyond the row: into the next row's, or the zeros after the table; they
 * are multiplied by zeros. */
INLINE AVX2 __m256i dot_avx2(const uint8_t *src, const int16_t *weights, unsigned width)
{
	__m256i sum = _mm256_setzero_si256();
	unsigned k = 0;
	for (; k + 16 <= width; k += 16) {
		__m256i w = _mm256_loadu_si256((const __m256i *)(const void *)(weights + k));
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(src + k));
		sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_cvtepu8_epi16(bytes), w));
	}
	if (k < width) {
		__m256i w = _mm256_loadu_si256((const __m256i *)(const void *)(weights + k));
		__m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)(src + k));
		sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_cvtepu8_epi16(bytes), w));
	}
	return sum;
}

/* Four sums of 8 lanes -> [a b c d] of the low halves, [a b c d] of the high halves. */
INLINE AVX2 __m256i gather4_avx2(const uint8_t *src, const uint32_t *start, const int16_t *weights, unsigned width)
{
	__m256i a = dot_avx2(src + start[0], weights, width);
	__m256i b = dot_avx2(src + start[1], weights + width, width);
	__m256i c = dot_avx2(src + start[2], weights + (size_t)2 * width, width);
	__m256i d = dot_avx2(src + start[3], weights + (size_t)3 * width, width);
	return _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
}

/* Eight taps for two samples at once: 8 bytes of each, their weights lie behind each other. */
INLINE AVX2 __m256i dot_pair_avx2(const uint8_t *src, const uint32_t *start, const int16_t *weights)
{
	__m128i first = _mm_loadl_epi64((const __m128i *)(const void *)(src + start[0]));
	__m128i second = _mm_loadl_epi64((const __m128i *)(const void *)(src + start[1]));
	__m256i w = _mm256_loadu_si256((const __m256i *)(const void *)weights);
	return _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi64(first, second)), w);
}

/* Eight sums -> bytes. */
INLINE AVX2 void store8_avx2(__m256i sum, unsigned precision, uint8_t *dst)
{
	sum = _mm256_add_epi32(sum, _mm256_set1_epi32(half(precision)));
	sum = _mm256_sra_epi32(sum, _mm_cvtsi32_si128((int)precision));
	__m128i words = _mm_packs_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
	_mm_storel_epi64((__m128i *)(void *)dst, _mm_packus_epi16(words, words));
}

/* Samples i .. i+7 of a row. `width` is filter->width, a constant in most calls. */
INLINE AVX2 void columns8_avx2(const struct jag_filter *filter, unsigned width, const uint8_t *src, uint32_t i,
			       uint8_t *dst)
{
	const int16_t *weights = filter->weights + (size_t)i * width;
	const uint32_t *start = filter->start + i;
	__m256i sum;
	if (width == 8) {
		__m256i ab = dot_pair_avx2(src, start, weights), cd = dot_pair_avx2(src, start + 2, weights + 16);
		__m256i ef = dot_pair_avx2(src, start + 4, weights + 32);
		__m256i gh = dot_pair_avx2(src, start + 6, weights + 48);
		sum = _mm256_hadd_epi32(_mm256_hadd_epi32(ab, cd), _mm256_hadd_epi32(ef, gh)); /* a c e g, b d f h */
		sum = _mm256_permutevar8x32_epi32(sum, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
	} else {
		__m256i abcd = gather4_avx2(src, start, weights, width);
		__m256i efgh = gather4_avx2(src, start + 4, weights + (size_t)4 * width, width);
		sum = _mm256_add_epi32(_mm256_permute2x128_si256(abcd, efgh, 0x20),
				       _mm256_permute2x128_si256(abcd, efgh, 0x31));
	}
	store8_avx2(sum, filter->precision, dst + i);
}

INLINE AVX2 void columns_width_avx2(const struct jag_filter *filter, unsigned width, const uint8_t *src, uint8_t *dst)
{
	uint32_t i = 0, count = filter->axis.count;
	for (; i + 8 <= count; i += 8)
		columns8_avx2(filter, width, src, i, dst);
	if (i < count && count >= 8)
		columns8_avx2(filter, width, src, count - 8, dst);
	else
		jag_resize_columns_scalar(filter, src, i, count, dst);
}

static AVX2 void columns_avx2(const struct jag_filter *filter, const uint8_t *src, size_t row_nbytes, size_t row_count,
			      uint8_t *dst, size_t dst_row_nbytes)
{
	for (size_t y = 0; y < row_count; y++, src += row_nbytes, dst += dst_row_nbytes) {
		switch (filter->width) {
		case 8:
			columns_width_avx2(filter, 8, src, dst);
			break;
		case 16:
			columns_width_avx2(filter, 16, src, dst);
			break;
		case 24:
			columns_width_avx2(filter, 24, src, dst);
			break;
		default:
			columns_width_avx2(filter, filter->width, src, dst);
		}
	}
}

/* Columns x .. x+15. Interleaving works in 128-bit halves, packing undoes it. */
INLINE AVX2 void rows16_avx2(const int16_t *weights, uint32_t size, unsigned precision, const uint8_t *src,
			     size_t row_nbytes, uint8_t *dst)
{
	__m256i low = _mm256_set1_epi32(half(precision)), high = low;
	for (uint32_t k = 0; k < size; k += 2, src += 2 * row_nbytes) {
		const uint8_t *next = k + 1 < size ? src + row_nbytes : src;
		__m256i w = _mm256_set1_epi32(weight_pair(weights + k));
		__m256i a = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)src));
		__m256i b = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)next));
		low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
		high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
	}
	__m128i count = _mm_cvtsi32_si128((int)precision);
	__m256i words = _mm256_packs_epi32(_mm256_sra_epi32(low, count), _mm256_sra_epi32(high, count));
	__m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
	_mm_storeu_si128((__m128i *)(void *)dst, bytes);
}

static AVX2 void rows_avx2(const struct jag_filter *filter, uint32_t i, const uint8_t *src, size_t row_nbytes,
			   uint8_t *dst, size_t n)
{
	const int16_t *weights = filter->weights + (size_t)i * filter->width;
	if (n < 16) {
		rows_sse(filter, i, src, row_nbytes, dst, n);
		return;
	}
	size_t x = 0;
	for (; x + 16 <= n; x += 16)
		rows16_avx2(weights, filter->size[i], filter->precision, src + x, row_nbytes, dst + x);
	if (x < n)
		rows16_avx2(weights, filter->size[i], filter->precision, src + n - 16, row_nbytes, dst + n - 16);
}

const struct jag_resize_passes jag_resize_avx2 = { .name = "avx2", .columns = columns_avx2, .rows = rows_avx2 };

#endif
