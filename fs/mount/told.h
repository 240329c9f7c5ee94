/* SPDX-License-Identifier: MIT */
/* told.h - the sizes that the kernel was told of nodes a short time ago, where sizes are not fixed.
 *
 * The size of a node must not change while an answer with the old one may still be on its way: answers are applied by
 * the threads that asked, in any order. After JAG_TOLD_MS all of them have been, and the node may be told another. So
 * this memory is bounded; and a size that has been forgotten too early costs one more lookup, never a wrong answer.
 *
 * What the library remembers of sizes cannot serve for this: it follows the content, whoever looks at it. */
#ifndef JAG_MOUNT_TOLD_H
#define JAG_MOUNT_TOLD_H

#include "jag/tree.h"

#define JAG_TOLD_MS 5000
#define JAG_TOLD_WAYS 4
#define JAG_TOLD_SETS 256 /* a power of two */

/* What was told of one node. */
struct jag_told_size {
	uint64_t size;
	int64_t ms; /* when; 0: never */
};

/* {0} is empty. The owner locks. */
struct jag_told {
	struct jag_told_entry *entries; /* JAG_TOLD_SETS * JAG_TOLD_WAYS, allocated with the first */
};

void jag_told_set(struct jag_told *told, jag_node node, const struct jag_told_size *size);
struct jag_told_size jag_told_get(const struct jag_told *told, jag_node node);
void jag_told_finish(struct jag_told *told);

#endif
