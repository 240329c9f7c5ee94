/* SPDX-License-Identifier: MIT */
/* stage_names.c - a chained hash table of created names. */
#include "stage_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct jag_stage_name {
	struct jag_stage_name *next;
	struct jag_staging *staging;
	jag_node dir;
	char name[];
};

void jag_stage_names_init(struct jag_stage_names *names, struct jag_nodes *nodes)
{
	*names = (struct jag_stage_names){ .nodes = nodes };
	pthread_mutex_init(&names->lock, NULL);
}

uint64_t jag_stage_names_finish(struct jag_stage_names *names)
{
	uint64_t left = names->count;
	for (size_t i = 0; i < JAG_STAGE_BUCKETS; i++) {
		for (struct jag_stage_name *entry = names->buckets[i], *next; entry; entry = next) {
			next = entry->next;
			jag_staging_drop_name(entry->staging);
			if (jag_nodes_drop(names->nodes, &entry->staging->node, 0, 1))
				jag_staging_free(entry->staging);
			free(entry);
		}
	}
	pthread_mutex_destroy(&names->lock);
	return left;
}

/* FNV-1a */
static struct jag_stage_name **bucket_of(struct jag_stage_names *names, jag_node dir, const char *name)
{
	uint64_t hash = jag_table_mix(dir);
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return &names->buckets[jag_table_mix(hash) & (JAG_STAGE_BUCKETS - 1)];
}

/* Under the lock: the place that points to the entry, or to the end of its chain. */
static struct jag_stage_name **find(struct jag_stage_names *names, jag_node dir, const char *name)
{
	struct jag_stage_name **at = bucket_of(names, dir, name);
	while (*at && ((*at)->dir != dir || strcmp((*at)->name, name) != 0))
		at = &(*at)->next;
	return at;
}

int jag_stage_names_add(struct jag_stage_names *names, jag_node dir, const char *name, struct jag_staging *staging)
{
	size_t n = strlen(name) + 1;
	struct jag_stage_name *entry = calloc(1, sizeof(*entry) + n);
	if (!entry)
		return -ENOMEM;
	entry->dir = dir;
	entry->staging = staging;
	memcpy(entry->name, name, n);
	pthread_mutex_lock(&names->lock);
	struct jag_stage_name **at = find(names, dir, name);
	int rc = *at ? -EEXIST : 0;
	if (rc == 0) {
		jag_nodes_hold(names->nodes, &staging->node);
		*at = entry;
		__atomic_add_fetch(&names->count, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&names->lock);
	if (rc)
		free(entry);
	return rc;
}

struct jag_staging *jag_stage_names_find(struct jag_stage_names *names, jag_node dir, const char *name)
{
	if (__atomic_load_n(&names->count, __ATOMIC_ACQUIRE) == 0)
		return NULL;
	pthread_mutex_lock(&names->lock);
	struct jag_stage_name *entry = *find(names, dir, name);
	struct jag_staging *staging = entry ? entry->staging : NULL;
	if (staging)
		jag_nodes_hold(names->nodes, &staging->node);
	pthread_mutex_unlock(&names->lock);
	return staging;
}

int jag_stage_names_exchange(struct jag_stage_names *names, jag_node dir, const char *name, jag_node new_dir,
			     const char *new_name)
{
	pthread_mutex_lock(&names->lock);
	struct jag_stage_name *a = *find(names, dir, name), *b = *find(names, new_dir, new_name);
	int rc = a && b ? 0 : -ENOENT;
	if (rc == 0) {
		struct jag_staging *staging = a->staging;
		a->staging = b->staging;
		b->staging = staging;
	}
	pthread_mutex_unlock(&names->lock);
	return rc;
}

struct jag_staging *jag_stage_names_remove(struct jag_stage_names *names, jag_node dir, const char *name)
{
	struct jag_staging *staging = NULL;
	pthread_mutex_lock(&names->lock);
	struct jag_stage_name **at = find(names, dir, name), *entry = *at;
	if (entry) {
		*at = entry->next;
		staging = entry->staging;
		__atomic_sub_fetch(&names->count, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&names->lock);
	free(entry);
	return staging;
}
