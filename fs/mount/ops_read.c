/* SPDX-License-Identifier: MIT */
/* ops_read.c - READ. */
#include <errno.h>
#include <string.h>

#include "channel.h"
#include "control.h"
#include "handle.h"
#include "scratch.h"
#include "stage.h"

/* From here on two system calls more cost less than a copy. */
#define SPLICE_MIN_NBYTES (32 * 1024)

/* The element cannot be read: one line that says which file is at fault. */
static int refuse_read(struct jag_fs *fs, jag_node base, const struct jag_place *place, int rc)
{
	const char *path = place->codec ? jag_element_path(&place->element) : "";
	return jag_refuse(fs, base, NULL, rc, "cannot be read%s%s: %s", *path ? " from " : "", path, strerror(-rc));
}

/* 1: replied without a copy; 0: this has to be read and copied; -errno: it cannot be read. */
static int reply_spliced(fuse_req_t req, const struct jag_place *place, size_t size, off_t off)
{
	struct jag_content_range range;
	if (size < SPLICE_MIN_NBYTES)
		return 0;
	int rc = jag_content_range(place, size, (uint64_t)off, &range);
	if (rc == 0)
		return range.nbytes < SPLICE_MIN_NBYTES ? 0 : jag_channel_reply_range(req, &range);
	return rc == -EOPNOTSUPP ? 0 : rc;
}

/* A live file or fixed text. The whole range up to the end of the file, or an error: a short reply would make the
 * kernel believe that the file ends there. */
static void read_place(fuse_req_t req, jag_node base, const struct jag_place *place, size_t size, off_t off)
{
	struct jag_fs *fs = jag_fs_of(req);
	int64_t n = reply_spliced(req, place, size, off);
	if (n > 0)
		return;
	void *buffer = n == 0 ? jag_scratch_buffer(fs->scratch, size) : NULL;
	if (n == 0)
		n = buffer ? jag_content_read(fs->content, place, buffer, size, (uint64_t)off) : -ENOMEM;
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
	char *buffer = jag_scratch_buffer(jag_fs_of(req)->scratch, size);
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
	__atomic_fetch_add(&handle->reads, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&handle->read_nbytes, size, __ATOMIC_RELAXED);
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
