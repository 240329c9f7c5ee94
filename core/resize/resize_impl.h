/* SPDX-License-Identifier: MIT */
/* resize_impl.h - what the steps of resizing a store share: the images, where their results go, and what is kept
 * beside them. */
#ifndef JAG_RESIZE_IMPL_H
#define JAG_RESIZE_IMPL_H

#include "jag/create.h"
#include "jag/resize_store.h"
#include "jag/tree.h"
#include "pipeline/span.h"

/* An image file's pixels, from its header; upright where that was asked for. */
struct jag_resize_dims {
	uint32_t height, width;
	uint8_t channels, orientation;
};

/* A leaf that is copied row by row. */
struct jag_resize_keep {
	const char *key;
	const struct jag_sequence *seq;
	bool nested;
	struct jag_shape row; /* of the first row; dense: of every row */
	enum jag_layout layout;
	uint64_t *offsets; /* nested: of each row in its chunk's data */
};

/* Images [first, first + count), in one collection of the target. */
struct jag_resize_chunk {
	struct jag_resize_run *run;
	uint64_t first, count, nbytes;
	struct jag_create_dir *dir;
	struct jag_create_leaf *image;
	struct jag_create_leaf **kept; /* one for each keep */
};

struct jag_resize_run {
	const struct jag_resize_options *options;
	struct jag_resize_result *result;

	/* source.c */
	const struct jag_store *store;
	struct jag_tree *tree;                   /* of the collection that has the images */
	const struct jag_leaf *leaf;             /* the images; of the first chunk, if there are chunks */
	const struct jag_collection *collection; /* that has the values beside them */
	const struct jag_sequence *seq;
	enum jag_layout layout;
	uint64_t count;
	bool encoded;
	struct jag_resize_keep *keeps;
	size_t keep_count;

	/* shapes.c */
	struct jag_resize_dims *dims; /* encoded: of each file */
	bool dense;
	struct jag_shape element; /* dense: of every result */
	uint64_t *offsets;        /* nested: of each result in its chunk's data */
	uint64_t kept_nbytes;
	struct jag_resize_chunk *chunks;
	size_t chunk_count;

	struct jag_create *create;
};

/* One image on its way. */
struct jag_resize_item {
	struct jag_element element;
	uint64_t frames; /* images in the element */
	struct jag_pixels pixels;
	struct jag_resize_plan plan;
	uint64_t in_nbytes;   /* of one frame; 0 for image files */
	struct jag_shape out; /* of the whole result */
	uint64_t out_nbytes;
};

/* source.c: find the images and what is kept. */
int jag_resize_find(struct jag_resize_run *run, const char *key, struct jag_error *err);

/* probe.c: the headers of image files. */
int jag_resize_probe(struct jag_resize_run *run, struct jag_error *err);

/* shapes.c: image i; and the sizes, kind and chunks of the result. */
int jag_resize_item(const struct jag_resize_run *run, uint64_t i, struct jag_resize_item *out, struct jag_error *err);
int jag_resize_measure(struct jag_resize_run *run, struct jag_error *err);

/* plan.c: the keys of the target. */
int jag_resize_create(struct jag_resize_run *run, struct jag_error *err);

/* record.c: the text of the value `jagfs`, with its NUL. */
int jag_resize_options_json(const struct jag_resize_run *run, struct jag_buffer *out);

/* work.c: the pixels, and the rows that are kept. */
int jag_resize_pixels(struct jag_resize_run *run, struct jag_error *err);

/* The message of a failure at image i. */
int jag_resize_fail(const struct jag_resize_run *run, uint64_t i, int code, const struct jag_error *cause,
		    struct jag_error *err);

void jag_resize_note(const struct jag_resize_run *run, const char *what, const char *fmt, ...) JAG_PRINTF(3, 4);

static inline struct jag_resize_chunk *jag_resize_chunk_of(const struct jag_resize_run *run, uint64_t i)
{
	struct jag_resize_chunk *chunks = run->chunks;
	return &chunks[jag_span_of(&chunks->first, run->chunk_count, sizeof(*chunks), i)];
}

#endif
