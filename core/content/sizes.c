/* SPDX-License-Identifier: MIT */
/* sizes.c - pages of (hash, size) pairs, found by the upper bits of the node id: 256 consecutive elements of one format
 * share a page. Each stripe has its own table of pages and its own lock. */
#include "sizes.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <xxhash.h>

#include "../tree/node.h"

#define PAGE_ITEMS 256
#define STRIPES 64

/* Two arrays, not an array of pairs: a pair would be padded to 16 bytes. */
struct page {
	uint64_t hash[PAGE_ITEMS];
	uint32_t size[PAGE_ITEMS]; /* one more than the size; 0: not set */
};

struct slot {
	uint64_t key;
	struct page *page; /* NULL: free */
};

struct stripe {
	pthread_mutex_t lock; /* all of the stripe and its pages */
	struct slot *slots;   /* open addressing; a power of two */
	size_t capacity, used;
	uint64_t items;
};

struct jag_sizes {
	struct stripe stripes[STRIPES];
};

int jag_sizes_create(struct jag_sizes **out)
{
	struct jag_sizes *sizes = calloc(1, sizeof(*sizes));
	if (!sizes)
		return -ENOMEM;
	for (unsigned i = 0; i < STRIPES; i++)
		pthread_mutex_init(&sizes->stripes[i].lock, NULL);
	*out = sizes;
	return 0;
}

void jag_sizes_destroy(struct jag_sizes *sizes)
{
	if (!sizes)
		return;
	for (unsigned i = 0; i < STRIPES; i++) {
		struct stripe *stripe = &sizes->stripes[i];
		for (size_t j = 0; j < stripe->capacity; j++)
			free(stripe->slots[j].page);
		free(stripe->slots);
		pthread_mutex_destroy(&stripe->lock);
	}
	free(sizes);
}

static uint64_t mix(uint64_t key)
{
	return XXH3_64bits(&key, sizeof(key));
}

/* The page's slot, or the free one where it belongs. The table has a capacity. */
static struct slot *slot_of(const struct stripe *stripe, uint64_t key)
{
	size_t at = (mix(key) >> 8) & (stripe->capacity - 1);
	while (stripe->slots[at].page && stripe->slots[at].key != key)
		at = (at + 1) & (stripe->capacity - 1);
	return &stripe->slots[at];
}

static int enlarge(struct stripe *stripe)
{
	struct stripe larger = { .capacity = stripe->capacity ? stripe->capacity * 2 : 8 };
	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < stripe->capacity; i++)
		if (stripe->slots[i].page)
			*slot_of(&larger, stripe->slots[i].key) = stripe->slots[i];
	free(stripe->slots);
	stripe->slots = larger.slots;
	stripe->capacity = larger.capacity;
	return 0;
}

static struct page *page_for(struct stripe *stripe, uint64_t key)
{
	if (!stripe->capacity && enlarge(stripe))
		return NULL;
	struct slot *slot = slot_of(stripe, key);
	if (slot->page)
		return slot->page;
	if (stripe->used * 2 >= stripe->capacity) {
		if (enlarge(stripe))
			return NULL;
		slot = slot_of(stripe, key);
	}
	slot->page = calloc(1, sizeof(*slot->page));
	if (!slot->page)
		return NULL;
	slot->key = key;
	stripe->used++;
	return slot->page;
}

static struct stripe *stripe_of(struct jag_sizes *sizes, jag_node node, uint64_t *key, unsigned *item)
{
	node = jag_node_without_view(node);
	*key = node / PAGE_ITEMS;
	*item = (unsigned)(node % PAGE_ITEMS);
	return &sizes->stripes[mix(*key) % STRIPES];
}

bool jag_sizes_get(struct jag_sizes *sizes, jag_node node, uint64_t *hash, uint64_t *size)
{
	uint64_t key;
	unsigned item;
	bool known = false;
	struct stripe *stripe = stripe_of(sizes, node, &key, &item);
	pthread_mutex_lock(&stripe->lock);
	const struct slot *slot = stripe->capacity ? slot_of(stripe, key) : NULL;
	if (slot && slot->page && slot->page->size[item]) {
		*hash = slot->page->hash[item];
		*size = slot->page->size[item] - 1U;
		known = true;
	}
	pthread_mutex_unlock(&stripe->lock);
	return known;
}

void jag_sizes_set(struct jag_sizes *sizes, jag_node node, uint64_t hash, uint64_t size)
{
	uint64_t key;
	unsigned item;
	struct stripe *stripe = stripe_of(sizes, node, &key, &item);
	pthread_mutex_lock(&stripe->lock);
	struct page *page = page_for(stripe, key);
	if (page) {
		bool fits = size < UINT32_MAX;
		stripe->items += fits;
		stripe->items -= page->size[item] != 0;
		page->hash[item] = hash;
		page->size[item] = fits ? (uint32_t)size + 1 : 0;
	}
	pthread_mutex_unlock(&stripe->lock);
}

uint64_t jag_sizes_count(struct jag_sizes *sizes)
{
	uint64_t count = 0;
	for (unsigned i = 0; i < STRIPES; i++) {
		pthread_mutex_lock(&sizes->stripes[i].lock);
		count += sizes->stripes[i].items;
		pthread_mutex_unlock(&sizes->stripes[i].lock);
	}
	return count;
}
