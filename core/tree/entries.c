/* SPDX-License-Identifier: MIT */
/* entries.c - what a directory lists: its entry at a position, and how many there are. */
#include <errno.h>
#include <string.h>

#include "model.h"
#include "names.h"

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

static int directory(const struct jag_tree *tree, jag_node node, struct jag_node_parts *parts,
		     const struct jag_object **object)
{
	*object = jag_node_object(tree, node, parts);
	if (!*object)
		return -ESTALE;
	return parts->format == JAG_FORMAT_DIR ? 0 : -ENOTDIR;
}

int jag_tree_entry(const struct jag_tree *tree, jag_node dir, uint64_t pos, struct jag_dirent *out)
{
	struct jag_node_parts parts;
	const struct jag_object *object;
	int rc = directory(tree, dir, &parts, &object);
	if (rc)
		return rc;
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
	const struct jag_object *object;
	int rc = directory(tree, dir, &parts, &object);
	if (rc)
		return rc;
	if (object->kind == JAG_OBJECT_DIR) {
		*count = object->child_count;
	} else if (object->kind == JAG_OBJECT_TEXTS) {
		*count = object->texts.count;
	} else if (parts.index == JAG_INDEX_SELF) {
		*count = object->count;
	} else {
		rc = jag_sequence_locate(object->seq, parts.index - JAG_INDEX_FRAMES, &element);
		if (rc)
			return rc;
		*count = jag_object_frames(object, &element.shape, NULL);
	}
	return 0;
}
