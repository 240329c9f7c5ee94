/* SPDX-License-Identifier: MIT */
/* table.h - a hash table from 64-bit keys to records that embed a link. It owns its buckets, never the records.
 *
 * Threads: no locking: the owner of the table locks. */
#ifndef JAG_TABLE_H
#define JAG_TABLE_H

#include "jag/api.h"

struct jag_link {
	struct jag_link *next;
	uint64_t key;
};

/* {0} is an empty table. */
struct jag_table {
	struct jag_link **buckets; /* NULL until the first insert */
	size_t bucket_count;       /* a power of two */
	size_t count;
};

/* Well mixed bits of a key, for buckets and shards. */
JAG_API uint64_t jag_table_mix(uint64_t key);

/* NULL if there is none. */
JAG_API struct jag_link *jag_table_find(const struct jag_table *table, uint64_t key);

/* The key must not be there yet. -ENOMEM. */
JAG_API int jag_table_insert(struct jag_table *table, struct jag_link *link);

/* The link must be there. */
JAG_API void jag_table_remove(struct jag_table *table, struct jag_link *link);

/* Any record, for emptying; NULL if there is none. */
JAG_API struct jag_link *jag_table_any(const struct jag_table *table);

/* Call `release` (may be NULL) for every record, which it may free, and free the buckets: {0} again. */
JAG_API void jag_table_finish(struct jag_table *table, void (*release)(struct jag_link *link));

/* The record that embeds `link` as `member`. */
#define jag_record(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

#endif
