/* SPDX-License-Identifier: MIT */
/* pack.c - packing as a whole: scan, headers, classes, then allocate, decode and finish a store. */
#include "pack_impl.h"
#include "create/create_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void jag_pack_note(struct jag_pack *pack, const char *what, const char *fmt, ...)
{
	if (!pack->options->note)
		return;
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pack->options->note(pack->options->note_ctx, what, text);
}

int jag_pack_errno(struct jag_error *err, const char *path, int code, const char *what)
{
	return jag_error_set(err, code, path, 0, "%s: %s", what, strerror(-code));
}

int jag_pack_refuse(struct jag_pack *pack, size_t index, int code, const struct jag_error *error)
{
	/* What says nothing of the file itself stops the work in any case. */
	if (!pack->options->skip_errors || code == -ENOMEM || code == -EMFILE || code == -ENFILE)
		return code;
	pthread_mutex_lock(&pack->mutex);
	struct jag_pack_refusal *refusals = realloc(pack->refusals, (pack->refusal_count + 1) * sizeof(*refusals));
	if (refusals) {
		pack->refusals = refusals;
		refusals[pack->refusal_count++] = (struct jag_pack_refusal){ .index = index, .error = *error };
		pack->result->refused++;
	}
	pthread_mutex_unlock(&pack->mutex);
	if (!refusals)
		return -ENOMEM;
	if (index != SIZE_MAX)
		pack->files[index].state = JAG_FILE_REFUSED;
	return 0;
}

static int compare_refusals(const void *pa, const void *pb)
{
	const struct jag_pack_refusal *a = pa, *b = pb;
	int c = (a->index > b->index) - (a->index < b->index);
	return c ? c : strcmp(a->error.path, b->error.path);
}

void jag_pack_tell_refusals(struct jag_pack *pack)
{
	if (pack->refusal_count)
		qsort(pack->refusals, pack->refusal_count, sizeof(*pack->refusals), compare_refusals);
	for (size_t i = 0; i < pack->refusal_count; i++)
		jag_pack_note(pack, pack->refusals[i].error.path, "left out: %s", pack->refusals[i].error.message);
	free(pack->refusals);
	pack->refusals = NULL;
	pack->refusal_count = 0;
}

/* Some chunk has lost all of its images: nested leaves without elements are better not written at all. */
static bool lost_a_chunk(const struct jag_pack *pack)
{
	for (size_t i = 0; i < pack->chunk_count; i++) {
		const struct jag_pack_chunk *chunk = &pack->chunks[i];
		uint64_t left = 0;
		for (uint64_t j = 0; j < chunk->count; j++)
			left += pack->files[chunk->first + j].state == JAG_FILE_IMAGE;
		if (!left)
			return true;
	}
	return false;
}

static void drop_refused(struct jag_pack *pack)
{
	size_t kept = 0;
	for (size_t i = 0; i < pack->file_count; i++)
		if (pack->files[i].state == JAG_FILE_IMAGE)
			pack->files[kept++] = pack->files[i];
	pack->file_count = kept;
}

static void create_note(void *ctx, const char *key, const char *text)
{
	jag_pack_note(ctx, key, "%s", text);
}

static void forget_chunks(struct jag_pack *pack)
{
	free(pack->chunks);
	free(pack->offsets);
	pack->chunks = NULL;
	pack->chunk_count = 0;
	pack->offsets = NULL;
	pack->result->image_nbytes = 0;
	pack->result->source_nbytes = 0;
}

/* Sizes and refusals that need no byte of the images; after this `dry_run` is over. */
static int plan(struct jag_pack *pack, struct jag_error *err)
{
	if (!pack->file_count)
		return jag_error_set(err, -ENOENT, NULL, 0,
				     "no image in what was given (%" PRIu64 " other files, %" PRIu64 " hidden, %" PRIu64
				     " left out)",
				     pack->result->not_images, pack->result->hidden, pack->result->refused);
	const struct jag_pack_options *options = pack->options;
	unsigned flags = (options->force ? JAG_CREATE_FORCE : 0u) | (options->nosync ? JAG_CREATE_NOSYNC : 0u);
	int rc = jag_create_new(options->target, flags, &pack->create, err);
	if (rc)
		return rc;
	jag_create_on_note(pack->create, create_note, pack);
	jag_create_watch(pack->create, options->watch);
	jag_pack_judge_dense(pack);
	rc = jag_pack_split(pack, err);
	if (!rc)
		rc = jag_pack_plan(pack, err);
	if (!rc && !options->dry_run)
		jag_create_sweep(pack->create);
	return rc ? rc : jag_create_check_space(pack->create, err);
}

/* Pass 2 and the end. 1: do it again without the files that were refused. */
static int write_store(struct jag_pack *pack, struct jag_error *err)
{
	uint64_t refused = pack->result->refused;
	int rc = jag_create_allocate(pack->create, err);
	if (!rc)
		rc = jag_pack_decode(pack, err);
	if (rc)
		return rc;
	if (pack->result->refused != refused) {
		if (lost_a_chunk(pack))
			return 1;
		rc = jag_pack_compact(pack, err);
	}
	if (!rc)
		rc = jag_pack_write_small(pack, err);
	if (!rc) {
		pack->result->store_nbytes = jag_create_nbytes(pack->create);
		rc = jag_create_finish(pack->create, err);
		pack->create = NULL;
	}
	return rc;
}

static int run(struct jag_pack *pack, struct jag_error *err)
{
	int rc = jag_pack_scan(pack, err);
	if (!rc)
		rc = jag_pack_headers(pack, err);
	if (!rc)
		rc = jag_pack_classes(pack, err);
	do {
		if (!rc)
			rc = plan(pack, err);
		if (!rc && !pack->options->dry_run)
			rc = write_store(pack, err);
		jag_create_discard(pack->create);
		pack->create = NULL;
		pack->result->images = pack->file_count;
		if (rc == 1) {
			drop_refused(pack);
			forget_chunks(pack);
		}
	} while (rc == 1 && !(rc = 0));
	return rc;
}

static void release(struct jag_pack *pack)
{
	while (pack->arena) {
		struct jag_arena_block *next = pack->arena->next;
		free(pack->arena);
		pack->arena = next;
	}
	free(pack->files);
	free(pack->class_dirs);
	free(pack->refusals);
	free(pack->chunks);
	free(pack->offsets);
	pthread_mutex_destroy(&pack->mutex);
}

/* What `force` is about to remove must not hold what is read. */
static int check_sources(const struct jag_pack_options *options, const struct jag_create *create, struct jag_error *err)
{
	for (size_t i = 0; i < options->source_count; i++)
		if (jag_place_holds(&create->place, options->sources[i]))
			return jag_error_set(err, -EBUSY, options->sources[i], 0,
					     "lies in the store that --force would remove");
	return 0;
}

int jag_pack(const struct jag_pack_options *options, struct jag_pack_result *result, struct jag_error *err)
{
	struct jag_pack_options own = *options;
	if (!own.chunk_elements)
		own.chunk_elements = JAG_NESTED_LOADABLE_MAX;
	*result = (struct jag_pack_result){ 0 };
	/* A target that cannot be is found out before a million files are read. */
	struct jag_create *probe;
	int rc = jag_create_new(own.target, own.force ? JAG_CREATE_FORCE : 0, &probe, err);
	if (rc)
		return rc;
	rc = check_sources(&own, probe, err);
	jag_create_discard(probe);
	if (rc)
		return rc;
	struct jag_pack pack = { .options = &own, .result = result };
	pthread_mutex_init(&pack.mutex, NULL);
	rc = run(&pack, err);
	release(&pack);
	return rc;
}
