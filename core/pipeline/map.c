/* SPDX-License-Identifier: MIT */
/* map.c - a function over the elements of a sequence, and one element into many. Elements are copied out with pread and
 * back with pwrite: the function's memory cannot fault, whatever happens to the files meanwhile. */
#include "jag/map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jag/buffer.h"
#include "workers.h"

struct scratch {
	struct jag_buffer in, out;
	struct jag_element source, destination;
};

struct run {
	const struct jag_map *map;
	struct scratch *scratch; /* one for each worker */
};

static uint64_t count_of(const struct jag_map *map)
{
	return jag_sequence_count(map->source ? map->source : map->destination);
}

static int fail(const struct jag_element *element, uint64_t index, int rc, const char *what, struct jag_error *err)
{
	return jag_error_set(err, rc, jag_element_path(element), 0, "element %" PRIu64 ": cannot %s: %s", index, what,
			     strerror(-rc));
}

/* Locate an element and make room for it. */
static int prepare(const struct jag_sequence *seq, uint64_t index, struct jag_element *element, struct jag_buffer *buf,
		   struct jag_error *err)
{
	int rc = jag_sequence_locate(seq, index, element);
	if (rc)
		return jag_error_set(err, rc, NULL, 0, "element %" PRIu64 " cannot be found: %s", index, strerror(-rc));
	rc = element->nbytes > SIZE_MAX - 1 ? -ENOMEM : jag_buffer_reserve(buf, (size_t)element->nbytes + 1);
	return rc ? fail(element, index, rc, "make room for it", err) : 0;
}

static int one(const struct jag_map *map, struct scratch *scratch, struct jag_map_item *item, struct jag_error *err)
{
	struct jag_element *from = &scratch->source, *to = &scratch->destination;
	int rc = 0;
	if (map->source) {
		rc = prepare(map->source, item->index, from, &scratch->in, err);
		if (rc)
			return rc;
		rc = jag_element_read(from, scratch->in.data, (size_t)from->nbytes, 0);
		if (rc)
			return fail(from, item->index, rc, "read", err);
		item->in = (struct jag_view){ &from->shape, scratch->in.data, from->nbytes };
	}
	if (map->destination) {
		rc = prepare(map->destination, item->index, to, &scratch->out, err);
		if (rc)
			return rc;
		memset(scratch->out.data, 0, (size_t)to->nbytes);
		item->out_shape = &to->shape;
		item->out = scratch->out.data;
		item->out_nbytes = to->nbytes;
	}
	struct jag_error why = { 0 };
	rc = map->call(map->ctx, item, &why);
	if (rc)
		return jag_error_set(err, rc, why.path, why.offset, "element %" PRIu64 ": %s", item->index,
				     *why.message ? why.message : strerror(-rc));
	if (map->destination)
		rc = jag_element_write(to, scratch->out.data, (size_t)to->nbytes, 0);
	return rc ? fail(to, item->index, rc, "write", err) : 0;
}

static int work(void *ctx, struct jag_range *range, struct jag_error *err)
{
	const struct run *run = ctx;
	for (uint64_t i = range->first; i < range->first + range->n; i++) {
		struct jag_map_item item = { .index = i, .worker = range->worker };
		int rc = one(run->map, &run->scratch[range->worker], &item, err);
		range->failed_at = i;
		if (rc)
			return rc;
		range->nbytes += item.out_nbytes;
	}
	return 0;
}

static struct jag_workers job_of(const struct jag_map *map)
{
	return (struct jag_workers){
		.count = map->workers, .total = count_of(map), .watch = map->watch, .phase = JAG_PHASE_WORK
	};
}

unsigned jag_map_workers(const struct jag_map *map)
{
	struct jag_workers job = job_of(map);
	return jag_workers_threads(&job);
}

int jag_map(const struct jag_map *map, struct jag_error *err)
{
	if (!map->source && !map->destination)
		return jag_error_set(err, -EINVAL, NULL, 0, "there is neither a source nor a destination");
	if (map->source && map->destination && jag_sequence_count(map->source) != jag_sequence_count(map->destination))
		return jag_error_set(err, -EINVAL, NULL, 0, "%" PRIu64 " elements cannot go to %" PRIu64,
				     jag_sequence_count(map->source), jag_sequence_count(map->destination));
	struct run run = { .map = map };
	struct jag_workers job = job_of(map);
	unsigned threads = jag_workers_threads(&job);
	run.scratch = calloc(threads, sizeof(*run.scratch));
	if (!run.scratch)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	job.work = work;
	job.ctx = &run;
	int rc = jag_workers_run(&job, err);
	for (unsigned i = 0; i < threads; i++) {
		jag_buffer_free(&run.scratch[i].in);
		jag_buffer_free(&run.scratch[i].out);
	}
	free(run.scratch);
	return rc;
}

static int copy_bytes(void *ctx, struct jag_map_item *item, struct jag_error *err)
{
	(void)err;
	memcpy(item->out, ctx, (size_t)item->out_nbytes);
	return 0;
}

int jag_expand(const struct jag_element *element, const struct jag_sequence *destination, unsigned workers,
	       struct jag_watch *watch, struct jag_error *err)
{
	char want[96], have[96];
	for (uint64_t i = 0; i < jag_sequence_count(destination); i++) {
		struct jag_element to;
		int rc = jag_sequence_locate(destination, i, &to);
		if (rc)
			return jag_error_set(err, rc, NULL, 0, "element %" PRIu64 " cannot be found: %s", i,
					     strerror(-rc));
		if (!jag_shape_equal(&to.shape, &element->shape))
			return jag_error_set(err, -EINVAL, jag_element_path(&to), 0,
					     "element %" PRIu64 " has the shape %s, not %s, or another dtype", i,
					     jag_shape_text(&to.shape, have, sizeof(have)),
					     jag_shape_text(&element->shape, want, sizeof(want)));
	}
	uint8_t *bytes = malloc((size_t)element->nbytes + 1);
	int rc = bytes ? jag_element_read(element, bytes, (size_t)element->nbytes, 0) : -ENOMEM;
	struct jag_map map = {
		.destination = destination, .call = copy_bytes, .ctx = bytes, .workers = workers, .watch = watch
	};
	if (rc)
		jag_error_set(err, rc, jag_element_path(element), 0, "cannot read: %s", strerror(-rc));
	else
		rc = jag_map(&map, err);
	free(bytes);
	return rc;
}
