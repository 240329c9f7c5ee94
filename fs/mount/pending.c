/* SPDX-License-Identifier: MIT */
/* pending.c - a small table, searched from end to end: it is empty but for moments. */
#include "pending.h"

#include "clock.h"

void jag_pending_init(struct jag_pending *pending, struct jag_nodes *nodes)
{
	*pending = (struct jag_pending){ .nodes = nodes };
	pthread_mutex_init(&pending->lock, NULL);
}

/* Under the lock. */
static void remove_entry(struct jag_pending *pending, struct jag_pending_entry *entry)
{
	if (jag_nodes_drop(pending->nodes, &entry->staging->node, 1, 0))
		jag_staging_free(entry->staging);
	entry->staging = NULL;
	__atomic_sub_fetch(&pending->count, 1, __ATOMIC_RELEASE);
}

/* Its thread has not come back, and will not: such an entry holds a whole file, and keeps sizes from being cached. */
static bool is_over(const struct jag_pending_entry *entry, int64_t now)
{
	return now - entry->ms > (entry->guess ? JAG_PENDING_GUESS_MS : JAG_PENDING_MS);
}

void jag_pending_finish(struct jag_pending *pending)
{
	for (size_t i = 0; i < JAG_PENDING_COUNT; i++)
		if (pending->entries[i].staging)
			remove_entry(pending, &pending->entries[i]);
	pthread_mutex_destroy(&pending->lock);
}

void jag_pending_add(struct jag_pending *pending, pid_t tid, jag_node base, struct jag_staging *staging, bool guess)
{
	int64_t now = jag_now_ms();
	pthread_mutex_lock(&pending->lock);
	struct jag_pending_entry *slot = &pending->entries[0];
	for (size_t i = 0; i < JAG_PENDING_COUNT; i++) {
		struct jag_pending_entry *entry = &pending->entries[i];
		/* an earlier one of the same thread has come to nothing */
		if (entry->staging && (is_over(entry, now) || (tid && entry->tid == tid)))
			remove_entry(pending, entry);
		if (!entry->staging ? slot->staging != NULL : slot->staging && entry->ms < slot->ms)
			slot = entry;
	}
	if (slot->staging)
		remove_entry(pending, slot);
	*slot = (struct jag_pending_entry){ .staging = staging, .base = base, .tid = tid, .ms = now, .guess = guess };
	__atomic_add_fetch(&pending->count, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&pending->lock);
}

struct jag_staging *jag_pending_find(struct jag_pending *pending, pid_t tid, jag_node base)
{
	struct jag_staging *staging = NULL;
	if (__atomic_load_n(&pending->count, __ATOMIC_ACQUIRE) == 0)
		return NULL;
	int64_t now = jag_now_ms();
	pthread_mutex_lock(&pending->lock);
	for (size_t i = 0; i < JAG_PENDING_COUNT && !staging; i++) {
		struct jag_pending_entry *entry = &pending->entries[i];
		if (entry->staging && is_over(entry, now))
			remove_entry(pending, entry);
		if (!entry->staging || entry->tid != tid || entry->base != base)
			continue;
		staging = entry->staging;
		jag_nodes_add_lookup(pending->nodes, &staging->node);
	}
	pthread_mutex_unlock(&pending->lock);
	return staging;
}

bool jag_pending_end(struct jag_pending *pending, struct jag_staging *staging)
{
	bool found = false;
	if (__atomic_load_n(&pending->count, __ATOMIC_ACQUIRE) == 0)
		return false;
	pthread_mutex_lock(&pending->lock);
	for (size_t i = 0; i < JAG_PENDING_COUNT && !found; i++) {
		found = pending->entries[i].staging == staging;
		if (found)
			remove_entry(pending, &pending->entries[i]);
	}
	pthread_mutex_unlock(&pending->lock);
	return found;
}
