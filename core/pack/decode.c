/* SPDX-License-Identifier: MIT */
/* decode.c - pass 2 of packing: file -> pixels -> planes -> store, in parallel.
 *
 * A worker takes a run of images that lie side by side in the store, deinterleaves them one after the other into one
 * buffer while the pixels are hot, and writes the buffer with one pwrite(2). The buffer is bounded; its memory and the
 * decoder's are kept from image to image. */
#include "pack_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/orient.h"
#include "pipeline/span.h"
#include "pipeline/workers.h"
#include "transfer.h"

/* Written at once: large enough to make the system call cheap, small enough to stay in the second-level cache. */
#define BATCH_NBYTES (size_t)(1 << 20)

/* Buffers of one worker, and the run of bytes that it has not written yet. */
struct worker {
	struct jag_buffer file;
	struct jag_image image, upright;
	struct jag_resizer *resizer; /* --size */
	struct jag_buffer batch;
	struct jag_pack_chunk *chunk; /* of the batch */
	uint64_t batch_offset;        /* of the batch in the chunk's data */
	uint64_t batch_count;         /* images in it */
};

struct decode {
	struct jag_pack *pack;
	struct worker *workers;
};

static int read_file(const struct jag_pack_file *file, struct jag_buffer *buf, struct jag_error *err)
{
	int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return jag_pack_errno(err, file->path, -errno, "cannot open");
	buf->nbytes = 0;
	/* One byte more than the file had: a file that has grown since shows. */
	int rc = jag_read_on(fd, buf, (size_t)file->nbytes + 1);
	close(fd);
	if (rc)
		return jag_pack_errno(err, file->path, rc, "cannot read");
	if (buf->nbytes != file->nbytes)
		return jag_error_set(err, -EINVAL, file->path, 0, "has changed while it was packed: it had %llu bytes",
				     (unsigned long long)file->nbytes);
	return 0;
}

/* Decode into worker->image or ->upright; *out is which. */
static int decode_file(struct jag_pack *pack, const struct jag_pack_file *file, struct worker *worker,
		       const struct jag_image **out, struct jag_error *err)
{
	const struct jag_pack_options *options = pack->options;
	int rc = read_file(file, &worker->file, err);
	if (rc)
		return rc;
	struct jag_error error = { 0 };
	struct jag_image *image = &worker->image;
	rc = jag_image_decode(worker->file.data, worker->file.nbytes, options->mode, 8, &options->limits, image,
			      &error);
	if (rc)
		return jag_error_set(err, rc, file->path, error.offset, "%s",
				     *error.message ? error.message : strerror(-rc));
	if (options->exif && file->orientation > 1) {
		rc = jag_image_orient(image, file->orientation, &worker->upright);
		if (rc)
			return jag_pack_errno(err, file->path, rc, "cannot turn the image");
		image = &worker->upright;
	}
	if (image->width != file->width || image->height != file->height || image->channels != file->channels ||
	    image->depth != 8)
		return jag_error_set(err, -EINVAL, file->path, 0,
				     "decodes to %u x %u x %u, but its header said %u x %u x %u", image->channels,
				     image->height, image->width, file->channels, file->height, file->width);
	*out = image;
	return 0;
}

static int flush(struct jag_pack *pack, struct worker *worker, struct jag_error *err)
{
	struct jag_pack_chunk *chunk = worker->chunk;
	if (!worker->batch.nbytes)
		return 0;
	int rc = jag_create_write(chunk->image, worker->batch.data, worker->batch.nbytes, worker->batch_offset);
	if (rc)
		return jag_pack_errno(err, pack->options->target, rc, "cannot write");
	if (!pack->options->nosync)
		jag_create_flush_hint(chunk->image, worker->batch.nbytes, worker->batch_offset);
	worker->batch.nbytes = 0;
	return 0;
}

/* The planes of an image, appended to the batch. */
static int append_planes(struct worker *worker, const struct jag_image *image)
{
	size_t plane = (size_t)image->width * image->height, nbytes = plane * image->channels;
	int rc = jag_buffer_reserve(&worker->batch, worker->batch.nbytes + nbytes);
	if (rc)
		return rc;
	uint8_t *base = worker->batch.data + worker->batch.nbytes;
	uint8_t *planes[4] = { base };
	for (unsigned c = 1; c < image->channels; c++)
		planes[c] = base + c * plane;
	struct jag_permute how = { .channels = image->channels, .itemsize = 1 };
	jag_deinterleave(&how, image->buf.data, plane, planes);
	worker->batch.nbytes += nbytes;
	return 0;
}

