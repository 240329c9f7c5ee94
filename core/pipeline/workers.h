/* SPDX-License-Identifier: MIT */
/* workers.h - a function over an index range on several threads. */
#ifndef JAG_PIPELINE_WORKERS_H
#define JAG_PIPELINE_WORKERS_H

#include "jag/error.h"
#include "jag/progress.h"

#define JAG_WORKERS_MAX 1024

/* What one call of the work function gets: indices [first, first + n), n <= chunk. */
struct jag_range {
	unsigned worker; /* 0 .. threads-1; one worker never runs twice at once: the index of its own buffers */
	uint64_t first, n;
	uint64_t nbytes;    /* out: added to the report */
	uint64_t failed_at; /* out, on failure: the index that failed; preset to `first` */
};

struct jag_workers {
	unsigned count; /* threads; 0: one for each CPU that this process may use; 1: the calling thread only */
	uint64_t total; /* the range is [0, total) */
	uint64_t chunk; /* indices that a worker takes at a time; 0: chosen from total and count */
	struct jag_watch *watch; /* may be NULL */
	enum jag_phase phase;    /* for the report */
	uint64_t nbytes_total;   /* for the report */

	/* Returns 0, or fills `err` and returns -errno to stop everybody. */
	int (*work)(void *ctx, struct jag_range *range, struct jag_error *err);
	void *ctx;
};

/* CPUs that this process may run on; >= 1. */
unsigned jag_workers_cpus(void);

/* How many threads jag_workers_run() will use for this job: for sizing per-worker state. */
unsigned jag_workers_threads(const struct jag_workers *job);

/* Run the job. Returns 0, or the error of the lowest failing index: ranges are handed out in order and those below a
 * failure are finished, so the error does not depend on the number of threads. -ECANCELED if the watch was cancelled
 * first. All threads are gone when it returns. */
int jag_workers_run(const struct jag_workers *job, struct jag_error *err);

#endif
