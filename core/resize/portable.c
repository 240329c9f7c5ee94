/* SPDX-License-Identifier: MIT */
/* portable.c - the passes of resize_kernel.h in plain C: what runs on processors without a twin in
 * x86.c, what the twins are tested against, and their ends of rows. Integer sums are exact, so every order of
 * addition gives the same bytes. */
#include "resize_kernel.h"

#include <string.h>

/* The sum starts at one half, so the shift rounds; the weights of a sample can add up to a little more than 1. */
static inline uint8_t finish(int32_t sum, unsigned precision)
{
	sum >>= precision;
	return (uint8_t)(sum > 255 ? 255 : sum);
}

static inline int32_t half(unsigned precision)
{
	return precision ? 1 << (precision - 1) : 0;
}

void jag_resize_columns_scalar(const struct jag_filter *filter, const uint8_t *src, uint32_t i, uint32_t end,
			       uint8_t *dst)
{
	for (; i < end; i++) {
		const int16_t *weights = filter->weights + (size_t)i * filter->width;
		const uint8_t *from = src + filter->start[i];
		int32_t sum = half(filter->precision);
		for (uint32_t k = 0; k < filter->size[i]; k++)
			sum += weights[k] * from[k];
		dst[i] = finish(sum, filter->precision);
	}
}

static void columns(const struct jag_filter *filter, const uint8_t *src, size_t row_nbytes, size_t row_count,
		    uint8_t *dst, size_t dst_row_nbytes)
{
	for (size_t y = 0; y < row_count; y++)
		jag_resize_columns_scalar(filter, src + y * row_nbytes, 0, filter->axis.count,
					  dst + y * dst_row_nbytes);
}

void jag_resize_rows_scalar(const struct jag_filter *filter, uint32_t i, const uint8_t *src, size_t row_nbytes,
			    uint8_t *dst, size_t n)
{
	enum { BLOCK = 64 }; /* sums kept in registers or the first cache */
	const int16_t *weights = filter->weights + (size_t)i * filter->width;
	for (size_t x = 0; x < n; x += BLOCK) {
		int32_t sums[BLOCK];
		size_t block = n - x < BLOCK ? n - x : BLOCK;
		for (size_t j = 0; j < block; j++)
			sums[j] = half(filter->precision);
		for (uint32_t k = 0; k < filter->size[i]; k++) {
			const uint8_t *row = src + k * row_nbytes + x;
			for (size_t j = 0; j < block; j++)
				sums[j] += weights[k] * row[j];
		}
		for (size_t j = 0; j < block; j++)
			dst[x + j] = finish(sums[j], filter->precision);
	}
}

const struct jag_resize_passes jag_resize_portable = {
	.name = "portable",
	.columns = columns,
	.rows = jag_resize_rows_scalar,
};
