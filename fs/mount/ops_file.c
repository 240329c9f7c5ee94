/* SPDX-License-Identifier: MIT */
/* ops_file.c - OPEN, CREATE, FLUSH, RELEASE, FSYNC. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "handle.h"
#include "stage.h"

/* Does a live file go past the page cache? What is only written cannot be mapped; and if it is staged later, other readers
 * must not see it. The rest only where it can still be mapped: always if it is written too, for the same reason. */
static bool goes_direct(struct jag_fs *fs, struct jag_handle *handle, int flags)
{
	if (fs->options->direct || (flags & O_ACCMODE) == O_WRONLY || (fs->direct_mmap && handle->writes))
		return true;
	if (!fs->direct_mmap || fs->options->immutable ||
	    !jag_readers_direct(&fs->readers, handle->tid, handle->place.size))
		return !jag_handle_join(fs, handle);
	handle->watched = true;
	return true;
}

/* An element or a text; in-place writes only. */
static int open_in_place(struct jag_fs *fs, const struct jag_resolved *node, struct jag_handle *handle, int flags)
{
	handle->writes = (flags & O_ACCMODE) != O_RDONLY;
	int rc = 0;
	if (handle->writes || (flags & O_TRUNC)) {
		bool staged = node->base && jag_stage_wanted(&node->place, flags);
		rc = jag_fs_may_write(fs, node->base, &node->place, staged);
		if (rc == 0 && staged)
			return jag_stage_redirect(fs, node, flags);
	}
	if (rc == 0)
		rc = jag_handle_fill(fs, node, handle);
	if (rc)
		return rc;
	handle->tid = node->tid;
	handle->direct = handle->pinned ? handle->pin.id == 0 : !handle->blob && goes_direct(fs, handle, flags);
	return 0;
}

static int open_node(struct jag_fs *fs, const struct jag_resolved *node, struct fuse_file_info *fi)
{
	struct jag_handle *handle = jag_handle_create(fs);
	if (!handle)
		return -ENOMEM;
	int rc = node->staging ? jag_stage_open(fs, node, handle, fi->flags)
			       : open_in_place(fs, node, handle, fi->flags);
	if (rc) {
		jag_handle_done(fs, handle);
		return rc;
	}
	jag_reply_handle(fs, handle, fi);
	return 0;
}

void jag_reply_handle(struct jag_fs *fs, struct jag_handle *handle, struct fuse_file_info *fi)
{
	fi->fh = (uint64_t)(uintptr_t)handle;
	/* Close-to-open: without keep_cache every open drops the pages of the node. */
	fi->keep_cache = fs->options->immutable;
	fi->direct_io = handle->direct;
	fi->noflush = !handle->writes;
	if (jag_handle_counts(handle))
		jag_count(fs, opens, 1);
}

/* RELEASE, or an open whose reply came too late to be followed by one. */
static void close_handle(struct jag_fs *fs, struct jag_handle *handle)
{
	if (jag_handle_counts(handle))
		jag_count(fs, releases, 1);
	jag_handle_done(fs, handle);
}

void jag_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct jag_resolved node;
	if (fs->no_open) { /* from now on the kernel does without OPEN and RELEASE, and keeps what it has read */
		jag_reply(req, -ENOSYS);
		return;
	}
	int rc = jag_fs_resolve(req, ino, &node);
	if (rc == 0) {
		rc = open_node(fs, &node, fi);
		jag_resolved_done(fs, &node);
	}
	if (rc) {
		jag_reply(req, rc);
		return;
	}
	if (fuse_reply_open(req, fi) == -ENOENT) /* interrupted: no RELEASE will follow */
		close_handle(fs, jag_handle_of(fi));
}

void jag_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	(void)ino;
	if (fi->fh)
		close_handle(fs, jag_handle_of(fi));
	jag_reply(req, 0);
}

static int flush_handle(struct jag_fs *fs, struct jag_handle *handle, pid_t tid)
{
	int rc = jag_stage_flush(fs, handle, tid);
	struct jag_staging *staging = jag_handle_staging(handle);
	/* The flush of a child commits nothing: then its parent goes on, alone as before. */
	if (handle->cached && staging && !jag_staging_is_dirty(staging))
		jag_handle_settled(fs, handle);
	return rc;
}

/* In-place writes are in the mapping when WRITE returns; what is staged becomes the element's now. */
void jag_op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct jag_handle *handle = jag_handle_of(fi);
	(void)ino;
	if (fs->no_open)
		jag_reply(req, -ENOSYS);
	else
		jag_reply(req, handle ? flush_handle(fs, handle, fuse_req_ctx(req)->pid) : 0);
}

static int sync_handle(struct jag_fs *fs, struct jag_handle *handle)
{
	int rc = 0;
	if (jag_handle_staging(handle))
		return jag_stage_fsync(fs, handle);
	if (handle->base && handle->place.codec)
		rc = jag_element_sync(&handle->place.element);
	return rc ? jag_refuse(fs, handle->base, NULL, rc, "cannot be synced: %s", strerror(-rc)) : 0;
}

void jag_op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi)
{
	struct jag_handle *handle = jag_handle_of(fi);
	(void)ino;
	(void)datasync;
	jag_reply(req, handle ? sync_handle(jag_fs_of(req), handle) : 0);
}

void jag_op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct fuse_entry_param entry = { 0 };
	struct jag_staging *staging;
	struct jag_handle *handle = jag_handle_create(fs);
	int rc = handle ? jag_stage_create(fs, req, parent, name, mode, &entry, &staging) : -ENOMEM;
	if (rc == 0) {
		struct jag_resolved node = { .id = entry.ino, .staging = staging, .tid = fuse_req_ctx(req)->pid };
		rc = jag_stage_open(fs, &node, handle, fi->flags & ~O_TRUNC);
	}
	if (rc) {
		if (handle)
			jag_handle_done(fs, handle);
		jag_reply(req, rc);
		return;
	}
	jag_reply_handle(fs, handle, fi);
	if (fuse_reply_create(req, &entry, fi) == -ENOENT) { /* interrupted: neither RELEASE nor FORGET will follow */
		close_handle(fs, handle);
		jag_fs_forget(fs, entry.ino, 1);
	}
}
