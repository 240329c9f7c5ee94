/* SPDX-License-Identifier: MIT */
/* nontensor.h - values that are no tensors: as JSON text where meta.json has them. Pickles stay closed. */
#ifndef JAG_STORE_NONTENSOR_H
#define JAG_STORE_NONTENSOR_H

#include "meta.h"
#include "model.h"

bool jag_td_is_non_tensor(const struct jag_meta *meta);

int jag_td_fill_non_tensor(struct jag_store *store, struct jag_collection *c, const char *dir,
			   const struct jag_meta *meta, unsigned depth);

/* The plain fields that a tensorclass keeps in its own meta.json, as entries of `c`; and its pickle. */
int jag_td_add_plain_fields(struct jag_store *store, struct jag_collection *c, const char *dir,
			    const struct jag_meta *meta);

/* meta.json as the first file of `c` that is shown as it is. */
int jag_td_add_meta_file(struct jag_store *store, struct jag_collection *c, const char *bytes, size_t nbytes);

#endif
