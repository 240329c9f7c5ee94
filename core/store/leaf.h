/* SPDX-License-Identifier: MIT */
/* leaf.h - one leaf of a tensordict directory: from its entry in meta.json to opened and measured files. */
#ifndef JAG_STORE_LEAF_H
#define JAG_STORE_LEAF_H

#include "meta.h"
#include "model.h"

/* Add the leaf that `member` describes to `parent`; its files lie in `dir`. What is wrong becomes the leaf's fault;
 * -errno only for what ends opening (jag_model_fatal). */
int jag_td_add_leaf(struct jag_store *store, struct jag_collection *parent, const char *dir,
		    const struct jag_meta_member *member);

/* The key as text without NUL: as it is, or encoded if it has one. NULL when out of memory. */
char *jag_td_key_text(struct jag_store *store, const struct jag_meta_member *member);

/* Why a file or directory of the store could not be opened, in words. */
const char *jag_td_open_problem(int code);

#endif
