/* SPDX-License-Identifier: MIT */
/* tensordict.h - what the files that read a tensordict directory need of the walk in tensordict.c. */
#ifndef JAG_STORE_TENSORDICT_H
#define JAG_STORE_TENSORDICT_H

#include "model.h"

/* Add the collection in `dir` to `parent` and read it with all below it. `depth` is the parent's. Faults are recorded;
 * -errno only for what ends opening. */
int jag_td_add_child(struct jag_store *store, struct jag_collection *parent, const char *key, const char *dir,
		     unsigned depth);

/* Add a collection that cannot be one, because of its key; `dir` is the parent's directory. */
int jag_td_add_refused(struct jag_store *store, struct jag_collection *parent, const char *key, const char *dir,
		       const char *problem);

#endif
