/* SPDX-License-Identifier: MIT */
/* tree.h - the virtual tree: which directories and files a store is shown as. Names <-> indices <-> node ids, what is
 * listed and what resolves, directory iteration from a position, attributes. Knows no FUSE and reads no tensor data:
 * the mount, `info`, `ls`, `cat` and `put` all use it.
 *
 * A node id is computed, never allocated: object (directory or leaf of the tree), view, format and index packed into
 * 63 bits (drawn in core/tree/node.h). Nothing is remembered for a node, so ten million known nodes cost no more than
 * ten. Ids with the top bit set are never made here; the mount uses them for nodes that do need memory.
 *
 * Threads: a tree is immutable; all functions may be called from any thread and take no lock.
 */
#ifndef JAG_TREE_H
#define JAG_TREE_H

#include "jag/codec.h"
#include "jag/sequence.h"

typedef uint64_t jag_node;
#define JAG_NODE_ROOT ((jag_node)1)          /* = FUSE_ROOT_ID */
#define JAG_NODE_FOREIGN (UINT64_C(1) << 63) /* set in no node of a tree */
#define JAG_NAME_MAX 255

enum jag_list { JAG_LIST_ELEMENTS, JAG_LIST_WHOLE, JAG_LIST_BOTH };

/* As the options of the command line give them; strings are parsed by jag_tree_open, which names what is wrong.
 * Several values of one option are separated by ':'; each is VALUE or PATH=VALUE, where PATH is the mount path of a
 * leaf: "jpg", "image=jpg:obs/mask=png". NULL: the default. */
struct jag_tree_options {
	const char *format;   /* auto | raw | raw.EXT | npy | pnm | png | jpg | txt | wav */
	const char *layout;   /* auto | chw | hwc | planes | none */
	const char *batch;    /* number of batch dimensions */
	const char *views;    /* formats listed as K@fmt/, e.g. "jpg:npy" */
	const char *channels; /* rgb | bgr */
	const char *rate;     /* wav: Hz, or the path of a leaf with one integer for all or for each element */
	enum jag_list list;
	int quality;   /* 0: 95 */
	int png_level; /* 0..9 */
	enum jag_subsampling subsampling;
	bool npy_bits;
	bool skip_faults; /* leave out what cannot be read, instead of refusing */
};

struct jag_tree;

/* Build the tree of the collection or leaf at `subpath` ("" or NULL: the root; a leaf's own directory becomes the
 * root). Refuses a store with faults below it unless skip_faults. -ENOENT no such key; -EINVAL a bad option value.
 * The store must outlive the tree. `options` are copied; NULL: defaults. */
JAG_API int jag_tree_open(const struct jag_store *store, const char *subpath, const struct jag_tree_options *options,
			  struct jag_tree **tree, struct jag_error *err);

/* NULL is fine. Places, elements and contents of the tree must be out of use. */
JAG_API void jag_tree_close(struct jag_tree *tree);

enum jag_node_type { JAG_NODE_DIRECTORY, JAG_NODE_FILE };

/* A file that is a JSON list of byte strings, made at the open. Both belong to the tree. */
struct jag_text_list {
	const struct jag_sequence *elements; /* the strings: uint8, rank 1; NULL: it is no such file */
	const struct jag_sequence *sizes;    /* their shape matrix, [n,1]; NULL: there is none to read at once */
};

/* Everything that follows from a node id without reading tensor data. Filled by jag_tree_place(). */
struct jag_place {
	enum jag_node_type type;
	uint64_t ino;              /* 1 .. 2^63-1, stable across mounts; for st_ino and d_ino */
	struct jag_file_attr attr; /* owner, mode (with x where r for directories), mtime */
	bool read_only;            /* not writable through the mount, whatever its mode: shapes, JSON, meta.json */
	bool collection;           /* a directory of keys, not one of elements */
	bool size_known;           /* directories, live formats, stored png, texts: `size` is exact */
	uint64_t size;
	/* files only: */
	const uint8_t *bytes; /* not NULL: the whole content, in memory that lives as long as the tree */
	struct jag_text_list list;
	const struct jag_codec *codec; /* NULL where `bytes` or `list` is set */
	const struct jag_look *look;
	bool listed_format;         /* its directory lists this format: truncating and renaming onto it are allowed */
	jag_node element_node;      /* the same for every format and view of one element */
	uint64_t lock_key;          /* the same for everything that shows the bytes of one element, also through
					  * another directory (a chunk, a frame); 0: a whole tensor, which covers many */
	struct jag_element element; /* located, narrowed to the frame */
};

