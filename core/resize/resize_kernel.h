/* SPDX-License-Identifier: MIT */
/* resize_kernel.h - private: filter tables of one axis, and the passes that apply them; shared by the filter builder,
 * the portable and the x86 passes, and their tests.
 *
 * An axis of `in` samples is scaled to `scaled` samples, of which [first, first + count) are wanted. Sample i of them
 * is the weighted sum of `size[i]` source samples from `start[i]` on. */
#ifndef JAG_RESIZE_KERNEL_H
#define JAG_RESIZE_KERNEL_H

#include "jag/resize.h"

/* Tables that a resizer keeps: images of many sizes come again and again, but not all of them. */
#define JAG_RESIZE_TABLES 512

/* What a table is made for; two equal keys give equal tables. */
struct jag_axis {
	uint32_t in, scaled, first, count;
	bool no_antialias;
	bool columns; /* for the pass along rows of memory: see struct jag_filter */
	bool real;    /* float weights */
};

/* Rows of `width` weights each, one row for each wanted sample; unused weights are 0.
 *
 * In a `columns` table, width is a multiple of JAG_TAPS_STEP, and the passes read `width` source bytes from start[i]
 * on. start[i] is moved back where that would cross the end of the source, so that it never does unless the whole
 * source is shorter than `width`; the caller then copies it to a longer row (padding of any content).
 * JAG_TAPS_STEP zero weights follow the last row.
 *
 * In other tables width is even, and start, size are those of the filter itself. */
#define JAG_TAPS_STEP 8
struct jag_filter {
	struct jag_axis axis;
	unsigned width;
	unsigned precision; /* integer weights are value * 2^precision */
	uint32_t *start;    /* count */
	uint32_t *size;     /* count; <= width */
	int16_t *weights;   /* count * width + JAG_TAPS_STEP; NULL in `real` tables */
	float *real;        /* the same for `real` tables */
};

/* -ENOMEM. jag_filter_destroy(NULL) is fine. */
int jag_filter_create(const struct jag_axis *axis, struct jag_filter **out);
void jag_filter_destroy(struct jag_filter *filter);
size_t jag_filter_nbytes(const struct jag_filter *filter);

/* How the sums are made. All members give the same bytes; they differ in speed only. */
struct jag_resize_passes {
	const char *name;

	/* Each of `row_count` rows of src, row_nbytes apart -> filter->axis.count bytes in a row of dst. */
	void (*columns)(const struct jag_filter *filter, const uint8_t *src, size_t row_nbytes, size_t row_count,
			uint8_t *dst, size_t dst_row_nbytes);

	/* Weighted sum of filter->size[i] rows of n bytes, `src` being the first of them -> n bytes. */
	void (*rows)(const struct jag_filter *filter, uint32_t i, const uint8_t *src, size_t row_nbytes, uint8_t *dst,
		     size_t n);
};

extern const struct jag_resize_passes jag_resize_portable, jag_resize_sse41, jag_resize_avx2; /* the last two: x86 */

/* The twins that this processor can run, best first, NULL at the end; the portable one is always among them. */
#define JAG_RESIZE_PASSES_MAX 4
void jag_resize_passes_list(const struct jag_resize_passes *list[JAG_RESIZE_PASSES_MAX]);

/* Samples [i, end) of one row, and a whole sum of rows, in plain C: the ends that the twins leave. */
void jag_resize_columns_scalar(const struct jag_filter *filter, const uint8_t *src, uint32_t i, uint32_t end,
			       uint8_t *dst);
void jag_resize_rows_scalar(const struct jag_filter *filter, uint32_t i, const uint8_t *src, size_t row_nbytes,
			    uint8_t *dst, size_t n);

/* --- one image, driven by kernel.c (uint8) and real.c (the other types) --- */

struct jag_table_cache {
	struct jag_filter *slots[JAG_RESIZE_TABLES]; /* by hash; a new one takes the place of the old */
	size_t nbytes;
};

struct jag_resizer {
	const struct jag_resize_passes *passes;
	struct jag_table_cache tables[2]; /* rows, columns: finding one never drops the other */
	struct jag_buffer mid;            /* the image after the pass along its rows */
	struct jag_buffer line;           /* rows taken apart, lengthened, or to be put together */
};

/* One call of jag_resize(): what its passes need. A filter is NULL where the axis keeps its size. */
struct jag_resize_job {
	struct jag_resizer *resizer;
	const struct jag_resize_plan *plan;
	const struct jag_pixels *pixels;
	const struct jag_filter *columns, *rows;
	uint32_t view_height, view_width; /* the part of the result that shows the image */
	uint32_t row_first, row_count;    /* source rows that it depends on */
	const uint8_t *src;
	uint8_t *dst;
};

int jag_resize_bytes(const struct jag_resize_job *job);
int jag_resize_real(const struct jag_resize_job *job);

#endif
