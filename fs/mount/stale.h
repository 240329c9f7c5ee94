/* SPDX-License-Identifier: MIT */
/* stale.h - which threads were answered ESTALE lately, for which file, and what lookups have found since. The VFS
 * repeats a lookup once after ESTALE; a second one in a row would reach the program. So while there is such a thread,
 * every lookup of the file leaves the content that it found here, as an offer: if that has changed again when the open
 * follows, the open takes the offer, which is what the file held after open(2) had begun.
 *
 * The lookup is not always the thread's own: the VFS lets threads that look up one name at a time share a request. Such
 * a request was sent after the walk of the first, stale open, or that walk would have waited for it too. So the latest
 * offer for the version that is opened is new enough in either case. */
#ifndef JAG_MOUNT_STALE_H
#define JAG_MOUNT_STALE_H

#include <pthread.h>
#include <sys/types.h>

#include "jag/content.h"

/* More than fit cost an ESTALE that a program sees, or a direct handle. */
#define JAG_STALE_COUNT 1024
#define JAG_STALE_WAYS 8
#define JAG_STALE_OFFERS 64 /* of all files; the oldest goes, and all go when nothing was stale for a while */
struct jag_stale {
	pthread_mutex_t lock;
	uint64_t total; /* ESTALE answers so far; atomic */
	struct jag_stale_mark {
		jag_node base; /* 0: free */
		pid_t tid;
		int64_t ms;
	} threads[JAG_STALE_COUNT], files[JAG_STALE_COUNT]; /* by thread and file; by file alone: the latest */
	struct jag_stale_offer {
		uint64_t id; /* of the version; 0: free */
		struct jag_blob *blob;
		int64_t ms;
	} offers[JAG_STALE_OFFERS]; /* a ring */
	size_t next_offer;
};

void jag_stale_init(struct jag_stale *stale);
void jag_stale_finish(struct jag_stale *stale);

/* Has any thread had ESTALE for the file a moment ago, so that lookups should leave offers? Cheap where nobody had. */
bool jag_stale_wants_offer(struct jag_stale *stale, jag_node base);

/* A lookup found this content, and answered this version. */
void jag_stale_offer(struct jag_stale *stale, uint64_t id, struct jag_blob *blob);

/* The thread would be answered ESTALE. False: do so, it is noted. True: it was just now. */
bool jag_stale_again(struct jag_stale *stale, pid_t tid, jag_node base);

/* What the latest lookup has found for this version, as a reference; NULL if that is not known. */
struct jag_blob *jag_stale_take(struct jag_stale *stale, uint64_t id);

/* The open went well: what was before does not count any more. */
void jag_stale_clear(struct jag_stale *stale, pid_t tid, jag_node base);

#endif
