/* SPDX-License-Identifier: MIT */
/* filter.c - filter tables of one axis: which source samples make a sample, with which weights.
 *
 * Sample i of the scaled axis lies at centre = (i + 0.5) * scale of the source, scale = in / scaled. Antialiased, it
 * is the mean of the samples around it under a triangle whose half-width is `scale` samples, but never less than 1;
 * otherwise the two samples next to it are interpolated. Weights add up to 1.
 *
 * torch and Pillow compute uint8 images with integer weights: value * 2^precision, rounded, where precision is the
 * largest for which the largest weight of the whole axis still fits into 15 bits. Results agree with theirs to the bit
 * only if all of it is done alike, down to the rounding of the window's ends. */
#include "resize_kernel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"

/* Weights of one sample: values[0..size) belong to source samples start, start + 1, ... */
struct taps {
	uint32_t start, size;
	double *values;
};

/* Source samples a sample can depend on. */
static uint32_t taps_max(const struct jag_axis *axis)
{
	if (axis->no_antialias)
		return 2;
	double scale = (double)axis->in / axis->scaled;
	double support = scale >= 1.0 ? scale : 1.0;
	uint32_t width = (uint32_t)ceil(support) * 2 + 1;
	return width < axis->in ? width : axis->in;
}

static void taps_triangle(const struct jag_axis *axis, uint32_t i, struct taps *taps)
{
	double scale = (double)axis->in / axis->scaled;
	double support = scale >= 1.0 ? scale : 1.0;
	double inverse = scale >= 1.0 ? 1.0 / scale : 1.0;
	double centre = scale * (i + 0.5);
	double low = centre - support + 0.5;
	uint32_t start = low > 0 ? (uint32_t)low : 0;
	uint32_t end = (uint32_t)(centre + support + 0.5);
	if (end > axis->in)
		end = axis->in;
	uint32_t size = end - start, max = taps_max(axis);
	if (size > max)
		size = max; /* rounding can make it one too many */
	double total = 0;
	for (uint32_t k = 0; k < size; k++) {
		double distance = fabs(((double)k + start - centre + 0.5) * inverse);
		double w = distance < 1.0 ? 1.0 - distance : 0.0;
		taps->values[k] = w;
		total += w;
	}
	if (total > 0)
		for (uint32_t k = 0; k < size; k++)
			taps->values[k] /= total;
	taps->start = start;
	taps->size = size;
}

static void taps_linear(const struct jag_axis *axis, uint32_t i, struct taps *taps)
{
	double scale = (double)axis->in / axis->scaled;
	double position = scale * (i + 0.5) - 0.5;
	if (position < 0)
		position = 0;
	uint32_t start = (uint32_t)position;
	if (start > axis->in - 1)
		start = axis->in - 1;
	double lambda = position - start;
	if (lambda > 1.0)
		lambda = 1.0;
	taps->start = start;
	taps->size = start + 1 < axis->in ? 2 : 1;
	taps->values[0] = taps->size == 2 ? 1.0 - lambda : 1.0;
	if (taps->size == 2)
		taps->values[1] = lambda;
}

static void taps_at(const struct jag_axis *axis, uint32_t i, struct taps *taps)
{
	if (axis->no_antialias)
		taps_linear(axis, i, taps);
	else
		taps_triangle(axis, i, taps);
}

/* The largest weight of the whole axis, also of samples outside the window: a window shows the same pixels. */
static double largest_weight(const struct jag_axis *axis, struct taps *taps)
{
	double largest = 0;
	for (uint32_t i = 0; i < axis->scaled; i++) {
		taps_at(axis, i, taps);
		for (uint32_t k = 0; k < taps->size; k++)
			largest = taps->values[k] > largest ? taps->values[k] : largest;
	}
	return largest;
}

static unsigned choose_precision(double largest)
{
	unsigned precision = 0;
	while (precision < 22 && (int)(0.5 + largest * (1 << (precision + 1))) < 1 << 15)
		precision++;
	return precision;
}

