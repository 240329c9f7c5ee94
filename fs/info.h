/* SPDX-License-Identifier: MIT */
/* info.h - what `jagfs info` knows of one thing, gathered by cmd_info.c and printed by info_print.c. */
#ifndef JAG_INFO_H
#define JAG_INFO_H

#include "jag/tree.h"
#include "json.h"

struct jag_info_out {
	struct jag_json_out json;
	bool as_json;
	uint64_t faults; /* printed so far */
};

/* A key of the store: a leaf, a collection or a value. */
void jag_info_leaf(struct jag_info_out *out, const char *path, const struct jag_leaf *leaf);
void jag_info_collection(struct jag_info_out *out, const char *path, const struct jag_collection *collection);

/* An entry of a mount: a directory of elements (`sequence`), or a file of `size` bytes (UINT64_MAX: only known after
 * encoding). */
void jag_info_sequence(struct jag_info_out *out, const char *path, const struct jag_tree_sequence_info *sequence);
void jag_info_file(struct jag_info_out *out, const char *path, uint64_t size);

/* Why tensordict cannot load the leaf; NULL if it can. */
const char *jag_info_unloadable(const struct jag_leaf *leaf);

#endif
