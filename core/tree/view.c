/* SPDX-License-Identifier: MIT */
/* view.c - what is computed below a directory of elements: the suffix of each file, frames, inode numbers, names. */
#include "model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "layout.h"
#include "names.h"

const char *jag_object_suffix(const struct jag_object *object, unsigned view, const struct jag_codec *codec,
			      const struct jag_shape *shape)
{
	if (!codec)
		return NULL;
	if (codec->format == JAG_FORMAT_RAW)
		return view == 0 || view == JAG_FORMAT_RAW ? object->raw_suffix : ".bin";
	return codec->suffix(shape, &object->look);
}

const char *jag_object_listed(const struct jag_object *object, unsigned view, const struct jag_shape *shape,
			      const struct jag_codec **codec)
{
	const struct jag_codec *choices[] = {
		view ? jag_codec_by_format((enum jag_format)view) : object->codec,
		jag_codec_by_format(JAG_FORMAT_NPY),
		jag_codec_by_format(JAG_FORMAT_RAW),
	};
	for (unsigned i = 0; i < 3; i++) {
		const char *suffix = jag_object_suffix(object, view, choices[i], shape);
		if (suffix) {
			*codec = choices[i];
			return suffix;
		}
	}
	*codec = NULL; /* not reached: raw fits everything */
	return NULL;
}

uint64_t jag_object_frames(const struct jag_object *object, const struct jag_shape *shape, struct jag_shape *frame)
{
	if (object->frame_max == 0)
		return 0;
	unsigned image_rank = jag_layout_rank(object->look.layout);
	struct jag_shape image = { .dtype = shape->dtype, .rank = image_rank };
	struct jag_geometry geometry;
	uint64_t frames = 1;
	if (shape->rank <= image_rank)
		return 0;
	for (unsigned i = 0; i < shape->rank - image_rank; i++)
		if (__builtin_mul_overflow(frames, (uint64_t)shape->dims[i], &frames))
			return 0;
	for (unsigned i = 0; i < image_rank; i++)
		image.dims[i] = shape->dims[shape->rank - image_rank + i];
	/* more than at mount time: somebody changed the shape matrix, and the node ids have no room for it */
	if (frames > object->frame_max || jag_geometry(&image, &object->look, &geometry))
		return 0;
	if (frame)
		jag_shape_copy(frame, &image);
	return frames;
}

/* The kernel, tar and rsync take equal numbers for one file, so all of the 63 bits are mixed. Views of one file have
 * the same number on purpose: they are the same bytes. */
uint64_t jag_object_ino(const struct jag_object *object, unsigned view, unsigned format, uint64_t index)
{
	uint64_t parts[3] = { object->hash, format ? format : UINT64_C(256) + view, index };
	uint64_t ino = XXH3_64bits(parts, sizeof(parts)) & INT64_MAX;
	return ino ? ino : 1;
}

int jag_view_name(const struct jag_tree *tree, uint32_t object, unsigned view, char *name, size_t name_nbytes)
{
	const struct jag_object *base = &tree->objects[object];
	const struct jag_codec *codec = jag_codec_by_format((enum jag_format)view);
	int n = codec ? snprintf(name, name_nbytes, "%s@%s", base->name, codec->name) : -1;
	for (unsigned next = 2; n > 0 && (size_t)n < name_nbytes; next++) {
		const struct jag_slot *slot = jag_tree_find_name(tree, base->parent, name);
		if (!slot || (slot->object == object && slot->view == view))
			return 0;
		n = snprintf(name, name_nbytes, "%s@%s~%u", base->name, codec->name, next);
	}
	return -ENAMETOOLONG;
}

