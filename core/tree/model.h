/* SPDX-License-Identifier: MIT */
/* model.h - the built tree: its objects, the names in its fixed directories, and what belongs to it.
 *
 * An *object* is a directory of fixed children, a directory of elements, or a file that stands alone. The number of
 * objects follows the number of keys of the store, never the number of elements; what lies below a directory of
 * elements is computed (view.c).
 *
 *   store key                objects
 *   collection K             DIR K/
 *   leaf K                   ELEMENTS K/ (also in the views K@fmt/), FILE K.npy K.bin ..., and if nested FILE K.shape.npy
 *   pack's paths             LIST path.json, too
 *   non-tensor value K       TEXT K.json; TEXTS K/ if it is a list
 *   meta.json, pickles       TEXT, FILE
 *
 * Names of fixed directories are in one hash table for the whole tree; what is listed is an array in each directory.
 */
#ifndef JAG_TREE_MODEL_H
#define JAG_TREE_MODEL_H

#include "jag/tree.h"
#include "node.h"

enum jag_object_kind {
	JAG_OBJECT_DIR,      /* fixed children */
	JAG_OBJECT_ELEMENTS, /* the elements of a sequence */
	JAG_OBJECT_TEXTS,    /* fixed texts: the values of a list */
	JAG_OBJECT_FILE,     /* one element, in every format that fits it */
	JAG_OBJECT_TEXT,     /* one fixed text */
	JAG_OBJECT_LIST      /* one JSON list of the elements of ELEMENTS, each a string */
};

/* A named child of a fixed directory. */
struct jag_slot {
	const char *name;
	uint32_t object;
	uint8_t view;
	uint8_t format; /* JAG_FORMAT_DIR: a directory */
};

struct jag_name_slot {
	uint32_t parent;
	uint32_t hash;
	struct jag_slot slot; /* .name NULL: free */
};

/* Open addressing; the size is a power of two. */
struct jag_name_table {
	struct jag_name_slot *slots;
	size_t capacity, count;
};

/* The values of a list: text i is the bytes [start[i], start[i+1]) of `bytes`. */
struct jag_texts {
	uint8_t *bytes;
	uint64_t *start;
	bool *string; /* shown as .txt; else .json */
	uint64_t count;
};

struct jag_object {
	enum jag_object_kind kind;
	uint32_t parent;
	const char *name; /* of a directory, or the file name without its format's suffix */
	uint64_t hash;    /* of the key path from the store's root, and of the kind: seeds inode numbers */
	struct jag_file_attr attr;
	bool read_only;
	bool listed;

	/* DIR */
	struct jag_slot *children; /* listed ones, in order */
	size_t child_count;

	/* ELEMENTS, FILE */
	struct jag_sequence *seq;
	struct jag_look look;
	const struct jag_codec *codec; /* the listed format */
	const char *raw_suffix;        /* ".bin", or another that the user gave to raw */
	uint16_t formats;              /* bit f: format f fits it (some element, at the ends of the range of shapes) */

	/* ELEMENTS */
	uint64_t count;
	struct jag_look
		*looks; /* where sampling rates differ: element i has looks[look_of[i]]; NULL: all have `look` */
	const uint8_t *look_of;
	const char *uniform; /* the suffix that every file is listed with in K/; NULL: depends on its shape */
	enum jag_format uniform_format; /* ... and its format */
	bool all_frames;                /* every element is a directory of frames */
	uint64_t frame_max;             /* > 0: elements are directories of at most so many frames */
	unsigned width;                 /* digits of an index; TEXTS too */
	char why[128];

	/* LIST: the object whose elements these are, and that of their shape matrix (0: none) */
	uint32_t source, sizes;

	struct jag_texts texts; /* TEXTS */

	const uint8_t *bytes; /* TEXT: memory of the store or of the tree */
	uint64_t nbytes;
};

