/* SPDX-License-Identifier: MIT */
/* shapes.c - from the shape of an image to the shape of its result; then, over all of them, whether the result
 * is dense, how it is split, and where each result goes. */
#include "resize_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"

/* Where height, width and channels are in an element's dimensions, counted from its end. */
static void positions(enum jag_layout layout, unsigned rank, unsigned *height, unsigned *width, unsigned *channels)
{
	*channels = layout == JAG_LAYOUT_CHW ? rank - 3 : rank - 1; /* PLANES have none */
	*height = layout == JAG_LAYOUT_HWC ? rank - 3 : rank - 2;
	*width = *height + 1;
}

static bool side_fits(int64_t side)
{
	return side >= 1 && side <= (int64_t)JAG_RESIZE_SIDE_MAX;
}

/* An element of pixels: plan, frames and shape of the result. */
static int item_of_pixels(const struct jag_resize_run *run, struct jag_resize_item *item)
{
	const struct jag_shape *shape = &item->element.shape;
	unsigned own = run->layout == JAG_LAYOUT_PLANES ? 2 : 3, height, width, channels;
	if (shape->rank < own)
		return -EINVAL;
	positions(run->layout, shape->rank, &height, &width, &channels);
	int64_t count = own == 2 ? 1 : shape->dims[channels];
	if (!side_fits(shape->dims[height]) || !side_fits(shape->dims[width]) || count < 1 || count > UINT16_MAX)
		return -EINVAL;
	int rc = jag_resize_plan(&run->options->spec, (uint32_t)shape->dims[height], (uint32_t)shape->dims[width],
				 &item->plan);
	if (!rc)
		rc = jag_checked_product(shape->dims, shape->rank - own, &item->frames);
	if (rc)
		return rc;
	item->pixels = (struct jag_pixels){ shape->dtype, (unsigned)count, run->layout, run->layout };
	item->in_nbytes = item->frames ? item->element.nbytes / item->frames : 0;
	jag_shape_copy(&item->out, shape);
	item->out.dims[height] = item->plan.out_height;
	item->out.dims[width] = item->plan.out_width;
	return 0;
}

static int item_of_file(const struct jag_resize_run *run, uint64_t i, struct jag_resize_item *item)
{
	const struct jag_resize_dims *dims = &run->dims[i];
	item->frames = 1;
	item->in_nbytes = 0;
	item->pixels = (struct jag_pixels){ JAG_UINT8, dims->channels, JAG_LAYOUT_HWC, JAG_LAYOUT_CHW };
	int rc = jag_resize_plan(&run->options->spec, dims->height, dims->width, &item->plan);
	item->out = (struct jag_shape){
		.dtype = JAG_UINT8,
		.rank = 3,
		.dims = { dims->channels, item->plan.out_height, item->plan.out_width },
	};
	return rc;
}

int jag_resize_item(const struct jag_resize_run *run, uint64_t i, struct jag_resize_item *out, struct jag_error *err)
{
	char text[128] = "";
	struct jag_error cause = { 0 };
	int rc = jag_sequence_locate(run->seq, i, &out->element);
	if (rc)
		return jag_resize_fail(run, i, rc, NULL, err);
	rc = run->encoded ? item_of_file(run, i, out) : item_of_pixels(run, out);
	if (!rc)
		rc = jag_shape_nbytes(&out->out, &out->out_nbytes);
	if (!rc)
		return 0;
	jag_shape_text(&out->element.shape, text, sizeof(text));
	if (rc == -EINVAL)
		jag_error_set(&cause, rc, NULL, 0,
			      "%s cannot be resized: each side, also of the result, must be 1 to %u",
			      run->encoded ? "the image" : text, JAG_RESIZE_SIDE_MAX);
	return jag_resize_fail(run, i, rc, rc == -EINVAL ? &cause : NULL, err);
}

static struct jag_resize_chunk *add_chunk(struct jag_resize_run *run, uint64_t first)
{
	struct jag_resize_chunk *chunks = reallocarray(run->chunks, run->chunk_count + 1, sizeof(*chunks));
	if (!chunks)
		return NULL;
	run->chunks = chunks;
	chunks[run->chunk_count] = (struct jag_resize_chunk){ .run = run, .first = first };
	return &chunks[run->chunk_count++];
}

/* For each leaf that is kept, and then for the images: elements in the open chunk, and elements of the row at hand. */
struct fill {
	uint64_t *used, *row;
};

static uint64_t limit_of(const struct jag_resize_run *run, size_t leaf)
{
	bool nested = leaf == run->keep_count ? !run->dense : run->keeps[leaf].nested;
	if (run->options->chunk_elements)
		return nested || leaf == run->keep_count ? run->options->chunk_elements : UINT64_MAX;
	return nested ? (uint64_t)JAG_NESTED_LOADABLE_MAX : UINT64_MAX;
}

