/* SPDX-License-Identifier: MIT */
/* ahead.h - encodings made before they are asked for: when a reader walks a directory of encoded files in order, a
 * few nice threads encode what comes next. With one CPU there is nothing to gain: nothing is encoded ahead there. */
#ifndef JAG_MOUNT_AHEAD_H
#define JAG_MOUNT_AHEAD_H

#include "jag/content.h"

struct jag_ahead;

/* After the fork: it starts threads when they are needed first. */
int jag_ahead_create(struct jag_content *content, struct jag_ahead **out);
void jag_ahead_destroy(struct jag_ahead *ahead); /* waits for what is being encoded; NULL is fine */

/* A reader asked for this encoded file. Cheap, never waits. NULL is fine. */
void jag_ahead_note(struct jag_ahead *ahead, jag_node node);

/* Files warmed so far, for `status`. NULL is fine. */
uint64_t jag_ahead_count(const struct jag_ahead *ahead);

#endif
