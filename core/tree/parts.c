/* SPDX-License-Identifier: MIT */
/* parts.c - the sequences of a key: those of its leaf, or of all its leaves joined. */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>

static int part_of_leaf(const struct jag_key *key, size_t i, enum jag_part part, unsigned batch,
			struct jag_sequence **out)
{
	const struct jag_leaf *leaf = key->entries[i]->leaf;
	if (part == JAG_PART_SHAPES)
		return jag_sequence_shape_matrix(leaf, out);
	if (part == JAG_PART_WHOLE)
		return jag_sequence_whole(leaf, out);
	/* a dense child of a lazy stack is one element, of whatever rank */
	return jag_sequence_of_leaf(leaf, key->stack && !leaf->nested ? 0 : batch, out);
}

int jag_part_sequence(const struct jag_key *key, enum jag_part part, unsigned batch, struct jag_sequence **out)
{
	if (key->entry_count == 1)
		return part_of_leaf(key, 0, part, batch, out);
	struct jag_sequence **parts = calloc(key->entry_count, sizeof(struct jag_sequence *));
	size_t made = 0;
	int rc = parts ? 0 : -ENOMEM;
	while (rc == 0 && made < key->entry_count) {
		rc = part_of_leaf(key, made, part, batch, &parts[made]);
		made += rc == 0;
	}
	if (rc == 0) {
		rc = part == JAG_PART_ELEMENTS ? jag_sequence_join(parts, made, out)
					       : jag_sequence_concat(parts, made, out);
		made = 0; /* they belong to the result, or are gone */
	}
	while (made > 0)
		jag_sequence_free(parts[--made]);
	free(parts);
	return rc;
}
