/* SPDX-License-Identifier: MIT */
/* options.h - tree options of the form VALUE or PATH=VALUE, several separated by ':' ("image=jpg:mask=png"). */
#ifndef JAG_TREE_OPTIONS_H
#define JAG_TREE_OPTIONS_H

#include "jag/error.h"

struct jag_option_item {
	char *path;        /* NULL: for every leaf */
	const char *value; /* in the same memory as `path` or `memory` */
	char *memory;
	bool used; /* some leaf has this path */
};

struct jag_option_list {
	const char *name; /* "format", for messages */
	struct jag_option_item *items;
	size_t count;
};

/* `text` NULL gives an empty list. -EINVAL for an empty value or path, naming the option; -ENOMEM. */
int jag_option_list_parse(const char *name, const char *text, struct jag_option_list *out, struct jag_error *err);
void jag_option_list_free(struct jag_option_list *list);

/* The value for the leaf at `path`: that of the last item with this path, else of the last one without; NULL if there
 * is neither. `path` NULL: a leaf outside of what is shown, which only the latter can mean. Marks items as used.
 * *exact (may be NULL) says whether it was named by its path. */
const char *jag_option_find(struct jag_option_list *list, const char *path, bool *exact);

/* -EINVAL if a path was named that no leaf has. */
int jag_option_list_unused(const struct jag_option_list *list, struct jag_error *err);

#endif
