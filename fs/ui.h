/* SPDX-License-Identifier: MIT */
/* ui.h - how the verbs talk: error lines and progress on stderr. Results are the only thing that goes to stdout. */
#ifndef JAG_UI_H
#define JAG_UI_H

#include <pthread.h>

#include "cmd.h"
#include "jag/error.h"

/* "jagfs: WHAT: WHY" and a newline on stderr, in one write; control bytes become '?'. WHAT may be NULL. Returns
 * JAG_EXIT_FAILED, so that `return jag_ui_error(...)` is one line. Any thread. */
int jag_ui_error(const char *what, const char *fmt, ...) JAG_PRINTF(2, 3);

/* The same from an error record; WHAT is the record's path, or `what` where it has none. A record that was never
 * filled is told by `code` (-errno). */
int jag_ui_failure(const char *what, int code, const struct jag_error *err);

/* A command line that makes no sense: the reason, and where to find help. `cmd` may be NULL. Returns JAG_EXIT_USAGE. */
int jag_ui_usage(const struct jag_cmd *cmd, const char *fmt, ...) JAG_PRINTF(2, 3);

/* Write out what is buffered for stdout: JAG_EXIT_OK, or JAG_EXIT_FAILED with a message (a full disk must not pass
 * for success; a reader that goes away is no failure). The last call of a verb that prints results. */
int jag_ui_flush(void);

/* Progress of long work: a bar on a terminal (done/total, rate, time left), a line every few seconds elsewhere,
 * nothing if quiet. Start and finish on one thread; updates from any. */
struct jag_progress {
	const char *title; /* "pack" */
	const char *unit;  /* "images" */
	bool quiet, bar, drawn;
	int64_t start_ms;
	int64_t next_ms;      /* no drawing before; atomic */
	pthread_mutex_t draw; /* one drawing thread; the others do not wait */
	uint64_t done, total; /* what was drawn last; under draw */
};
void jag_progress_start(struct jag_progress *progress, const char *title, const char *unit, bool quiet);

/* `total` 0: not known. Cheap: returns at once if it was drawn a moment ago and done < total. */
void jag_progress_update(struct jag_progress *progress, uint64_t done, uint64_t total);

/* End the line. Work that was over before anything had to be drawn leaves no trace. */
void jag_progress_finish(struct jag_progress *progress);

#endif
