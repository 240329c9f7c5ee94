/* SPDX-License-Identifier: MIT */
/* fresh.h - sizes that were found a moment ago, by whoever encoded ahead of a reader or looked the file up: a LOOKUP need
 * not look at the element again to tell them, as long as nothing was written through us since, and no open has found
 * another content. Some hundred elements; newer ones push older ones out.
 *
 * Locks: one mutex inside, held for a few loads or stores. */
#ifndef JAG_CONTENT_FRESH_H
#define JAG_CONTENT_FRESH_H

#include "jag/tree.h"

struct jag_fresh;

int jag_fresh_create(struct jag_fresh **out);
void jag_fresh_destroy(struct jag_fresh *fresh); /* NULL is fine */

/* The beginning of a look: a size is as old as this, however long the encoding took that gave it. */
struct jag_fresh_look {
	uint64_t generation;
	double when; /* seconds, CLOCK_MONOTONIC */
};

/* Before looking at an element, for jag_fresh_set(). */
struct jag_fresh_look jag_fresh_begin(struct jag_fresh *fresh);

/* What was found by this look; nothing happens if a later one has ended before. */
void jag_fresh_set(struct jag_fresh *fresh, jag_node node, uint64_t size, struct jag_fresh_look look);

/* Something is being written: what was found before counts no more. */
void jag_fresh_clear(struct jag_fresh *fresh);

/* This one is known to be out of date. */
void jag_fresh_drop(struct jag_fresh *fresh, jag_node node);

/* The size found less than `max_age` seconds ago, and how long ago. */
bool jag_fresh_get(struct jag_fresh *fresh, jag_node node, double max_age, uint64_t *size, double *age);

#endif
