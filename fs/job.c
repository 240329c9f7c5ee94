/* SPDX-License-Identifier: MIT */
/* job.c - progress and interruption of long work. The signal handler only stores two flags; the workers look at one of
 * them between elements. */
#include "job.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static struct jag_job *current;
static volatile sig_atomic_t stopped_by;

static void on_signal(int signal)
{
	stopped_by = signal;
	atomic_store(&current->watch.cancel, true);
}

static const char *phase_unit(const struct jag_job *job, enum jag_phase phase)
{
	switch (phase) {
	case JAG_PHASE_SCAN:
		return "files found";
	case JAG_PHASE_HEADERS:
		return "headers";
	case JAG_PHASE_ALLOCATE:
		return "MB reserved";
	case JAG_PHASE_WORK:
		break;
	case JAG_PHASE_SYNC:
		return "MB on disk";
	}
	return job->unit;
}

/* The bar starts again with the next report. */
static void end_bar(struct jag_job *job)
{
	if (job->bar_on)
		jag_progress_finish(&job->bar);
	job->bar_on = false;
}

static void on_report(void *ctx, const struct jag_progress_state *state)
{
	struct jag_job *job = ctx;
	if (job->bar_on && job->phase != state->phase)
		end_bar(job);
	if (!job->bar_on) {
		job->phase = state->phase;
		job->bar_on = true;
		jag_progress_start(&job->bar, job->title, phase_unit(job, state->phase), job->quiet);
	}
	if (state->phase == JAG_PHASE_ALLOCATE || state->phase == JAG_PHASE_SYNC)
		jag_progress_update(&job->bar, state->nbytes_done / 1000000, state->nbytes_total / 1000000);
	else
		jag_progress_update(&job->bar, state->items_done, state->items_total);
}

void jag_job_start(struct jag_job *job, const char *title, const char *unit, bool quiet)
{
	*job = (struct jag_job){ .title = title, .unit = unit, .quiet = quiet };
	atomic_init(&job->watch.cancel, false);
	job->watch.report = on_report;
	job->watch.ctx = job;
	current = job;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART };
	const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction before;
		/* nohup and background jobs of scripts have them ignored: that stays. */
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	signal(SIGXFSZ, SIG_IGN);
	/* Who reads the messages may go away: the work goes on, and what is half done is not left behind. */
	signal(SIGPIPE, SIG_IGN);
}

void jag_job_note(void *job, const char *what, const char *text)
{
	end_bar(job);
	jag_ui_error(what, "%s", text);
}

int jag_job_finish(struct jag_job *job, const char *what, int rc, const struct jag_error *err)
{
	end_bar(job);
	if (!rc)
		return JAG_EXIT_OK;
	if (rc == -ECANCELED && stopped_by) {
		jag_ui_error(what, "interrupted; nothing was left behind");
		return 128 + stopped_by;
	}
	return jag_ui_failure(what, rc, err);
}