struct jag_tree {
	const struct jag_store *store;
	struct jag_object *objects;
	uint32_t object_count;
	size_t object_capacity;
	uint32_t root; /* the object that the mount shows as its root; changes numbers with object 0 */
	struct jag_name_table names;
	void **memory; /* names, texts: freed with the tree */
	size_t memory_count;
	char **notes;
	size_t note_count;
};

/* Object numbers in node ids: the root is always 0 there. */
static inline uint32_t jag_tree_swap_root(const struct jag_tree *tree, uint32_t object)
{
	return object == tree->root ? 0 : object == 0 ? tree->root : object;
}

static inline jag_node jag_tree_node(const struct jag_tree *tree, uint32_t object, unsigned view, unsigned format,
				     uint64_t index)
{
	return jag_node_pack(jag_tree_swap_root(tree, object), view, format, index);
}

/* --- model.c --------------------------------------------------------------------------------------------------- */

/* Memory that lives as long as the tree; NULL if there is none. */
void *jag_tree_alloc(struct jag_tree *tree, size_t nbytes);
char *jag_tree_strdup(struct jag_tree *tree, const char *text);

/* Append an object (zeroed); its number, or -E2BIG beyond JAG_OBJECT_LIMIT, -ENOMEM. Moves the array of objects. */
int64_t jag_tree_add_object(struct jag_tree *tree, enum jag_object_kind kind, uint32_t parent);

/* A line for `info`: renamed keys. Lost where there is no memory. */
void jag_tree_add_note(struct jag_tree *tree, const char *fmt, ...) JAG_PRINTF(2, 3);

/* 0, -ENOMEM. The name must be free and live as long as the tree. */
int jag_tree_add_name(struct jag_tree *tree, uint32_t parent, const struct jag_slot *slot);
const struct jag_slot *jag_tree_find_name(const struct jag_tree *tree, uint32_t parent, const char *name);

/* --- view.c ---------------------------------------------------------------------------------------------------- */

/* The suffix of an element or frame of this shape in this format, in the directory `view`; NULL if the format does not
 * fit. A suffix that the user gave to raw counts in K/ and K@raw/: in K@png/, ".png" is png. */
const char *jag_object_suffix(const struct jag_object *object, unsigned view, const struct jag_codec *codec,
			      const struct jag_shape *shape);

/* The format that a file of this shape is listed in, in the directory `view`: the directory's, else npy, else raw. */
const char *jag_object_listed(const struct jag_object *object, unsigned view, const struct jag_shape *shape,
			      const struct jag_codec **codec);

static inline enum jag_format jag_text_format(const struct jag_texts *texts, uint64_t i)
{
	return texts->string[i] ? JAG_FORMAT_TXT : JAG_FORMAT_JSON;
}

static inline const struct jag_look *jag_object_look(const struct jag_object *object, uint64_t index)
{
	return object->looks ? &object->looks[object->look_of[index]] : &object->look;
}

/* Files for each element in node ids: 1, or one for each frame and one for the whole. */
static inline uint64_t jag_object_stride(const struct jag_object *object)
{
	return object->frame_max + 1;
}

/* The frames of an element: their number, and the shape of one (may be NULL). 0 if this element is a file. */
uint64_t jag_object_frames(const struct jag_object *object, const struct jag_shape *shape, struct jag_shape *frame);

/* Inode number of a file or directory of an object. */
uint64_t jag_object_ino(const struct jag_object *object, unsigned view, unsigned format, uint64_t index);

/* "K@jpg": the name of a view, "~2" appended where a key of the store has that name. -ENAMETOOLONG. */
int jag_view_name(const struct jag_tree *tree, uint32_t object, unsigned view, char *name, size_t name_nbytes);

/* Name of any node but the root: what it is listed as, or what its format calls it. 0 or -errno. */
int jag_node_name(const struct jag_tree *tree, jag_node node, char *name, size_t name_nbytes);

/* Object and parts of a node; NULL if the numbers cannot be of this tree. Does not look at the shapes of elements. */
const struct jag_object *jag_node_object(const struct jag_tree *tree, jag_node node, struct jag_node_parts *parts);

#endif