const struct jag_object *jag_node_object(const struct jag_tree *tree, jag_node node, struct jag_node_parts *parts)
{
	if (node & JAG_NODE_FOREIGN)
		return NULL;
	*parts = jag_node_unpack(node);
	parts->object = jag_tree_swap_root(tree, parts->object);
	if (parts->object >= tree->object_count)
		return NULL;
	const struct jag_object *object = &tree->objects[parts->object];
	if (parts->view && (object->kind != JAG_OBJECT_ELEMENTS || !jag_codec_by_format((enum jag_format)parts->view)))
		return NULL;
	bool directory = object->kind <= JAG_OBJECT_TEXTS;
	if (parts->format == JAG_FORMAT_DIR) {
		if (!directory || parts->index == 0)
			return NULL;
		if (parts->index == JAG_INDEX_SELF)
			return object;
		return object->frame_max > 0 && parts->index - JAG_INDEX_FRAMES < object->count ? object : NULL;
	}
	switch (object->kind) {
	case JAG_OBJECT_ELEMENTS:
		if (!jag_codec_by_format((enum jag_format)parts->format))
			return NULL;
		return parts->index < object->count * jag_object_stride(object) ? object : NULL;
	case JAG_OBJECT_TEXTS:
		if (parts->index >= object->texts.count)
			return NULL;
		return parts->format == jag_text_format(&object->texts, parts->index) ? object : NULL;
	case JAG_OBJECT_FILE:
		return parts->index == 0 && (object->formats >> parts->format & 1) ? object : NULL;
	case JAG_OBJECT_LIST:
	case JAG_OBJECT_TEXT:
		return parts->index == 0 && parts->format == JAG_FORMAT_JSON ? object : NULL;
	case JAG_OBJECT_DIR:
		break;
	}
	return NULL;
}

/* A file of an element: its index among the elements or frames, and its format's suffix. */
static int element_name(const struct jag_object *object, const struct jag_node_parts *parts, char *name,
			size_t name_nbytes)
{
	const struct jag_codec *codec = jag_codec_by_format((enum jag_format)parts->format);
	uint64_t stride = jag_object_stride(object), index = parts->index / stride, sub = parts->index % stride;
	struct jag_element element;
	struct jag_shape frame;
	unsigned width = object->width;
	const struct jag_shape *shape = &element.shape;
	int rc = jag_sequence_locate(object->seq, index, &element);
	if (rc)
		return rc;
	if (sub > 0) {
		uint64_t frames = jag_object_frames(object, shape, &frame);
		if (sub > frames)
			return -ESTALE;
		index = sub - 1;
		width = jag_index_width(frames);
		shape = &frame;
	}
	const char *suffix = jag_object_suffix(object, parts->view, codec, shape);
	if (!suffix)
		return -ESTALE;
	rc = jag_index_name(index, width, suffix, name, name_nbytes);
	return rc < 0 ? rc : 0;
}

static int join(char *name, size_t name_nbytes, const char *stem, const char *suffix)
{
	int n = snprintf(name, name_nbytes, "%s%s", stem, suffix);
	return n >= 0 && (size_t)n < name_nbytes ? 0 : -ENAMETOOLONG;
}

int jag_node_name(const struct jag_tree *tree, jag_node node, char *name, size_t name_nbytes)
{
	struct jag_node_parts parts;
	struct jag_element element;
	const struct jag_object *object = jag_node_object(tree, node, &parts);
	int rc;
	if (!object)
		return -ESTALE;
	if (parts.format == JAG_FORMAT_DIR) {
		if (parts.index >= JAG_INDEX_FRAMES) {
			rc = jag_index_name(parts.index - JAG_INDEX_FRAMES, object->width, "", name, name_nbytes);
			return rc < 0 ? rc : 0;
		}
		if (parts.view)
			return jag_view_name(tree, parts.object, parts.view, name, name_nbytes);
		return join(name, name_nbytes, object->name, "");
	}
	switch (object->kind) {
	case JAG_OBJECT_ELEMENTS:
		return element_name(object, &parts, name, name_nbytes);
	case JAG_OBJECT_TEXTS:
		rc = jag_index_name(parts.index, object->width, object->texts.string[parts.index] ? ".txt" : ".json",
				    name, name_nbytes);
		return rc < 0 ? rc : 0;
	case JAG_OBJECT_FILE:
		rc = jag_sequence_locate(object->seq, 0, &element);
		if (rc)
			return rc;
		const char *suffix = jag_object_suffix(object, 0, jag_codec_by_format((enum jag_format)parts.format),
						       &element.shape);
		return suffix ? join(name, name_nbytes, object->name, suffix) : -ESTALE;
	case JAG_OBJECT_LIST:
	case JAG_OBJECT_TEXT:
	case JAG_OBJECT_DIR:
		break;
	}
	return join(name, name_nbytes, object->name, "");
}
