/* SPDX-License-Identifier: MIT */
/* place.c - from nodes to what they are: attributes and elements, directory entries, and how a directory is shown. */
#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "model.h"
#include "names.h"

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

static int element_entry(const struct jag_tree *tree, const struct jag_object *object, const struct jag_node_parts *dir,
			 uint64_t index, struct jag_dirent *out)
{
	const char *suffix = dir->view ? NULL : object->uniform;
	unsigned format = object->uniform_format;
	bool frames = object->all_frames;
	if (!suffix && !frames) {
		struct jag_element element;
		const struct jag_codec *codec;
		int rc = jag_sequence_locate(object->seq, index, &element);
		if (rc)
			return rc;
		frames = jag_object_frames(object, &element.shape, NULL) > 0;
		suffix = jag_object_listed(object, dir->view, &element.shape, &codec);
		if (!suffix)
			return -EIO;
		format = codec->format;
	}
	struct jag_node_parts parts = { dir->object, dir->view, format, index * jag_object_stride(object) };
	if (frames) {
		suffix = "";
		parts.format = JAG_FORMAT_DIR;
		parts.index = JAG_INDEX_FRAMES + index;
	}
	out->type = frames ? JAG_NODE_DIRECTORY : JAG_NODE_FILE;
	out->node = jag_tree_node(tree, parts.object, parts.view, parts.format, parts.index);
	out->ino = jag_object_ino(object, parts.view, parts.format, parts.index);
	int rc = jag_index_name(index, object->width, suffix, out->name, sizeof(out->name));
	return rc < 0 ? rc : 1;
}

static int frame_entry(const struct jag_tree *tree, const struct jag_object *object, const struct jag_node_parts *dir,
		       uint64_t frame, struct jag_dirent *out)
{
	struct jag_element element;
	struct jag_shape shape;
	const struct jag_codec *codec;
	uint64_t index = dir->index - JAG_INDEX_FRAMES;
	int rc = jag_sequence_locate(object->seq, index, &element);
	if (rc)
		return rc;
	uint64_t frames = jag_object_frames(object, &element.shape, &shape);
	if (frame >= frames)
		return frames ? 0 : -ESTALE;
	const char *suffix = jag_object_listed(object, dir->view, &shape, &codec);
	if (!suffix)
		return -EIO;
	uint64_t file = index * jag_object_stride(object) + 1 + frame;
	out->type = JAG_NODE_FILE;
	out->node = jag_tree_node(tree, dir->object, dir->view, codec->format, file);
	out->ino = jag_object_ino(object, dir->view, codec->format, file);
	rc = jag_index_name(frame, jag_index_width(frames), suffix, out->name, sizeof(out->name));
	return rc < 0 ? rc : 1;
}

static int text_entry(const struct jag_tree *tree, const struct jag_object *object, const struct jag_node_parts *dir,
		      uint64_t index, struct jag_dirent *out)
{
	enum jag_format format = jag_text_format(&object->texts, index);
	out->type = JAG_NODE_FILE;
	out->node = jag_tree_node(tree, dir->object, 0, format, index);
	out->ino = jag_object_ino(object, 0, format, index);
	int rc = jag_node_name(tree, out->node, out->name, sizeof(out->name));
	return rc < 0 ? rc : 1;
}

static int fixed_entry(const struct jag_tree *tree, const struct jag_object *dir, uint64_t pos, struct jag_dirent *out)
{
	const struct jag_slot *slot = &dir->children[pos];
	const struct jag_object *child = &tree->objects[slot->object];
	uint64_t index = slot->format == JAG_FORMAT_DIR ? JAG_INDEX_SELF : 0;
	out->type = slot->format == JAG_FORMAT_DIR ? JAG_NODE_DIRECTORY : JAG_NODE_FILE;
	out->node = jag_tree_node(tree, slot->object, slot->view, slot->format, index);
	out->ino = jag_object_ino(child, slot->view, slot->format, index);
	if (strlen(slot->name) >= sizeof(out->name))
		return -ENAMETOOLONG;
	strcpy(out->name, slot->name);
	return 1;
}

int jag_tree_entry(const struct jag_tree *tree, jag_node dir, uint64_t pos, struct jag_dirent *out)
{
	struct jag_node_parts parts;
	const struct jag_object *object = jag_node_object(tree, dir, &parts);
	if (!object)
		return -ESTALE;
	if (parts.format != JAG_FORMAT_DIR)
		return -ENOTDIR;
	out->next = pos + 1;
	if (object->kind == JAG_OBJECT_DIR)
		return pos < object->child_count ? fixed_entry(tree, object, pos, out) : 0;
	if (object->kind == JAG_OBJECT_TEXTS)
		return pos < object->texts.count ? text_entry(tree, object, &parts, pos, out) : 0;
	if (parts.index == JAG_INDEX_SELF)
		return pos < object->count ? element_entry(tree, object, &parts, pos, out) : 0;
	return frame_entry(tree, object, &parts, pos, out);
}

int jag_tree_entry_count(const struct jag_tree *tree, jag_node dir, uint64_t *count)
{
	struct jag_node_parts parts;
	struct jag_element element;
	const struct jag_object *object = jag_node_object(tree, dir, &parts);
	if (!object)
		return -ESTALE;
	if (parts.format != JAG_FORMAT_DIR)
		return -ENOTDIR;
	if (object->kind == JAG_OBJECT_DIR) {
		*count = object->child_count;
	} else if (object->kind == JAG_OBJECT_TEXTS) {
		*count = object->texts.count;
	} else if (parts.index == JAG_INDEX_SELF) {
		*count = object->count;
	} else {
		int rc = jag_sequence_locate(object->seq, parts.index - JAG_INDEX_FRAMES, &element);
		if (rc)
			return rc;
		*count = jag_object_frames(object, &element.shape, NULL);
	}
	return 0;
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
