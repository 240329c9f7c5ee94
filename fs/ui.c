/* SPDX-License-Identifier: MIT */
/* ui.c - error lines and the progress bar: the only file that writes to stderr for the verbs. */
#include "ui.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Paths and keys come from the store and the user: no escape codes, no second line. */
static void defuse(char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 0x20 || c == 0x7f)
			*text = '?';
	}
}

/* One write for each line, so that lines of several threads do not mix. */
static void print_line(const char *what, const char *why)
{
	char line[2048];
	if (what && *what)
		snprintf(line, sizeof(line) - 1, "jagfs: %s: %s", what, why);
	else
		snprintf(line, sizeof(line) - 1, "jagfs: %s", why);
	defuse(line);
	fflush(stdout);
	fprintf(stderr, "%s\n", line);
}

int jag_ui_error(const char *what, const char *fmt, ...)
{
	char why[1400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	print_line(what, why);
	return JAG_EXIT_FAILED;
}

int jag_ui_failure(const char *what, int code, const struct jag_error *err)
{
	if (!err || !err->code)
		return jag_ui_error(what, "%s", strerror(-code));
	return jag_ui_error(*err->path ? err->path : what, "%s", err->message);
}

int jag_ui_usage(const struct jag_cmd *cmd, const char *fmt, ...)
{
	char why[1400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	print_line(cmd ? cmd->name : NULL, why);
	if (cmd)
		fprintf(stderr, "jagfs: %s: `jagfs %s --help` shows the usage\n", cmd->name, cmd->name);
	return JAG_EXIT_USAGE;
}

/* 0, or the errno, positive. */
static int flush_errno(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return errno ? errno : EIO; /* an earlier write failed, and its reason is gone */
}

int jag_ui_flush(void)
{
	int status = flush_errno();
	return status && status != EPIPE ? jag_ui_error("standard output", "%s", strerror(status)) : JAG_EXIT_OK;
}

static int64_t now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

#define BAR_EVERY_MS 100
#define LINE_EVERY_MS 3000
#define BAR_WIDTH 24

void jag_progress_start(struct jag_progress *progress, const char *title, const char *unit, bool quiet)
{
	*progress = (struct jag_progress){ .title = title, .unit = unit, .quiet = quiet };
	pthread_mutex_init(&progress->draw, NULL);
	progress->bar = isatty(STDERR_FILENO);
	progress->start_ms = now_ms();
	progress->next_ms = progress->start_ms + (progress->bar ? BAR_EVERY_MS : LINE_EVERY_MS);
}

/* " 1:02:03" or " 02:03" */
static void format_duration(char *text, size_t text_nbytes, int64_t seconds)
{
	if (seconds >= 3600)
		snprintf(text, text_nbytes, "%" PRId64 ":%02d:%02d", seconds / 3600, (int)(seconds / 60 % 60),
			 (int)(seconds % 60));
	else
		snprintf(text, text_nbytes, "%02d:%02d", (int)(seconds / 60), (int)(seconds % 60));
}

/* Under progress->draw. */
static void draw(struct jag_progress *progress, int64_t now)
{
	double elapsed = (double)(now - progress->start_ms) / 1000.0;
	double rate = elapsed > 0.001 ? (double)progress->done / elapsed : 0.0;
	char bar[BAR_WIDTH + 3] = "", count[64], left[48] = "";
	if (progress->total) {
		double share = (double)progress->done / (double)progress->total;
		int filled = share >= 1.0 ? BAR_WIDTH : (int)(share * BAR_WIDTH);
		bar[0] = '[';
		memset(bar + 1, '.', BAR_WIDTH);
		memset(bar + 1, '#', (size_t)filled);
		bar[BAR_WIDTH + 1] = ']';
		snprintf(count, sizeof(count), "%" PRIu64 "/%" PRIu64, progress->done, progress->total);
	} else {
		snprintf(count, sizeof(count), "%" PRIu64, progress->done);
	}
	if (progress->total > progress->done && rate > 0.0) {
		char time_left[32];
		format_duration(time_left, sizeof(time_left),
				(int64_t)((double)(progress->total - progress->done) / rate + 0.5));
		snprintf(left, sizeof(left), ", %s left", time_left);
	}
	if (progress->bar)
		fprintf(stderr, "\r%s %s %s %s, %.0f/s%s\033[K", progress->title, bar, count, progress->unit, rate,
			left);
	else
		fprintf(stderr, "jagfs: %s: %s %s, %.0f/s%s\n", progress->title, count, progress->unit, rate, left);
	fflush(stderr);
	progress->drawn = true;
}

void jag_progress_update(struct jag_progress *progress, uint64_t done, uint64_t total)
{
	if (progress->quiet)
		return;
	int64_t now = now_ms();
	bool due = now >= __atomic_load_n(&progress->next_ms, __ATOMIC_RELAXED) || (progress->drawn && done == total);
	if (!due || pthread_mutex_trylock(&progress->draw) != 0)
		return;
	if (done >= progress->done) { /* updates of several threads may arrive out of order */
		progress->done = done;
		progress->total = total;
		draw(progress, now);
		__atomic_store_n(&progress->next_ms, now + (progress->bar ? BAR_EVERY_MS : LINE_EVERY_MS),
				 __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&progress->draw);
}

void jag_progress_finish(struct jag_progress *progress)
{
	/* Short work that never drew anything stays silent. */
	if (progress->drawn && progress->bar) {
		fputc('\n', stderr);
		fflush(stderr);
	}
	pthread_mutex_destroy(&progress->draw);
}
