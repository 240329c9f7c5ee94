/* SPDX-License-Identifier: MIT */
/* kernel.c - one image to its size: finds the filter tables, then runs the passes along the rows and across
 * them. Tables are made in filter.c, sums in portable.c and x86.c, types other than uint8 in
 * real.c.
 *
 * The pass along the rows works on planar rows. Interleaved images are taken apart row by row, which costs less than
 * passes for every number of channels would. */
#include "resize_kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"

/* Bytes of tables a resizer keeps; then it starts anew. */
#define TABLES_NBYTES_MAX ((size_t)8 << 20)

void jag_resize_passes_list(const struct jag_resize_passes *list[JAG_RESIZE_PASSES_MAX])
{
	unsigned n = 0;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		list[n++] = &jag_resize_avx2;
	if (__builtin_cpu_supports("sse4.1"))
		list[n++] = &jag_resize_sse41;
#endif
	list[n++] = &jag_resize_portable;
	list[n] = NULL;
}

int jag_resizer_create(struct jag_resizer **out)
{
	const struct jag_resize_passes *list[JAG_RESIZE_PASSES_MAX];
	struct jag_resizer *resizer = calloc(1, sizeof(*resizer));
	if (!resizer)
		return -ENOMEM;
	jag_resize_passes_list(list);
	resizer->passes = list[0];
	*out = resizer;
	return 0;
}

static void drop_tables(struct jag_table_cache *cache)
{
	for (unsigned i = 0; i < JAG_RESIZE_TABLES; i++) {
		jag_filter_destroy(cache->slots[i]);
		cache->slots[i] = NULL;
	}
	cache->nbytes = 0;
}

void jag_resizer_destroy(struct jag_resizer *resizer)
{
	if (!resizer)
		return;
	drop_tables(&resizer->tables[0]);
	drop_tables(&resizer->tables[1]);
	jag_buffer_free(&resizer->mid);
	jag_buffer_free(&resizer->line);
	free(resizer);
}

static bool same_axis(const struct jag_axis *a, const struct jag_axis *b)
{
	return a->in == b->in && a->scaled == b->scaled && a->first == b->first && a->count == b->count &&
	       a->no_antialias == b->no_antialias && a->columns == b->columns && a->real == b->real;
}

static size_t slot_of(const struct jag_axis *axis)
{
	uint32_t hash = axis->in + axis->scaled * UINT32_C(0x9e3779b1) + axis->first * UINT32_C(0x85ebca6b);
	return (hash ^ hash >> 15) % JAG_RESIZE_TABLES;
}

/* *out = NULL where the axis keeps its size. */
static int find_table(struct jag_resizer *resizer, const struct jag_axis *axis, const struct jag_filter **out)
{
	struct jag_table_cache *cache = &resizer->tables[axis->columns];
	*out = NULL;
	if (axis->in == axis->scaled)
		return 0;
	struct jag_filter **slot = &cache->slots[slot_of(axis)];
	if (*slot && !same_axis(&(*slot)->axis, axis)) {
		cache->nbytes -= jag_filter_nbytes(*slot);
		jag_filter_destroy(*slot);
		*slot = NULL;
	}
	if (!*slot) {
		if (cache->nbytes > TABLES_NBYTES_MAX)
			drop_tables(cache);
		int rc = jag_filter_create(axis, slot);
		if (rc)
			return rc;
		cache->nbytes += jag_filter_nbytes(*slot);
	}
	*out = *slot;
	return 0;
}

static bool plan_possible(const struct jag_resize_plan *p)
{
	if (!p->in_height || !p->in_width || !p->scaled_height || !p->scaled_width || !p->out_height || !p->out_width)
		return false;
	uint32_t view_h = p->scaled_height < p->out_height ? p->scaled_height : p->out_height;
	uint32_t view_w = p->scaled_width < p->out_width ? p->scaled_width : p->out_width;
	return p->crop_y <= p->scaled_height - view_h && p->crop_x <= p->scaled_width - view_w &&
	       p->pad_y <= p->out_height - view_h && p->pad_x <= p->out_width - view_w;
}

