/* SPDX-License-Identifier: MIT */
/* nodes.h - the node ids that need memory. Nearly every id is computed by the tree and costs nothing; ids with the top
 * bit set are made here and live in a table until the kernel forgets them:
 *
 *   - further versions of a snapshot file (versions.c): the kernel has one size and one page cache for each id, so
 *     another content needs another id;
 *   - files of /.jagfs (control.c), each LOOKUP of which sees a state of its own;
 *   - files that are being written anew (staging.c), so that readers of the old content are not disturbed.
 *
 * An id is never used twice. Two counts keep a node alive: the kernel's lookups, and holds of ours (open handles,
 * requests being answered). */
#ifndef JAG_MOUNT_NODES_H
#define JAG_MOUNT_NODES_H

#include <pthread.h>

#include "jag/tree.h"
#include "jag/table.h"

/* The directory /.jagfs: always there, in no table. */
#define JAG_NODE_CONTROL (JAG_NODE_FOREIGN | 1)

enum jag_dynamic_kind { JAG_DYNAMIC_VERSION, JAG_DYNAMIC_CONTROL, JAG_DYNAMIC_STAGING };

/* What every dynamic node begins with. */
struct jag_dynamic {
	struct jag_link link; /* key: the node id */
	enum jag_dynamic_kind kind;
	uint64_t lookups; /* the kernel's; under nodes->lock */
	uint64_t holds;   /* ours; under nodes->lock */
};

struct jag_nodes {
	pthread_mutex_t lock; /* innermost: taken under locks of versions.c, never the other way round */
	struct jag_table table;
	uint64_t next; /* id without the top bit */
};

static inline bool jag_node_is_dynamic(uint64_t id)
{
	return (id & JAG_NODE_FOREIGN) != 0;
}

void jag_nodes_init(struct jag_nodes *nodes);
void jag_nodes_finish(struct jag_nodes *nodes); /* frees what the kernel never forgot, by kind */

/* Give the node an id, one lookup and no hold. -ENOMEM. */
int jag_nodes_add(struct jag_nodes *nodes, struct jag_dynamic *node, enum jag_dynamic_kind kind);

/* Find and hold; NULL if there is no such node. */
struct jag_dynamic *jag_nodes_get(struct jag_nodes *nodes, uint64_t id);

void jag_nodes_hold(struct jag_nodes *nodes, struct jag_dynamic *node);
void jag_nodes_add_lookup(struct jag_nodes *nodes, struct jag_dynamic *node);

/* Take back lookups and holds. True if none is left: the node is out of the table, and the caller frees it. */
bool jag_nodes_drop(struct jag_nodes *nodes, struct jag_dynamic *node, uint64_t lookups, uint64_t holds);

size_t jag_nodes_count(struct jag_nodes *nodes);

#endif
