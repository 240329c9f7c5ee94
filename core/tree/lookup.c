/* SPDX-License-Identifier: MIT */
/* lookup.c - from names to nodes: one component, a path, and what a name that does not exist yet would be. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "names.h"

/* "K@jpg" or, where the store has a key of that name, "K@jpg~2". */
static int lookup_view(const struct jag_tree *tree, uint32_t dir, const char *name, jag_node *child)
{
	char base[JAG_NAME_MAX + 1], expected[JAG_NAME_MAX + 1];
	const char *at = strrchr(name, '@');
	if (!at || at == name)
		return -ENOENT;
	const struct jag_codec *codec = jag_codec_by_name(at + 1, strcspn(at + 1, "~"));
	if (!codec)
		return -ENOENT;
	memcpy(base, name, (size_t)(at - name));
	base[at - name] = '\0';
	const struct jag_slot *slot = jag_tree_find_name(tree, dir, base);
	if (!slot || slot->format != JAG_FORMAT_DIR || tree->objects[slot->object].kind != JAG_OBJECT_ELEMENTS)
		return -ENOENT;
	int rc = jag_view_name(tree, slot->object, codec->format, expected, sizeof(expected));
	if (rc || strcmp(expected, name) != 0)
		return -ENOENT;
	*child = jag_tree_node(tree, slot->object, codec->format, JAG_FORMAT_DIR, JAG_INDEX_SELF);
	return 0;
}

static int lookup_fixed(const struct jag_tree *tree, uint32_t dir, const char *name, jag_node *child)
{
	const struct jag_slot *slot = jag_tree_find_name(tree, dir, name);
	if (!slot)
		return lookup_view(tree, dir, name, child);
	*child = jag_tree_node(tree, slot->object, slot->view, slot->format,
			       slot->format == JAG_FORMAT_DIR ? JAG_INDEX_SELF : 0);
	return 0;
}

/* The format that calls a file of this shape `suffix` in a directory. The directory's own format comes first: the user
 * may have given raw the suffix of another. */
static int format_of_suffix(const struct jag_object *object, unsigned view, const struct jag_shape *shape,
			    const char *suffix, enum jag_format *format)
{
	const struct jag_codec *codec, *raw = jag_codec_by_format(JAG_FORMAT_RAW);
	const char *actual = jag_object_listed(object, view, shape, &codec);
	if (!actual || strcmp(actual, suffix) != 0) {
		bool is_raw = !strcmp(suffix, jag_object_suffix(object, view, raw, shape)) || !strcmp(suffix, ".bin");
		codec = is_raw ? raw : jag_codec_by_suffix(suffix, strlen(suffix));
		actual = is_raw ? suffix : jag_object_suffix(object, view, codec, shape);
	}
	if (!actual || strcmp(actual, suffix) != 0)
		return -ENOENT;
	*format = codec->format;
	return 0;
}

static int lookup_element(const struct jag_tree *tree, const struct jag_object *object,
			  const struct jag_node_parts *dir, const char *name, jag_node *child)
{
	struct jag_element element;
	enum jag_format format;
	const char *suffix;
	uint64_t index;
	int rc = jag_index_parse(name, object->width, object->count, &index, &suffix);
	if (rc)
		return rc;
	if (!dir->view && object->uniform && !strcmp(suffix, object->uniform)) {
		/* whatever its shape is */
		*child = jag_tree_node(tree, dir->object, 0, object->uniform_format, index * jag_object_stride(object));
		return 0;
	}
	rc = jag_sequence_locate(object->seq, index, &element);
	if (rc)
		return rc;
	if (!*suffix) {
		if (!jag_object_frames(object, &element.shape, NULL))
			return -ENOENT;
		*child = jag_tree_node(tree, dir->object, dir->view, JAG_FORMAT_DIR, JAG_INDEX_FRAMES + index);
		return 0;
	}
	rc = format_of_suffix(object, dir->view, &element.shape, suffix, &format);
	if (rc == 0)
		*child = jag_tree_node(tree, dir->object, dir->view, format, index * jag_object_stride(object));
	return rc;
}