/* Which source rows the wanted ones are made of. */
static void find_rows(struct jag_resize_job *job)
{
	uint32_t first = job->plan->crop_y, end = first + job->view_height;
	if (job->rows) {
		first = job->rows->start[0];
		end = 0;
		for (uint32_t i = 0; i < job->view_height; i++) {
			uint32_t last = job->rows->start[i] + job->rows->size[i];
			first = job->rows->start[i] < first ? job->rows->start[i] : first;
			end = last > end ? last : end;
		}
	}
	job->row_first = first;
	job->row_count = end - first;
}

static unsigned item_nbytes(enum jag_dtype dtype)
{
	switch ((int)dtype) {
	case JAG_UINT8:
	case JAG_BOOL:
		return 1;
	case JAG_UINT16:
		return 2;
	case JAG_FLOAT32:
		return 4;
	default:
		return 0;
	}
}

/* Zeros around an image that does not fill its result. */
static int clear_border(const struct jag_resize_job *job)
{
	const struct jag_resize_plan *plan = job->plan;
	uint64_t nbytes;
	if (jag_checked_mul((uint64_t)plan->out_height * plan->out_width, job->pixels->channels, &nbytes) ||
	    jag_checked_mul(nbytes, item_nbytes(job->pixels->dtype), &nbytes) || nbytes > SIZE_MAX)
		return -EINVAL;
	if (job->view_height < plan->out_height || job->view_width < plan->out_width)
		memset(job->dst, 0, nbytes);
	return 0;
}

static int find_tables(struct jag_resize_job *job)
{
	const struct jag_resize_plan *plan = job->plan;
	struct jag_axis axis = {
		.in = plan->in_width,
		.scaled = plan->scaled_width,
		.first = plan->crop_x,
		.count = job->view_width,
		.no_antialias = plan->no_antialias,
		.columns = true,
		.real = job->pixels->dtype != JAG_UINT8,
	};
	const struct jag_filter *columns;
	int rc = find_table(job->resizer, &axis, &columns);
	if (rc)
		return rc;
	job->columns = columns;
	axis.in = plan->in_height;
	axis.scaled = plan->scaled_height;
	axis.first = plan->crop_y;
	axis.count = job->view_height;
	axis.columns = false;
	return find_table(job->resizer, &axis, &job->rows);
}

int jag_resize(struct jag_resizer *resizer, const struct jag_resize_plan *plan, const struct jag_pixels *pixels,
	       const void *src, void *dst)
{
	bool layouts = pixels->from != JAG_LAYOUT_NONE && pixels->to != JAG_LAYOUT_NONE;
	if (!layouts || !pixels->channels || !item_nbytes(pixels->dtype) || !plan_possible(plan))
		return -EINVAL;
	struct jag_resize_job job = { .resizer = resizer, .plan = plan, .pixels = pixels, .src = src, .dst = dst };
	job.view_height = plan->scaled_height < plan->out_height ? plan->scaled_height : plan->out_height;
	job.view_width = plan->scaled_width < plan->out_width ? plan->scaled_width : plan->out_width;
	int rc = find_tables(&job);
	if (rc)
		return rc;
	find_rows(&job);
	rc = clear_border(&job);
	if (rc)
		return rc;
	return pixels->dtype == JAG_UINT8 ? jag_resize_bytes(&job) : jag_resize_real(&job);
}

int jag_resize_image(struct jag_resizer *resizer, const struct jag_resize_plan *plan, const struct jag_image *image,
		     enum jag_layout to, void *dst, size_t dst_nbytes)
{
	struct jag_pixels pixels = {
		.dtype = image->depth == 16 ? JAG_UINT16 : JAG_UINT8,
		.channels = image->channels,
		.from = JAG_LAYOUT_HWC,
		.to = to,
	};
	uint64_t nbytes;
	if (image->height != plan->in_height || image->width != plan->in_width ||
	    jag_checked_mul((uint64_t)plan->out_height * plan->out_width, image->channels, &nbytes) ||
	    jag_checked_mul(nbytes, item_nbytes(pixels.dtype), &nbytes) || nbytes != dst_nbytes)
		return -EINVAL;
	return jag_resize(resizer, plan, &pixels, image->buf.data, dst);
}
