/* SPDX-License-Identifier: MIT */
/* work.c - the pixels of a resized store, in parallel: element -> filter -> store, and the rows that are kept.
 *
 * A worker takes a run of elements. Results that lie side by side are gathered in one buffer and written with one
 * call; rows that are kept are copied through the same buffer. */
#include "resize_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/orient.h"
#include "pipeline/workers.h"

/* Written at once: large enough to make the system call cheap, small enough to stay in the second-level cache. */
#define BATCH_NBYTES (size_t)(1 << 20)

struct worker {
	struct jag_resizer *resizer;
	struct jag_buffer in;
	struct jag_image image, upright;
	struct jag_buffer batch;
	struct jag_create_leaf *leaf; /* of the batch */
	uint64_t offset;              /* of the batch in the leaf's data */
};

struct work {
	struct jag_resize_run *run;
	struct worker *workers;
};

static int flush(const struct jag_resize_run *run, struct worker *worker)
{
	int rc = 0;
	if (worker->batch.nbytes)
		rc = jag_create_write(worker->leaf, worker->batch.data, worker->batch.nbytes, worker->offset);
	if (!rc && worker->batch.nbytes && !run->options->nosync)
		jag_create_flush_hint(worker->leaf, worker->batch.nbytes, worker->offset);
	worker->batch.nbytes = 0;
	return rc;
}

/* Room for n bytes of `leaf` at `offset`, behind those of the batch if they can be joined. */
static int reserve(const struct jag_resize_run *run, struct worker *worker, struct jag_create_leaf *leaf,
		   uint64_t offset, uint64_t n)
{
	bool joins = worker->leaf == leaf && offset == worker->offset + worker->batch.nbytes;
	int rc = 0;
	if (n > SIZE_MAX / 2)
		return -ENOMEM;
	if (!joins || worker->batch.nbytes + n > BATCH_NBYTES)
		rc = flush(run, worker);
	if (rc)
		return rc;
	if (!worker->batch.nbytes) {
		worker->leaf = leaf;
		worker->offset = offset;
	}
	return jag_buffer_reserve(&worker->batch, worker->batch.nbytes + (size_t)n);
}

static int read_element(const struct jag_element *element, struct jag_buffer *in)
{
	if (element->nbytes > SIZE_MAX / 2)
		return -ENOMEM;
	int rc = jag_buffer_reserve(in, (size_t)element->nbytes + 1);
	if (!rc)
		rc = jag_element_read(element, in->data, (size_t)element->nbytes, 0);
	in->nbytes = rc ? 0 : (size_t)element->nbytes;
	return rc;
}

/* The image file in worker->in -> worker->image or ->upright. */
static int decode(const struct jag_resize_run *run, uint64_t i, struct worker *worker, const struct jag_image **out,
		  struct jag_error *cause)
{
	const struct jag_resize_dims *dims = &run->dims[i];
	struct jag_image *image = &worker->image;
	int rc = jag_image_decode(worker->in.data, worker->in.nbytes, run->options->mode, 8, &run->options->limits,
				  image, cause);
	if (!rc && dims->orientation > 1) {
		rc = jag_image_orient(image, dims->orientation, &worker->upright);
		image = &worker->upright;
	}
	if (!rc && (image->height != dims->height || image->width != dims->width || image->channels != dims->channels))
		rc = jag_error_set(cause, -EINVAL, NULL, 0, "the pixels are not of the size that the header said");
	*out = image;
	return rc;
}

static int resize_one(const struct jag_resize_run *run, uint64_t i, const struct jag_resize_item *item,
		      struct worker *worker, struct jag_error *cause)
{
	uint8_t *out = worker->batch.data + worker->batch.nbytes;
	int rc = read_element(&item->element, &worker->in);
	if (!rc && run->encoded) {
		const struct jag_image *image;
		rc = decode(run, i, worker, &image, cause);
		if (!rc)
			rc = jag_resize_image(worker->resizer, &item->plan, image, JAG_LAYOUT_CHW, out,
					      (size_t)item->out_nbytes);
		return rc;
	}
	uint64_t out_frame = item->frames ? item->out_nbytes / item->frames : 0;
	for (uint64_t f = 0; f < item->frames && !rc; f++)
		rc = jag_resize(worker->resizer, &item->plan, &item->pixels, worker->in.data + f * item->in_nbytes,
				out + f * out_frame);
	return rc;
}

