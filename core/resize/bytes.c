/* SPDX-License-Identifier: MIT */
/* bytes.c - the two passes over a uint8 image. Planar to planar goes plane by plane, so that what lies between
 * the passes stays in the cache; where pixels have to be taken apart or put together, all channels go at once. */
#include "resize_kernel.h"

#include <errno.h>
#include <string.h>

#include "checked.h"

/* More channels than this are taken apart and put together one value at a time. */
#define PLANES_MAX 8

struct passes_state {
	const struct jag_resize_job *job;
	unsigned group;     /* channels that go at once */
	size_t mid_row;     /* bytes from row to row of the image between the passes */
	size_t mid_plane;   /* and from channel to channel */
	size_t line_nbytes; /* of one channel in resizer->line: a source row or a result row */
};

static int reserve(struct jag_buffer *buf, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t nbytes;
	if (jag_checked_mul(a, b, &nbytes) || jag_checked_mul(nbytes, c, &nbytes) || nbytes > SIZE_MAX)
		return -ENOMEM;
	return jag_buffer_reserve(buf, nbytes);
}

static bool interleaved(enum jag_layout layout)
{
	return layout == JAG_LAYOUT_HWC;
}

/* Row `y` of the source, all channels, taken apart into the lines. */
static void split_row(const struct passes_state *state, uint32_t y)
{
	const struct jag_resize_job *job = state->job;
	size_t width = job->plan->in_width;
	unsigned channels = job->pixels->channels;
	const uint8_t *in = job->src + (size_t)y * width * channels;
	uint8_t *lines = job->resizer->line.data;
	if (channels == 1) {
		memcpy(lines, in, width);
	} else if (channels <= PLANES_MAX) {
		uint8_t *planes[PLANES_MAX];
		for (unsigned c = 0; c < channels; c++)
			planes[c] = lines + c * state->line_nbytes;
		jag_deinterleave(&(struct jag_permute){ .channels = channels, .itemsize = 1 }, in, width, planes);
	} else {
		for (unsigned c = 0; c < channels; c++)
			for (size_t x = 0; x < width; x++)
				lines[c * state->line_nbytes + x] = in[x * channels + c];
	}
}

/* The lines -> row `y` of the part of the result that shows the image. */
static void join_row(const struct passes_state *state, uint32_t y)
{
	const struct jag_resize_job *job = state->job;
	const struct jag_resize_plan *plan = job->plan;
	unsigned channels = job->pixels->channels;
	const uint8_t *lines = job->resizer->line.data;
	uint8_t *out = job->dst + ((size_t)(plan->pad_y + y) * plan->out_width + plan->pad_x) * channels;
	if (channels == 1) {
		memcpy(out, lines, job->view_width);
	} else if (channels <= PLANES_MAX) {
		const uint8_t *planes[PLANES_MAX];
		for (unsigned c = 0; c < channels; c++)
			planes[c] = lines + c * state->line_nbytes;
		jag_interleave(&(struct jag_permute){ .channels = channels, .itemsize = 1 }, planes, job->view_width,
			       out);
	} else {
		for (unsigned c = 0; c < channels; c++)
			for (size_t x = 0; x < job->view_width; x++)
				out[x * channels + c] = lines[c * state->line_nbytes + x];
	}
}

/* Along rows of memory: `count` rows of one channel at src -> rows of the image between the passes. */
static void along(const struct passes_state *state, const uint8_t *src, size_t row_nbytes, size_t count, uint8_t *mid)
{
	const struct jag_resize_job *job = state->job;
	if (job->columns) {
		job->resizer->passes->columns(job->columns, src, row_nbytes, count, mid, state->mid_row);
		return;
	}
	for (size_t y = 0; y < count; y++)
		memcpy(mid + y * state->mid_row, src + y * row_nbytes + job->plan->crop_x, job->view_width);
}

/* Channels [first, first + group): the source rows that are needed, along. */
static void columns_pass(const struct passes_state *state, unsigned first)
{
	const struct jag_resize_job *job = state->job;
	size_t width = job->plan->in_width;
	uint8_t *mid = job->resizer->mid.data, *lines = job->resizer->line.data;
	bool split = interleaved(job->pixels->from);
	bool lengthen = job->columns && width < job->columns->width;
	for (unsigned c = 0; !split && c < state->group; c++) {
		const uint8_t *rows = job->src + ((size_t)(first + c) * job->plan->in_height + job->row_first) * width;
		uint8_t *out = mid + c * state->mid_plane;
		if (!lengthen)
			along(state, rows, width, job->row_count, out);
		for (size_t y = 0; lengthen && y < job->row_count; y++) {
			memcpy(lines, rows + y * width, width);
			along(state, lines, state->line_nbytes, 1, out + y * state->mid_row);
		}
	}
	for (uint32_t y = 0; split && y < job->row_count; y++) {
		split_row(state, job->row_first + y);
		for (unsigned c = 0; c < state->group; c++)
			along(state, lines + c * state->line_nbytes, state->line_nbytes, 1,
			      mid + c * state->mid_plane + y * state->mid_row);
	}
}

/* Row `y` of one channel of the result, from the image between the passes. */
static void across(const struct passes_state *state, const uint8_t *mid, uint32_t y, uint8_t *out)
{
	const struct jag_resize_job *job = state->job;
	if (!job->rows) {
		memcpy(out, mid + y * state->mid_row, job->view_width);
		return;
	}
	mid += (job->rows->start[y] - job->row_first) * state->mid_row;
	job->resizer->passes->rows(job->rows, y, mid, state->mid_row, out, job->view_width);
}

static void rows_pass(const struct passes_state *state, unsigned first)
{
	const struct jag_resize_job *job = state->job;
	const struct jag_resize_plan *plan = job->plan;
	bool join = interleaved(job->pixels->to);
	for (uint32_t y = 0; y < job->view_height; y++) {
		for (unsigned c = 0; c < state->group; c++) {
			size_t row = (size_t)(first + c) * plan->out_height + plan->pad_y + y;
			uint8_t *out = join ? job->resizer->line.data + c * state->line_nbytes
					    : job->dst + row * plan->out_width + plan->pad_x;
			across(state, job->resizer->mid.data + c * state->mid_plane, y, out);
		}
		if (join)
			join_row(state, y);
	}
}

int jag_resize_bytes(const struct jag_resize_job *job)
{
	bool planar = !interleaved(job->pixels->from) && !interleaved(job->pixels->to);
	struct passes_state state = { .job = job, .group = planar ? 1 : job->pixels->channels };
	size_t line = job->plan->in_width > job->view_width ? job->plan->in_width : job->view_width;
	if (job->columns && line < job->columns->width)
		line = job->columns->width;
	state.line_nbytes = line;
	state.mid_row = job->view_width;
	state.mid_plane = state.mid_row * job->row_count;
	int rc = reserve(&job->resizer->mid, state.mid_row, job->row_count, state.group);
	if (!rc)
		rc = reserve(&job->resizer->line, line, state.group, 1);
	if (rc)
		return rc;
	/* Rows that are lengthened read what follows them, times zero: give it a value. */
	if (job->columns && job->plan->in_width < job->columns->width)
		memset(job->resizer->line.data, 0, line * state.group);
	for (unsigned c = 0; c < job->pixels->channels; c += state.group) {
		columns_pass(&state, c);
		rows_pass(&state, c);
	}
	return 0;
}
