/* SPDX-License-Identifier: MIT */
/* pending.h - opens of elements for staged writing that were answered ESTALE. The VFS looks the name up again, from the
 * same thread, and is to find a node of its own there, with an empty file behind it: if the element's node itself were
 * opened with O_TRUNC, the kernel would set its size to 0 for everybody who has it open or mapped.
 *
 * The lookup may come twice (a check of the old name, then a new look), so an entry stays until the node is opened.
 *
 * The VFS looks again only once in a call. Where a GETATTR on the way to an open, or the open of a reader, has used that
 * up (versions.c), it is not known what the thread does next; such a *guess* is good for reading and for writing, and
 * soon forgotten: the thread may have wanted the attributes only. */
#ifndef JAG_MOUNT_PENDING_H
#define JAG_MOUNT_PENDING_H

#include "staging.h"

#define JAG_PENDING_COUNT 256 /* the oldest goes; its thread's open() fails with ESTALE */
#define JAG_PENDING_MS 30000  /* a thread that never came back: killed, or refused by the kernel */

#define JAG_PENDING_GUESS_MS 2000

struct jag_pending {
	struct jag_nodes *nodes;
	pthread_mutex_t lock;
	unsigned count; /* atomic: nothing to look for while it is 0 */
	struct jag_pending_entry {
		struct jag_staging *staging; /* held; NULL: free */
		jag_node base;
		pid_t tid;
		int64_t ms;
		bool guess;
	} entries[JAG_PENDING_COUNT];
};

void jag_pending_init(struct jag_pending *pending, struct jag_nodes *nodes);
void jag_pending_finish(struct jag_pending *pending); /* before jag_nodes_finish() */

/* Thread `tid` will look up `base` and is to find `staging`, which is in the table of nodes, with one lookup that the
 * kernel does not know of: it is taken over. */
void jag_pending_add(struct jag_pending *pending, pid_t tid, jag_node base, struct jag_staging *staging, bool guess);

/* What the thread is to find, with one lookup more; NULL if nothing. Forgets what nobody came back for. */
struct jag_staging *jag_pending_find(struct jag_pending *pending, pid_t tid, jag_node base);

/* The thread has opened the node. False: nobody is expected to open it. */
bool jag_pending_end(struct jag_pending *pending, struct jag_staging *staging);

#endif
