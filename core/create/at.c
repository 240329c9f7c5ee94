/* SPDX-License-Identifier: MIT */
/* at.c - a place for a key by its path: in a new store, or as deep in one that is there as the path leads, with
 * the collections that are missing. */
#include "create_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "store/layout.h"

#define TRIES 1000 /* each finds one collection more than the one before */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* One component of a path, as a key: file names spell some bytes as %XX, and the empty key as "%". Anything else stays
 * as it is. */
static char *decode(const char *text, size_t n)
{
	char *key = malloc(n + 1), *out = key;
	if (!key)
		return NULL;
	if (n == 1 && *text == '%')
		n = 0;
	for (size_t i = 0; i < n; i++) {
		int high = text[i] == '%' && i + 2 < n ? hex_digit(text[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
		bool escape = low >= 0 && (high || low);
		*out++ = escape ? (char)(high * 16 + low) : text[i];
		i += escape ? 2 : 0;
	}
	*out = '\0';
	return key;
}

/* Cut the next component off; NULL at the end (or out of memory: *rc). */
static char *next_key(const char **path, int *rc)
{
	while (**path == '/')
		++*path;
	if (!**path)
		return NULL;
	size_t n = strcspn(*path, "/");
	char *key = decode(*path, n);
	*path += n;
	if (!key)
		*rc = -ENOMEM;
	return key;
}

static bool has_more(const char *path)
{
	return path[strspn(path, "/")];
}

static unsigned count_keys(const char *path)
{
	unsigned count = 0;
	for (; has_more(path); count++) {
		path += strspn(path, "/");
		path += strcspn(path, "/");
	}
	return count;
}

static const struct jag_collection *child(const struct jag_collection *parent, const char *key)
{
	for (size_t i = 0; i < parent->entry_count; i++) {
		const struct jag_entry *entry = &parent->entries[i];
		if (entry->type == JAG_ENTRY_COLLECTION && !strcmp(entry->collection->key, key))
			return entry->collection;
	}
	return NULL;
}

/* The deepest collection on the way that is there; *path is moved behind it. The last component is the new key. */
static int walk(const char *store_path, const char **path, char **directory, struct jag_error *err)
{
	struct jag_store *store;
	int rc = jag_store_open(store_path, 0, &store, err);
	if (rc)
		return rc;
	const struct jag_collection *at = jag_store_root(store);
	for (;;) {
		const char *rest = *path;
		char *key JAG_AUTO_FREE = next_key(&rest, &rc);
		const struct jag_collection *next = key && has_more(rest) ? child(at, key) : NULL;
		if (!next)
			break;
		at = next;
		*path = rest;
	}
	/* The fields of a tensorclass lie one level deeper. */
	const char *inner = at->kind == JAG_TENSORCLASS ? "/_tensordict" : "";
	if (!rc && asprintf(directory, "%s%s%s%s", store_path, *at->path ? "/" : "", at->path, inner) < 0) {
		*directory = NULL;
		rc = -ENOMEM;
	}
	jag_store_close(store);
	return rc;
}

static bool has_meta(const char *store)
{
	char *path JAG_AUTO_FREE = NULL;
	struct stat st;
	if (asprintf(&path, "%s/meta.json", store) < 0) {
		path = NULL;
		return false;
	}
	return !lstat(path, &st);
}

/* *again: another process has made or replaced the store just now. */
static int begin(const char *store, const char **path, unsigned flags, struct jag_create **out, bool *again,
		 struct jag_error *err)
{
	char *directory JAG_AUTO_FREE = NULL;
	int rc;
	if (!has_meta(store)) {
		rc = flags & JAG_CREATE_BARE ? jag_create_add(store, flags, out, err)
					     : jag_create_new(store, flags, out, err);
		*again = rc == -EEXIST && has_meta(store);
		return rc;
	}
	rc = walk(store, path, &directory, err);
	if (!rc)
		rc = jag_create_add(directory, flags & ~(unsigned)JAG_CREATE_BARE, out, err);
	*again = rc == -ESTALE; /* replaced since the walk */
	return rc;
}

/* Somebody has added it after the walk. */
static bool is_known_collection(const struct jag_create *create, const char *key)
{
	const struct jag_meta_member *member = jag_meta_find(&create->known, key);
	return member && member->type == JAG_META_COLLECTION;
}

/* *again: the store, or a collection on the way, was missing and is there now. */
static int try_at(const char *store, const char *path, unsigned flags, struct jag_create_at *out, bool *again,
		  struct jag_error *err)
{
	*out = (struct jag_create_at){ 0 };
	*again = false;
	int rc = begin(store, &path, flags, &out->create, again, err);
	if (rc)
		return rc;
	out->dir = jag_create_root(out->create);
	for (;;) {
		char *key = next_key(&path, &rc);
		if (rc || !has_more(path)) {
			out->key = key;
			break;
		}
		rc = jag_create_collection(out->dir, key, &out->dir, err);
		*again = rc == -EEXIST && is_known_collection(out->create, key);
		free(key);
		if (rc)
			break;
	}
	if (rc) {
		jag_create_discard(out->create);
		free(out->key);
		*out = (struct jag_create_at){ 0 };
	}
	return rc;
}

int jag_create_at(const char *store, const char *path, unsigned flags, struct jag_create_at *out, struct jag_error *err)
{
	bool again = true;
	int rc = -EINVAL;
	if (!has_more(path))
		return jag_error_set(err, rc, store, 0, "the key is empty");
	if (count_keys(path) > JAG_DEPTH_MAX + 1)
		return jag_error_set(err, -ENAMETOOLONG, store, 0, "the key lies deeper than %d collections",
				     JAG_DEPTH_MAX);
	/* A leaf of that name stays in the way; a collection that another process has just made does not. */
	for (int i = 0; i < TRIES && again; i++)
		rc = try_at(store, path, flags, out, &again, err);
	return rc;
}
