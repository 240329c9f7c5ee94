/* SPDX-License-Identifier: MIT */
/* plan.c - the keys of a resized store: images and kept leaves of each chunk, the values beside them, and what
 * the store says about itself. */
#include "resize_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"

/* Shape rows for jag_rows. A failure here is one that measuring has not met: the file has changed since. */
static int image_rows(void *ctx, uint64_t first, uint64_t n, int64_t *out)
{
	const struct jag_resize_chunk *chunk = ctx;
	struct jag_resize_item item;
	for (uint64_t i = 0; i < n; i++, out += item.out.rank) {
		int rc = jag_resize_item(chunk->run, chunk->first + first + i, &item, NULL);
		if (rc)
			return rc;
		memcpy(out, item.out.dims, item.out.rank * sizeof(*out));
	}
	return 0;
}

struct kept_rows {
	const struct jag_sequence *seq;
	uint64_t first;
};

static int kept_rows(void *ctx, uint64_t first, uint64_t n, int64_t *out)
{
	const struct kept_rows *rows = ctx;
	struct jag_element row;
	for (uint64_t i = 0; i < n; i++, out += row.shape.rank) {
		int rc = jag_sequence_locate(rows->seq, rows->first + first + i, &row);
		if (rc)
			return rc;
		memcpy(out, row.shape.dims, row.shape.rank * sizeof(*out));
	}
	return 0;
}

/* [count, ...row] */
static int dense_leaf(struct jag_resize_chunk *chunk, const char *key, const struct jag_shape *row,
		      struct jag_create_leaf **leaf, struct jag_error *err)
{
	struct jag_shape shape = { .dtype = row->dtype, .rank = row->rank + 1, .dims = { (int64_t)chunk->count } };
	if (shape.rank > JAG_MAX_RANK)
		return jag_error_set(err, -EINVAL, key, 0, "has too many dimensions");
	memcpy(shape.dims + 1, row->dims, row->rank * sizeof(*row->dims));
	return jag_create_dense(chunk->dir, key, &shape, leaf, err);
}

static int image_leaf(struct jag_resize_run *run, struct jag_resize_chunk *chunk, struct jag_error *err)
{
	struct jag_resize_item item;
	if (run->dense)
		return dense_leaf(chunk, run->leaf->key, &run->element, &chunk->image, err);
	int rc = jag_resize_item(run, chunk->first, &item, err);
	struct jag_rows rows = { .count = chunk->count, .rank = item.out.rank, .fetch = image_rows, .ctx = chunk };
	return rc ? rc : jag_create_nested(chunk->dir, run->leaf->key, item.out.dtype, &rows, &chunk->image, err);
}

static int kept_leaf(struct jag_resize_run *run, struct jag_resize_chunk *chunk, size_t k, struct kept_rows *ctx,
		     struct jag_error *err)
{
	const struct jag_resize_keep *keep = &run->keeps[k];
	if (!keep->nested)
		return dense_leaf(chunk, keep->key, &keep->row, &chunk->kept[k], err);
	*ctx = (struct kept_rows){ keep->seq, chunk->first };
	struct jag_rows rows = { .count = chunk->count, .rank = keep->row.rank, .fetch = kept_rows, .ctx = ctx };
	return jag_create_nested(chunk->dir, keep->key, keep->row.dtype, &rows, &chunk->kept[k], err);
}

static int plan_chunk(struct jag_resize_run *run, size_t number, struct kept_rows *ctx, struct jag_error *err)
{
	struct jag_resize_chunk *chunk = &run->chunks[number];
	int64_t batch = (int64_t)chunk->count;
	char key[24];
	int rc = 0;
	chunk->dir = jag_create_root(run->create);
	snprintf(key, sizeof(key), "%zu", number);
	if (run->chunk_count > 1)
		rc = jag_create_collection(chunk->dir, key, &chunk->dir, err);
	if (!rc)
		rc = jag_create_set_batch(chunk->dir, 1, &batch, err);
	if (!rc)
		rc = image_leaf(run, chunk, err);
	chunk->kept = calloc(run->keep_count + 1, sizeof(struct jag_create_leaf *));
	if (!chunk->kept)
		return -ENOMEM;
	for (size_t k = 0; k < run->keep_count && !rc; k++)
		rc = kept_leaf(run, chunk, k, &ctx[k], err);
	return rc;
}

/* Values beside the images, as they are. What jagfs says about itself is written anew. */
static int plan_values(struct jag_resize_run *run, struct jag_error *err)
{
	const struct jag_collection *beside = run->collection;
	int rc = 0;
	for (size_t i = 0; i < beside->entry_count && !rc; i++) {
		const struct jag_entry *entry = &beside->entries[i];
		if (entry->type != JAG_ENTRY_COLLECTION || !strcmp(entry->collection->key, "jagfs"))
			continue;
		const struct jag_collection *value = entry->collection;
		if (value->kind != JAG_NONTENSOR && value->kind != JAG_NONTENSOR_STACK) {
			if (run->leaf->parent == beside)
				jag_resize_note(run, value->key, "is not kept: it is a collection");
			continue;
		}
		if (!value->json) {
			jag_resize_note(run, value->key, "is not kept: its value is a pickle");
			continue;
		}
		char *json = strndup(value->json, value->json_nbytes);
		rc = json ? jag_create_value(jag_create_root(run->create), value->key, json, err) : -ENOMEM;
		free(json);
		run->result->kept += !rc;
	}
	return rc;
}

static void create_note(void *ctx, const char *key, const char *text)
{
	jag_resize_note(ctx, key, "%s", text);
}

/* Everything up to the allocated, empty store. */
int jag_resize_create(struct jag_resize_run *run, struct jag_error *err)
{
	struct jag_buffer text = { 0 };
	struct kept_rows *ctx = calloc(run->chunk_count * run->keep_count + 1, sizeof(*ctx));
	int rc = ctx ? 0 : -ENOMEM;
	jag_create_on_note(run->create, create_note, run);
	jag_create_watch(run->create, run->options->watch);
	for (size_t i = 0; i < run->chunk_count && !rc; i++)
		rc = plan_chunk(run, i, ctx + i * run->keep_count, err);
	if (!rc)
		rc = plan_values(run, err);
	if (!rc)
		rc = jag_resize_options_json(run, &text);
	if (!rc)
		rc = jag_create_value(jag_create_root(run->create), "jagfs", (const char *)text.data, err);
	jag_buffer_free(&text);
	run->result->kept += run->keep_count;
	run->result->store_nbytes = jag_create_nbytes(run->create);
	if (!rc)
		rc = jag_create_allocate(run->create, err);
	free(ctx);
	return rc;
}
