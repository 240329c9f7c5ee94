/* SPDX-License-Identifier: MIT */
/* place.c - from nodes to what they are: attributes and elements, and how a directory is shown. */
#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "model.h"

/* What stat says of a directory; its entries take no bytes. */
#define DIRECTORY_NBYTES 4096

/* Search permission where there is read permission, as `chmod +X` gives it. */
static uint32_t directory_mode(uint32_t mode)
{
	return mode | (mode & 0444) >> 2;
}

static void place_directory(const struct jag_object *object, const struct jag_node_parts *parts, struct jag_place *out)
{
	out->type = JAG_NODE_DIRECTORY;
	out->read_only = object->read_only;
	out->collection = object->kind == JAG_OBJECT_DIR;
	out->attr.mode = directory_mode(object->attr.mode);
	out->size_known = true;
	out->size = DIRECTORY_NBYTES;
	out->ino = jag_object_ino(object, parts->view, JAG_FORMAT_DIR, parts->index);
}

static void make_read_only(struct jag_place *out)
{
	out->read_only = true;
	out->attr.mode &= ~(uint32_t)0222;
}

static void place_bytes(const uint8_t *bytes, uint64_t nbytes, struct jag_place *out)
{
	out->bytes = bytes;
	out->size = nbytes;
	out->size_known = true;
	make_read_only(out);
}

/* The size as far as it follows from the shape; -ESTALE if the format does not fit it. */
static int closed_form_size(struct jag_place *out)
{
	struct jag_live live;
	const struct jag_shape *shape = &out->element.shape;
	if (out->codec->live) {
		if (out->codec->live(shape, out->look, &live))
			return -ESTALE;
		out->size_known = true;
		return __builtin_add_overflow(live.header_nbytes + live.pad_nbytes, live.payload_nbytes, &out->size)
			       ? -EOVERFLOW
			       : 0;
	}
	if (!out->codec->size)
		return 0;
	int rc = out->codec->size(shape, out->look, &out->size);
	out->size_known = rc == 0;
	return rc < 0 ? -ESTALE : 0;
}

/* Where the element lies says which one it is, whatever directory has led to it. */
static uint64_t lock_key(const struct jag_element *element)
{
	if (element->piece_count == 0)
		return 1;
	const struct jag_piece *piece = &element->pieces[0];
	return XXH3_64bits_withSeed(&piece->file, sizeof(piece->file), piece->offset) | 1;
}

/* Locate the element into `out` itself: an element points into its own memory. */
static int place_element(const struct jag_tree *tree, const struct jag_object *object,
			 const struct jag_node_parts *parts, struct jag_place *out)
{
	const struct jag_codec *listed;
	struct jag_shape frame;
	uint64_t stride = jag_object_stride(object), index = parts->index / stride, sub = parts->index % stride;
	int rc = jag_sequence_locate(object->seq, index, &out->element);
	if (rc)
		return rc;
	out->lock_key = object->kind == JAG_OBJECT_FILE ? 0 : lock_key(&out->element);
	if (sub > 0) {
		uint64_t frames = jag_object_frames(object, &out->element.shape, &frame);
		if (sub > frames)
			return -ESTALE;
		rc = jag_element_narrow(&out->element, out->element.shape.rank - frame.rank, sub - 1);
		if (rc)
			return rc;
	}
	out->codec = jag_codec_by_format((enum jag_format)parts->format);
	out->look = jag_object_look(object, index);
	if (!jag_object_suffix(object, parts->view, out->codec, &out->element.shape))
		return -ESTALE;
	jag_object_listed(object, parts->view, &out->element.shape, &listed);
	out->listed_format = listed == out->codec;
	if (object->read_only)
		make_read_only(out);
	out->element_node = object->kind == JAG_OBJECT_FILE
				    ? jag_tree_node(tree, parts->object, 0, JAG_FORMAT_DIR, 0)
				    : jag_tree_node(tree, parts->object, 0, JAG_FORMAT_DIR, JAG_INDEX_FRAMES + index);
	return closed_form_size(out);
}

int jag_tree_place(const struct jag_tree *tree, jag_node node, struct jag_place *out)
{
	struct jag_node_parts parts;
	const struct jag_object *object = jag_node_object(tree, node, &parts);
	if (!object)
		return -ESTALE;
	/* not the element: it is half a kilobyte, and the parts in use are filled in */
	memset(out, 0, offsetof(struct jag_place, element));
	out->element.piece_count = 0;
	out->element.nbytes = 0;
	out->attr = object->attr;
	if (parts.format == JAG_FORMAT_DIR) {
		place_directory(object, &parts, out);
		return 0;
	}
	out->type = JAG_NODE_FILE;
	out->ino = jag_object_ino(object, 0, parts.format, parts.index);
	out->element_node = jag_node_without_view(node);
	if (object->kind == JAG_OBJECT_TEXT) {
		place_bytes(object->bytes, object->nbytes, out);
		return 0;
	}
	if (object->kind == JAG_OBJECT_LIST) {
		out->list.elements = tree->objects[object->source].seq;
		out->list.sizes = object->sizes ? tree->objects[object->sizes].seq : NULL;
		make_read_only(out);
		return 0;
	}
	if (object->kind == JAG_OBJECT_TEXTS) {
		uint64_t start = object->texts.start[parts.index];
		place_bytes(object->texts.bytes + start, object->texts.start[parts.index + 1] - start, out);
		return 0;
	}
	return place_element(tree, object, &parts, out);
}

void jag_place_copy(struct jag_place *dst, const struct jag_place *src)
{
	const struct jag_element *element = &src->element;
	memcpy(dst, src, offsetof(struct jag_place, element));
	dst->element.piece_count = 0;
	dst->element.nbytes = 0;
	if (!src->codec)
		return; /* a directory or a text: there is no element */
	jag_shape_copy(&dst->element.shape, &element->shape);
	dst->element.nbytes = element->nbytes;
	dst->element.piece_count = element->piece_count;
	dst->element.one = element->one;
	dst->element.pieces = element->piece_count == 1 ? &dst->element.one : element->pieces;
}

/* Elements that are listed in another format than their directory's. */
static uint64_t count_misfits(const struct jag_object *object)
{
	uint64_t misfits = 0;
	if (object->all_frames)
		return 0;
	if (object->uniform)
		return object->codec->format == object->uniform_format ? 0 : object->count;
	for (uint64_t i = 0; i < object->count; i++) {
		struct jag_element element;
		if (jag_sequence_locate(object->seq, i, &element) == 0 &&
		    !jag_object_frames(object, &element.shape, NULL) &&
		    !jag_object_suffix(object, 0, object->codec, &element.shape))
			misfits++;
	}
	return misfits;
}

int jag_tree_describe(const struct jag_tree *tree, const char *path, struct jag_tree_sequence_info *out)
{
	struct jag_node_parts parts;
	jag_node node;
	int rc = jag_tree_walk(tree, path, &node);
	if (rc)
		return rc;
	const struct jag_object *object = jag_node_object(tree, node, &parts);
	if (!object || object->kind != JAG_OBJECT_ELEMENTS || parts.format != JAG_FORMAT_DIR ||
	    parts.index != JAG_INDEX_SELF)
		return -ENOENT;
	out->dir = node;
	out->count = object->count;
	out->listed = parts.view ? jag_codec_by_format((enum jag_format)parts.view) : object->codec;
	out->look = object->look;
	memcpy(out->why, object->why, sizeof(out->why));
	out->misfit_count = count_misfits(object);
	return 0;
}
