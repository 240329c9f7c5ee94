/* SPDX-License-Identifier: MIT */
/* chunks.c - one nested leaf as several, each in a numbered collection, as pack writes them. */
#include "create_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checked.h"
#include "json_text.h"

/* The longest run of rows from `first` whose elements are not more than `limit`. */
static int run_length(const struct jag_rows *rows, uint64_t first, uint64_t limit, uint64_t *n, struct jag_error *err)
{
	uint64_t total = 0, i = first;
	for (; i < rows->count; i++) {
		uint64_t numel;
		int rc = jag_checked_product(rows->values + i * rows->rank, rows->rank, &numel);
		if (rc)
			return jag_error_set(err, rc, NULL, 0, "row %" PRIu64 " of the shapes is no shape of a tensor",
					     i);
		if (numel > limit)
			return jag_error_set(err, -E2BIG, NULL, 0,
					     "row %" PRIu64 " has %" PRIu64 " scalars, more than the %" PRIu64
					     " that a chunk may have",
					     i, numel, limit);
		if (i > first && numel > limit - total)
			break;
		total += numel;
	}
	*n = i - first;
	return 0;
}

/* What a mount needs to show the chunks as one. */
static int options(struct jag_create *create, const char *key, uint64_t chunks, const char *writer,
		   struct jag_error *err)
{
	struct jag_buffer text = { 0 };
	int rc = jag_emit_raw(&text, "{\"jagfs\":");
	if (!rc)
		rc = jag_emit_string(&text, writer, strlen(writer));
	if (!rc)
		rc = jag_emit_raw(&text, ",\"chunks\":");
	if (!rc)
		rc = jag_emit_int(&text, (int64_t)chunks);
	if (!rc)
		rc = jag_emit_raw(&text, ",\"keys\":[");
	if (!rc)
		rc = jag_emit_string(&text, key, strlen(key));
	if (!rc)
		rc = jag_emit_raw(&text, "]}");
	if (!rc)
		rc = jag_buffer_append(&text, "", 1);
	if (!rc)
		rc = jag_create_value(create->root, "jagfs", (const char *)text.data, err);
	jag_buffer_free(&text);
	return rc;
}

int jag_create_chunks(struct jag_create *create, const char *key, enum jag_dtype dtype, const struct jag_rows *rows,
		      uint64_t limit, const char *writer, struct jag_error *err)
{
	uint64_t n = 0, chunks = 0;
	struct jag_create_leaf *leaf;
	if (create->adding)
		return jag_error_set(err, -EINVAL, create->place.path, 0, "chunks can only be made in a new store");
	int rc = rows->rank && !rows->values ? -EINVAL : run_length(rows, 0, limit, &n, err);
	if (rc)
		return rc;
	if (n == rows->count)
		return jag_create_nested(create->root, key, dtype, rows, &leaf, err);
	for (uint64_t first = 0; first < rows->count && !rc; first += n, chunks++) {
		struct jag_create_dir *dir;
		char name[24];
		snprintf(name, sizeof(name), "%" PRIu64, chunks);
		rc = run_length(rows, first, limit, &n, err);
		struct jag_rows part = { .count = n, .rank = rows->rank, .values = rows->values + first * rows->rank };
		if (!rc)
			rc = jag_create_collection(create->root, name, &dir, err);
		if (!rc)
			rc = jag_create_nested(dir, key, dtype, &part, &leaf, err);
	}
	return rc ? rc : options(create, key, chunks, writer, err);
}

struct fill_all {
	const struct jag_scalar *value;
	unsigned workers;
	struct jag_error *err;
};

static int fill_one(struct jag_create_leaf *leaf, void *ctx)
{
	const struct fill_all *all = ctx;
	int rc = jag_create_fill(leaf, all->value, all->workers, all->err);
	jag_create_close(leaf);
	return rc;
}

int jag_create_fill_all(struct jag_create *create, const struct jag_scalar *value, unsigned workers,
			struct jag_error *err)
{
	struct fill_all all = { value, workers, err };
	return jag_create_each_leaf(create->root, fill_one, &all);
}
