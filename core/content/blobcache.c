/* SPDX-License-Identifier: MIT */
/* blobcache.c - a hash table of entries, each busy (being encoded) or finished; finished ones are in a list by last use.
 *
 *   absent --begin--> busy --end, keep--> finished --evicted--> absent
 *                          --end, else--> absent; an entry that others still wait for is freed by the last of them
 */
#include "blobcache.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct entry {
	uint64_t key;
	struct entry *chain;         /* next in the bucket */
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
	struct entry **buckets;
	size_t bucket_count, entry_count;
	struct list lists[2]; /* by enum jag_blob_sort */
	uint64_t limit;
};

#define FIRST_BUCKETS 256

int jag_blobcache_create(uint64_t limit_nbytes, struct jag_blobcache **out)
{
	struct jag_blobcache *cache = calloc(1, sizeof(*cache));
	if (!cache)
		return -ENOMEM;
	cache->buckets = calloc(FIRST_BUCKETS, sizeof(struct entry *));
	if (!cache->buckets) {
		free(cache);
		return -ENOMEM;
	}
	cache->bucket_count = FIRST_BUCKETS;
	cache->limit = limit_nbytes;
	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->ended, NULL);
	*out = cache;
	return 0;
}

void jag_blobcache_destroy(struct jag_blobcache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->bucket_count; i++) {
		for (struct entry *entry = cache->buckets[i], *next; entry; entry = next) {
			next = entry->chain;
			jag_blob_unref(entry->blob);
			free(entry);
		}
	}
	pthread_cond_destroy(&cache->ended);
	pthread_mutex_destroy(&cache->lock);
	free(cache->buckets);
	free(cache);
}

static struct entry **find(struct jag_blobcache *cache, uint64_t key)
{
	struct entry **at = &cache->buckets[key & (cache->bucket_count - 1)];
	while (*at && (*at)->key != key)
		at = &(*at)->chain;
	return at;
}

/* Long chains are slow, not wrong: no memory for more buckets is no failure. */
static void widen(struct jag_blobcache *cache)
{
	size_t wider = cache->bucket_count * 2;
	struct entry **buckets = calloc(wider, sizeof(struct entry *));
	if (!buckets)
		return;
	for (size_t i = 0; i < cache->bucket_count; i++) {
		for (struct entry *entry = cache->buckets[i], *next; entry; entry = next) {
			next = entry->chain;
			entry->chain = buckets[entry->key & (wider - 1)];
			buckets[entry->key & (wider - 1)] = entry;
		}
	}
	free(cache->buckets);
	cache->buckets = buckets;
	cache->bucket_count = wider;
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

static void take_out(struct jag_blobcache *cache, struct entry *entry)
{
	*find(cache, entry->key) = entry->chain;
	cache->entry_count--;
}

/* An entry that is out of the table: freed now, or by the last of those who wait for it. */
static void drop(struct entry *entry)
{
	entry->detached = true;
	if (entry->waiters > 0)
		return;
	jag_blob_unref(entry->blob);
	free(entry);
}

/* Handles that still hold the blob keep it alive; it only is no longer found. */
static void evict(struct jag_blobcache *cache, struct entry *entry)
{
	unlist(cache, entry);
	take_out(cache, entry);
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
	if (cache->entry_count >= cache->bucket_count)
		widen(cache);
	entry->key = key;
	entry->busy = true;
	entry->chain = cache->buckets[key & (cache->bucket_count - 1)];
	cache->buckets[key & (cache->bucket_count - 1)] = entry;
	cache->entry_count++;
	return 0;
}

int jag_blobcache_begin(struct jag_blobcache *cache, uint64_t key, struct jag_blob **blob)
{
	int rc;
	pthread_mutex_lock(&cache->lock);
	struct entry *entry = *find(cache, key);
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
	struct entry *entry = *find(cache, key);
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
	struct entry *entry = *find(cache, key);
	if (entry && entry->busy) {
		entry->busy = false;
		entry->rc = rc;
		entry->sort = sort;
		entry->blob = blob ? jag_blob_ref(blob) : NULL;
		if (blob && keep && blob->nbytes <= cache->limit) {
			enlist(cache, entry);
			make_room(cache);
		} else {
			take_out(cache, entry);
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
