/* SPDX-License-Identifier: MIT */
/* readback.c - a bounded table of written files, chained by element and format, and listed by age. */
#include "readback.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

#include "blob.h"
#include "copy.h"

#define BUCKETS 4096 /* a power of two */
#define BITS 65536   /* of a set of elements */
#define OVERHEAD 256 /* of an entry, so that a million empty files are bounded too */

struct entry {
	struct entry *next; /* in the bucket */
	struct entry *older, *newer;
	jag_node element;
	enum jag_format format;
	uint64_t hash; /* of the element's bytes */
	struct jag_blob *blob;
};

struct jag_readback {
	uint64_t limit;
	pthread_mutex_t lock;
	struct entry **buckets; /* allocated with the first entry: most mounts never write */
	struct entry *oldest, *newest;
	uint64_t nbytes; /* of all blobs, and OVERHEAD for each */
	/* Elements that ever had an entry; those that ever had one of an unusual size. Atomic words; bits are never taken
	 * back. */
	uint64_t touched[BITS / 64], resized[BITS / 64];
};

int jag_readback_create(uint64_t limit_nbytes, struct jag_readback **out)
{
	struct jag_readback *readback = calloc(1, sizeof(*readback));
	if (!readback)
		return -ENOMEM;
	readback->limit = limit_nbytes;
	pthread_mutex_init(&readback->lock, NULL);
	*out = readback;
	return 0;
}

void jag_readback_destroy(struct jag_readback *readback)
{
	if (!readback)
		return;
	for (struct entry *entry = readback->oldest, *newer; entry; entry = newer) {
		newer = entry->newer;
		jag_blob_unref(entry->blob);
		free(entry);
	}
	pthread_mutex_destroy(&readback->lock);
	free(readback->buckets);
	free(readback);
}

static uint64_t mix(jag_node element)
{
	return XXH3_64bits(&element, sizeof(element));
}

static struct entry **bucket_of(const struct jag_readback *readback, jag_node element)
{
	return &readback->buckets[mix(element) & (BUCKETS - 1)];
}

/* The place that points to the entry, or to the end of its chain. */
static struct entry **find(const struct jag_readback *readback, jag_node element, enum jag_format format)
{
	struct entry **at = bucket_of(readback, element);
	while (*at && ((*at)->element != element || (*at)->format != format))
		at = &(*at)->next;
	return at;
}

static void drop(struct jag_readback *readback, struct entry **at)
{
	struct entry *entry = *at;
	if (!entry)
		return;
	*at = entry->next;
	*(entry->older ? &entry->older->newer : &readback->oldest) = entry->newer;
	*(entry->newer ? &entry->newer->older : &readback->newest) = entry->older;
	readback->nbytes -= entry->blob->nbytes + OVERHEAD;
	jag_blob_unref(entry->blob);
	free(entry);
}

static void add(struct jag_readback *readback, struct entry *entry)
{
	struct entry **bucket = bucket_of(readback, entry->element);
	entry->next = *bucket;
	*bucket = entry;
	entry->older = readback->newest;
	*(readback->newest ? &readback->newest->newer : &readback->oldest) = entry;
	readback->newest = entry;
	readback->nbytes += entry->blob->nbytes + OVERHEAD;
	while (readback->nbytes > readback->limit)
		drop(readback, find(readback, readback->oldest->element, readback->oldest->format));
}

static struct entry *make_entry(jag_node element, enum jag_format format, uint64_t hash, const void *bytes,
				size_t nbytes)
{
	struct jag_buffer copy = { 0 };
	struct entry *entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	*entry = (struct entry){ .element = element, .format = format, .hash = hash };
	uint64_t identity = jag_hash_bytes(bytes, nbytes, hash);
	if (jag_buffer_append(&copy, bytes, nbytes) || jag_blob_take(&copy, identity, &entry->blob)) {
		jag_buffer_free(&copy);
		free(entry);
		return NULL;
	}
	return entry;
}

static void mark(uint64_t *set, jag_node element)
{
	uint64_t bit = mix(element) % BITS;
	__atomic_fetch_or(&set[bit / 64], UINT64_C(1) << bit % 64, __ATOMIC_RELEASE);
}

static bool is_marked(const uint64_t *set, jag_node element)
{
	uint64_t bit = mix(element) % BITS;
	return __atomic_load_n(&set[bit / 64], __ATOMIC_ACQUIRE) >> bit % 64 & 1;
}

bool jag_readback_touched(const struct jag_readback *readback, jag_node element)
{
	return is_marked(readback->touched, element);
}

bool jag_readback_resized(const struct jag_readback *readback, jag_node element)
{
	return is_marked(readback->resized, element);
}

void jag_readback_set(struct jag_readback *readback, jag_node element, enum jag_format format, uint64_t hash,
		      const void *bytes, size_t nbytes, bool usual_size)
{
	struct entry *entry = NULL;
	if (nbytes <= readback->limit && readback->limit - nbytes >= OVERHEAD)
		entry = make_entry(element, format, hash, bytes, nbytes);
	if (!entry && !jag_readback_touched(readback, element))
		return;
	mark(readback->touched, element);
	if (!usual_size)
		mark(readback->resized, element);
	pthread_mutex_lock(&readback->lock);
	if (!readback->buckets)
		readback->buckets = calloc(BUCKETS, sizeof(struct entry *));
	if (readback->buckets) {
		struct entry **old = find(readback, element, format);
		drop(readback, old);
		if (entry)
			add(readback, entry);
		entry = NULL;
	}
	pthread_mutex_unlock(&readback->lock);
	if (entry) { /* no memory for the table */
		jag_blob_unref(entry->blob);
		free(entry);
	}
}

struct jag_blob *jag_readback_get(struct jag_readback *readback, jag_node element, enum jag_format format,
				  uint64_t hash)
{
	struct jag_blob *blob = NULL;
	if (!jag_readback_touched(readback, element))
		return NULL;
	pthread_mutex_lock(&readback->lock);
	struct entry **at = readback->buckets ? find(readback, element, format) : NULL;
	if (at && *at) {
		if ((*at)->hash == hash)
			blob = jag_blob_ref((*at)->blob);
		else
			drop(readback, at);
	}
	pthread_mutex_unlock(&readback->lock);
	return blob;
}

uint64_t jag_readback_nbytes(struct jag_readback *readback)
{
	pthread_mutex_lock(&readback->lock);
	uint64_t nbytes = readback->nbytes;
	pthread_mutex_unlock(&readback->lock);
	return nbytes;
}
