/* SPDX-License-Identifier: MIT */
/* told.c - a set-associative memory of sizes told; the oldest entry of a set is replaced. */
#include "told.h"

#include <stdlib.h>

#include "jag/table.h"

struct jag_told_entry {
	jag_node node;
	struct jag_told_size told;
};

static struct jag_told_entry *set_of(const struct jag_told *told, jag_node node)
{
	return &told->entries[(jag_table_mix(node) & (JAG_TOLD_SETS - 1)) * JAG_TOLD_WAYS];
}

void jag_told_set(struct jag_told *told, jag_node node, const struct jag_told_size *size)
{
	if (!told->entries)
		told->entries = calloc(JAG_TOLD_SETS * JAG_TOLD_WAYS, sizeof(*told->entries));
	if (!told->entries)
		return; /* forgotten at once */
	struct jag_told_entry *set = set_of(told, node), *entry = &set[0];
	for (size_t i = 0; i < JAG_TOLD_WAYS && entry->node != node; i++)
		if (set[i].node == node || set[i].told.ms < entry->told.ms)
			entry = &set[i];
	*entry = (struct jag_told_entry){ node, *size };
}

struct jag_told_size jag_told_get(const struct jag_told *told, jag_node node)
{
	if (told->entries) {
		const struct jag_told_entry *set = set_of(told, node);
		for (size_t i = 0; i < JAG_TOLD_WAYS; i++)
			if (set[i].node == node)
				return set[i].told;
	}
	return (struct jag_told_size){ 0 };
}

void jag_told_finish(struct jag_told *told)
{
	free(told->entries);
	told->entries = NULL;
}
