/* SPDX-License-Identifier: MIT */
/* suspect.h - warnings about damage that the format does not prevent. */
#ifndef JAG_STORE_SUSPECT_H
#define JAG_STORE_SUSPECT_H

#include "meta.h"
#include "model.h"

/* A nested leaf "a" and a leaf "a.shape" of one collection share a file: both are warned about. 0, or -ENOMEM. */
int jag_td_warn_shared_shape_file(struct jag_store *store, const struct jag_meta *meta, struct jag_leaf *leaf);

/* Data of a reserved key, whose entry tensordict has overwritten with its own. 0, or -ENOMEM. */
int jag_td_warn_orphans(struct jag_store *store, struct jag_collection *c, const char *dir);

#endif
