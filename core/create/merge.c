/* SPDX-License-Identifier: MIT */
/* merge.c - the end of adding: files move from the temporary directory into the collection, then one rename of
 * meta.json makes the new keys appear, all at once.
 *
 * The directory is locked (lock.c) from reading meta.json to renaming it, and only there: two processes that add
 * different keys can fill their files at the same time, and neither loses the other's entry. A reader of meta.json needs
 * no lock: it sees the old one or the new one. */
#include "create_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "read_meta.h"
#include "transfer.h"

#define META_NEW "meta.json.new" /* in the temporary directory */

static int fail(const struct jag_create *create, int code, const char *what, struct jag_error *err)
{
	return jag_error_set(err, code, create->place.path, 0, "%s: %s", what, strerror(-code));
}

/* Move one name over, unless something is there. */
static int move(int from, int to, const char *name)
{
	if (!renameat2(from, name, to, name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (!faccessat(to, name, F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return renameat(from, name, to, name) ? -errno : 0;
}

/* Every file and directory of the new entries, in order; `visit` gets its name. */
static int each_name(const struct jag_create *create, size_t limit, int (*visit)(void *ctx, const char *name),
		     void *ctx, size_t *done)
{
	const struct jag_create_dir *root = create->root;
	*done = 0;
	for (size_t i = 0; i < root->entry_count; i++) {
		const struct jag_create_entry *entry = &root->entries[i];
		const struct jag_create_leaf *leaf = entry->type == JAG_CREATE_LEAF ? entry->leaf : NULL;
		const char *names[2] = { entry->path, NULL };
		if (leaf) {
			names[0] = leaf->nbytes && !leaf->in_place ? leaf->data_path : NULL;
			names[1] = leaf->count ? leaf->shapes_path : NULL;
		}
		for (int k = 0; k < 2; k++) {
			if (!names[k])
				continue;
			if (*done == limit)
				return 0;
			int rc = visit(ctx, names[k]);
			if (rc)
				return rc;
			++*done;
		}
	}
	return 0;
}

static int move_in(void *ctx, const char *name)
{
	const struct jag_create *create = ctx;
	return move(create->place.fd, create->place.parent_fd, name);
}

static int move_back(void *ctx, const char *name)
{
	const struct jag_create *create = ctx;
	move(create->place.parent_fd, create->place.fd, name);
	return 0;
}

/* The text of the new meta.json, from what the old one says now. */
static int new_text(struct jag_create *create, struct jag_buffer *out, unsigned *mode, struct jag_error *err)
{
	struct jag_buffer old = { 0 }, entries = { 0 };
	struct jag_meta meta = { 0 };
	int rc = jag_read_meta(create->place.parent_fd, create->place.path, &old, &meta, mode, err);
	if (rc == -ENOENT && create->bare) {
		rc = jag_create_dir_text(create->root, out);
		*mode = 0;
		return rc ? fail(create, rc, "cannot describe the new keys", err) : 0;
	}
	if (!rc && create->bare)
		rc = jag_error_set(err, -EEXIST, create->place.path, 0, "has become a store meanwhile");
	if (!rc)
		rc = jag_create_check_collection(create, &meta, err);
	for (size_t i = 0; i < create->root->entry_count && !rc; i++)
		if (jag_meta_find(&meta, create->root->entries[i].key))
			rc = jag_error_set(err, -EEXIST, create->root->entries[i].key, 0,
					   "another process has added a key of this name meanwhile");
	if (!rc) {
		rc = jag_create_entries_text(create->root, &entries);
		if (!rc)
			rc = jag_meta_insert(&old, &entries, out);
		if (rc)
			fail(create, rc, "cannot describe the new keys", err);
	}
	jag_meta_free(&meta);
	jag_buffer_free(&old);
	jag_buffer_free(&entries);
	return rc;
}

static int write_new(struct jag_create *create, const struct jag_buffer *text, unsigned mode)
{
	int fd JAG_AUTO_CLOSE =
		openat(create->place.fd, META_NEW, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0 || (mode && fchmod(fd, mode)))
		return -errno;
	int rc = jag_write_at(fd, text->data, text->nbytes, 0);
	if (rc)
		return rc;
	return !(create->flags & JAG_CREATE_NOSYNC) && fsync(fd) ? -errno : 0;
}

/* Under the lock. */
static int merge(struct jag_create *create, struct jag_error *err)
{
	struct jag_buffer text = { 0 };
	unsigned mode = 0;
	size_t done = 0, undone;
	int rc = new_text(create, &text, &mode, err);
	if (!rc) {
		rc = write_new(create, &text, mode);
		if (rc)
			fail(create, rc, "cannot write the new meta.json", err);
	}
	jag_buffer_free(&text);
	if (rc)
		return rc;
	rc = each_name(create, SIZE_MAX, move_in, create, &done);
	/* The files are on the disk under their names before meta.json speaks of them. */
	if (!rc && !(create->flags & JAG_CREATE_NOSYNC) && fsync(create->place.parent_fd))
		rc = -errno;
	if (!rc && renameat(create->place.fd, META_NEW, create->place.parent_fd, "meta.json"))
		rc = -errno;
	if (rc) {
		each_name(create, done, move_back, create, &undone);
		return fail(create, rc, "cannot move the new keys into the store", err);
	}
	if (!(create->flags & JAG_CREATE_NOSYNC))
		fsync(create->place.parent_fd);
	return 0;
}

int jag_create_merge(struct jag_create *create, struct jag_error *err)
{
	int rc = jag_create_lock(create, JAG_LOCK_FOREVER);
	if (rc == -EAGAIN)
		return jag_error_set(err, -EBUSY, create->place.path, 0,
				     "another process has locked it, and is stopped; nothing was added");
	if (rc == -ECANCELED)
		return jag_error_set(err, rc, NULL, 0, "interrupted");
	if (rc)
		return fail(create, rc, "cannot lock the store", err);
	rc = merge(create, err);
	jag_create_unlock(create);
	return rc;
}
