/* SPDX-License-Identifier: MIT */
/* store.c - opening and closing: finds the kind of container and lets it build the model; see jag/store.h. */
#include "jag/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "model.h"

#define OPEN_TRIES 100 /* while others replace the store again and again */

static const struct jag_store_kind *find_kind(const struct jag_probe *probe)
{
	if (jag_kind_tensordict.probe(probe))
		return &jag_kind_tensordict;
	for (const struct jag_store_kind *const *kind = jag_kinds_unsupported; *kind; kind++) {
		if ((*kind)->probe(probe))
			return *kind;
	}
	return NULL;
}

/* The directory, or the one that holds the file and the file in it. */
static int open_root(struct jag_store *store, struct jag_probe *probe, struct jag_error *err)
{
	struct stat st;
	if (stat(store->path, &st) < 0)
		return jag_error_set(err, -errno, store->path, 0, "%s", strerror(errno));
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return jag_error_set(err, -EINVAL, store->path, 0, "not a store: neither a directory nor a file");
	char *slash = strrchr(store->path, '/');
	bool split = S_ISREG(st.st_mode);
	if (split)
		*slash = '\0';
	int rc = jag_root_open(split && !*store->path ? "/" : store->path, &store->root_dir);
	if (split)
		*slash = '/';
	if (rc == 0 && split) {
		struct jag_file *file;
		rc = jag_model_open_file(store, slash + 1, true, &file);
		if (rc == 0) {
			probe->file = file;
			probe->nbytes = file->nbytes;
		}
	}
	if (rc)
		return jag_error_set(err, rc, store->path, 0, "cannot be opened: %s", strerror(-rc));
	probe->path = store->path;
	probe->root = &store->root_dir;
	return 0;
}

/* A store whose top level cannot be read has nothing to show. */
static int check_root(struct jag_store *store, struct jag_error *err)
{
	struct jag_error fault = { 0 };
	if (store->root->fault == 0)
		return 0;
	jag_store_first_fault(store, store->root, &fault);
	int code = fault.code == -EACCES ? -EACCES : -EINVAL;
	return jag_error_set(err, code, fault.path, fault.offset, "%s", fault.message);
}

static int open_kind(struct jag_store *store, struct jag_error *err)
{
	struct jag_probe probe = { 0 };
	int rc = open_root(store, &probe, err);
	if (rc)
		return rc;
	store->kind = find_kind(&probe);
	if (!store->kind)
		return jag_error_set(err, -EINVAL, store->path, 0,
				     probe.file ? "not a store of any known kind"
						: "not a tensordict store: no meta.json in it");
	if (!store->kind->open)
		return jag_error_set(err, -ENOTSUP, store->path, 0, "is a %s: not supported yet", store->kind->name);
	rc = store->kind->open(store, err);
	return rc ? rc : check_root(store, err);
}

/* Is another directory at the path than the one that was opened? Then files may have gone while they were looked for. */
static bool was_replaced(const struct jag_store *store)
{
	struct stat named, open_one;
	return store->root_dir.fd >= 0 && !stat(store->path, &named) && S_ISDIR(named.st_mode) &&
	       !fstat(store->root_dir.fd, &open_one) &&
	       (named.st_dev != open_one.st_dev || named.st_ino != open_one.st_ino);
}

/* *replaced: what was found may be half of a store that is being removed. */
static int open_once(const char *path, unsigned flags, struct jag_store **out, bool *replaced, struct jag_error *err)
{
	char *real JAG_AUTO_FREE = realpath(path, NULL);
	if (!real)
		return jag_error_set(err, -errno, path, 0, "%s", strerror(errno));
	struct jag_store *store = calloc(1, sizeof(*store));
	if (!store)
		return jag_error_set(err, -ENOMEM, path, 0, "out of memory");
	store->path = JAG_STEAL(real);
	store->flags = flags;
	store->root_dir.fd = -1;
	int rc = open_kind(store, err);
	*replaced = was_replaced(store);
	if (rc) {
		jag_store_close(store);
		return rc;
	}
	*out = store;
	return 0;
}

int jag_store_open(const char *path, unsigned flags, struct jag_store **out, struct jag_error *err)
{
	for (int i = 0;; i++) {
		bool replaced = false;
		int rc = open_once(path, flags, out, &replaced, err);
		if (!replaced || i == OPEN_TRIES)
			return rc;
		if (!rc)
			jag_store_close(*out);
	}
}

void jag_store_close(struct jag_store *store)
{
	if (!store)
		return;
	jag_model_free_all(store);
	jag_root_close(&store->root_dir);
	free(store->path);
	free(store);
}

const struct jag_collection *jag_store_root(const struct jag_store *store)
{
	return store->root;
}

const char *jag_store_path(const struct jag_store *store)
{
	return store->path;
}

const char *jag_store_kind_name(const struct jag_store *store)
{
	return store->kind->name;
}

int jag_store_statvfs(const struct jag_store *store, struct statvfs *out)
{
	return jag_root_statvfs(&store->root_dir, out);
}

int jag_store_attr(const struct jag_store *store, struct jag_file_attr *out)
{
	return jag_root_attr(&store->root_dir, out);
}