static int lookup_frame(const struct jag_tree *tree, const struct jag_object *object, const struct jag_node_parts *dir,
			const char *name, jag_node *child)
{
	struct jag_element element;
	struct jag_shape shape;
	enum jag_format format;
	const char *suffix;
	uint64_t frame, index = dir->index - JAG_INDEX_FRAMES;
	int rc = jag_sequence_locate(object->seq, index, &element);
	if (rc)
		return rc;
	uint64_t frames = jag_object_frames(object, &element.shape, &shape);
	if (!frames)
		return -ESTALE;
	rc = jag_index_parse(name, jag_index_width(frames), frames, &frame, &suffix);
	if (rc == 0)
		rc = format_of_suffix(object, dir->view, &shape, suffix, &format);
	if (rc == 0)
		*child = jag_tree_node(tree, dir->object, dir->view, format,
				       index * jag_object_stride(object) + 1 + frame);
	return rc;
}

static int lookup_text(const struct jag_tree *tree, const struct jag_object *object, const struct jag_node_parts *dir,
		       const char *name, jag_node *child)
{
	const char *suffix;
	uint64_t index;
	int rc = jag_index_parse(name, object->width, object->texts.count, &index, &suffix);
	if (rc)
		return rc;
	if (strcmp(suffix, object->texts.string[index] ? ".txt" : ".json") != 0)
		return -ENOENT;
	*child = jag_tree_node(tree, dir->object, 0, jag_text_format(&object->texts, index), index);
	return 0;
}

int jag_tree_lookup(const struct jag_tree *tree, jag_node dir, const char *name, jag_node *child)
{
	struct jag_node_parts parts;
	const struct jag_object *object = jag_node_object(tree, dir, &parts);
	if (!object)
		return -ESTALE;
	if (parts.format != JAG_FORMAT_DIR)
		return -ENOTDIR;
	if (strlen(name) > JAG_NAME_MAX)
		return -ENAMETOOLONG;
	if (object->kind == JAG_OBJECT_DIR)
		return lookup_fixed(tree, parts.object, name, child);
	if (object->kind == JAG_OBJECT_TEXTS)
		return lookup_text(tree, object, &parts, name, child);
	if (parts.index == JAG_INDEX_SELF)
		return lookup_element(tree, object, &parts, name, child);
	return lookup_frame(tree, object, &parts, name, child);
}

int jag_tree_walk(const struct jag_tree *tree, const char *path, jag_node *node)
{
	char name[JAG_NAME_MAX + 1];
	*node = JAG_NODE_ROOT;
	for (;;) {
		path += strspn(path, "/");
		size_t nbytes = strcspn(path, "/");
		if (nbytes == 0)
			return 0;
		if (nbytes > JAG_NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, path, nbytes);
		name[nbytes] = '\0';
		path += nbytes;
		if (!strcmp(name, "."))
			continue;
		int rc = jag_tree_lookup(tree, *node, name, node);
		if (rc)
			return rc;
	}
}

/* ".png" in the name's end, whatever its case: on a copy from another system IMG.PNG is an image, too. */
static bool looks_like_format(const struct jag_object *object, const char *name)
{
	char suffix[16];
	const char *dot = strrchr(name, '.');
	if (!dot)
		return false;
	if (object->raw_suffix && !strcasecmp(dot, object->raw_suffix))
		return true;
	size_t nbytes = strlen(dot);
	if (nbytes >= sizeof(suffix))
		return false;
	for (size_t i = 0; i <= nbytes; i++)
		suffix[i] = (char)(dot[i] >= 'A' && dot[i] <= 'Z' ? dot[i] + ('a' - 'A') : dot[i]);
	/* .jpeg is no suffix of ours, but who copies photographs would miss them after the unmount. */
	return !strcmp(suffix, ".json") || !strcmp(suffix, ".jpeg") || jag_codec_by_suffix(suffix, nbytes) != NULL;
}

