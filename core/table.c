/* SPDX-License-Identifier: MIT */
/* table.c - chained hash table that doubles when it is full and keeps its size when it empties. */
#include "jag/table.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_BUCKETS 64

uint64_t jag_table_mix(uint64_t key)
{
	/* The finaliser of splitmix64: neighbouring elements, which differ in low bits, spread evenly. */
	key ^= key >> 30;
	key *= UINT64_C(0xbf58476d1ce4e5b9);
	key ^= key >> 27;
	key *= UINT64_C(0x94d049bb133111eb);
	return key ^ key >> 31;
}

static struct jag_link **bucket_of(const struct jag_table *table, uint64_t key)
{
	return &table->buckets[jag_table_mix(key) & (table->bucket_count - 1)];
}

struct jag_link *jag_table_find(const struct jag_table *table, uint64_t key)
{
	if (!table->count)
		return NULL;
	struct jag_link *link = *bucket_of(table, key);
	while (link && link->key != key)
		link = link->next;
	return link;
}

/* Failing to grow an existing table only makes its chains longer. */
static int grow(struct jag_table *table)
{
	size_t count = table->bucket_count ? table->bucket_count * 2 : FIRST_BUCKETS;
	struct jag_table bigger = { calloc(count, sizeof(struct jag_link *)), count, table->count };
	if (!bigger.buckets)
		return table->buckets ? 0 : -ENOMEM;
	for (size_t i = 0; i < table->bucket_count; i++) {
		for (struct jag_link *link = table->buckets[i], *next; link; link = next) {
			struct jag_link **bucket = bucket_of(&bigger, link->key);
			next = link->next;
			link->next = *bucket;
			*bucket = link;
		}
	}
	free(table->buckets);
	*table = bigger;
	return 0;
}

int jag_table_insert(struct jag_table *table, struct jag_link *link)
{
	if (table->count >= table->bucket_count) {
		int rc = grow(table);
		if (rc)
			return rc;
	}
	struct jag_link **bucket = bucket_of(table, link->key);
	link->next = *bucket;
	*bucket = link;
	table->count++;
	return 0;
}

void jag_table_remove(struct jag_table *table, struct jag_link *link)
{
	struct jag_link **at = bucket_of(table, link->key);
	while (*at != link)
		at = &(*at)->next;
	*at = link->next;
	table->count--;
}

struct jag_link *jag_table_any(const struct jag_table *table)
{
	for (size_t i = 0; table->count && i < table->bucket_count; i++)
		if (table->buckets[i])
			return table->buckets[i];
	return NULL;
}

void jag_table_finish(struct jag_table *table, void (*release)(struct jag_link *link))
{
	for (size_t i = 0; release && i < table->bucket_count; i++) {
		for (struct jag_link *link = table->buckets[i], *next; link; link = next) {
			next = link->next;
			release(link);
		}
	}
	free(table->buckets);
	*table = (struct jag_table){ 0 };
}
