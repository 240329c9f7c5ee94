/* SPDX-License-Identifier: MIT */
/* create_impl.h - what the files that make a store share: the plan as it grows, and where it is built.
 *
 * Files are opened by their path below the directory that is being filled (place.fd), never by absolute paths, so a
 * renamed parent directory does not matter. A leaf's data file is opened on its first write and stays open until
 * jag_create_close(): a store of many chunks must not need a descriptor for each leaf. */
#ifndef JAG_CREATE_IMPL_H
#define JAG_CREATE_IMPL_H

#include <stdatomic.h>

#include "jag/create.h"
#include "place.h"
#include "store/meta.h"

enum jag_create_type { JAG_CREATE_LEAF, JAG_CREATE_DIR, JAG_CREATE_VALUE };

struct jag_create_leaf {
	struct jag_create *create;
	bool nested;
	struct jag_shape shape; /* dense: its shape; nested: dtype and rank (= d) */
	uint64_t count;         /* nested: components */
	uint64_t numel, nbytes;
	struct jag_rows rows;        /* nested, borrowed, until allocate */
	char *data_path;             /* below the store: "image.memmap" */
	char *shapes_path;           /* nested with n*d > 0: "image.shape.memmap"; else NULL */
	char *adopted;               /* the file that becomes the data; NULL: it is made */
	bool in_place;               /* ... and lies where it will be */
	struct jag_sequence *matrix; /* like another leaf: where `rows` reads from; else NULL */
	atomic_int fd;               /* of the data, -1: not open */
	int adopt_fd;                /* of the adopted file, locked while it gets its new name; -1: not */
};

/* One key of a collection. */
struct jag_create_entry {
	enum jag_create_type type;
	char *key;
	union {
		struct jag_create_leaf *leaf;
		struct jag_create_dir *dir;
		char *json;
	};
	char *path; /* DIR, VALUE: directory below the store; LEAF: key path, for messages */
};

struct jag_create_dir {
	struct jag_create *create;
	struct jag_create_dir *parent; /* NULL: the root */
	char *path;                    /* below the store; "" for the root */
	unsigned batch_rank;
	int64_t batch[JAG_MAX_RANK];
	struct jag_create_entry *entries;
	size_t entry_count;
	char **names; /* file names that are taken */
	size_t name_count;
};

struct jag_create {
	unsigned flags;
	struct jag_place place; /* where it will be, and the directory that is being filled */
	bool swept;             /* jag_create_sweep() was called */
	struct jag_create_dir *root;
	uint64_t nbytes;
	void (*note)(void *ctx, const char *key, const char *text);
	void *note_ctx;
	struct jag_watch *watch;
	struct jag_store *view; /* of jag_create_sequence(); NULL: none */
	char *adopt;            /* file for the next leaf; NULL: none */

	/* Adding to a collection that is there: place.parent_fd is its directory, and place.fd a temporary one in it. */
	bool adding;
	bool bare;             /* it has no meta.json yet */
	struct jag_meta known; /* its meta.json as it was when the plan began */
};

/* names.c: may a key be used, and which file names does it take. take_name() reserves key + suffix; taken_path()
 * is the path below the store of the last one; new_entry() gives room for one more, which the caller fills in and
 * counts, or forgets. */
int jag_create_check_key(const struct jag_create_dir *dir, const char *key, struct jag_error *err);
int jag_create_take_name(struct jag_create_dir *dir, const char *key, const char *suffix, struct jag_error *err);
int jag_create_note_name(struct jag_create_dir *dir, const char *name);
char *jag_create_taken_path(const struct jag_create_dir *dir);
char *jag_create_key_path(const struct jag_create_dir *dir, const char *name);
int jag_create_new_entry(struct jag_create_dir *dir, const char *key, struct jag_create_entry **out);
int jag_create_forget_entry(struct jag_create_entry *entry, int rc);

/* Call visit for every leaf, depth first; stops at the first value other than 0 and returns it. */
int jag_create_each_leaf(struct jag_create_dir *dir, int (*visit)(struct jag_create_leaf *leaf, void *ctx), void *ctx);

/* Remove, once, what killed processes have left at the place. Allocate does that; who checks the space before calls
 * it. */
void jag_create_sweep(struct jag_create *create);

/* `rc`, or -ESTALE and a message of its own where the work was lost with the store around it. */
int jag_create_check_gone(const struct jag_create *create, int rc, struct jag_error *err);

void jag_create_say(struct jag_create *create, const char *key, const char *text);

int jag_create_alloc(unsigned flags, struct jag_create **out);

/* Kinds of collection that cannot get new keys. */
int jag_create_check_collection(const struct jag_create *create, const struct jag_meta *meta, struct jag_error *err);

/* The leaf's data_path is set: does the file have its size, and is it in its place already? */
int jag_create_adopt_check(struct jag_create_leaf *leaf, const char *key, struct jag_error *err);

/* How an adopted file gets its place in the directory that is being filled, and, when all is done, loses its own. */
int jag_create_adopt_link(struct jag_create *create, struct jag_error *err);
void jag_create_adopt_unlink(struct jag_create *create);

/* Lock the collection that is added to, against other processes that add. 0; -EAGAIN somebody else has had it for
 * `wait_ns`; -ECANCELED by the watch; -errno it cannot be locked. */
int jag_create_lock(const struct jag_create *create, int64_t wait_ns);
void jag_create_unlock(const struct jag_create *create);

/* The end of adding: what was made moves into the collection, and its meta.json names it. */
int jag_create_merge(struct jag_create *create, struct jag_error *err);

/* "key":{...},"key":{...} of the entries of a directory, and its whole meta.json. */
int jag_create_entries_text(const struct jag_create_dir *dir, struct jag_buffer *out);
int jag_create_dir_text(const struct jag_create_dir *dir, struct jag_buffer *out);

/* Write the meta.json files of `dir` and all below it: sub-directories first. Not synced. */
int jag_create_write_meta(struct jag_create_dir *dir, struct jag_error *err);

/* Look at every row: are the shapes valid, do they fit the batch size, and how many items are they in all? */
struct jag_rows_sum {
	uint64_t numel;
};
int jag_rows_check(const struct jag_rows *rows, const struct jag_create_dir *dir, const char *key,
		   struct jag_rows_sum *sum, struct jag_error *err);

/* Going through the rows, from memory or from fetch, a block at a time. {.rows = ...} at first; jag_rows_next() returns
 * 1 and the next `n` rows, which begin at row `first`; 0 after the last; or -errno. The caller frees `block`. The rank
 * is not 0. */
struct jag_rows_walk {
	const struct jag_rows *rows;
	uint64_t first, n;
	int64_t *block;
};
int jag_rows_next(struct jag_rows_walk *walk);

#endif
