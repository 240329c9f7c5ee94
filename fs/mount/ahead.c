/* SPDX-License-Identifier: MIT */
/* ahead.c - watches for readers that walk a directory in order, and warms what comes next on a few threads.
 *
 * The threads are nice: where every CPU has something else to do they get a tenth of the time of one that is not, which
 * does little harm, and still lets a reader go on that waits for an element which is just being encoded. Readers and the
 * threads that answer them come first. Jobs are dropped when the reader gets there before us. */
#include "ahead.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define WALK_COUNT 16  /* directories watched at a time */
#define QUEUE_COUNT 64 /* jobs waiting; a power of two */
#define DISTANCE 32    /* elements ahead of the reader */
#define REFILL 4       /* queued at a time: waking a thread costs more than a request */
#define RUN_BEFORE 2   /* steps in order before it counts as a walk */
#define THREADS_MAX 8
#define NICE 10

/* A reader in a directory. */
struct walk {
	jag_node dir;      /* 0: free */
	jag_node last;     /* asked for last */
	jag_node next;     /* what a walk in order asks for next; 0: nothing */
	jag_node far;      /* queued last; 0: nothing queued */
	unsigned run;      /* steps in order so far */
	unsigned distance; /* elements from `last` to `far` */
	uint64_t used;     /* for replacing the one that rested longest */
};

struct jag_ahead {
	struct jag_content *content;
	const struct jag_tree *tree;
	pthread_mutex_t lock; /* all below */
	pthread_cond_t wake;
	struct walk walks[WALK_COUNT];
	uint64_t clock;
	jag_node queue[QUEUE_COUNT];
	unsigned head, count; /* a job of 0 is void */
	pthread_t threads[THREADS_MAX];
	unsigned thread_count, thread_wanted;
	bool stop;
	uint64_t warmed; /* atomic */
};

int jag_ahead_create(struct jag_content *content, struct jag_ahead **out)
{
	struct jag_ahead *ahead = calloc(1, sizeof(*ahead));
	cpu_set_t cpus;
	if (!ahead)
		return -ENOMEM;
	ahead->content = content;
	ahead->tree = jag_content_tree(content);
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
	ahead->thread_wanted = count > THREADS_MAX ? THREADS_MAX : (unsigned)count;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->wake, NULL);
	*out = ahead;
	return 0;
}

void jag_ahead_destroy(struct jag_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->stop = true;
	pthread_cond_broadcast(&ahead->wake);
	pthread_mutex_unlock(&ahead->lock);
	for (unsigned i = 0; i < ahead->thread_count; i++)
		pthread_join(ahead->threads[i], NULL);
	pthread_cond_destroy(&ahead->wake);
	pthread_mutex_destroy(&ahead->lock);
	free(ahead);
}

static void *run(void *arg)
{
	struct jag_ahead *ahead = arg;
	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); /* on Linux, of this thread; not nicer is no fault */
	pthread_mutex_lock(&ahead->lock);
	while (!ahead->stop) {
		if (!ahead->count) {
			pthread_cond_wait(&ahead->wake, &ahead->lock);
			continue;
		}
		jag_node node = ahead->queue[ahead->head++ % QUEUE_COUNT];
		ahead->count--;
		if (!node)
			continue; /* the reader was faster */
		pthread_mutex_unlock(&ahead->lock);
		/* Errors are for the reader who really asks. */
		if (jag_content_warm(ahead->content, node) == 0)
			__atomic_fetch_add(&ahead->warmed, 1, __ATOMIC_RELAXED);
		pthread_mutex_lock(&ahead->lock);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* Under the lock: what the reader asks for itself needs no job any more. */
static void forget_job(struct jag_ahead *ahead, jag_node node)
{
	while (ahead->count && !ahead->queue[ahead->head % QUEUE_COUNT]) {
		ahead->head++;
		ahead->count--;
	}
	for (unsigned i = 0; i < ahead->count; i++)
		if (ahead->queue[(ahead->head + i) % QUEUE_COUNT] == node)
			ahead->queue[(ahead->head + i) % QUEUE_COUNT] = 0;
}

/* Under the lock. Signals are for the main thread, which unmounts. */
static void start_threads(struct jag_ahead *ahead)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (ahead->thread_count < ahead->thread_wanted) {
		if (pthread_create(&ahead->threads[ahead->thread_count], NULL, run, ahead) != 0) {
			ahead->thread_wanted = ahead->thread_count;
			break;
		}
		ahead->thread_count++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* The walk in this directory, or the one that rested longest, made new. */
static struct walk *find_walk(struct jag_ahead *ahead, jag_node dir)
{
	struct walk *oldest = &ahead->walks[0];
	for (size_t i = 0; i < WALK_COUNT; i++) {
		if (ahead->walks[i].dir == dir)
			return &ahead->walks[i];
		if (ahead->walks[i].used < oldest->used)
			oldest = &ahead->walks[i];
	}
	*oldest = (struct walk){ .dir = dir };
	return oldest;
}

/* Queue what is less than DISTANCE ahead and not queued yet, if it is enough to wake somebody for. */
static void extend(struct jag_ahead *ahead, struct walk *walk)
{
	bool queued = false;
	if (!walk->far) {
		walk->far = walk->last;
		walk->distance = 0;
	}
	if (walk->distance > DISTANCE - REFILL)
		return;
	while (walk->distance < DISTANCE && ahead->count < QUEUE_COUNT) {
		jag_node next;
		if (jag_tree_neighbour(ahead->tree, walk->far, 1, &next) != 0)
			break;
		ahead->queue[(ahead->head + ahead->count++) % QUEUE_COUNT] = next;
		walk->far = next;
		walk->distance++;
		queued = true;
	}
	if (queued) {
		start_threads(ahead);
		pthread_cond_broadcast(&ahead->wake);
	}
}

void jag_ahead_note(struct jag_ahead *ahead, jag_node node)
{
	jag_node dir;
	if (!ahead || ahead->thread_wanted < 2 || jag_tree_parent(ahead->tree, node, &dir) != 0)
		return;
	pthread_mutex_lock(&ahead->lock);
	struct walk *walk = find_walk(ahead, dir);
	walk->used = ++ahead->clock;
	forget_job(ahead, node);
	if (node == walk->last) {
		/* LOOKUP, then OPEN, of the same file */
	} else if (node == walk->next) {
		walk->run++;
		if (walk->distance)
			walk->distance--;
		else
			walk->far = 0; /* the reader has overtaken us */
		walk->last = node;
	} else {
		*walk = (struct walk){ .dir = dir, .last = node, .used = walk->used };
	}
	if (jag_tree_neighbour(ahead->tree, node, 1, &walk->next) != 0)
		walk->next = 0;
	if (walk->run >= RUN_BEFORE)
		extend(ahead, walk);
	pthread_mutex_unlock(&ahead->lock);
}

uint64_t jag_ahead_count(const struct jag_ahead *ahead)
{
	return ahead ? __atomic_load_n(&ahead->warmed, __ATOMIC_RELAXED) : 0;
}
