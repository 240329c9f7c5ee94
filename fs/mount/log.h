/* SPDX-License-Identifier: MIT */
/* log.h - what the driver refused or could not do: one line on stderr (foreground) or in syslog, and the last ones in
 * memory for /.jagfs/errors. */
#ifndef JAG_MOUNT_LOG_H
#define JAG_MOUNT_LOG_H

#include <pthread.h>
#include <time.h>

#include "jag/buffer.h"

#define JAG_LOG_LINES 256

struct jag_log_line {
	time_t time;      /* of the last time */
	uint64_t repeats; /* how often it came again, one after the other */
	char text[320];   /* "PATH: WHY" */
};

struct jag_log {
	bool to_syslog;
	pthread_mutex_t lock;
	uint64_t count; /* lines ever; the newest is at (count - 1) % JAG_LOG_LINES */
	struct jag_log_line lines[JAG_LOG_LINES];
};

void jag_log_init(struct jag_log *log);
void jag_log_finish(struct jag_log *log);

/* From now on to syslog: nobody reads stderr. */
void jag_log_detach(struct jag_log *log);

/* Any thread. Control bytes become '?'. The same text as the line before is counted, not printed again. */
void jag_log_add(struct jag_log *log, const char *path, const char *fmt, ...) JAG_PRINTF(3, 4);

/* All lines that are remembered, oldest first: "2026-01-31T12:00:00Z PATH: WHY\n". -ENOMEM. */
int jag_log_text(struct jag_log *log, struct jag_buffer *out);

uint64_t jag_log_count(struct jag_log *log);

#endif
