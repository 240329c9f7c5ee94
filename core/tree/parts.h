/* SPDX-License-Identifier: MIT */
/* parts.h - what a key is shown as, as sequences. */
#ifndef JAG_TREE_PARTS_H
#define JAG_TREE_PARTS_H

#include "build.h"

enum jag_part {
	JAG_PART_ELEMENTS, /* components, or rows over the first `batch` dimensions; end to end where there are several */
	JAG_PART_WHOLE,    /* the dense tensor; several along dimension 0 */
	JAG_PART_SHAPES    /* the shape matrix; several along dimension 0 */
};

/* -EINVAL if the leaves cannot be joined that way. */
int jag_part_sequence(const struct jag_key *key, enum jag_part part, unsigned batch, struct jag_sequence **out);

#endif
