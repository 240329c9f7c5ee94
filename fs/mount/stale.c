/* SPDX-License-Identifier: MIT */
/* stale.c - a small memory of ESTALE answers and of what the lookups after them found. */
#include "stale.h"

#include <string.h>

#include "clock.h"
#include "jag/table.h"

#define RECENT_MS 1000 /* an ESTALE, a lookup and an open follow each other at once, but on a busy machine */

void jag_stale_init(struct jag_stale *stale)
{
	memset(stale, 0, sizeof(*stale));
	pthread_mutex_init(&stale->lock, NULL);
}

void jag_stale_finish(struct jag_stale *stale)
{
	for (size_t i = 0; i < JAG_STALE_OFFERS; i++)
		jag_blob_unref(stale->offers[i].blob);
	pthread_mutex_destroy(&stale->lock);
}

/* The mark of this thread and file, or the one to take for it: the oldest of its set. */
static struct jag_stale_mark *mark_of(struct jag_stale_mark *marks, pid_t tid, jag_node base)
{
	size_t set = (size_t)(jag_table_mix(base ^ (uint64_t)tid << 32) % (JAG_STALE_COUNT / JAG_STALE_WAYS));
	struct jag_stale_mark *at = marks + set * JAG_STALE_WAYS, *oldest = at;
	for (size_t i = 0; i < JAG_STALE_WAYS; i++) {
		if (at[i].base == base && at[i].tid == tid)
			return &at[i];
		if (at[i].ms < oldest->ms)
			oldest = &at[i];
	}
	return oldest;
}

static bool is_recent(const struct jag_stale_mark *mark, pid_t tid, jag_node base)
{
	return mark->base == base && mark->tid == tid && jag_now_ms() - mark->ms < RECENT_MS;
}

static bool is_unused(const struct jag_stale *stale)
{
	return __atomic_load_n(&stale->total, __ATOMIC_RELAXED) == 0;
}

/* Offers are whole files: they must not stay when nobody needs them any more. */
static void drop_old_offers(struct jag_stale *stale)
{
	int64_t now = jag_now_ms();
	for (size_t i = 0; i < JAG_STALE_OFFERS; i++) {
		struct jag_stale_offer *offer = &stale->offers[i];
		if (offer->blob && now - offer->ms >= RECENT_MS) {
			jag_blob_unref(offer->blob);
			*offer = (struct jag_stale_offer){ 0 };
		}
	}
}

bool jag_stale_wants_offer(struct jag_stale *stale, jag_node base)
{
	if (is_unused(stale))
		return false;
	pthread_mutex_lock(&stale->lock);
	drop_old_offers(stale);
	bool wants = is_recent(mark_of(stale->files, 0, base), 0, base);
	pthread_mutex_unlock(&stale->lock);
	return wants;
}

void jag_stale_offer(struct jag_stale *stale, uint64_t id, struct jag_blob *blob)
{
	pthread_mutex_lock(&stale->lock);
	struct jag_stale_offer *offer = &stale->offers[stale->next_offer++ % JAG_STALE_OFFERS];
	struct jag_blob *old = offer->blob;
	*offer = (struct jag_stale_offer){ id, jag_blob_ref(blob), jag_now_ms() };
	pthread_mutex_unlock(&stale->lock);
	jag_blob_unref(old);
}

bool jag_stale_again(struct jag_stale *stale, pid_t tid, jag_node base)
{
	__atomic_fetch_add(&stale->total, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&stale->lock);
	struct jag_stale_mark *mark = mark_of(stale->threads, tid, base);
	bool again = is_recent(mark, tid, base);
	if (!again) {
		*mark = (struct jag_stale_mark){ base, tid, jag_now_ms() };
		*mark_of(stale->files, 0, base) = (struct jag_stale_mark){ base, 0, mark->ms };
	}
	pthread_mutex_unlock(&stale->lock);
	return again;
}

struct jag_blob *jag_stale_take(struct jag_stale *stale, uint64_t id)
{
	struct jag_blob *blob = NULL;
	pthread_mutex_lock(&stale->lock);
	drop_old_offers(stale);
	for (size_t i = 1; i <= JAG_STALE_OFFERS && !blob; i++) { /* the newest first */
		const struct jag_stale_offer *offer = &stale->offers[(stale->next_offer - i) % JAG_STALE_OFFERS];
		if (offer->id == id)
			blob = jag_blob_ref(offer->blob);
	}
	pthread_mutex_unlock(&stale->lock);
	return blob;
}

void jag_stale_clear(struct jag_stale *stale, pid_t tid, jag_node base)
{
	if (is_unused(stale))
		return;
	pthread_mutex_lock(&stale->lock);
	struct jag_stale_mark *mark = mark_of(stale->threads, tid, base);
	if (mark->base == base && mark->tid == tid)
		*mark = (struct jag_stale_mark){ 0 };
	pthread_mutex_unlock(&stale->lock);
}
