/* SPDX-License-Identifier: MIT */
/* finish.c - the end of making a store: bytes to the disk, meta.json files, the rename. In this order a power
 * cut leaves either no store under the name or a whole one. */
#include "create_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"

/* Bytes to wait for at a time: short enough for progress and for a cancellation. */
#define SYNC_STEP (UINT64_C(64) << 20)

struct sync {
	struct jag_create *create;
	struct jag_error *err;
	uint64_t done;
};

static void report(const struct sync *sync)
{
	struct jag_watch *watch = sync->create->watch;
	if (!watch || !watch->report)
		return;
	struct jag_progress_state state = { .phase = JAG_PHASE_SYNC,
					    .nbytes_done = sync->done,
					    .nbytes_total = sync->create->nbytes };
	watch->report(watch->ctx, &state);
}

/* Wait for a file in steps, where the file system knows sync_file_range(2). It is no promise: the fsync at the end is. */
static int wait_for(struct sync *sync, int dir_fd, const char *path, uint64_t nbytes)
{
	int fd JAG_AUTO_CLOSE = openat(dir_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (uint64_t at = 0; at < nbytes; at += SYNC_STEP) {
		if (jag_watch_cancelled(sync->create->watch))
			return -ECANCELED;
		uint64_t n = nbytes - at < SYNC_STEP ? nbytes - at : SYNC_STEP;
		if (sync_file_range(fd, (off_t)at, (off_t)n,
				    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) &&
		    errno == EIO)
			return -EIO;
		sync->done += n;
		report(sync);
	}
	return 0;
}

static int sync_path(struct sync *sync, int dir_fd, const char *path, uint64_t nbytes)
{
	(void)sync;
	(void)nbytes;
	int fd JAG_AUTO_CLOSE = openat(dir_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 || fsync(fd) ? -errno : 0;
}

/* One pass over the files of a leaf. */
static int visit_leaf(struct jag_create_leaf *leaf, struct sync *sync,
		      int (*visit)(struct sync *sync, int dir_fd, const char *path, uint64_t nbytes))
{
	const struct jag_place *place = &sync->create->place;
	int rc = 0;
	jag_create_close(leaf);
	if (leaf->nbytes)
		rc = visit(sync, leaf->in_place ? place->parent_fd : place->fd, leaf->data_path, leaf->nbytes);
	if (!rc && leaf->shapes_path && leaf->count)
		rc = visit(sync, place->fd, leaf->shapes_path, leaf->count * leaf->shape.rank * sizeof(int64_t));
	if (rc == -ECANCELED)
		return jag_error_set(sync->err, rc, NULL, 0, "interrupted");
	if (rc)
		return jag_error_set(sync->err, rc, place->path, 0, "cannot sync %s: %s", leaf->data_path,
				     strerror(-rc));
	return 0;
}

static int wait_leaf(struct jag_create_leaf *leaf, void *ctx)
{
	return visit_leaf(leaf, ctx, wait_for);
}

static int sync_leaf(struct jag_create_leaf *leaf, void *ctx)
{
	return visit_leaf(leaf, ctx, sync_path);
}

/* A directory below the store and its meta.json. */
static int sync_dir(struct sync *sync, const char *path)
{
	int fd = sync->create->place.fd;
	char *meta JAG_AUTO_FREE = NULL;
	if (asprintf(&meta, "%s%smeta.json", path, *path ? "/" : "") < 0) {
		meta = NULL;
		return -ENOMEM;
	}
	int rc = sync_path(sync, fd, meta, 0);
	return rc ? rc : sync_path(sync, fd, *path ? path : ".", 0);
}

static int sync_dirs(struct jag_create_dir *dir, struct sync *sync)
{
	int rc = 0;
	for (size_t i = 0; i < dir->entry_count && !rc; i++) {
		const struct jag_create_entry *entry = &dir->entries[i];
		if (entry->type == JAG_CREATE_DIR)
			rc = sync_dirs(entry->dir, sync);
		else if (entry->type == JAG_CREATE_VALUE)
			rc = sync_dir(sync, entry->path);
	}
	return rc ? rc : sync_dir(sync, dir->path);
}

/* All waiting first, then every fsync: the first one commits the file system's journal for all of them, and the others
 * find nothing to do. One after the other, they cost a commit each. */
static int sync_all(struct jag_create *create, struct jag_error *err)
{
	struct sync sync = { .create = create, .err = err };
	int rc = jag_create_each_leaf(create->root, wait_leaf, &sync);
	if (!rc)
		rc = jag_create_each_leaf(create->root, sync_leaf, &sync);
	if (rc)
		return rc;
	rc = sync_dirs(create->root, &sync);
	return rc ? jag_error_set(err, rc, create->place.path, 0, "cannot sync it: %s", strerror(-rc)) : 0;
}

static int close_leaf(struct jag_create_leaf *leaf, void *ctx)
{
	(void)ctx;
	jag_create_close(leaf);
	return 0;
}

int jag_create_finish(struct jag_create *create, struct jag_error *err)
{
	int rc = 0;
	if (!create->place.temp)
		rc = jag_create_allocate(create, err);
	bool sync = !(create->flags & JAG_CREATE_NOSYNC);
	jag_create_each_leaf(create->root, close_leaf, NULL);
	if (!rc)
		rc = jag_create_adopt_link(create, err);
	if (!rc)
		rc = jag_create_write_meta(create->root, err);
	if (!rc && sync)
		rc = sync_all(create, err);
	if (!rc && create->adding)
		rc = jag_create_merge(create, err);
	else if (!rc)
		rc = jag_place_commit(&create->place, sync, err);
	rc = jag_create_check_gone(create, rc, err);
	if (!rc)
		jag_create_adopt_unlink(create);
	jag_create_discard(create);
	return rc;
}