/* Elements of row i of every leaf. */
static int count_row(struct jag_resize_run *run, uint64_t i, const struct jag_resize_item *item, struct fill *fill,
		     struct jag_error *err)
{
	for (size_t k = 0; k < run->keep_count; k++) {
		struct jag_element row;
		unsigned itemsize = jag_dtype_info(run->keeps[k].row.dtype)->itemsize;
		int rc = jag_sequence_locate(run->keeps[k].seq, i, &row);
		if (rc)
			return jag_error_set(err, rc, run->keeps[k].key, 0, "element %" PRIu64 ": %s", i,
					     strerror(-rc));
		fill->row[k] = itemsize ? row.nbytes / itemsize : 0;
		run->kept_nbytes += row.nbytes;
	}
	fill->row[run->keep_count] = item->out_nbytes / jag_dtype_info(item->out.dtype)->itemsize;
	return 0;
}

/* Row i goes into the open chunk, or into a new one where it does not fit. */
static int place_row(struct jag_resize_run *run, uint64_t i, const struct jag_resize_item *item, struct fill *fill)
{
	struct jag_resize_chunk *chunk = run->chunk_count ? &run->chunks[run->chunk_count - 1] : NULL;
	bool full = !chunk;
	for (size_t k = 0; k <= run->keep_count && !full; k++)
		full = fill->used[k] && fill->used[k] + fill->row[k] > limit_of(run, k);
	if (full) {
		memset(fill->used, 0, (run->keep_count + 1) * sizeof(*fill->used));
		chunk = add_chunk(run, i);
		if (!chunk)
			return -ENOMEM;
	}
	for (size_t k = 0; k < run->keep_count; k++) {
		if (run->keeps[k].nested)
			run->keeps[k].offsets[i] = fill->used[k] * jag_dtype_info(run->keeps[k].row.dtype)->itemsize;
		fill->used[k] += fill->row[k];
	}
	fill->used[run->keep_count] += fill->row[run->keep_count];
	if (!run->dense)
		run->offsets[i] = chunk->nbytes;
	chunk->nbytes += item->out_nbytes;
	chunk->count++;
	run->result->image_nbytes += item->out_nbytes;
	return 0;
}

/* Exact sizes give a dense leaf, if all else of the images is alike. */
static int judge_dense(struct jag_resize_run *run, struct jag_error *err)
{
	struct jag_resize_item item;
	run->dense = run->options->spec.rule == JAG_SIZE_EXACT;
	for (uint64_t i = 0; i < run->count && run->dense; i++) {
		int rc = jag_resize_item(run, i, &item, err);
		if (rc)
			return rc;
		if (i == 0)
			jag_shape_copy(&run->element, &item.out);
		run->dense = jag_shape_equal(&run->element, &item.out);
		if (!run->dense)
			jag_resize_note(run, run->leaf->key,
					"elements 0 and %" PRIu64
					" differ in more than height and width: the result is nested",
					i);
	}
	run->result->dense = run->dense;
	return 0;
}

static int allocate(struct jag_resize_run *run)
{
	if (!run->dense)
		run->offsets = calloc(run->count, sizeof(*run->offsets));
	for (size_t k = 0; k < run->keep_count; k++) {
		if (!run->keeps[k].nested)
			continue;
		run->keeps[k].offsets = calloc(run->count, sizeof(*run->keeps[k].offsets));
		if (!run->keeps[k].offsets)
			return -ENOMEM;
	}
	return run->dense || run->offsets ? 0 : -ENOMEM;
}

int jag_resize_measure(struct jag_resize_run *run, struct jag_error *err)
{
	struct fill fill = { calloc(run->keep_count + 1, sizeof(uint64_t)),
			     calloc(run->keep_count + 1, sizeof(uint64_t)) };
	int rc = fill.used && fill.row ? judge_dense(run, err) : -ENOMEM;
	if (!rc)
		rc = allocate(run);
	for (uint64_t i = 0; i < run->count && !rc; i++) {
		struct jag_resize_item item;
		if (i % 4096 == 0 && jag_watch_cancelled(run->options->watch))
			rc = -ECANCELED;
		if (!rc)
			rc = jag_resize_item(run, i, &item, err);
		if (!rc)
			rc = count_row(run, i, &item, &fill, err);
		if (!rc)
			rc = place_row(run, i, &item, &fill);
	}
	free(fill.used);
	free(fill.row);
	run->result->chunks = run->chunk_count > 1 ? run->chunk_count : 0;
	return rc;
}
