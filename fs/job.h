/* SPDX-License-Identifier: MIT */
/* job.h - long work of a verb as its user sees it: progress on stderr, and a clean stop on Ctrl-C. */
#ifndef JAG_JOB_H
#define JAG_JOB_H

#include "jag/progress.h"
#include "ui.h"

/* One at a time in a process: signals have no other way to it. */
struct jag_job {
	struct jag_watch watch; /* for the library */
	const char *title;      /* "pack" */
	const char *unit;       /* what the elements are: "images" */
	bool quiet;
	struct jag_progress bar;
	bool bar_on;
	enum jag_phase phase; /* of the bar */
};

/* From now on SIGINT, SIGTERM and SIGHUP set watch.cancel; a second one ends the process at once. SIGXFSZ is ignored,
 * so that a file size limit is an error and not a death. */
void jag_job_start(struct jag_job *job, const char *title, const char *unit, bool quiet);

/* The library's note callback of a job, which is its `ctx`: one message line, after the end of the progress
 * line. From one thread at a time. */
void jag_job_note(void *job, const char *what, const char *text);

/* The exit status of work that returned `rc`: prints `err` (or that it was interrupted) unless it is 0. Interrupted
 * work is 128 + the signal, as shells have it. `what` names the work where the record names nothing. */
int jag_job_finish(struct jag_job *job, const char *what, int rc, const struct jag_error *err);

#endif
