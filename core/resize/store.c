/* SPDX-License-Identifier: MIT */
/* store.c - the steps of resizing a store, and the messages that they share. */
#include "resize_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"

void jag_resize_note(const struct jag_resize_run *run, const char *what, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	if (!run->options->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	run->options->note(run->options->note_ctx, what, text);
}

int jag_resize_fail(const struct jag_resize_run *run, uint64_t i, int code, const struct jag_error *cause,
		    struct jag_error *err)
{
	const char *why = cause && *cause->message ? cause->message : strerror(-code);
	return jag_error_set(err, code, run->leaf->path, 0, "element %llu: %s", (unsigned long long)i, why);
}

/* Replacing the store that the images come from would end with neither, if anything went wrong. */
static int check_target(const struct jag_resize_run *run, struct jag_error *err)
{
	const char *source = jag_store_path(run->store);
	char *target JAG_AUTO_FREE = realpath(run->options->target, NULL);
	size_t n = target ? strlen(target) : 0;
	if (!n || strncmp(source, target, n) != 0 || (source[n] != '\0' && source[n] != '/'))
		return 0;
	return jag_error_set(err, -EINVAL, run->options->target, 0, "holds the images that shall be resized: %s",
			     source);
}

static int run_steps(struct jag_resize_run *run, const char *key, struct jag_error *err)
{
	const struct jag_resize_options *options = run->options;
	unsigned flags = (options->force ? JAG_CREATE_FORCE : 0u) | (options->nosync ? JAG_CREATE_NOSYNC : 0u);
	int rc = jag_resize_find(run, key, err);
	if (!rc)
		rc = check_target(run, err);
	/* A target that cannot be is found out before any image is looked at. */
	if (!rc)
		rc = jag_create_new(options->target, flags, &run->create, err);
	if (!rc && run->encoded)
		rc = jag_resize_probe(run, err);
	if (!rc)
		rc = jag_resize_measure(run, err);
	if (!rc)
		rc = jag_resize_create(run, err);
	if (!rc)
		rc = jag_resize_pixels(run, err);
	if (rc)
		return rc;
	struct jag_create *create = run->create;
	run->create = NULL;
	return jag_create_finish(create, err);
}

int jag_resize_store(const struct jag_store *store, const char *key, const struct jag_resize_options *options,
		     struct jag_resize_result *result, struct jag_error *err)
{
	struct jag_resize_run run = { .options = options, .result = result, .store = store };
	*result = (struct jag_resize_result){ 0 };
	int rc = run_steps(&run, key, err);
	jag_create_discard(run.create);
	for (size_t i = 0; i < run.chunk_count; i++)
		free(run.chunks[i].kept);
	for (size_t k = 0; k < run.keep_count; k++)
		free(run.keeps[k].offsets);
	free(run.chunks);
	free(run.keeps);
	free(run.dims);
	free(run.offsets);
	jag_tree_close(run.tree);
	result->images = run.count;
	return rc;
}
