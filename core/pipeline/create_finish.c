/* SPDX-License-Identifier: MIT */
/* create_finish.c - the end of making a store: bytes to the disk, meta.json files, the rename. In this order a power
 * cut leaves either no store under the name or a whole one. */
#include "create_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

/* In steps first, where the file system knows sync_file_range(2); the fsync at the end is what counts. */
static int sync_file(struct sync *sync, int dir_fd, const char *path, uint64_t nbytes)
{
	struct jag_create *create = sync->create;
	int fd = openat(dir_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int rc = 0;
	for (uint64_t at = 0; at < nbytes && !rc; at += SYNC_STEP) {
		if (jag_watch_cancelled(create->watch)) {
			rc = -ECANCELED;
			break;
		}
		uint64_t n = nbytes - at < SYNC_STEP ? nbytes - at : SYNC_STEP;
		if (sync_file_range(fd, (off_t)at, (off_t)n,
				    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) &&
		    errno == EIO)
			rc = -EIO;
		sync->done += n;
		report(sync);
	}
	if (!rc && fsync(fd))
		rc = -errno;
	close(fd);
	return rc;
}

static int sync_leaf(struct jag_create_leaf *leaf, void *ctx)
{
	struct sync *sync = ctx;
	const struct jag_place *place = &sync->create->place;
	jag_create_close(leaf);
	int rc = 0;
	if (sync->create->flags & JAG_CREATE_NOSYNC)
		return 0;
	if (leaf->nbytes)
		rc = sync_file(sync, leaf->in_place ? place->parent_fd : place->fd, leaf->data_path, leaf->nbytes);
	if (!rc && leaf->shapes_path && leaf->count)
		rc = sync_file(sync, place->fd, leaf->shapes_path, leaf->count * leaf->shape.rank * sizeof(int64_t));
	if (rc == -ECANCELED)
		return jag_error_set(sync->err, rc, NULL, 0, "interrupted");
	if (rc)
		return jag_error_set(sync->err, rc, sync->create->place.path, 0, "cannot sync %s: %s", leaf->data_path,
				     strerror(-rc));
	return 0;
}

int jag_create_finish(struct jag_create *create, struct jag_error *err)
{
	int rc = 0;
	if (!create->place.temp)
		rc = jag_create_allocate(create, err);
	struct sync sync = { .create = create, .err = err };
	if (!rc)
		rc = jag_create_adopt_link(create, err);
	if (!rc)
		rc = jag_create_each_leaf(create->root, sync_leaf, &sync);
	if (!rc)
		rc = jag_create_write_meta(create->root, err);
	if (!rc && create->adding)
		rc = jag_create_merge(create, err);
	else if (!rc)
		rc = jag_place_commit(&create->place, !(create->flags & JAG_CREATE_NOSYNC), err);
	if (!rc)
		jag_create_adopt_unlink(create);
	jag_create_discard(create);
	return rc;
}
