/* SPDX-License-Identifier: MIT */
/* probe.c - sizes of images that are stored as files, from their headers, in parallel. */
#include "resize_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "pipeline/workers.h"

/* A header lies in the first bytes, unless metadata precede it; then all is read. */
#define HEAD_NBYTES (size_t)(64 << 10)

struct probe {
	struct jag_resize_run *run;
	struct jag_buffer *heads; /* one for each worker */
};

static int probe_file(const struct jag_element *element, const struct jag_image_limits *limits, struct jag_buffer *head,
		      struct jag_image_info *info, struct jag_error *err)
{
	size_t n = element->nbytes < HEAD_NBYTES ? (size_t)element->nbytes : HEAD_NBYTES;
	int rc = -EAGAIN;
	while (rc == -EAGAIN) {
		rc = jag_buffer_reserve(head, n + 1);
		if (!rc)
			rc = jag_element_read(element, head->data, n, 0);
		if (!rc)
			rc = jag_image_probe(head->data, n, limits, info, err);
		if (rc == -EAGAIN && n == element->nbytes)
			rc = jag_error_set(err, -EINVAL, NULL, 0, "ends within its header");
		n = (size_t)element->nbytes;
	}
	return rc;
}

static int work(void *ctx, struct jag_range *range, struct jag_error *err)
{
	struct probe *probe = ctx;
	struct jag_resize_run *run = probe->run;
	for (uint64_t i = range->first; i < range->first + range->n; i++) {
		struct jag_element element;
		struct jag_image_info info = { 0 };
		struct jag_error cause = { 0 };
		range->failed_at = i;
		int rc = jag_sequence_locate(run->seq, i, &element);
		if (!rc)
			rc = probe_file(&element, &run->options->limits, &probe->heads[range->worker], &info, &cause);
		if (rc)
			return jag_resize_fail(run, i, rc, &cause, err);
		bool turn = run->options->exif && info.orientation > 1;
		bool swap = turn && info.orientation >= 5;
		run->dims[i] = (struct jag_resize_dims){
			.height = swap ? info.width : info.height,
			.width = swap ? info.height : info.width,
			.channels = (uint8_t)jag_mode_channels(run->options->mode, &info),
			.orientation = turn ? (uint8_t)info.orientation : 1,
		};
	}
	return 0;
}

int jag_resize_probe(struct jag_resize_run *run, struct jag_error *err)
{
	struct probe probe = { .run = run };
	struct jag_workers job = { .count = run->options->workers,
				   .total = run->count,
				   .watch = run->options->watch,
				   .phase = JAG_PHASE_HEADERS,
				   .work = work,
				   .ctx = &probe };
	unsigned threads = jag_workers_threads(&job);
	run->dims = calloc(run->count, sizeof(*run->dims));
	probe.heads = calloc(threads, sizeof(*probe.heads));
	int rc = run->dims && probe.heads ? jag_workers_run(&job, err) : -ENOMEM;
	for (unsigned i = 0; probe.heads && i < threads; i++)
		jag_buffer_free(&probe.heads[i]);
	free(probe.heads);
	return rc;
}
