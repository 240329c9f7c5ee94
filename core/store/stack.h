/* SPDX-License-Identifier: MIT */
/* stack.h - children that are found by looking at the directory: those of stacks, and those that 0.3 did not list. */
#ifndef JAG_STORE_STACK_H
#define JAG_STORE_STACK_H

#include "meta.h"
#include "model.h"

/* A lazy stack: children 0/, 1/, ... until a number is missing. */
int jag_td_fill_stack(struct jag_store *store, struct jag_collection *c, const char *dir, const struct jag_meta *meta,
		      unsigned depth);

/* The children alone. */
int jag_td_add_numbered(struct jag_store *store, struct jag_collection *c, const char *dir, unsigned depth);

/* Every directory with a meta.json, sorted by name, with a warning if there is any. */
int jag_td_add_unlisted(struct jag_store *store, struct jag_collection *c, const char *dir, unsigned depth);

#endif