/* -ESTALE if the id is none of this tree's; -EIO as jag_sequence_locate(). */
JAG_API int jag_tree_place(const struct jag_tree *tree, jag_node node, struct jag_place *out);

/* An element points into itself, so a place cannot just be assigned. */
JAG_API void jag_place_copy(struct jag_place *dst, const struct jag_place *src);

/* The child called `name`. -ENOENT, -ENOTDIR, -ENAMETOOLONG. Does not know "." and "..". Every listed name is found. */
JAG_API int jag_tree_lookup(const struct jag_tree *tree, jag_node dir, const char *name, jag_node *child);

/* The directory that contains `node` (the root's parent is the root). -ESTALE. */
JAG_API int jag_tree_parent(const struct jag_tree *tree, jag_node node, jag_node *parent);

struct jag_dirent {
	jag_node node;
	uint64_t ino;
	enum jag_node_type type;
	uint64_t next; /* position of the entry after this one */
	char name[JAG_NAME_MAX + 1];
};

/* The entry at position `pos` (0: the first), in a fixed order: any position may be asked for at any time.
 * 1 and *out; 0 at the end; -errno. O(1). */
JAG_API int jag_tree_entry(const struct jag_tree *tree, jag_node dir, uint64_t pos, struct jag_dirent *out);

/* Number of listed entries of a directory. -ESTALE, -ENOTDIR; -EIO as jag_sequence_locate(). */
JAG_API int jag_tree_entry_count(const struct jag_tree *tree, jag_node dir, uint64_t *count);

/* The element file that follows (step +1) or precedes `node` in the same directory and format; for encoding ahead.
 * -ENOENT at the ends or if `node` is no element. */
JAG_API int jag_tree_neighbour(const struct jag_tree *tree, jag_node node, int step, jag_node *out);

/* What a name that a tool wants to create in `dir` is. Errors as jag_tree_lookup(), but not -ENOENT. */
enum jag_name_class {
	JAG_NAME_EXISTS,    /* jag_tree_lookup() finds it */
	JAG_NAME_LOOKALIKE, /* has a suffix of a format, .json or .jpeg, or is the index of no element among directories
			      * of frames: creating it must be EPERM */
	JAG_NAME_FREE       /* may be a staging file */
};
JAG_API int jag_tree_classify(const struct jag_tree *tree, jag_node dir, const char *name, enum jag_name_class *out);

/* "image/000042.png" for messages; cut to fit. Returns `path`. */
JAG_API char *jag_tree_path(const struct jag_tree *tree, jag_node node, char *path, size_t path_nbytes);

/* The directory where `node`'s format is the listed one: "image@jpg/000042.jpg", for the hint of an EACCES. */
JAG_API char *jag_tree_view_path(const struct jag_tree *tree, jag_node node, char *path, size_t path_nbytes);

/* "A/B/000042.png" -> node, component by component; "" is the root, "." stays where it is, and there is no "..". Errors
 * as jag_tree_lookup(). */
JAG_API int jag_tree_walk(const struct jag_tree *tree, const char *path, jag_node *node);

/* How one directory of elements is shown, and why; for `info` and `status`. */
struct jag_tree_sequence_info {
	jag_node dir;
	uint64_t count;
	const struct jag_codec *listed;
	struct jag_look look;
	char why[128];         /* "uint8 [3,H,W]: every dimension 0 is 1 or 3" */
	uint64_t misfit_count; /* elements that are listed as .npy or .bin instead */
};
/* -ENOENT if `path` is no directory of elements. O(count) where element shapes vary enough to matter. */
JAG_API int jag_tree_describe(const struct jag_tree *tree, const char *path, struct jag_tree_sequence_info *out);

/* What could not be shown under its own name, and what else a reader of the listing should know: one line each, which
 * lives as long as the tree. */
JAG_API size_t jag_tree_note_count(const struct jag_tree *tree);
JAG_API const char *jag_tree_note(const struct jag_tree *tree, size_t i);

JAG_API const struct jag_store *jag_tree_store(const struct jag_tree *tree);

#endif
