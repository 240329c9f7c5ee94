/* SPDX-License-Identifier: MIT */
/* ops_file.c - OPEN, CREATE, READ, FLUSH, RELEASE, FSYNC. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "control.h"
#include "handle.h"
#include "stage.h"

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
	/* What is only written cannot be mapped; and if it is staged later, other readers must not see it. */
	handle->direct = handle->pinned ? handle->pin.id == 0
					: !handle->blob && (fs->options->direct || (flags & O_ACCMODE) == O_WRONLY);
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

/* The element cannot be read: one line that says which file is at fault. */
static int refuse_read(struct jag_fs *fs, jag_node base, const struct jag_place *place, int rc)
{
	return jag_refuse(fs, base, NULL, rc, "cannot be read (%s): %s", strerror(-rc),
			  place->codec ? jag_element_path(&place->element) : "");
}

/* A live file or fixed text. The whole range up to the end of the file, or an error: a short reply would make the
 * kernel believe that the file ends there. */
static void read_place(fuse_req_t req, jag_node base, const struct jag_place *place, size_t size, off_t off)
{
	struct jag_fs *fs = jag_fs_of(req);
	uint8_t header[JAG_HEADER_MAX];
	struct iovec iov[2];
	int count = jag_content_iov(place, size, (uint64_t)off, header, iov);
	if (count >= 0) {
		/* Straight from the mapping of the store. If the store's file was cut meanwhile, the kernel has
		 * answered EIO to the reader and EFAULT to us. */
		int rc = fuse_reply_iov(req, iov, count);
		if (rc == -EFAULT)
			refuse_read(fs, base, place, -EIO);
		return;
	}
	void *buffer = jag_scratch(fs, size);
	int64_t n = buffer ? jag_content_read(fs->content, place, buffer, size, (uint64_t)off) : -ENOMEM;
	if (n < 0)
		jag_reply(req, refuse_read(fs, base, place, (int)n));
	else
		fuse_reply_buf(req, buffer, (size_t)n);
}

/* READ of a mount without OPEN: the content cannot change, so each request stands for itself. */
static void read_without_handle(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct jag_resolved node;
	struct jag_blob *blob = NULL;
	int rc = jag_fs_resolve(req, ino, &node);
	if (rc) {
		jag_reply(req, rc);
		return;
	}
	if (node.base == 0)
		blob = node.dynamic ? jag_blob_ref(jag_control_blob(node.dynamic)) : NULL;
	else if (jag_content_is_snapshot(&node.place))
		rc = jag_content_snapshot(fs->content, node.base, &node.place, &blob);
	if (rc)
		jag_reply(req, refuse_read(fs, node.base, &node.place, rc));
	else if (blob)
		jag_reply_range(req, blob->data, blob->nbytes, size, off);
	else if (node.base)
		read_place(req, node.base, &node.place, size, off);
	else
		jag_reply(req, -EISDIR);
	jag_blob_unref(blob);
	jag_resolved_done(fs, &node);
}

static void read_staging(fuse_req_t req, struct jag_staging *staging, size_t size, off_t off)
{
	char *buffer = jag_scratch(jag_fs_of(req), size);
	if (!buffer)
		jag_reply(req, -ENOMEM);
	else
		fuse_reply_buf(req, buffer, jag_staging_read(staging, buffer, size, (uint64_t)off));
}

void jag_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct jag_handle *handle = jag_handle_of(fi);
	jag_count(fs, reads, 1);
	jag_count(fs, read_nbytes, size);
	if (!handle) {
		read_without_handle(req, ino, size, off);
		return;
	}
	jag_handle_use(handle);
	struct jag_staging *staging = jag_handle_staging(handle);
	/* Pages that the node shares with others show the element, whatever this handle stages. */
	if (staging && !handle->direct && !jag_node_is_dynamic(ino))
		staging = NULL;
	if (staging)
		read_staging(req, staging, size, off);
	else if (handle->blob)
		jag_reply_range(req, handle->blob->data, handle->blob->nbytes, size, off);
	else
		read_place(req, handle->base, &handle->place, size, off);
	jag_handle_done(fs, handle);
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
		jag_reply(req, handle ? jag_stage_flush(fs, handle, fuse_req_ctx(req)->pid) : 0);
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
