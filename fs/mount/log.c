/* SPDX-License-Identifier: MIT */
/* log.c - a ring of the last refusals, and where they are printed. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

void jag_log_init(struct jag_log *log)
{
	memset(log, 0, sizeof(*log));
	pthread_mutex_init(&log->lock, NULL);
}

void jag_log_finish(struct jag_log *log)
{
	if (log->to_syslog)
		closelog();
	pthread_mutex_destroy(&log->lock);
}

void jag_log_detach(struct jag_log *log)
{
	openlog("jagfs", LOG_PID | LOG_NDELAY, LOG_DAEMON);
	log->to_syslog = true;
}

void jag_log_add(struct jag_log *log, const char *path, const char *fmt, ...)
{
	char text[sizeof(log->lines[0].text)], why[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	snprintf(text, sizeof(text), "%s: %s", path, why);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';

	pthread_mutex_lock(&log->lock);
	struct jag_log_line *last = log->count ? &log->lines[(log->count - 1) % JAG_LOG_LINES] : NULL;
	bool again = last && !strcmp(last->text, text);
	if (again) {
		last->repeats++;
	} else {
		last = &log->lines[log->count++ % JAG_LOG_LINES];
		last->repeats = 0;
		memcpy(last->text, text, sizeof(text));
	}
	last->time = time(NULL);
	pthread_mutex_unlock(&log->lock);

	if (again)
		return;
	if (log->to_syslog)
		syslog(LOG_WARNING, "%s", text);
	else
		fprintf(stderr, "jagfs: %s\n", text);
}

int jag_log_text(struct jag_log *log, struct jag_buffer *out)
{
	int rc = 0;
	pthread_mutex_lock(&log->lock);
	uint64_t first = log->count > JAG_LOG_LINES ? log->count - JAG_LOG_LINES : 0;
	for (uint64_t i = first; i < log->count && rc == 0; i++) {
		const struct jag_log_line *line = &log->lines[i % JAG_LOG_LINES];
		char stamp[32], text[sizeof(line->text) + 96], again[48] = "";
		struct tm tm;
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&line->time, &tm));
		if (line->repeats)
			snprintf(again, sizeof(again), " (and %llu more)", (unsigned long long)line->repeats);
		int n = snprintf(text, sizeof(text), "%s %s%s\n", stamp, line->text, again);
		rc = jag_buffer_append(out, text, (size_t)n);
	}
	pthread_mutex_unlock(&log->lock);
	return rc;
}

uint64_t jag_log_count(struct jag_log *log)
{
	pthread_mutex_lock(&log->lock);
	uint64_t count = log->count;
	pthread_mutex_unlock(&log->lock);
	return count;
}
