/* SPDX-License-Identifier: MIT */
/* locks.h - keeps a commit and a snapshot of the same bytes apart, by whatever names they are reached: an element in
 * each of its formats and views, in the chunk that it lies in, as a frame, as a row of the whole tensor.
 *
 * Two levels, both striped:
 *   files     one lock for a group of data files. An element takes it shared; a whole tensor, which covers many
 *             elements and perhaps several files, takes those of its files exclusively, also to copy itself.
 *   elements  one lock for a group of elements: shared to copy, exclusive to store.
 *
 * Order: files in ascending order of stripes, then one element. A thread that holds some must not ask for more, and
 * must not wait for anybody else. Held for one copy or one write, never while encoding. */
#ifndef JAG_CONTENT_LOCKS_H
#define JAG_CONTENT_LOCKS_H

#include "jag/tree.h"

struct jag_locks;

int jag_locks_create(struct jag_locks **out);
void jag_locks_destroy(struct jag_locks *locks); /* NULL is fine */

void jag_locks_shared(struct jag_locks *locks, const struct jag_place *place);
void jag_locks_exclusive(struct jag_locks *locks, const struct jag_place *place);
void jag_locks_release(struct jag_locks *locks, const struct jag_place *place);

#endif
