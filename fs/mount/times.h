/* SPDX-License-Identifier: MIT */
/* times.h - modification times of elements that were written or touched through this mount. All others have the data
 * file's time of when the store was opened: a foreign writer must not make every file look new. Bounded: the last
 * 65,536 elements. */
#ifndef JAG_MOUNT_TIMES_H
#define JAG_MOUNT_TIMES_H

#include <pthread.h>
#include <time.h>

#include "jag/tree.h"

struct jag_times; /* opaque */

int jag_times_create(struct jag_times **out);
void jag_times_destroy(struct jag_times *times); /* NULL is fine */

/* `node` is the element's (jag_place.element_node), or the directory's own. */
void jag_times_set(struct jag_times *times, jag_node node, const struct timespec *mtime);
bool jag_times_get(struct jag_times *times, jag_node node, struct timespec *mtime);

#endif
