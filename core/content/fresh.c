/* SPDX-License-Identifier: MIT */
/* fresh.c - a small table, one place for each hash of a node. */
#include "fresh.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <xxhash.h>

#define ITEMS 256 /* a power of two; more than are encoded ahead of all readers */

struct item {
	jag_node node; /* 0: free */
	uint64_t size;
	struct jag_fresh_look look;
};

struct jag_fresh {
	pthread_mutex_t lock;
	uint64_t generation;
	struct item items[ITEMS];
};

int jag_fresh_create(struct jag_fresh **out)
{
	struct jag_fresh *fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	pthread_mutex_init(&fresh->lock, NULL);
	*out = fresh;
	return 0;
}

void jag_fresh_destroy(struct jag_fresh *fresh)
{
	if (!fresh)
		return;
	pthread_mutex_destroy(&fresh->lock);
	free(fresh);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct item *item_of(struct jag_fresh *fresh, jag_node node)
{
	return &fresh->items[XXH3_64bits(&node, sizeof(node)) & (ITEMS - 1)];
}

struct jag_fresh_look jag_fresh_begin(struct jag_fresh *fresh)
{
	struct jag_fresh_look look = { .when = now() };
	pthread_mutex_lock(&fresh->lock);
	look.generation = fresh->generation;
	pthread_mutex_unlock(&fresh->lock);
	return look;
}

void jag_fresh_set(struct jag_fresh *fresh, jag_node node, uint64_t size, struct jag_fresh_look look)
{
	pthread_mutex_lock(&fresh->lock);
	struct item *item = item_of(fresh, node);
	/* An encoding takes its time: meanwhile others may have looked again, and found another content. */
	if (item->node != node || item->look.when <= look.when)
		*item = (struct item){ .node = node, .size = size, .look = look };
	pthread_mutex_unlock(&fresh->lock);
}

void jag_fresh_clear(struct jag_fresh *fresh)
{
	pthread_mutex_lock(&fresh->lock);
	fresh->generation++;
	pthread_mutex_unlock(&fresh->lock);
}

void jag_fresh_drop(struct jag_fresh *fresh, jag_node node)
{
	pthread_mutex_lock(&fresh->lock);
	struct item *item = item_of(fresh, node);
	/* What is being looked at since before now is out of date too. */
	if (item->node == node)
		item->look = (struct jag_fresh_look){ .generation = fresh->generation - 1, .when = now() };
	pthread_mutex_unlock(&fresh->lock);
}

bool jag_fresh_get(struct jag_fresh *fresh, jag_node node, double max_age, uint64_t *size, double *age)
{
	pthread_mutex_lock(&fresh->lock);
	struct item item = *item_of(fresh, node);
	bool valid = item.node == node && item.look.generation == fresh->generation;
	pthread_mutex_unlock(&fresh->lock);
	if (!valid)
		return false;
	*size = item.size;
	*age = now() - item.look.when;
	return *age >= 0 && *age < max_age;
}
