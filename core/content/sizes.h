/* SPDX-License-Identifier: MIT */
/* sizes.h - the sizes of encodings, remembered with the hash of the content that they belong to: 12 bytes for each
 * element and format that was asked for, in pages that are allocated when their first element is.
 *
 * Locks: striped mutexes inside, each held for a few loads or stores, so that hash and size always belong together. */
#ifndef JAG_CONTENT_SIZES_H
#define JAG_CONTENT_SIZES_H

#include "jag/tree.h"

struct jag_sizes;

int jag_sizes_create(struct jag_sizes **out);
void jag_sizes_destroy(struct jag_sizes *sizes);

/* The size last set for the node, in whatever view. */
bool jag_sizes_get(struct jag_sizes *sizes, jag_node node, uint64_t *hash, uint64_t *size);

/* Sizes of 4 GiB and more, and those that there is no memory for, are not remembered. */
void jag_sizes_set(struct jag_sizes *sizes, jag_node node, uint64_t hash, uint64_t size);

/* How many are remembered. */
uint64_t jag_sizes_count(struct jag_sizes *sizes);

#endif
