/* SPDX-License-Identifier: MIT */
/* progress.h - how long work (pack, create, map, copy, resize) says how far it is, and how it is stopped.
 *
 * A caller that wants neither passes NULL for the watch. */
#ifndef JAG_PROGRESS_H
#define JAG_PROGRESS_H

#include <stdatomic.h>

#include "jag/api.h"

/* What the work is doing; phases come in this order, each at most once. */
enum jag_phase {
	JAG_PHASE_SCAN,     /* listing the sources; totals are not known (0) */
	JAG_PHASE_HEADERS,  /* reading headers; items are files */
	JAG_PHASE_ALLOCATE, /* reserving the space; nbytes only */
	JAG_PHASE_WORK,     /* the elements themselves; items are elements, nbytes are bytes of the result */
	JAG_PHASE_SYNC      /* waiting for the disk; nbytes only */
};

struct jag_progress_state {
	enum jag_phase phase;
	uint64_t items_done, items_total;   /* total 0: not known */
	uint64_t nbytes_done, nbytes_total; /* the same */
};

/* One piece of work as its caller sees it. Zero it, set what is wanted, and keep it until the work has returned. */
struct jag_watch {
	/* Called on the thread that called into the library, a few times a second and once at the end of a phase.
	 * NULL: nobody looks. */
	void (*report)(void *ctx, const struct jag_progress_state *state);
	void *ctx;

	/* Set it (from any thread, or from a signal handler: it is lock-free) to stop the work. The work undoes what it
	 * has begun and returns -ECANCELED. */
	atomic_bool cancel;
};

/* True if the work has to stop; false for NULL. */
static inline bool jag_watch_cancelled(const struct jag_watch *watch)
{
	return watch && atomic_load_explicit(&watch->cancel, memory_order_relaxed);
}

#endif
