/* SPDX-License-Identifier: MIT */
/* model.h - the inside of struct jag_store, and how the kinds of container build the model in it.
 *
 * All of the model's memory lives in one arena and goes with the store: nothing in it is freed alone. Files and
 * indexes hang in lists for the same reason. */
#ifndef JAG_STORE_MODEL_H
#define JAG_STORE_MODEL_H

#include "file.h"
#include "kind.h"

struct jag_arena_block;

/* What was wrong, kept apart from the model so that an error can name the file and the byte. */
struct jag_fault_note {
	struct jag_fault_note *next;
	const void *owner; /* the leaf or collection */
	const char *path;  /* of the file at fault, below the store */
	const char *message;
	uint64_t offset;
	int code;
};

struct jag_store {
	const struct jag_store_kind *kind;
	char *path; /* real path; malloc memory */
	unsigned flags;
	struct jag_root root_dir;
	struct jag_collection *root;
	struct jag_arena_block *arena;
	struct jag_file *files;
	struct jag_fault_note *notes;
	struct jag_index **indexes;
	size_t index_count;
};

/* Zeroed memory of the store; NULL when there is none. */
void *jag_model_alloc(struct jag_store *store, size_t nbytes);
void jag_model_free_all(struct jag_store *store);

/* Text in memory of the store; NULL when there is none. */
char *jag_model_text(struct jag_store *store, const char *fmt, ...) JAG_PRINTF(2, 3);
char *jag_model_copy(struct jag_store *store, const char *text, size_t nbytes);

/* "dir/name", or "name" at the root. */
char *jag_model_join(struct jag_store *store, const char *dir, const char *name);

/* Append an entry; -ENOMEM. */
int jag_model_add_leaf(struct jag_store *store, struct jag_collection *parent, struct jag_leaf *leaf);
int jag_model_add_collection(struct jag_store *store, struct jag_collection *parent, struct jag_collection *child);

/* Remember what is wrong with a leaf or a collection; the first fault stays. `path` is the file at fault, in memory
 * of the store. 0, or -ENOMEM. */
int jag_model_fault_leaf(struct jag_store *store, struct jag_leaf *leaf, int code, const char *path, uint64_t offset,
			 const char *message);
int jag_model_fault_collection(struct jag_store *store, struct jag_collection *collection, int code, const char *path,
			       uint64_t offset, const char *message);

/* Add to a warning (the `warning` field of a leaf or a collection), after "; ". 0, or -ENOMEM. */
int jag_model_warn(struct jag_store *store, const char **warning, const char *fmt, ...) JAG_PRINTF(3, 4);

/* Open a file that the store then owns; `data`: one that JAG_STORE_WRITE means, not a shape matrix or a pickle. As
 * jag_file_open(). */
int jag_model_open_file(struct jag_store *store, const char *path, bool data, struct jag_file **out);

/* Build the index of a leaf, owned by the store. As jag_index_build(). */
int jag_model_build_index(struct jag_store *store, struct jag_leaf *leaf, unsigned d, struct jag_error *err);

/* Errors of the system, not of the store: they end opening instead of becoming a fault. */
bool jag_model_fatal(int code);

#endif