int jag_tree_classify(const struct jag_tree *tree, jag_node dir, const char *name, enum jag_name_class *out)
{
	struct jag_node_parts parts;
	jag_node child;
	int rc = jag_tree_lookup(tree, dir, name, &child);
	if (rc == 0) {
		*out = JAG_NAME_EXISTS;
		return 0;
	}
	if (rc != -ENOENT)
		return rc;
	const struct jag_object *object = jag_node_object(tree, dir, &parts);
	bool frames = object->frame_max > 0 && parts.index == JAG_INDEX_SELF;
	bool index_like = frames && jag_all_digits(name) && strlen(name) == object->width;
	*out = index_like || looks_like_format(object, name) ? JAG_NAME_LOOKALIKE : JAG_NAME_FREE;
	return 0;
}

int jag_tree_parent(const struct jag_tree *tree, jag_node node, jag_node *parent)
{
	struct jag_node_parts parts;
	const struct jag_object *object = jag_node_object(tree, node, &parts);
	if (!object)
		return -ESTALE;
	if (node == JAG_NODE_ROOT) {
		*parent = node;
		return 0;
	}
	uint32_t dir = parts.object;
	unsigned view = parts.view;
	uint64_t index = JAG_INDEX_SELF;
	if (parts.format == JAG_FORMAT_DIR ? parts.index == JAG_INDEX_SELF : object->kind >= JAG_OBJECT_FILE) {
		dir = object->parent;
		view = 0;
	} else if (parts.format != JAG_FORMAT_DIR && object->frame_max > 0) {
		uint64_t stride = jag_object_stride(object);
		if (parts.index % stride > 0)
			index = JAG_INDEX_FRAMES + parts.index / stride;
	}
	*parent = jag_tree_node(tree, dir, view, JAG_FORMAT_DIR, index);
	return 0;
}

int jag_tree_neighbour(const struct jag_tree *tree, jag_node node, int step, jag_node *out)
{
	struct jag_node_parts parts;
	char name[JAG_NAME_MAX + 1];
	const struct jag_object *object = jag_node_object(tree, node, &parts);
	if (!object)
		return -ESTALE;
	if (object->kind != JAG_OBJECT_ELEMENTS || parts.format == JAG_FORMAT_DIR)
		return -ENOENT;
	uint64_t stride = jag_object_stride(object), sub = parts.index % stride, index = parts.index;
	uint64_t distance = sub > 0 ? 1 : stride;
	uint64_t last = sub > 0 ? index - sub + stride - 1 : (object->count - 1) * stride;
	uint64_t first = sub > 0 ? index - sub + 1 : 0;
	if (step > 0 ? index + distance > last : index < first + distance)
		return -ENOENT;
	*out = jag_tree_node(tree, parts.object, parts.view, parts.format,
			     step > 0 ? index + distance : index - distance);
	/* the neighbour may have a shape that this format does not fit */
	return jag_node_name(tree, *out, name, sizeof(name)) ? -ENOENT : 0;
}

/* Names are put in front of each other from the end of the buffer; what does not fit is cut at the front. */
char *jag_tree_path(const struct jag_tree *tree, jag_node node, char *path, size_t path_nbytes)
{
	char name[JAG_NAME_MAX + 1];
	size_t start = path_nbytes - 1;
	path[start] = '\0';
	while (node != JAG_NODE_ROOT && jag_node_name(tree, node, name, sizeof(name)) == 0) {
		size_t nbytes = strlen(name) + (path[start] ? 1 : 0);
		if (nbytes > start)
			break;
		if (path[start])
			path[start - 1] = '/';
		start -= nbytes;
		memcpy(path + start, name, strlen(name));
		if (jag_tree_parent(tree, node, &node))
			break;
	}
	memmove(path, path + start, path_nbytes - start);
	return path;
}

char *jag_tree_view_path(const struct jag_tree *tree, jag_node node, char *path, size_t path_nbytes)
{
	struct jag_node_parts parts;
	const struct jag_object *object = jag_node_object(tree, node, &parts);
	if (object && object->kind == JAG_OBJECT_ELEMENTS && parts.format != JAG_FORMAT_DIR) {
		unsigned view = object->codec && object->codec->format == parts.format ? 0 : parts.format;
		node = jag_tree_node(tree, parts.object, view, parts.format, parts.index);
	}
	return jag_tree_path(tree, node, path, path_nbytes);
}
