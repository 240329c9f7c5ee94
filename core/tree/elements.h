/* SPDX-License-Identifier: MIT */
/* elements.h - the sequence behind a directory of elements, for the pipelines: what they read is then what the mount
 * shows (chunks joined, batch dimensions and layout decided). */
#ifndef JAG_TREE_ELEMENTS_H
#define JAG_TREE_ELEMENTS_H

#include "jag/tree.h"

/* Of the directory called `name` in the tree's root. Both live as long as the tree. -ENOENT if it is none. */
int jag_tree_elements(const struct jag_tree *tree, const char *name, const struct jag_sequence **seq,
		      const struct jag_look **look);

#endif
