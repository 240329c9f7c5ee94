/* SPDX-License-Identifier: MIT */
/* choose.c - which format a directory lists, decided once from the range of the shapes of its elements. */
#include <errno.h>
#include <string.h>

#include "build.h"

#define RAW_SUFFIX_MAX 32

/* The extreme shapes of the files of a sequence: all dimensions at their least, all at their largest, for each number
 * of channels between the two. What a codec says of them holds for all shapes between: limits are monotone in each
 * dimension, and only the number of channels is taken one by one. */
struct corners {
	struct jag_shape shapes[8];
	unsigned count;
	bool complete; /* false: says nothing about shapes between these */
	bool frames;   /* the shapes are those of the elements' last dimensions, not of the elements */
};

static unsigned channel_dim(enum jag_layout layout)
{
	return layout == JAG_LAYOUT_HWC ? 2 : 0;
}

static void find_corners(const struct jag_object *object, struct corners *out)
{
	struct jag_dim_stats stats[3];
	struct jag_shape low = { .dtype = jag_sequence_dtype(object->seq) }, high;
	int rank = jag_sequence_rank(object->seq);
	unsigned image_rank = jag_layout_rank(object->look.layout);
	*out = (struct corners){ .count = 0, .complete = true };
	if (rank < 0 || jag_sequence_count(object->seq) == 0) {
		out->complete = false;
		return;
	}
	unsigned skip = image_rank && (unsigned)rank > image_rank && object->kind == JAG_OBJECT_ELEMENTS
				? (unsigned)rank - image_rank
				: 0;
	out->frames = skip > 0;
	low.rank = (unsigned)rank - skip;
	jag_shape_copy(&high, &low);
	for (unsigned i = 0; i < low.rank; i++) {
		struct jag_dim_stats one;
		if (jag_sequence_dim_stats(object->seq, skip + i, &one)) {
			out->complete = false;
			return;
		}
		low.dims[i] = one.min;
		high.dims[i] = one.max;
		if (i < 3)
			stats[i] = one;
	}
	int64_t from = 0, to = 0;
	unsigned dim = channel_dim(object->look.layout);
	if (image_rank == 3 && low.rank == 3) {
		from = stats[dim].min;
		to = stats[dim].max;
		out->complete = to - from < 4;
	}
	for (int64_t c = from; c <= to && out->count < 8; c++) {
		if (image_rank == 3 && low.rank == 3)
			low.dims[dim] = high.dims[dim] = c;
		jag_shape_copy(&out->shapes[out->count++], &low);
		jag_shape_copy(&out->shapes[out->count++], &high);
	}
}

static bool fits_some(const struct jag_object *object, const struct jag_codec *codec, const struct corners *corners)
{
	for (unsigned i = 0; i < corners->count; i++)
		if (jag_object_suffix(object, 0, codec, &corners->shapes[i]))
			return true;
	return false;
}

static const struct jag_codec *automatic(const struct jag_object *object, const struct corners *corners, bool nested,
					 bool picture)
{
	const struct jag_codec *raw = jag_codec_by_format(JAG_FORMAT_RAW), *npy = jag_codec_by_format(JAG_FORMAT_NPY);
	const struct jag_codec *png = jag_codec_by_format(JAG_FORMAT_PNG), *txt = jag_codec_by_format(JAG_FORMAT_TXT);
	int rank = jag_sequence_rank(object->seq);
	if (picture && object->look.layout != JAG_LAYOUT_NONE && png && fits_some(object, png, corners))
		return png;
	if (rank == 0 && txt && fits_some(object, txt, corners))
		return txt;
	if (nested && rank == 1 && jag_sequence_dtype(object->seq) == JAG_UINT8)
		return raw;
	/* elements of several ranks, or none at all: the dtype alone decides */
	struct jag_shape scalar = { .dtype = jag_sequence_dtype(object->seq) };
	return npy && jag_object_suffix(object, 0, npy, &scalar) ? npy : raw;
}