static int one_image(const struct jag_resize_run *run, uint64_t i, struct worker *worker, struct jag_range *range,
		     struct jag_error *err)
{
	const struct jag_resize_chunk *chunk = jag_resize_chunk_of(run, i);
	struct jag_resize_item item;
	struct jag_error cause = { 0 };
	int rc = jag_resize_item(run, i, &item, err);
	if (rc)
		return rc;
	uint64_t offset = run->dense ? (i - chunk->first) * item.out_nbytes : run->offsets[i];
	rc = reserve(run, worker, chunk->image, offset, item.out_nbytes);
	if (!rc)
		rc = resize_one(run, i, &item, worker, &cause);
	if (rc)
		return jag_resize_fail(run, i, rc, &cause, err);
	worker->batch.nbytes += (size_t)item.out_nbytes;
	range->nbytes += item.out_nbytes;
	return 0;
}

static int one_row(const struct jag_resize_run *run, size_t k, uint64_t i, struct worker *worker,
		   struct jag_range *range)
{
	const struct jag_resize_keep *keep = &run->keeps[k];
	const struct jag_resize_chunk *chunk = jag_resize_chunk_of(run, i);
	struct jag_element row;
	int rc = jag_sequence_locate(keep->seq, i, &row);
	if (rc)
		return rc;
	uint64_t offset = keep->nested ? keep->offsets[i] : (i - chunk->first) * row.nbytes;
	rc = reserve(run, worker, chunk->kept[k], offset, row.nbytes);
	if (!rc)
		rc = jag_element_read(&row, worker->batch.data + worker->batch.nbytes, (size_t)row.nbytes, 0);
	if (rc)
		return rc;
	worker->batch.nbytes += (size_t)row.nbytes;
	range->nbytes += row.nbytes;
	return 0;
}

static int work(void *ctx, struct jag_range *range, struct jag_error *err)
{
	struct work *work = ctx;
	const struct jag_resize_run *run = work->run;
	struct worker *worker = &work->workers[range->worker];
	uint64_t end = range->first + range->n;
	worker->batch.nbytes = 0;
	for (uint64_t i = range->first; i < end; i++) {
		range->failed_at = i;
		int rc = one_image(run, i, worker, range, err);
		if (rc)
			return rc;
	}
	for (size_t k = 0; k < run->keep_count; k++) {
		for (uint64_t i = range->first; i < end; i++) {
			range->failed_at = i;
			int rc = one_row(run, k, i, worker, range);
			if (rc)
				return jag_error_set(err, rc, run->keeps[k].key, 0, "element %llu cannot be copied: %s",
						     (unsigned long long)i, strerror(-rc));
		}
	}
	int rc = flush(run, worker);
	return rc ? jag_error_set(err, rc, run->options->target, 0, "cannot write: %s", strerror(-rc)) : 0;
}

static void free_workers(struct worker *workers, unsigned count)
{
	for (unsigned i = 0; workers && i < count; i++) {
		jag_resizer_destroy(workers[i].resizer);
		jag_buffer_free(&workers[i].in);
		jag_image_free(&workers[i].image);
		jag_image_free(&workers[i].upright);
		jag_buffer_free(&workers[i].batch);
	}
	free(workers);
}

int jag_resize_pixels(struct jag_resize_run *run, struct jag_error *err)
{
	struct work work_ctx = { .run = run };
	struct jag_workers job = { .count = run->options->workers,
				   .total = run->count,
				   .watch = run->options->watch,
				   .phase = JAG_PHASE_WORK,
				   .nbytes_total = run->result->image_nbytes + run->kept_nbytes,
				   .work = work,
				   .ctx = &work_ctx };
	unsigned threads = jag_workers_threads(&job);
	work_ctx.workers = calloc(threads, sizeof(*work_ctx.workers));
	int rc = work_ctx.workers ? 0 : -ENOMEM;
	for (unsigned i = 0; i < threads && !rc; i++)
		rc = jag_resizer_create(&work_ctx.workers[i].resizer);
	if (!rc)
		rc = jag_workers_run(&job, err);
	free_workers(work_ctx.workers, threads);
	return rc;
}
