/* SPDX-License-Identifier: MIT */
/* store.h - an opened store as a model: a tree of collections with leaves, whatever kind of container it came from.
 *
 * The kinds of container (tensordict directory; later .tdz archive, consolidated file, safetensors, npy) each build
 * this same model, so nothing else in the library knows which one it reads.
 *
 * Opening never changes the store: nothing is created, extended, truncated or locked, and no symbolic link is
 * followed out of its directory. Pickles are never interpreted. What cannot be read is kept in the model with the
 * reason (`fault`), so that `info` can show it; jag_store_first_fault() is how the other verbs refuse it.
 *
 * Format: tensordict's "on-disk format" (https://docs.pytorch.org/tensordict/stable/saving_format.html),
 * versions 0 and 1; drawn in core/store/layout.h.
 */
#ifndef JAG_STORE_H
#define JAG_STORE_H

#include <sys/statvfs.h>

#include "jag/error.h"
#include "jag/shape.h"

struct jag_store; /* opaque */
struct jag_file;  /* opaque: one open backing file */
struct jag_index; /* opaque: sparse prefix sums over a shape matrix */

/* What `_type` and the structure of the directory say (structure wins). */
enum jag_collection_kind {
	JAG_TENSORDICT,
	JAG_LAZY_STACK,      /* children "0", "1", ... in order; stack_dim is set */
	JAG_TENSORCLASS,     /* entries are those of its _tensordict/ plus plain fields of its own meta.json */
	JAG_NONTENSOR,       /* one value: json, or only a pickle */
	JAG_NONTENSOR_STACK, /* json is a (nested) list in batch order, or only a pickle */
	JAG_LAZY_VIEW,       /* a view that is not applied (_source/ is shown) */
	JAG_UNREADABLE       /* fault says why */
};

/* How far values of one dimension of a nested leaf range; gathered in the one pass that opening makes. */
struct jag_dim_stats {
	int64_t min, max;
	bool only_1_3;   /* every value is 1 or 3 */
	bool only_1_3_4; /* every value is 1, 3 or 4 */
	bool only_4;     /* every value is 4 */
	bool any_4;      /* some value is 4 */
};

/* One tensor. All pointers live as long as the store. */
struct jag_leaf {
	const char *key;  /* as in meta.json, decoded, UTF-8 bytes as they stand; a NUL in it is kept out by a fault */
	const char *path; /* the data file's path below the store, for messages */
	const struct jag_collection *parent;
	bool nested;
	struct jag_shape shape;  /* dense: its shape. nested: dtype, rank = d, dims unspecified */
	uint64_t count;          /* nested: n, the number of components. dense: dims[0], or 1 for rank 0 */
	uint64_t numel;          /* scalars in all */
	uint64_t nbytes;         /* bytes that the metadata asks for (numel * itemsize) */
	struct jag_file *data;   /* NULL if nbytes == 0 or fault != 0 */
	uint64_t data_offset;    /* of the first byte of the leaf in `data` (0 in a tensordict directory) */
	struct jag_file *shapes; /* nested, n*d > 0: the int64 [n,d] shape matrix; else NULL */
	uint64_t shapes_offset;
	struct jag_index *index;    /* nested, d > 0: see core/nested.c */
	struct jag_dim_stats *dims; /* nested: one for each of the d dimensions; NULL if n == 0 */
	int fault;                  /* 0, or -errno: this leaf cannot be read */
	const char *fault_text;     /* what was expected and what is there */
	const char *warning;        /* NULL, or something odd that does not stop us (a longer file, a legacy name) */
};

enum jag_entry_type { JAG_ENTRY_LEAF, JAG_ENTRY_COLLECTION };

/* One key of a collection, in meta.json order. */
struct jag_entry {
	enum jag_entry_type type;
	union {
		struct jag_leaf *leaf;
		struct jag_collection *collection;
	};
};

/* A file of the store that is shown as it is: meta.json, pickles. */
struct jag_side_file {
	const char *name;     /* file name: "meta.json", "other.pickle" */
	const uint8_t *bytes; /* meta.json: its bytes as they were parsed; pickles: NULL, read through `file` */
	uint64_t nbytes;
	struct jag_file *file; /* pickles; NULL where `bytes` is set */
};

struct jag_collection {
	const char *key;                     /* "" for the root */
	const char *path;                    /* directory below the store, "" for the root */
	const struct jag_collection *parent; /* NULL for the root */
	enum jag_collection_kind kind;
	const char *type_text; /* `_type` as it stands; NULL if missing */
	bool batch_known;      /* the collection says its batch_size */
	unsigned batch_rank;   /* ... its number of dimensions */
	int64_t batch[JAG_MAX_RANK];
	int64_t stack_dim;         /* stacks; else -1 */
	int64_t format_version;    /* `_format_version`; 0 if absent */
	struct jag_entry *entries; /* keys in meta.json order; a stack's children in index order */
	size_t entry_count;
	struct jag_side_file *side_files;
	size_t side_file_count;
	const char *json; /* non-tensor kinds: the value as JSON text; NULL if only a pickle has it */
	size_t json_nbytes;
	int fault;
	const char *fault_text;
	const char *warning;
};

enum {
	/* Also open data files for writing where permissions allow; never fails because they do not. */
	JAG_STORE_WRITE = 1 << 0,
};

/* Open the store at `path` (a directory; other kinds are refused by name until they are built).
 * Errors: -ENOENT no such path; -EINVAL not a store (err says what is missing or broken); -ENOTSUP a store kind that
 * is not supported, named; -EACCES, -EMFILE, -ENOMEM as usual. Release with jag_store_close(). */
JAG_API int jag_store_open(const char *path, unsigned flags, struct jag_store **store, struct jag_error *err);

/* NULL is fine. Every collection, leaf, sequence and tree made from the store must be out of use. */
JAG_API void jag_store_close(struct jag_store *store);

JAG_API const struct jag_collection *jag_store_root(const struct jag_store *store);

/* The real path that was opened (symbolic links resolved), for messages and for fsname. */
JAG_API const char *jag_store_path(const struct jag_store *store);

/* "tensordict directory", ... */
JAG_API const char *jag_store_kind_name(const struct jag_store *store);

/* statvfs of the volume that holds the store. -errno. */
JAG_API int jag_store_statvfs(const struct jag_store *store, struct statvfs *out);

/* The first fault at or below `top` (NULL: the whole store) in tree order: 0 if there is none, else its -errno with
 * `err` filled. One line is enough to refuse; `info` and `check` walk the model for all of them. */
JAG_API int jag_store_first_fault(const struct jag_store *store, const struct jag_collection *top,
				  struct jag_error *err);

/* The fault of one entry itself, not of what lies below it, as jag_store_first_fault() reports it: err->path is the
 * file at fault, which may be meta.json or the shape matrix. 0 if there is none. */
JAG_API int jag_store_fault_of(const struct jag_store *store, const struct jag_entry *entry, struct jag_error *err);

/* Find "KEY", "KEY/SUB", "0/KEY" below the root, keys written as file names are (percent-encoded) or raw.
 * `entry` is set to the collection or leaf; an empty path is the root collection. -ENOENT if there is none. */
JAG_API int jag_store_find(const struct jag_store *store, const char *path, struct jag_entry *entry);

/* Key -> file name, tensordict's robust encoding (percent signs, "%" for the empty key).
 * Returns the length without NUL, or -ENAMETOOLONG if it does not fit. */
JAG_API int jag_key_encode(const char *key, char *name, size_t name_nbytes);

#endif
