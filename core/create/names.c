/* SPDX-License-Identifier: MIT */
/* names.c - keys of a store in the making, the file names that they take, and the entries without bytes of their
 * own: sub-collections and non-tensor values. */
#include "create_impl.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "jag/store.h"
#include "json_text.h"

/* Files of the collection itself. */
static const char *const reserved_names[] = { "meta.json", "other.pickle", "pickle.pkl" };

/* "a/b" of the key path, for messages. */
char *jag_create_key_path(const struct jag_create_dir *dir, const char *name)
{
	char *path;
	if (asprintf(&path, "%s%s%s", dir->path, *dir->path ? "/" : "", name) < 0)
		return NULL;
	return path;
}

int jag_create_check_key(const struct jag_create_dir *dir, const char *key, struct jag_error *err)
{
	if (jag_meta_key_reserved(key))
		return jag_error_set(err, -EINVAL, key, 0, "is a name that the format keeps for itself");
	if (!jag_utf8_valid(key, strlen(key)))
		return jag_error_set(err, -EINVAL, key, 0, "is not UTF-8, as keys of a store have to be");
	bool known = !dir->parent && jag_meta_find(&dir->create->known, key);
	for (size_t i = 0; i < dir->entry_count; i++)
		known = known || !strcmp(dir->entries[i].key, key);
	if (known)
		return jag_error_set(err, -EEXIST, key, 0, "there is a key of this name already");
	return 0;
}

int jag_create_note_name(struct jag_create_dir *dir, const char *name)
{
	char **names = realloc(dir->names, (dir->name_count + 1) * sizeof(*names));
	if (!names)
		return -ENOMEM;
	dir->names = names;
	names[dir->name_count] = strdup(name);
	if (!names[dir->name_count])
		return -ENOMEM;
	dir->name_count++;
	return 0;
}

/* Take the file name key + suffix for this key. */
int jag_create_take_name(struct jag_create_dir *dir, const char *key, const char *suffix, struct jag_error *err)
{
	char encoded[NAME_MAX + 1], name[NAME_MAX + 32];
	int n = jag_key_encode(key, encoded, sizeof(encoded));
	if (n < 0 || (size_t)n + strlen(suffix) > NAME_MAX)
		return jag_error_set(err, -ENAMETOOLONG, key, 0,
				     "the file name of this key would be longer than %d bytes", NAME_MAX);
	snprintf(name, sizeof(name), "%s%s", encoded, suffix);
	bool taken = false;
	for (size_t i = 0; i < sizeof(reserved_names) / sizeof(reserved_names[0]); i++)
		taken = taken || !strcmp(name, reserved_names[i]);
	for (size_t i = 0; i < dir->name_count; i++)
		taken = taken || !strcmp(name, dir->names[i]);
	if (taken)
		return jag_error_set(err, -EEXIST, key, 0, "needs the file name %s, which is taken", name);
	return jag_create_note_name(dir, name);
}

/* The path below the store of the file that the last jag_create_take_name() took. */
char *jag_create_taken_path(const struct jag_create_dir *dir)
{
	return jag_create_key_path(dir, dir->names[dir->name_count - 1]);
}

/* Room for one more entry; the caller fills it in and counts it. */
int jag_create_new_entry(struct jag_create_dir *dir, const char *key, struct jag_create_entry **out)
{
	struct jag_create_entry *entries = realloc(dir->entries, (dir->entry_count + 1) * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	dir->entries = entries;
	struct jag_create_entry *entry = &entries[dir->entry_count];
	*entry = (struct jag_create_entry){ .key = strdup(key) };
	if (!entry->key)
		return -ENOMEM;
	*out = entry;
	return 0;
}

int jag_create_forget_entry(struct jag_create_entry *entry, int rc)
{
	free(entry->key);
	free(entry->path);
	return rc;
}

int jag_create_collection(struct jag_create_dir *parent, const char *key, struct jag_create_dir **out,
			  struct jag_error *err)
{
	int rc = jag_create_check_key(parent, key, err);
	if (!rc)
		rc = jag_create_take_name(parent, key, "", err);
	struct jag_create_entry *entry;
	if (!rc)
		rc = jag_create_new_entry(parent, key, &entry);
	if (rc)
		return rc;
	struct jag_create_dir *dir = calloc(1, sizeof(*dir));
	entry->type = JAG_CREATE_DIR;
	entry->path = jag_create_taken_path(parent);
	if (dir)
		dir->path = jag_create_taken_path(parent);
	if (!dir || !dir->path || !entry->path) {
		if (dir)
			free(dir->path);
		free(dir);
		return jag_create_forget_entry(entry, -ENOMEM);
	}
	dir->create = parent->create;
	dir->parent = parent;
	dir->batch_rank = parent->batch_rank;
	memcpy(dir->batch, parent->batch, parent->batch_rank * sizeof(int64_t));
	entry->dir = dir;
	parent->entry_count++;
	*out = dir;
	return 0;
}

int jag_create_value(struct jag_create_dir *dir, const char *key, const char *json, struct jag_error *err)
{
	enum json_tokener_error parse;
	struct json_object *object = json_tokener_parse_verbose(json, &parse);
	if (parse != json_tokener_success)
		return jag_error_set(err, -EINVAL, key, 0, "the value is not JSON: %s", json_tokener_error_desc(parse));
	json_object_put(object);
	int rc = jag_create_check_key(dir, key, err);
	if (!rc)
		rc = jag_create_take_name(dir, key, "", err);
	struct jag_create_entry *entry;
	if (!rc)
		rc = jag_create_new_entry(dir, key, &entry);
	if (rc)
		return rc;
	entry->type = JAG_CREATE_VALUE;
	entry->path = jag_create_taken_path(dir);
	entry->json = strdup(json);
	if (!entry->path || !entry->json) {
		free(entry->json);
		return jag_create_forget_entry(entry, -ENOMEM);
	}
	dir->entry_count++;
	return 0;
}
