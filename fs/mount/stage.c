/* SPDX-License-Identifier: MIT */
/* stage.c - nodes and handles of staged writes, and their commit points. */
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

void jag_stage_put(struct jag_fs *fs, struct jag_staging *staging, uint64_t lookups)
{
	if (jag_nodes_drop(&fs->nodes, &staging->node, lookups, 1))
		jag_staging_free(staging);
}

pid_t jag_thread_group(pid_t tid)
{
	char path[48], line[128];
	int tgid = 0;
	if (tid <= 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	FILE *status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	if (status)
		fclose(status);
	return tgid;
}

/* --- nodes ----------------------------------------------------------------------------------------------------- */

int jag_stage_size(struct jag_fs *fs, const struct jag_resolved *node, uint64_t *size)
{
	double age;
	if (jag_staging_size(node->staging, size) || !node->base)
		return 0;
	/* The kernel keeps no attributes of such a node, so the answer may be as old as they may get. */
	if (jag_content_fresh_size(fs->content, node->base, fs->options->attr_timeout, size, &age))
		return 0;
	return jag_content_size(fs->content, node->base, &node->place, size, NULL);
}

void jag_stage_stat(struct jag_fs *fs, const struct jag_resolved *node, uint64_t size, struct stat *st)
{
	struct jag_staging *staging = node->staging;
	if (node->base) {
		jag_place_stat(fs, &node->place, size, st);
		pthread_mutex_lock(&staging->lock);
		if (staging->active)
			st->st_mtim = st->st_ctim = staging->mtime;
		pthread_mutex_unlock(&staging->lock);
		return;
	}
	memset(st, 0, sizeof(*st));
	pthread_mutex_lock(&staging->lock);
	st->st_ino = staging->ino;
	st->st_nlink = staging->named;
	st->st_mode = S_IFREG | staging->mode;
	st->st_uid = staging->uid;
	st->st_gid = staging->gid;
	st->st_atim = st->st_mtim = st->st_ctim = staging->mtime;
	pthread_mutex_unlock(&staging->lock);
	st->st_size = (off_t)size;
	st->st_blocks = (blkcnt_t)((size + 511) / 512);
	st->st_blksize = 128 * 1024;
}

/* The entry of a staging's node; the kernel must ask again each time: whose node the name is depends on who asks. */
static void fill_entry(struct jag_fs *fs, struct jag_staging *staging, const struct jag_place *place,
		       struct fuse_entry_param *entry)
{
	struct jag_resolved node = { .id = staging->node.link.key, .staging = staging };
	uint64_t size;
	if (place) {
		node.base = jag_staging_target(staging);
		jag_place_copy(&node.place, place);
	}
	jag_staging_size(staging, &size);
	entry->ino = node.id;
	entry->attr_timeout = entry->entry_timeout = 0.0;
	jag_stage_stat(fs, &node, size, &entry->attr);
}

int jag_stage_lookup(struct jag_fs *fs, fuse_ino_t dir, const char *name, struct fuse_entry_param *entry)
{
	struct jag_staging *staging = jag_stage_names_find(&fs->stage_names, dir, name);
	if (!staging)
		return -ENOENT;
	jag_nodes_add_lookup(&fs->nodes, &staging->node);
	fill_entry(fs, staging, NULL, entry);
	jag_stage_put(fs, staging, 0);
	return 0;
}

/* Nobody has the node open yet, and the element may have changed since it was made. True: it has. */
static bool refresh(struct jag_fs *fs, struct jag_staging *staging, jag_node base, const struct jag_place *place)
{
	struct jag_blob *blob;
	uint64_t was, hash;
	if (!jag_staging_origin_hash(staging, &was) || jag_content_hash(fs->content, place, &hash) != 0 ||
	    hash == was || jag_content_snapshot(fs->content, base, place, &blob) != 0)
		return false;
	jag_staging_set_origin(staging, blob);
	jag_blob_unref(blob);
	return true;
}

bool jag_stage_find_pending(struct jag_fs *fs, pid_t tid, jag_node base, struct fuse_entry_param *entry)
{
	struct jag_place place;
	struct jag_staging *staging = jag_pending_find(&fs->pending, tid, base);
	if (!staging)
		return false;
	if (jag_tree_place(fs->tree, base, &place) != 0) {
		jag_fs_forget(fs, staging->node.link.key, 1);
		return false;
	}
	jag_versions_settle(fs->versions, base, tid);
	refresh(fs, staging, base, &place);
	fill_entry(fs, staging, &place, entry);
	return true;
}

/* --- opening --------------------------------------------------------------------------------------------------- */

bool jag_stage_wanted(const struct jag_place *place, int flags)
{
	return (flags & O_TRUNC) || ((flags & O_ACCMODE) != O_RDONLY && place->codec && !place->codec->live);
}

/* A node for the lookup that follows. `origin`: what it holds, or NULL. */
static int expect(struct jag_fs *fs, const struct jag_resolved *node, struct jag_blob *origin, bool guess)
{
	struct jag_staging *staging;
	int rc = jag_staging_create(&fs->stagings, node->base, origin, &staging);
	if (rc)
		return rc;
	rc = jag_nodes_add(&fs->nodes, &staging->node, JAG_DYNAMIC_STAGING);
	if (rc) {
		jag_staging_free(staging);
		return rc;
	}
	jag_pending_add(&fs->pending, node->tid, node->base, staging, guess);
	return 0;
}

int jag_stage_redirect(struct jag_fs *fs, const struct jag_resolved *node, int flags)
{
	struct jag_blob *origin = NULL;
	int rc = 0;
	/* What a writer does not replace stays as it was at the open. */
	if (!(flags & O_TRUNC))
		rc = jag_content_snapshot(fs->content, node->base, &node->place, &origin);
	if (rc == 0)
		rc = expect(fs, node, origin, false);
	jag_blob_unref(origin);
	return rc ? rc : -ESTALE;
}

void jag_stage_guess(struct jag_fs *fs, const struct jag_resolved *node)
{
	struct jag_blob *origin;
	if (!node->base || node->place.read_only || !jag_content_is_snapshot(&node->place) ||
	    jag_content_snapshot(fs->content, node->base, &node->place, &origin) != 0)
		return;
	expect(fs, node, origin, true);
	jag_blob_unref(origin);
}

/* What OPEN of a staging's node has to check first. */
static int check_open(struct jag_fs *fs, const struct jag_resolved *node, int flags)
{
	uint64_t hash;
	bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
	bool expected = jag_pending_end(&fs->pending, node->staging);
	if (fs->read_only)
		return writes ? -EROFS : 0;
	if (writes)
		return node->base ? jag_fs_may_write(fs, node->base, &node->place, true) : 0;
	/* A reader whose lookup was answered with the node of a thread that is about to write it anew. */
	return expected && !jag_staging_origin_hash(node->staging, &hash) ? -ESTALE : 0;
}

int jag_stage_open(struct jag_fs *fs, const struct jag_resolved *node, struct jag_handle *handle, int flags)
{
	bool live = !node->base || node->place.codec->live;
	handle->id = node->id;
	handle->base = node->base;
	int rc = check_open(fs, node, flags);
	if (rc)
		return rc;
	rc = jag_staging_open(node->staging, flags & O_TRUNC);
	if (rc)
		return rc;
	jag_nodes_hold(&fs->nodes, &node->staging->node);
	handle->staging = node->staging;
	handle->writes = (flags & O_ACCMODE) != O_RDONLY;
	if (handle->writes)
		handle->opener = jag_thread_group(node->tid);
	/* A mapping for writing needs the page cache; what is encoded cannot have one, and what is only written need
	 * not. */
	handle->direct = handle->writes && (!live || (flags & O_ACCMODE) == O_WRONLY);
	return 0;
}

int jag_stage_begin(struct jag_fs *fs, struct jag_handle *handle, pid_t tid)
{
	struct jag_staging *staging, *other = NULL;
	int rc = jag_staging_create(&fs->stagings, handle->base, NULL, &staging);
	if (rc == 0)
		rc = jag_staging_truncate(staging, 0, false);
	if (rc == 0)
		rc = jag_staging_open(staging, false);
	if (rc)
		return rc;
	handle->opener = jag_thread_group(tid);
	if (!__atomic_compare_exchange_n(&handle->staging, &other, staging, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		jag_staging_free(staging); /* another thread of the program did the same */
	return 0;
}

/* --- commit points --------------------------------------------------------------------------------------------- */

/* Tell the world. `target`: the element. */
void jag_stage_note_result(struct jag_fs *fs, jag_node target, const struct jag_staging_result *result)
{
	struct jag_place place;
	if (result->refused)
		jag_refuse(fs, target, NULL, 0, "%s", result->err.message);
	if (result->committed && jag_tree_place(fs->tree, target, &place) == 0)
		jag_times_set(fs->times, jag_times_key(&place), &result->mtime);
}

static int commit(struct jag_fs *fs, struct jag_staging *staging, enum jag_staging_point point)
{
	struct jag_staging_result result;
	int rc = jag_staging_commit(staging, fs->content, point, &result);
	jag_stage_note_result(fs, jag_staging_target(staging), &result);
	return rc;
}

int jag_stage_flush(struct jag_fs *fs, struct jag_handle *handle, pid_t tid)
{
	struct jag_staging *staging = jag_handle_staging(handle);
	pid_t closer;
	if (!staging || !handle->writes)
		return 0;
	/* Not known who it is: then he shall hear of it. */
	if (!handle->opener || (closer = jag_thread_group(tid)) == 0 || closer == handle->opener)
		return commit(fs, staging, JAG_STAGING_FLUSH);
	/* A child that closes what it has inherited says nothing about the file, whatever is in it by now: a writer may
	 * have begun at the end. If nobody but heirs is left, what is whole counts. */
	return jag_thread_group(handle->opener) ? 0 : commit(fs, staging, JAG_STAGING_FLUSH_OTHER);
}

int jag_stage_fsync(struct jag_fs *fs, struct jag_handle *handle)
{
	return commit(fs, jag_handle_staging(handle), JAG_STAGING_FSYNC);
}

static void note_abandoned(struct jag_fs *fs, jag_node target)
{
	if (target)
		jag_refuse(fs, target, NULL, 0,
			   "opened to be written anew, but nothing was written; nothing is changed");
	else
		jag_refuse(fs, JAG_NODE_ROOT, "a temporary file", 0, "dropped without a rename onto an element");
}

void jag_stage_close(struct jag_fs *fs, struct jag_handle *handle)
{
	struct jag_staging *staging = jag_handle_staging(handle);
	struct jag_staging_result result;
	if (!staging)
		return;
	bool abandoned = jag_staging_close(staging, fs->content, &result);
	jag_stage_note_result(fs, jag_staging_target(staging), &result);
	if (abandoned)
		note_abandoned(fs, jag_staging_target(staging));
	if (staging->node.link.key)
		jag_stage_put(fs, staging, 0);
	else
		jag_staging_free(staging);
}
