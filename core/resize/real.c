/* SPDX-License-Identifier: MIT */
/* real.c - the two passes for types other than uint8, in float32: uint16, bool and float32 images are rare, so
 * there is one plain version, which loads and stores single channels with a stride. */
#include "resize_kernel.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "checked.h"

/* n items, `stride` items apart -> floats. */
static void load(enum jag_dtype dtype, const uint8_t *src, size_t stride, size_t n, float *dst)
{
	for (size_t i = 0; i < n; i++) {
		if (dtype == JAG_BOOL) {
			dst[i] = src[i * stride] ? 1.0f : 0.0f;
		} else if (dtype == JAG_UINT16) {
			uint16_t value;
			memcpy(&value, src + i * stride * sizeof(value), sizeof(value));
			dst[i] = value;
		} else {
			memcpy(dst + i, src + i * stride * sizeof(float), sizeof(float));
		}
	}
}

/* The reverse; integers are rounded to the nearest, halves to even. */
static void store(enum jag_dtype dtype, const float *src, size_t stride, size_t n, uint8_t *dst)
{
	for (size_t i = 0; i < n; i++) {
		if (dtype == JAG_BOOL) {
			dst[i * stride] = rintf(src[i]) != 0.0f;
		} else if (dtype == JAG_UINT16) {
			float rounded = rintf(src[i]);
			uint16_t value = rounded >= 65535.0f ? 65535 : (uint16_t)rounded;
			memcpy(dst + i * stride * sizeof(value), &value, sizeof(value));
		} else {
			memcpy(dst + i * stride * sizeof(float), src + i, sizeof(float));
		}
	}
}

static void along(const struct jag_resize_job *job, const float *line, float *out)
{
	const struct jag_filter *filter = job->columns;
	if (!filter) {
		memcpy(out, line + job->plan->crop_x, job->view_width * sizeof(*out));
		return;
	}
	for (uint32_t x = 0; x < job->view_width; x++) {
		const float *weights = filter->real + (size_t)x * filter->width;
		float sum = 0;
		for (uint32_t k = 0; k < filter->size[x]; k++)
			sum += weights[k] * line[filter->start[x] + k];
		out[x] = sum;
	}
}

static void across(const struct jag_resize_job *job, const float *mid, uint32_t y, float *out)
{
	const struct jag_filter *filter = job->rows;
	size_t width = job->view_width;
	if (!filter) {
		memcpy(out, mid + y * width, width * sizeof(*out));
		return;
	}
	const float *weights = filter->real + (size_t)y * filter->width;
	const float *rows = mid + (filter->start[y] - job->row_first) * width;
	for (size_t x = 0; x < width; x++)
		out[x] = 0;
	for (uint32_t k = 0; k < filter->size[y]; k++)
		for (size_t x = 0; x < width; x++)
			out[x] += weights[k] * rows[k * width + x];
}

static void resize_channel(const struct jag_resize_job *job, unsigned c)
{
	const struct jag_resize_plan *plan = job->plan;
	const struct jag_pixels *pixels = job->pixels;
	size_t item = jag_dtype_info(pixels->dtype)->itemsize;
	bool split = pixels->from == JAG_LAYOUT_HWC, join = pixels->to == JAG_LAYOUT_HWC;
	float *mid = (float *)(void *)job->resizer->mid.data, *line = (float *)(void *)job->resizer->line.data;
	for (uint32_t y = 0; y < job->row_count; y++) {
		size_t row = job->row_first + y;
		size_t at = split ? row * plan->in_width * pixels->channels + c
				  : (c * (size_t)plan->in_height + row) * plan->in_width;
		load(pixels->dtype, job->src + at * item, split ? pixels->channels : 1, plan->in_width, line);
		along(job, line, mid + (size_t)y * job->view_width);
	}
	for (uint32_t y = 0; y < job->view_height; y++) {
		size_t row = (size_t)plan->pad_y + y;
		size_t at = join ? (row * plan->out_width + plan->pad_x) * pixels->channels + c
				 : (c * (size_t)plan->out_height + row) * plan->out_width + plan->pad_x;
		across(job, mid, y, line);
		store(pixels->dtype, line, join ? pixels->channels : 1, job->view_width, job->dst + at * item);
	}
}

int jag_resize_real(const struct jag_resize_job *job)
{
	size_t line = job->plan->in_width > job->view_width ? job->plan->in_width : job->view_width;
	uint64_t mid;
	if (jag_checked_mul((uint64_t)job->row_count * job->view_width, sizeof(float), &mid) || mid > SIZE_MAX)
		return -ENOMEM;
	int rc = jag_buffer_reserve(&job->resizer->mid, mid);
	if (!rc)
		rc = jag_buffer_reserve(&job->resizer->line, line * sizeof(float));
	if (rc)
		return rc;
	for (unsigned c = 0; c < job->pixels->channels; c++)
		resize_channel(job, c);
	return 0;
}