/* The same for an image that changes its size on the way. */
static int append_resized(const struct jag_pack *pack, uint64_t index, struct worker *worker,
			  const struct jag_image *image)
{
	const struct jag_pack_file *file = &pack->files[index];
	size_t nbytes = jag_pack_element_nbytes(pack, file);
	struct jag_resize_plan plan;
	int rc = jag_pack_resize_plan(pack, file, &plan);
	if (!rc && !worker->resizer)
		rc = jag_resizer_create(&worker->resizer);
	if (!rc)
		rc = jag_buffer_reserve(&worker->batch, worker->batch.nbytes + nbytes);
	if (!rc)
		rc = jag_resize_image(worker->resizer, &plan, image, JAG_LAYOUT_CHW,
				      worker->batch.data + worker->batch.nbytes, nbytes);
	if (!rc)
		worker->batch.nbytes += nbytes;
	return rc;
}

static struct jag_pack_chunk *chunk_of(const struct jag_pack *pack, uint64_t index)
{
	struct jag_pack_chunk *chunks = pack->chunks;
	return &chunks[jag_span_of(&chunks->first, pack->chunk_count, sizeof(*chunks), index)];
}

/* The element of image `index` into the batch; the batch is written first where it cannot be joined or is full. */
static int add_image(struct jag_pack *pack, uint64_t index, struct worker *worker, const struct jag_image *image,
		     struct jag_error *err)
{
	struct jag_pack_chunk *chunk = chunk_of(pack, index);
	uint64_t offset = pack->offsets[index], nbytes = jag_pack_element_nbytes(pack, &pack->files[index]);
	struct jag_buffer *batch = &worker->batch;
	bool adjacent = chunk == worker->chunk && offset == worker->batch_offset + batch->nbytes;
	int rc = 0;
	if (!adjacent || batch->nbytes + nbytes > BATCH_NBYTES)
		rc = flush(pack, worker, err);
	if (rc)
		return rc;
	if (!batch->nbytes) {
		worker->chunk = chunk;
		worker->batch_offset = offset;
	}
	rc = pack->options->size ? append_resized(pack, index, worker, image) : append_planes(worker, image);
	return rc ? jag_error_set(err, rc, pack->files[index].path, 0, "%s", strerror(-rc)) : 0;
}

static int one_image(struct jag_pack *pack, uint64_t index, struct worker *worker, struct jag_range *range,
		     struct jag_error *err)
{
	const struct jag_image *image = NULL;
	struct jag_error error = { 0 };
	int rc = decode_file(pack, &pack->files[index], worker, &image, &error);
	if (rc) {
		rc = jag_pack_refuse(pack, index, rc, &error);
		if (rc)
			*err = error;
		return rc;
	}
	range->nbytes += jag_pack_element_nbytes(pack, &pack->files[index]);
	return add_image(pack, index, worker, image, err);
}

/* The images of this range are written (or refused): a chunk without any left needs no open file. */
static void count_done(struct jag_pack *pack, const struct jag_range *range)
{
	for (uint64_t i = range->first; i < range->first + range->n;) {
		struct jag_pack_chunk *chunk = chunk_of(pack, i);
		uint64_t end = chunk->first + chunk->count, stop = range->first + range->n;
		uint64_t n = (end < stop ? end : stop) - i;
		if (atomic_fetch_sub(&chunk->todo, n) == n)
			jag_create_close(chunk->image);
		i += n;
	}
}

static int work(void *ctx, struct jag_range *range, struct jag_error *err)
{
	struct decode *decode = ctx;
	struct jag_pack *pack = decode->pack;
	struct worker *worker = &decode->workers[range->worker];
	int rc = 0;
	for (uint64_t i = range->first; i < range->first + range->n && !rc; i++) {
		range->failed_at = i;
		rc = one_image(pack, i, worker, range, err);
	}
	if (!rc)
		rc = flush(pack, worker, err);
	worker->batch.nbytes = 0;
	if (!rc)
		count_done(pack, range);
	return rc;
}

static void free_workers(struct worker *workers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		jag_buffer_free(&workers[i].file);
		jag_image_free(&workers[i].image);
		jag_image_free(&workers[i].upright);
		jag_resizer_destroy(workers[i].resizer);
		jag_buffer_free(&workers[i].batch);
	}
	free(workers);
}

int jag_pack_decode(struct jag_pack *pack, struct jag_error *err)
{
	struct decode decode = { .pack = pack };
	struct jag_workers job = { .count = pack->options->workers,
				   .total = pack->file_count,
				   .watch = pack->options->watch,
				   .phase = JAG_PHASE_WORK,
				   .nbytes_total = pack->result->image_nbytes,
				   .work = work,
				   .ctx = &decode };
	unsigned threads = jag_workers_threads(&job);
	decode.workers = calloc(threads, sizeof(*decode.workers));
	if (!decode.workers)
		return -ENOMEM;
	int rc = jag_workers_run(&job, err);
	free_workers(decode.workers, threads);
	jag_pack_tell_refusals(pack);
	return rc;
}
