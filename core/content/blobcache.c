/* SPDX-License-Identifier: MIT */
/* blobcache.c - a table of entries, each busy (being encoded) or finished; finished ones are in a list by last use.
 *
 *   absent --begin--> busy --end, keep--> finished --evicted--> absent
 *                          --end, else--> absent; an entry that others still wait for is freed by the last of them
 */
#include "blobcache.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "jag/table.h"

struct entry {
	struct jag_link link;
	struct entry *newer, *older; /* finished ones, by last use */
	struct jag_blob *blob;
	enum jag_blob_sort sort;
	bool busy;
	bool detached; /* out of the table; its last waiter frees it */
	int rc;
	unsigned waiters;
};

struct list {
	struct entry *newest, *oldest;
	uint64_t nbytes;
};

struct jag_blobcache {
	pthread_mutex_t lock; /* everything below, and every entry */
	pthread_cond_t ended;
	struct jag_table entries;
	struct list lists[2]; /* by enum jag_blob_sort */
	uint64_t limit;
};

int jag_blobcache_create(uint64_t limit_nbytes, struct jag_blobcache **out)
{
	struct jag_blobcache *cache = calloc(1, sizeof(*cache));
	if (!cache)
		return -ENOMEM;
	cache->limit = limit_nbytes;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->ended, NULL);
	*out = cache;
	return 0;
}

static void free_entry(struct jag_link *link)
{
	struct entry *entry = jag_record(link, struct entry, link);
	jag_blob_unref(entry->blob);
	free(entry);
}

void jag_blobcache_destroy(struct jag_blobcache *cache)
{
	if (!cache)
		return;
	jag_table_finish(&cache->entries, free_entry);
	pthread_cond_destroy(&cache->ended);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

static struct entry *find(const struct jag_blobcache *cache, uint64_t key)
{
	struct jag_link *link = jag_table_find(&cache->entries, key);
	return link ? jag_record(link, struct entry, link) : NULL;
}

static void unlist(struct jag_blobcache *cache, struct entry *entry)
{
	struct list *list = &cache->lists[entry->sort];
	*(entry->newer ? &entry->newer->older : &list->newest) = entry->older;
	*(entry->older ? &entry->older->newer : &list->oldest) = entry->newer;
	list->nbytes -= entry->blob->nbytes;
}

static void enlist(struct jag_blobcache *cache, struct entry *entry)
{
	struct list *list = &cache->lists[entry->sort];
	entry->newer = NULL;
	entry->older = list->newest;
	*(list->newest ? &list->newest->newer : &list->oldest) = entry;
	list->newest = entry;
	list->nbytes += entry->blob->nbytes;
}

/* An entry that is out of the table: freed now, or by the last of those who wait for it. */
static void drop(struct entry *entry)
{
	entry->detached = true;
	if (entry->waiters > 0)
		return;
	free_entry(&entry->link);
}

/* Handles that still hold the blob keep it alive; it only is no longer found. */
static void evict(struct jag_blobcache *cache, struct entry *entry)
{
	unlist(cache, entry);
	jag_table_remove(&cache->entries, &entry->link);
	drop(entry);
}

/* Cheap ones first; costly ones go only for another costly one, because cheap ones are gone by then. */
static void make_room(struct jag_blobcache *cache)
{
	struct list *cheap = &cache->lists[JAG_BLOB_CHEAP], *costly = &cache->lists[JAG_BLOB_COSTLY];
	while (cheap->oldest && (cheap->nbytes + costly->nbytes > cache->limit || cheap->nbytes > cache->limit / 4))
		evict(cache, cheap->oldest);
	while (costly->oldest && costly->nbytes > cache->limit)
		evict(cache, costly->oldest);
}

/* A waiter's entry has ended, one way or another. */
static int leave(struct entry *entry, struct jag_blob **blob)
{
	int rc = entry->rc;
	if (entry->blob) {
		*blob = jag_blob_ref(entry->blob);
		rc = 1;
	}
	if (--entry->waiters == 0 && entry->detached)
		drop(entry);
	return rc;
}

static int add_busy(struct jag_blobcache *cache, uint64_t key)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->link.key = key;
	entry->busy = true;
	int rc = jag_table_insert(&cache->entries, &entry->link);
	if (rc)
		free(entry);
	return rc;
}

int jag_blobcache_begin(struct jag_blobcache *cache, uint64_t key, struct jag_blob **blob)
{
	int rc;
	pthread_mutex_lock(&cache->lock);
	struct entry *entry = find(cache, key);
	if (!entry) {
		rc = add_busy(cache, key);
	} else if (!entry->busy) {
		unlist(cache, entry);
		enlist(cache, entry);
		*blob = jag_blob_ref(entry->blob);
		rc = 1;
	} else {
		entry->waiters++;
		while (entry->busy)
			pthread_cond_wait(&cache->ended, &cache->lock);
		rc = leave(entry, blob);
	}
	pthread_mutex_unlock(&cache->lock);
	return rc;
}

bool jag_blobcache_get(struct jag_blobcache *cache, uint64_t key, struct jag_blob **blob)
{
	pthread_mutex_lock(&cache->lock);
	struct entry *entry = find(cache, key);
	bool found = entry && !entry->busy && entry->blob;
	if (found) {
		unlist(cache, entry);
		enlist(cache, entry);
		*blob = jag_blob_ref(entry->blob);
	}
	pthread_mutex_unlock(&cache->lock);
	return found;
}

void jag_blobcache_end(struct jag_blobcache *cache, uint64_t key, int rc, struct jag_blob *blob,
		       enum jag_blob_sort sort, bool keep)
{
	pthread_mutex_lock(&cache->lock);
	struct entry *entry = find(cache, key);
	if (entry && entry->busy) {
		entry->busy = false;
		entry->rc = rc;
		entry->sort = sort;
		entry->blob = blob ? jag_blob_ref(blob) : NULL;
		if (blob && keep && blob->nbytes <= cache->limit) {
			enlist(cache, entry);
			make_room(cache);
		} else {
			jag_table_remove(&cache->entries, &entry->link);
			drop(entry);
		}
		pthread_cond_broadcast(&cache->ended);
	}
	pthread_mutex_unlock(&cache->lock);
}

uint64_t jag_blobcache_nbytes(struct jag_blobcache *cache)
{
	pthread_mutex_lock(&cache->lock);
	uint64_t nbytes = cache->lists[0].nbytes + cache->lists[1].nbytes;
	pthread_mutex_unlock(&cache->lock);
	return nbytes;
}
