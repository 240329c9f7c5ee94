/* SPDX-License-Identifier: MIT */
/* rates.h - the sampling rates that the option `rate` gives to leaves. */
#ifndef JAG_TREE_RATES_H
#define JAG_TREE_RATES_H

#include "build.h"

/* Read every item of b->rate into b->rates: numbers, and leaves of the store (a path below `subpath`, which is mounted,
 * else below the store's root; chunks joined). -EINVAL with b->err filled for what is no rate. */
int jag_rates_read(struct jag_builder *b, const char *subpath);

/* Give an object of the leaf at a mount path (NULL: outside) its rates, as the last part of its look: those of each
 * element, or for a file the one that all have (none if they differ). Rates for another number of elements are refused
 * if they were named for this leaf; else it has none. 0, -EINVAL with b->err filled, -ENOMEM. */
int jag_rates_give(struct jag_builder *b, const char *path, struct jag_object *object);

/* Is there a rate for the leaf at this very path, and neither its elements nor the whole of it could be sound? */
bool jag_rates_missed(struct jag_builder *b, const struct jag_key *key, const char *path);

/* -EINVAL with b->err filled if there are rates for a number of elements that nothing has. */
int jag_rates_check(const struct jag_builder *b);

#endif
