/* SPDX-License-Identifier: MIT */
/* kind.h - the interface behind which the kinds of container sit. A kind recognises its files and builds the model of
 * jag/store.h from them; nothing outside its own file knows how it keeps tensors. */
#ifndef JAG_STORE_KIND_H
#define JAG_STORE_KIND_H

#include "jag/store.h"

/* What every kind gets to look at. */
struct jag_probe {
	const char *path;            /* real path */
	struct jag_root *root;       /* the directory itself, or the one that holds the file */
	const struct jag_file *file; /* NULL for a directory */
	uint64_t nbytes;             /* of the file */
};

struct jag_store_kind {
	const char *name; /* "tensordict directory" */
	/* Is it one? Cheap, and sure enough that the other kinds are not asked. */
	bool (*probe)(const struct jag_probe *probe);
	/* Build store->root. What is wrong inside becomes a fault of the model; an error is only what keeps the whole
	 * from being opened. NULL: recognised, but not supported yet. */
	int (*open)(struct jag_store *store, struct jag_error *err);
};

extern const struct jag_store_kind jag_kind_tensordict;

/* Recognised, to be refused by name: NULL-terminated. */
extern const struct jag_store_kind *const jag_kinds_unsupported[];

#endif
