/* SPDX-License-Identifier: MIT */
/* create_impl.h - what the files that make a store share: the plan as it grows, and where it is built.
 *
 * Files are opened by their path below the directory that is being filled (place.fd), never by absolute paths, so a
 * renamed parent directory does not matter. A leaf's data file is opened on its first write and stays open until
 * jag_create_close(): a store of many chunks must not need a descriptor for each leaf. */
#ifndef JAG_PIPELINE_CREATE_IMPL_H
#define JAG_PIPELINE_CREATE_IMPL_H

#include <stdatomic.h>

#include "jag/create.h"
#include "place.h"

enum jag_create_type { JAG_CREATE_LEAF, JAG_CREATE_DIR, JAG_CREATE_VALUE };

struct jag_create_leaf {
	struct jag_create *create;
	bool nested;
	struct jag_shape shape; /* dense: its shape; nested: dtype and rank (= d) */
	uint64_t count;         /* nested: components */
	uint64_t numel, nbytes;
	struct jag_rows rows; /* nested, borrowed, until allocate */
	char *data_path;      /* below the store: "image.memmap" */
	char *shapes_path;    /* nested with n*d > 0: "image.shape.memmap"; else NULL */
	atomic_int fd;        /* of the data, -1: not open */
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
	struct jag_create_dir *root;
	uint64_t nbytes;
	void (*note)(void *ctx, const char *key, const char *text);
	void *note_ctx;
	struct jag_watch *watch;
};

/* Call visit for every leaf, depth first; stops at the first value other than 0 and returns it. */
int jag_create_each_leaf(struct jag_create_dir *dir, int (*visit)(struct jag_create_leaf *leaf, void *ctx), void *ctx);

void jag_create_say(struct jag_create *create, const char *key, const char *text);

/* Write the meta.json files of `dir` and all below it: sub-directories first. */
int jag_create_write_meta(struct jag_create_dir *dir, struct jag_error *err);

/* Write rows of a shape matrix in blocks through `sink`: validates, and sums up. */
struct jag_rows_sum {
	uint64_t numel;
};
int jag_rows_check(const struct jag_rows *rows, const struct jag_create_dir *dir, const char *key,
		   struct jag_rows_sum *sum, struct jag_error *err);

/* Rows [first, first + n) from memory or from fetch. */
int jag_rows_get(const struct jag_rows *rows, uint64_t first, uint64_t n, int64_t *out);

#endif
