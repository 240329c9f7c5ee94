/* SPDX-License-Identifier: MIT */
/* sizes.c - pages of (hash, size) pairs, found by the upper bits of the node id: 256 consecutive elements of one format
 * share a page. Each stripe has its own table of pages and its own lock. */
#include "sizes.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "../tree/node.h"
#include "jag/table.h"

#define PAGE_ITEMS 256
#define STRIPES 64 /* by the upper 6 bits of the mixed key: the tables in them use the lower ones */

/* Two arrays, not an array of pairs: a pair would be padded to 16 bytes. */
struct page {
	struct jag_link link;
	uint64_t hash[PAGE_ITEMS];
	uint32_t size[PAGE_ITEMS]; /* one more than the size; 0: not set */
};

struct stripe {
	pthread_mutex_t lock; /* all of the stripe and its pages */
	struct jag_table pages;
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

static void free_page(struct jag_link *link)
{
	free(jag_record(link, struct page, link));
}

void jag_sizes_destroy(struct jag_sizes *sizes)
{
	if (!sizes)
		return;
	for (unsigned i = 0; i < STRIPES; i++) {
		struct stripe *stripe = &sizes->stripes[i];
		jag_table_finish(&stripe->pages, free_page);
		pthread_mutex_destroy(&stripe->lock);
	}
	free(sizes);
}

static struct page *find(const struct stripe *stripe, uint64_t key)
{
	struct jag_link *link = jag_table_find(&stripe->pages, key);
	return link ? jag_record(link, struct page, link) : NULL;
}

static struct page *page_for(struct stripe *stripe, uint64_t key)
{
	struct page *page = find(stripe, key);
	if (page)
		return page;
	page = calloc(1, sizeof(*page));
	if (page)
		page->link.key = key;
	if (page && jag_table_insert(&stripe->pages, &page->link)) {
		free(page);
		return NULL;
	}
	return page;
}

static struct stripe *stripe_of(struct jag_sizes *sizes, jag_node node, uint64_t *key, unsigned *item)
{
	node = jag_node_without_view(node);
	*key = node / PAGE_ITEMS;
	*item = (unsigned)(node % PAGE_ITEMS);
	return &sizes->stripes[jag_table_mix(*key) >> 58];
}

bool jag_sizes_get(struct jag_sizes *sizes, jag_node node, uint64_t *hash, uint64_t *size)
{
	uint64_t key;
	unsigned item;
	bool known = false;
	struct stripe *stripe = stripe_of(sizes, node, &key, &item);
	pthread_mutex_lock(&stripe->lock);
	const struct page *page = find(stripe, key);
	if (page && page->size[item]) {
		*hash = page->hash[item];
		*size = page->size[item] - 1U;
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
