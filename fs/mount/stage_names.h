/* SPDX-License-Identifier: MIT */
/* stage_names.h - the free names that were created: (directory, name) -> staging. They are found before the tree's own
 * names, and are not listed. The table holds their nodes. */
#ifndef JAG_MOUNT_STAGE_NAMES_H
#define JAG_MOUNT_STAGE_NAMES_H

#include "staging.h"

#define JAG_STAGE_BUCKETS 1024 /* a power of two */

struct jag_stage_name;

struct jag_stage_names {
	struct jag_nodes *nodes;
	pthread_mutex_t lock;
	uint64_t count; /* atomic: nothing to look for while it is 0 */
	struct jag_stage_name *buckets[JAG_STAGE_BUCKETS];
};

void jag_stage_names_init(struct jag_stage_names *names, struct jag_nodes *nodes);

/* What is left is dropped. Before jag_nodes_finish(). The number of files that were left. */
uint64_t jag_stage_names_finish(struct jag_stage_names *names);

/* -EEXIST, -ENOMEM. Holds the staging's node. */
int jag_stage_names_add(struct jag_stage_names *names, jag_node dir, const char *name, struct jag_staging *staging);

/* Held for the caller; NULL if there is none. */
struct jag_staging *jag_stage_names_find(struct jag_stage_names *names, jag_node dir, const char *name);

/* Each of two names gets the other's staging, in one step: both are there all the time. -ENOENT. */
int jag_stage_names_exchange(struct jag_stage_names *names, jag_node dir, const char *name, jag_node new_dir,
			     const char *new_name);

/* Take the name out: its staging, with the table's hold on it, which is the caller's now; NULL if there is none. */
struct jag_staging *jag_stage_names_remove(struct jag_stage_names *names, jag_node dir, const char *name);

#endif
