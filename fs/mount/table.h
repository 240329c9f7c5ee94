/* SPDX-License-Identifier: MIT */
/* table.h - a hash table from 64-bit ids to records that embed a link. No allocation for each record, no locking: the
 * owner of the table locks. */
#ifndef JAG_MOUNT_TABLE_H
#define JAG_MOUNT_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct jag_link {
	struct jag_link *next;
	uint64_t key;
};

struct jag_table {
	struct jag_link **buckets; /* NULL until the first insert */
	size_t bucket_count;       /* a power of two */
	size_t count;
};

/* Well mixed bits of an id, for buckets and shards. */
uint64_t jag_table_mix(uint64_t key);

/* NULL if there is none. */
struct jag_link *jag_table_find(const struct jag_table *table, uint64_t key);

/* The key must not be there yet. -ENOMEM. */
int jag_table_insert(struct jag_table *table, struct jag_link *link);

/* The link must be there. */
void jag_table_remove(struct jag_table *table, struct jag_link *link);

/* Any record, for emptying; NULL if there is none. */
struct jag_link *jag_table_any(const struct jag_table *table);

/* Frees the buckets, not the records. */
void jag_table_finish(struct jag_table *table);

/* The record that embeds `link` as `member`. */
#define jag_record(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

#endif
