/* SPDX-License-Identifier: MIT */
/* times.c - a ring of the last elements with a time of their own, and a table to find them. Memory is allocated with
 * the first entry: most mounts never write. */
#include "times.h"

#include <errno.h>
#include <stdlib.h>

#include "jag/table.h"

#define SLOT_COUNT 65536

struct slot {
	struct jag_link link; /* key: the node; 0: empty */
	struct timespec mtime;
};

struct jag_times {
	pthread_mutex_t lock;
	struct jag_table table;
	struct slot *slots;
	size_t next;    /* the oldest slot */
	uint64_t count; /* atomic: nothing to look for while it is 0 */
};

int jag_times_create(struct jag_times **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	pthread_mutex_init(&(*out)->lock, NULL);
	return 0;
}

void jag_times_destroy(struct jag_times *times)
{
	if (!times)
		return;
	pthread_mutex_destroy(&times->lock);
	jag_table_finish(&times->table, NULL);
	free(times->slots);
	free(times);
}

void jag_times_set(struct jag_times *times, jag_node node, const struct timespec *mtime)
{
	pthread_mutex_lock(&times->lock);
	if (!times->slots)
		times->slots = calloc(SLOT_COUNT, sizeof(*times->slots));
	if (!times->slots)
		goto out; /* out of memory: the old time stays */
	struct jag_link *link = jag_table_find(&times->table, node);
	if (link) {
		jag_record(link, struct slot, link)->mtime = *mtime;
		goto out;
	}
	struct slot *slot = &times->slots[times->next];
	if (slot->link.key)
		jag_table_remove(&times->table, &slot->link);
	*slot = (struct slot){ .link = { .key = node }, .mtime = *mtime };
	if (jag_table_insert(&times->table, &slot->link))
		slot->link.key = 0;
	else
		times->next = (times->next + 1) % SLOT_COUNT;
	__atomic_store_n(&times->count, times->table.count, __ATOMIC_RELEASE);
out:
	pthread_mutex_unlock(&times->lock);
}

bool jag_times_get(struct jag_times *times, jag_node node, struct timespec *mtime)
{
	if (__atomic_load_n(&times->count, __ATOMIC_ACQUIRE) == 0)
		return false;
	pthread_mutex_lock(&times->lock);
	struct jag_link *link = jag_table_find(&times->table, node);
	if (link)
		*mtime = jag_record(link, struct slot, link)->mtime;
	pthread_mutex_unlock(&times->lock);
	return link != NULL;
}
