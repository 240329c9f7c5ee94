/* SPDX-License-Identifier: MIT */
/* options.c - parses VALUE and PATH=VALUE lists and finds the value for a leaf. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Values hold no '=', paths may: so the last one splits. */
static int parse_item(const char *name, const char *text, size_t nbytes, struct jag_option_item *item,
		      struct jag_error *err)
{
	item->memory = strndup(text, nbytes);
	if (!item->memory)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	char *equals = strrchr(item->memory, '=');
	item->value = equals ? equals + 1 : item->memory;
	if (equals) {
		*equals = '\0';
		item->path = item->memory;
		for (size_t n = strlen(item->path); n > 0 && item->path[n - 1] == '/'; n--)
			item->path[n - 1] = '\0';
		while (*item->path == '/')
			item->path++;
	}
	if (!*item->value || (item->path && !*item->path))
		return jag_error_set(err, -EINVAL, NULL, 0, "option %s: \"%.*s\" is neither VALUE nor PATH=VALUE", name,
				     (int)nbytes, text);
	return 0;
}

int jag_option_list_parse(const char *name, const char *text, struct jag_option_list *out, struct jag_error *err)
{
	*out = (struct jag_option_list){ .name = name };
	if (!text)
		return 0;
	size_t count = 1;
	for (const char *p = text; *p; p++)
		count += *p == ':';
	out->items = calloc(count, sizeof(*out->items));
	if (!out->items)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	for (const char *p = text;; p++) {
		size_t nbytes = strcspn(p, ":");
		int rc = parse_item(name, p, nbytes, &out->items[out->count++], err);
		if (rc) {
			jag_option_list_free(out);
			return rc;
		}
		p += nbytes;
		if (!*p)
			return 0;
	}
}

void jag_option_list_free(struct jag_option_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].memory);
	free(list->items);
	*list = (struct jag_option_list){ 0 };
}

const char *jag_option_find(struct jag_option_list *list, const char *path, bool *exact)
{
	const char *value = NULL;
	bool named = false;
	for (size_t i = 0; i < list->count; i++) {
		struct jag_option_item *item = &list->items[i];
		if (item->path) {
			if (!path || strcmp(item->path, path) != 0)
				continue;
			item->used = true;
			value = item->value;
			named = true;
		} else if (!named) {
			value = item->value;
		}
	}
	if (exact)
		*exact = named;
	return value;
}

int jag_option_list_unused(const struct jag_option_list *list, struct jag_error *err)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].path && !list->items[i].used)
			return jag_error_set(err, -EINVAL, NULL, 0, "option %s: no leaf is called \"%s\" here",
					     list->name, list->items[i].path);
	return 0;
}