/* What follows for elements of more dimensions than their image has. */
static void choose_frames(struct jag_object *object, const struct corners *corners)
{
	int rank = jag_sequence_rank(object->seq);
	unsigned image_rank = jag_layout_rank(object->look.layout);
	uint64_t most = 1, indices;
	bool always = corners->complete;
	if (!image_rank || rank <= (int)image_rank)
		return;
	for (unsigned i = 0; i < (unsigned)rank - image_rank; i++) {
		struct jag_dim_stats stats;
		if (jag_sequence_dim_stats(object->seq, i, &stats) ||
		    __builtin_mul_overflow(most, (uint64_t)stats.max, &most))
			return;
		always = always && stats.min > 0;
	}
	/* node ids have room for so many files; beyond that the frames are reached through the whole element */
	if (most == 0 || __builtin_add_overflow(most, 1, &indices) ||
	    __builtin_mul_overflow(indices, object->count + 2, &indices) || indices > JAG_INDEX_LIMIT)
		return;
	object->frame_max = most;
	for (unsigned i = 0; i < corners->count; i++) {
		struct jag_geometry geometry;
		always = always && jag_geometry(&corners->shapes[i], &object->look, &geometry) == 0;
	}
	object->all_frames = always;
}

static void choose_uniform(struct jag_object *object, const struct corners *corners)
{
	const char *uniform = NULL;
	/* elements that have frames may all be without any (a dimension of 0, too many of them) */
	if (!corners->complete || corners->count == 0 || corners->frames)
		return;
	for (unsigned i = 0; i < corners->count; i++) {
		const char *suffix = jag_object_suffix(object, 0, object->codec, &corners->shapes[i]);
		if (!suffix || (uniform && strcmp(uniform, suffix) != 0))
			return;
		uniform = suffix;
	}
	object->uniform = uniform;
	object->uniform_format = object->codec->format;
}

int jag_format_wish_parse(struct jag_builder *b, const char *text, bool exact, struct jag_format_wish *out)
{
	*out = (struct jag_format_wish){ .exact = exact, .text = text };
	if (!text || !strcmp(text, "auto"))
		return 0;
	if (!strncmp(text, "raw.", 4)) {
		size_t nbytes = strlen(text + 3);
		const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
		if (nbytes < 2 || nbytes > RAW_SUFFIX_MAX || strspn(text + 4, allowed) != nbytes - 1)
			return jag_error_set(b->err, -EINVAL, NULL, 0,
					     "option format: \"%s\": EXT in raw.EXT is up to %d letters and digits",
					     text, RAW_SUFFIX_MAX - 1);
		out->codec = jag_codec_by_format(JAG_FORMAT_RAW);
		out->raw_suffix = jag_tree_strdup(b->tree, text + 3);
		return out->raw_suffix ? 0 : jag_error_set(b->err, -ENOMEM, NULL, 0, "out of memory");
	}
	out->codec = jag_codec_by_name(text, strlen(text));
	return out->codec ? 0
			  : jag_error_set(b->err, -EINVAL, NULL, 0,
					  "option format: no format is called \"%s\"; there are auto, raw, raw.EXT, "
					  "npy, pnm, png, jpg, txt, wav",
					  text);
}

void jag_choose_format(struct jag_object *object, const struct jag_format_wish *wish, bool nested, bool picture)
{
	struct corners corners;
	object->raw_suffix = wish->raw_suffix ? wish->raw_suffix : ".bin";
	find_corners(object, &corners);
	if (object->kind == JAG_OBJECT_ELEMENTS)
		choose_frames(object, &corners);
	/* where there are no shapes to judge by, an image format that was asked for is kept: nothing is shown in it */
	bool fits = corners.count ? fits_some(object, wish->codec, &corners) : wish->exact;
	object->codec = wish->codec && fits ? wish->codec : automatic(object, &corners, nested, picture);
	choose_uniform(object, &corners);
	for (unsigned f = 1; f < JAG_FORMAT_COUNT; f++)
		if (fits_some(object, jag_codec_by_format((enum jag_format)f), &corners))
			object->formats |= (uint16_t)(1U << f);
}
