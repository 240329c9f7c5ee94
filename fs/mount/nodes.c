/* SPDX-License-Identifier: MIT */
/* nodes.c - the table of dynamic nodes and their counts. */
#include "nodes.h"

#include "control.h"
#include "staging.h"
#include "versions.h"

void jag_nodes_init(struct jag_nodes *nodes)
{
	*nodes = (struct jag_nodes){ .next = JAG_NODE_CONTROL - JAG_NODE_FOREIGN + 1 };
	pthread_mutex_init(&nodes->lock, NULL);
}

/* At unmount the kernel does not forget one by one. */
void jag_nodes_finish(struct jag_nodes *nodes)
{
	struct jag_link *link;
	while ((link = jag_table_any(&nodes->table))) {
		struct jag_dynamic *node = jag_record(link, struct jag_dynamic, link);
		jag_table_remove(&nodes->table, link);
		if (node->kind == JAG_DYNAMIC_VERSION)
			jag_version_free(node);
		else if (node->kind == JAG_DYNAMIC_STAGING)
			jag_staging_free(jag_staging_of(node));
		else
			jag_control_free(node);
	}
	jag_table_finish(&nodes->table, NULL);
	pthread_mutex_destroy(&nodes->lock);
}

int jag_nodes_add(struct jag_nodes *nodes, struct jag_dynamic *node, enum jag_dynamic_kind kind)
{
	pthread_mutex_lock(&nodes->lock);
	node->link.key = JAG_NODE_FOREIGN | nodes->next++;
	node->kind = kind;
	node->lookups = 1;
	node->holds = 0;
	int rc = jag_table_insert(&nodes->table, &node->link);
	pthread_mutex_unlock(&nodes->lock);
	return rc;
}

struct jag_dynamic *jag_nodes_get(struct jag_nodes *nodes, uint64_t id)
{
	struct jag_dynamic *node = NULL;
	pthread_mutex_lock(&nodes->lock);
	struct jag_link *link = jag_table_find(&nodes->table, id);
	if (link) {
		node = jag_record(link, struct jag_dynamic, link);
		node->holds++;
	}
	pthread_mutex_unlock(&nodes->lock);
	return node;
}

void jag_nodes_hold(struct jag_nodes *nodes, struct jag_dynamic *node)
{
	pthread_mutex_lock(&nodes->lock);
	node->holds++;
	pthread_mutex_unlock(&nodes->lock);
}

void jag_nodes_add_lookup(struct jag_nodes *nodes, struct jag_dynamic *node)
{
	pthread_mutex_lock(&nodes->lock);
	node->lookups++;
	pthread_mutex_unlock(&nodes->lock);
}

bool jag_nodes_drop(struct jag_nodes *nodes, struct jag_dynamic *node, uint64_t lookups, uint64_t holds)
{
	pthread_mutex_lock(&nodes->lock);
	node->lookups = node->lookups > lookups ? node->lookups - lookups : 0;
	node->holds -= holds;
	bool gone = node->lookups == 0 && node->holds == 0;
	if (gone)
		jag_table_remove(&nodes->table, &node->link);
	pthread_mutex_unlock(&nodes->lock);
	return gone;
}

size_t jag_nodes_count(struct jag_nodes *nodes)
{
	pthread_mutex_lock(&nodes->lock);
	size_t count = nodes->table.count;
	pthread_mutex_unlock(&nodes->lock);
	return count;
}
