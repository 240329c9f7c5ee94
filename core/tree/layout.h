/* SPDX-License-Identifier: MIT */
/* layout.h - where the image lies in the elements of a sequence: decided once for the whole of it, so that one odd
 * shape among thousands cannot turn its picture around. */
#ifndef JAG_TREE_LAYOUT_H
#define JAG_TREE_LAYOUT_H

#include "jag/codec.h"
#include "jag/sequence.h"

/* What was said about the layout, instead of guessed. */
enum jag_layout_source { JAG_LAYOUT_GUESS, JAG_LAYOUT_RECORDED, JAG_LAYOUT_OPTION };

struct jag_layout_choice {
	enum jag_layout layout;
	char why[128]; /* "uint8 [C,H,W]: every dimension 0 is 1 or 3" */
};

/* "chw" | "hwc" | "planes" | "none" -> 1 and *layout; "auto" -> 0; else -EINVAL. */
int jag_layout_from_name(const char *name, enum jag_layout *layout);
const char *jag_layout_name(enum jag_layout layout);

/* The rule. `wanted` counts unless `source` is JAG_LAYOUT_GUESS. The rule looks at the last three dimensions; those
 * before them number frames. Not an image: another dtype than uint8, uint16, bool; rank < 2; elements of several
 * ranks; no elements. */
void jag_layout_decide(const struct jag_sequence *seq, enum jag_layout_source source, enum jag_layout wanted,
		       struct jag_layout_choice *out);

/* Number of dimensions that the image itself has: 3, 2 for PLANES, 0 for NONE. */
unsigned jag_layout_rank(enum jag_layout layout);

#endif
