/* SPDX-License-Identifier: MIT */
/* register.c - gives the children of fixed directories their names. A name that is taken already gets "~2", or the next
 * free number, in front of its suffix; the tree keeps a note of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "build.h"

/* Room for "~2", "@npy" and suffixes behind the name of a key. */
#define STEM_MAX (JAG_NAME_MAX - 20)
#define STEM_KEPT 200

/* A key that is too long to be a file name with a suffix: its beginning, and a hash of all of it. */
static const char *shortened(struct jag_tree *tree, const char *key, const char *name)
{
	char text[STEM_KEPT + 32];
	size_t kept = STEM_KEPT;
	while (kept > 0 && ((unsigned char)name[kept] & 0xc0) == 0x80) /* not inside of a character */
		kept--;
	snprintf(text, sizeof(text), "%.*s~%016llx", (int)kept, name,
		 (unsigned long long)XXH3_64bits(key, strlen(key)));
	jag_tree_add_note(tree, "the key %.40s... is too long for a file name and shown as %s", key, text);
	return jag_tree_strdup(tree, text);
}

const char *jag_key_name(struct jag_tree *tree, const char *key)
{
	size_t room = strlen(key) * 3 + 8; /* every byte percent-encoded */
	char *name = malloc(room);
	const char *kept = NULL;
	if (name && jag_key_encode(key, name, room) >= 0)
		kept = strlen(name) <= STEM_MAX ? jag_tree_strdup(tree, name) : shortened(tree, key, name);
	free(name);
	return kept;
}

/* "K", "K~2", "K~3", ... in memory of the tree. */
static const char *numbered(struct jag_tree *tree, const char *name, unsigned n)
{
	char text[JAG_NAME_MAX + 1];
	if (n == 1)
		return name;
	snprintf(text, sizeof(text), "%s~%u", name, n);
	return jag_tree_strdup(tree, text);
}

int jag_register_dir(struct jag_builder *b, uint32_t object, const char *name)
{
	struct jag_tree *tree = b->tree;
	uint32_t parent = tree->objects[object].parent;
	const char *own = name;
	for (unsigned n = 2; own && jag_tree_find_name(tree, parent, own); n++)
		own = numbered(tree, name, n);
	if (!own)
		return -ENOMEM;
	if (own != name)
		jag_tree_add_note(tree, "%s/ is shown as %s/: another key has its name", name, own);
	tree->objects[object].name = own;
	return jag_tree_add_name(tree, parent, &(struct jag_slot){ .name = own, .object = object });
}

/* The names that a file has under one stem: all formats that fit it. */
struct file_names {
	struct jag_slot slots[JAG_FORMAT_COUNT + 1];
	unsigned count;
};

static int add_name(struct jag_tree *tree, struct file_names *names, uint32_t object, const char *stem,
		    const char *suffix, enum jag_format format)
{
	char text[JAG_NAME_MAX + 1];
	int n = snprintf(text, sizeof(text), "%s%s", stem, suffix);
	if (n < 0 || (size_t)n >= sizeof(text))
		return 0; /* a long side file: it has no name here */
	const char *name = jag_tree_strdup(tree, text);
	if (!name)
		return -ENOMEM;
	names->slots[names->count++] = (struct jag_slot){ .name = name, .object = object, .format = (uint8_t)format };
	return 0;
}

static bool is_text(const struct jag_object *object)
{
	return object->kind == JAG_OBJECT_TEXT || object->kind == JAG_OBJECT_LIST;
}

static int file_names(struct jag_tree *tree, uint32_t number, const char *stem, const char *suffix,
		      struct file_names *names)
{
	const struct jag_object *object = &tree->objects[number];
	struct jag_element element;
	int rc;
	names->count = 0;
	if (is_text(object))
		return add_name(tree, names, number, stem, suffix, JAG_FORMAT_JSON);
	rc = jag_sequence_locate(object->seq, 0, &element);
	for (unsigned f = 1; rc == 0 && f < JAG_FORMAT_COUNT; f++) {
		if (!(object->formats >> f & 1))
			continue;
		const char *own = jag_object_suffix(object, 0, jag_codec_by_format((enum jag_format)f), &element.shape);
		if (own)
			rc = add_name(tree, names, number, stem, own, (enum jag_format)f);
		/* raw under the user's suffix keeps its plain one, too */
		if (rc == 0 && f == JAG_FORMAT_RAW && *object->raw_suffix && strcmp(own, ".bin") != 0)
			rc = add_name(tree, names, number, stem, ".bin", JAG_FORMAT_RAW);
	}
	return rc;
}

/* One format may have taken the suffix of another (raw.png): the first one, raw, has it. */
static void drop_twins(struct file_names *names)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < names->count; i++) {
		bool twin = false;
		for (unsigned j = 0; j < kept && !twin; j++)
			twin = !strcmp(names->slots[j].name, names->slots[i].name);
		if (!twin)
			names->slots[kept++] = names->slots[i];
	}
	names->count = kept;
}

int jag_register_file(struct jag_builder *b, uint32_t object, const char *name, const char *suffix)
{
	struct jag_tree *tree = b->tree;
	uint32_t parent = tree->objects[object].parent;
	struct file_names names;
	bool taken = true;
	for (unsigned n = 1; taken; n++) {
		const char *stem = numbered(tree, name, n);
		int rc = stem ? file_names(tree, object, stem, suffix, &names) : -ENOMEM;
		if (rc)
			return rc;
		drop_twins(&names);
		taken = false;
		for (unsigned i = 0; i < names.count && !taken; i++)
			taken = jag_tree_find_name(tree, parent, names.slots[i].name) != NULL;
		if (!taken && n > 1)
			jag_tree_add_note(tree, "files of %s are shown as %s: another key has their name", name, stem);
		tree->objects[object].name = stem;
	}
	/* a text has one name, and no format that could tell the rest of it */
	if (is_text(&tree->objects[object]) && names.count > 0)
		tree->objects[object].name = names.slots[0].name;
	for (unsigned i = 0; i < names.count; i++) {
		int rc = jag_tree_add_name(tree, parent, &names.slots[i]);
		if (rc)
			return rc;
	}
	return 0;
}
