/* SPDX-License-Identifier: MIT */
/* workers.c - N threads over an index range, in chunks that each thread takes when it is ready for more; first error
 * wins, cancellation, reports from the calling thread.
 *
 * "First" is the lowest index, not the earliest time: chunks are handed out in rising order, so when index f fails,
 * every chunk below f has been taken by somebody, and that somebody finishes it. Chunks above f are not started. The
 * result is that the same bad file is named whatever the number of threads. */
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define REPORT_NS 100000000L /* 0.1 s between two reports */

struct pool {
	const struct jag_workers *job;
	uint64_t chunk;
	atomic_uint_least64_t next; /* first index that nobody has taken */
	atomic_uint_least64_t stop; /* lowest index that failed; UINT64_MAX: none */
	atomic_uint_least64_t items, nbytes;
	pthread_mutex_t mutex;  /* error, error_code, running */
	pthread_cond_t changed; /* running became 0 */
	unsigned running;
	int code;
	struct jag_error *error;
};

struct thread {
	struct pool *pool;
	unsigned worker;
	pthread_t id;
};

unsigned jag_workers_cpus(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	int n = CPU_COUNT(&set);
	return n > 0 ? (unsigned)n : 1;
}

unsigned jag_workers_threads(const struct jag_workers *job)
{
	unsigned n = job->count ? job->count : jag_workers_cpus();
	if (n > JAG_WORKERS_MAX)
		n = JAG_WORKERS_MAX;
	if (n > job->total)
		n = job->total ? (unsigned)job->total : 1;
	return n;
}

/* About 32 chunks for each thread: small enough that all end together, large enough that taking one costs nothing. */
static uint64_t chunk_size(const struct jag_workers *job, unsigned threads)
{
	if (job->chunk)
		return job->chunk;
	uint64_t chunk = job->total / ((uint64_t)threads * 32);
	return chunk < 1 ? 1 : chunk > 64 ? 64 : chunk;
}

/* Keep the error of the lowest index. */
static void keep_error(struct pool *pool, uint64_t index, int code, const struct jag_error *error)
{
	pthread_mutex_lock(&pool->mutex);
	if (index < atomic_load(&pool->stop)) {
		atomic_store(&pool->stop, index);
		pool->code = code;
		if (pool->error)
			*pool->error = *error;
	}
	pthread_mutex_unlock(&pool->mutex);
}

/* Take and do one chunk; false when there is nothing more to do. */
static bool do_chunk(struct pool *pool, unsigned worker)
{
	const struct jag_workers *job = pool->job;
	if (jag_watch_cancelled(job->watch))
		return false;
	uint64_t first = atomic_fetch_add(&pool->next, pool->chunk);
	if (first >= job->total || first > atomic_load(&pool->stop))
		return false;
	uint64_t left = job->total - first;
	struct jag_range range = {
		.worker = worker, .first = first, .n = left < pool->chunk ? left : pool->chunk, .failed_at = first
	};
	struct jag_error error = { 0 };
	int rc = job->work(job->ctx, &range, &error);
	if (rc) {
		keep_error(pool, range.failed_at, rc, &error);
		return false;
	}
	atomic_fetch_add(&pool->items, range.n);
	atomic_fetch_add(&pool->nbytes, range.nbytes);
	return true;
}

static void report(const struct pool *pool)
{
	const struct jag_workers *job = pool->job;
	if (!job->watch || !job->watch->report)
		return;
	struct jag_progress_state state = {
		.phase = job->phase,
		.items_done = atomic_load(&pool->items),
		.items_total = job->total,
		.nbytes_done = atomic_load(&pool->nbytes),
		.nbytes_total = job->nbytes_total,
	};
	job->watch->report(job->watch->ctx, &state);
}

static void *thread_main(void *arg)
{
	struct thread *thread = arg;
	struct pool *pool = thread->pool;
	while (do_chunk(pool, thread->worker))
		;
	pthread_mutex_lock(&pool->mutex);
	if (--pool->running == 0)
		pthread_cond_signal(&pool->changed);
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

/* Wait for the threads, and report now and then meanwhile. */
static void wait_and_report(struct pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	while (pool->running > 0) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += REPORT_NS;
		if (until.tv_nsec >= 1000000000L) {
			until.tv_sec++;
			until.tv_nsec -= 1000000000L;
		}
		int rc = pthread_cond_timedwait(&pool->changed, &pool->mutex, &until);
		if (rc == ETIMEDOUT) {
			pthread_mutex_unlock(&pool->mutex);
			report(pool);
			pthread_mutex_lock(&pool->mutex);
		}
	}
	pthread_mutex_unlock(&pool->mutex);
}

/* Start the threads; as many as can be had, at least one. Signals stay with the caller's thread. */
static int start(struct pool *pool, struct thread *threads, unsigned count, unsigned *started)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pool->running = count;
	unsigned n = 0;
	int rc = 0;
	for (; n < count; n++) {
		threads[n] = (struct thread){ .pool = pool, .worker = n };
		rc = pthread_create(&threads[n].id, NULL, thread_main, &threads[n]);
		if (rc)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_mutex_lock(&pool->mutex);
	pool->running -= count - n;
	pthread_mutex_unlock(&pool->mutex);
	*started = n;
	return n ? 0 : -rc;
}

static int run_threads(struct pool *pool, unsigned count)
{
	struct thread *threads = calloc(count, sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	unsigned started;
	int rc = start(pool, threads, count, &started);
	wait_and_report(pool);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i].id, NULL);
	free(threads);
	return rc;
}

static void run_here(struct pool *pool)
{
	struct timespec last = { 0 }, now;
	while (do_chunk(pool, 0)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((now.tv_sec - last.tv_sec) * 1000000000L + (now.tv_nsec - last.tv_nsec) < REPORT_NS)
			continue;
		last = now;
		report(pool);
	}
}

int jag_workers_run(const struct jag_workers *job, struct jag_error *err)
{
	unsigned count = jag_workers_threads(job);
	struct pool pool = { .job = job, .chunk = chunk_size(job, count), .error = err };
	atomic_init(&pool.stop, UINT64_MAX);
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&pool.mutex, NULL);
	pthread_cond_init(&pool.changed, &attr);
	pthread_condattr_destroy(&attr);

	int rc = 0;
	if (count > 1)
		rc = run_threads(&pool, count);
	else
		run_here(&pool);
	if (rc)
		jag_error_set(err, rc, NULL, 0, "cannot start a thread");
	else if (pool.code)
		rc = pool.code;
	else if (jag_watch_cancelled(job->watch) && atomic_load(&pool.items) < job->total)
		rc = jag_error_set(err, -ECANCELED, NULL, 0, "interrupted");
	if (!rc)
		report(&pool);
	pthread_cond_destroy(&pool.changed);
	pthread_mutex_destroy(&pool.mutex);
	return rc;
}