static int16_t quantise(double weight, unsigned precision)
{
	return (int16_t)(0.5 + weight * (1 << precision));
}

static bool is_zero(const struct jag_filter *filter, double weight)
{
	return filter->axis.real ? weight == 0 : quantise(weight, filter->precision) == 0;
}

/* Zero weights at the ends cost time and change nothing. */
static void trim(const struct jag_filter *filter, struct taps *taps, uint32_t *skip)
{
	*skip = 0;
	while (taps->size > 1 && is_zero(filter, taps->values[*skip + taps->size - 1]))
		taps->size--;
	while (taps->size > 1 && is_zero(filter, taps->values[*skip])) {
		++*skip;
		taps->size--;
	}
	taps->start += *skip;
}

static unsigned widest(const struct jag_filter *filter, struct taps *taps)
{
	unsigned width = 1;
	uint32_t skip;
	for (uint32_t i = 0; i < filter->axis.count; i++) {
		taps_at(&filter->axis, filter->axis.first + i, taps);
		trim(filter, taps, &skip);
		width = taps->size > width ? taps->size : width;
	}
	return width;
}

static int allocate(struct jag_filter *filter)
{
	uint32_t count = filter->axis.count;
	uint64_t weights;
	if (jag_checked_mul(count, filter->width, &weights) || weights > (SIZE_MAX >> 3) - JAG_TAPS_STEP)
		return -ENOMEM;
	weights += JAG_TAPS_STEP;
	filter->start = calloc(count, sizeof(*filter->start));
	filter->size = calloc(count, sizeof(*filter->size));
	if (filter->axis.real)
		filter->real = calloc(weights, sizeof(*filter->real));
	else
		filter->weights = calloc(weights, sizeof(*filter->weights));
	return filter->start && filter->size && (filter->real || filter->weights) ? 0 : -ENOMEM;
}

static void fill(struct jag_filter *filter, struct taps *taps)
{
	const struct jag_axis *axis = &filter->axis;
	uint32_t skip, last = axis->in > filter->width ? axis->in - filter->width : 0;
	for (uint32_t i = 0; i < axis->count; i++) {
		taps_at(axis, axis->first + i, taps);
		trim(filter, taps, &skip);
		uint32_t shift = axis->columns && taps->start > last ? taps->start - last : 0;
		size_t row = (size_t)i * filter->width + shift;
		for (uint32_t k = 0; k < taps->size; k++) {
			if (axis->real)
				filter->real[row + k] = (float)taps->values[skip + k];
			else
				filter->weights[row + k] = quantise(taps->values[skip + k], filter->precision);
		}
		filter->start[i] = taps->start - shift;
		filter->size[i] = taps->size + shift;
	}
}

int jag_filter_create(const struct jag_axis *axis, struct jag_filter **out)
{
	struct jag_filter *filter = calloc(1, sizeof(*filter));
	struct taps taps = { .values = malloc(taps_max(axis) * sizeof(double)) };
	int rc = -ENOMEM;
	if (!filter || !taps.values)
		goto out;
	filter->axis = *axis;
	if (!axis->real)
		filter->precision = choose_precision(largest_weight(axis, &taps));
	unsigned step = axis->columns ? JAG_TAPS_STEP : 2;
	filter->width = (widest(filter, &taps) + step - 1) / step * step;
	rc = allocate(filter);
	if (rc)
		goto out;
	fill(filter, &taps);
	*out = filter;
	filter = NULL;
out:
	free(taps.values);
	jag_filter_destroy(filter);
	return rc;
}

size_t jag_filter_nbytes(const struct jag_filter *filter)
{
	size_t weight = filter->real ? sizeof(*filter->real) : sizeof(*filter->weights);
	return sizeof(*filter) + (size_t)filter->axis.count * (filter->width * weight + 2 * sizeof(uint32_t));
}

void jag_filter_destroy(struct jag_filter *filter)
{
	if (!filter)
		return;
	free(filter->start);
	free(filter->size);
	free(filter->weights);
	free(filter->real);
	free(filter);
}
