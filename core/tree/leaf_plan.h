/* SPDX-License-Identifier: MIT */
/* leaf_plan.h - how one leaf shall be shown, by the options, by what the store says and by its shapes. */
#ifndef JAG_TREE_LEAF_PLAN_H
#define JAG_TREE_LEAF_PLAN_H

#include "build.h"

struct jag_leaf_plan {
	const struct jag_leaf *first;
	const char *path; /* mount path for options; NULL outside */
	enum jag_layout_source source;
	enum jag_layout wanted;
	bool layout_exact; /* `wanted` was asked for by the leaf's name */
	struct jag_format_wish wish;
	bool bgr, bgr_exact;
	unsigned batch; /* leading dimensions that number the elements of a dense leaf */
	bool unbatched; /* one tensor, as far as anybody says: K/ is there, but not what it is */
};

/* Fills all but `first`, which is set. -EINVAL: an option that names this leaf cannot be meant for it. */
int jag_leaf_plan_read(struct jag_builder *b, const struct jag_key *key, const struct jag_scope *scope,
		       struct jag_leaf_plan *plan);

/* Once the objects of the leaf are there: -EINVAL if an option that names it fits nothing of it. */
int jag_leaf_plan_check(struct jag_builder *b, const struct jag_key *key, const struct jag_leaf_plan *plan);

/* The values of the options, whether or not there is a leaf for them. -EINVAL names the option. */
int jag_leaf_options_check(struct jag_builder *b);

#endif
