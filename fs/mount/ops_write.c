/* SPDX-License-Identifier: MIT */
/* ops_write.c - WRITE, SETATTR, and who may open for writing. Whether a write is staged (written anew, decoded and
 * committed as a whole) or lands in the store at once depends on the handle: see stage.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>

#include "handle.h"
#include "stage.h"

int jag_unwritable(struct jag_fs *fs)
{
	struct statvfs volume;
	return jag_store_statvfs(fs->store, &volume) == 0 && (volume.f_flag & ST_RDONLY) ? -EROFS : -EACCES;
}

int jag_fs_may_write(struct jag_fs *fs, jag_node base, const struct jag_place *place, bool anew)
{
	char view[512];
	if (fs->read_only)
		return -EROFS;
	if (base == 0)
		return -EPERM;
	if (place->read_only || place->bytes || !place->codec)
		return jag_refuse(fs, base, NULL, -EPERM, "this file is read-only");
	if (!place->attr.writable)
		return jag_refuse(fs, base, NULL, jag_unwritable(fs), "the store's file cannot be written");
	/* Converting 42.png to 42.jpg beside it must not replace the pixels. */
	if (anew && !place->listed_format)
		return jag_refuse(fs, base, NULL, -EACCES, "not the format that its directory lists; write to %s",
				  jag_tree_view_path(fs->tree, base, view, sizeof(view)));
	return 0;
}

static void note_written(struct jag_fs *fs, const struct jag_place *place, size_t nbytes)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	jag_times_set(fs->times, jag_times_key(place), &now);
	jag_count(fs, in_place_writes, 1);
	jag_count(fs, in_place_nbytes, nbytes);
}

static const char *write_trouble(int rc)
{
	switch (rc) {
	case -EFBIG:
		return "a write across the end of the element: its size is fixed";
	case -EINVAL:
		return "the header of the file cannot be changed";
	default:
		return strerror(-rc);
	}
}

/* Into the store, at once. */
static int write_in_place(struct jag_fs *fs, const struct jag_handle *handle, const char *buf, size_t size, off_t off)
{
	int rc = jag_content_write(fs->content, &handle->place, buf, size, (uint64_t)off);
	if (rc)
		return jag_refuse(fs, handle->base, NULL, rc, "%s", write_trouble(rc));
	note_written(fs, &handle->place, size);
	return 0;
}

/* Before ftruncate(0) of a file that is open for reading and writing, and each write after it. */
static int check_alone(struct jag_fs *fs, struct jag_handle *handle)
{
	if (!handle->cached || jag_handle_alone(fs, handle))
		return 0;
	return jag_refuse(fs, handle->base, NULL, -EBUSY,
			  "cannot be emptied while others have it open, who would see it; open it with O_TRUNC, or to "
			  "write only");
}

/* Not the element yet. */
static int write_staged(struct jag_fs *fs, struct jag_handle *handle, struct jag_staging *staging, const char *buf,
			size_t size, off_t off)
{
	int rc = check_alone(fs, handle);
	if (rc)
		return rc;
	rc = jag_staging_write(staging, buf, size, (uint64_t)off);
	if (rc != -ENOSPC)
		return rc;
	return jag_refuse(fs, handle->base ? handle->base : JAG_NODE_ROOT, handle->base ? NULL : "a temporary file", rc,
			  "more bytes are being written than may wait for their commit (stage_mb)");
}

void jag_op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct jag_handle *handle = jag_handle_of(fi);
	struct jag_staging *staging = jag_handle_staging(handle);
	/* The kernel writes a mapping back through any handle of its node: not a matter of what that one stages. */
	if (staging && fi->writepage && !jag_node_is_dynamic(ino))
		staging = NULL;
	int rc = !handle                         ? -EBADF
		 : staging                       ? write_staged(fs, handle, staging, buf, size, off)
		 : handle->blob || !handle->base ? -EBADF
						 : write_in_place(fs, handle, buf, size, off);
	if (rc) {
		jag_reply(req, rc);
		return;
	}
	jag_count(fs, writes, 1);
	jag_count(fs, written_nbytes, size);
	fuse_reply_write(req, size);
}

/* Space for what is there already; nothing can grow that way, and holes cannot be punched. */
static int allocate(const struct jag_handle *handle, int mode, uint64_t end)
{
	struct jag_staging *staging = jag_handle_staging(handle);
	const struct jag_element *element = &handle->place.element;
	uint64_t nbytes = handle->place.size;
	if (mode & ~FALLOC_FL_KEEP_SIZE || (!staging && (handle->blob || !handle->base)))
		return -EOPNOTSUPP;
	bool staged = staging && jag_staging_size(staging, &nbytes);
	if (end > nbytes)
		return -EOPNOTSUPP;
	return staged ? 0 : jag_element_reserve(element, (size_t)element->nbytes, 0);
}

void jag_op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length, struct fuse_file_info *fi)
{
	const struct jag_handle *handle = jag_handle_of(fi);
	(void)ino;
	jag_reply(req, handle ? allocate(handle, mode, (uint64_t)offset + (uint64_t)length) : -EBADF);
}

/* A size that it has already is fine; 0 begins a new content, for those who have it open. */
static int set_size(struct jag_fs *fs, const struct jag_resolved *node, off_t size, struct jag_handle *handle)
{
	struct jag_staging *staging = jag_handle_staging(handle);
	uint64_t own;
	if (staging)
		return jag_staging_truncate(staging, (uint64_t)size, false);
	int rc = jag_resolved_size(fs, node, &own);
	if (rc || (uint64_t)size == own)
		return rc;
	if (size == 0 && handle && handle->writes && handle->base) {
		rc = jag_fs_may_write(fs, node->base, &node->place, true);
		if (rc == 0)
			rc = check_alone(fs, handle);
		return rc ? rc : jag_stage_begin(fs, handle, node->tid);
	}
	return jag_refuse(fs, node->base, NULL, (uint64_t)size > own ? -EFBIG : -EINVAL,
			  "cannot be cut or extended to %lld bytes: its size is %llu", (long long)size,
			  (unsigned long long)own);
}

int jag_check_owner(struct jag_fs *fs, jag_node base, const struct stat *st, const struct stat *attr, int to_set)
{
	if (!((to_set & FUSE_SET_ATTR_MODE) && ((attr->st_mode ^ st->st_mode) & 07777)) &&
	    !((to_set & FUSE_SET_ATTR_UID) && attr->st_uid != st->st_uid) &&
	    !((to_set & FUSE_SET_ATTR_GID) && attr->st_gid != st->st_gid))
		return 0;
	return jag_refuse(fs, base, NULL, -EPERM, "mode and owner are those of the store's file");
}

static void set_times(struct jag_fs *fs, const struct jag_place *place, const struct stat *attr, int to_set)
{
	struct timespec mtime = attr->st_mtim;
	if (!(to_set & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW)))
		return;
	if (to_set & FUSE_SET_ATTR_MTIME_NOW)
		clock_gettime(CLOCK_REALTIME, &mtime);
	jag_times_set(fs->times, jag_times_key(place), &mtime);
}

/* What a copying tool sets to what it is anyway succeeds; real changes of mode or owner do not. */
static int set_attributes(struct jag_fs *fs, const struct jag_resolved *node, const struct stat *attr, int to_set,
			  struct jag_handle *handle, struct stat *st)
{
	if (fs->read_only)
		return -EROFS;
	if (node->base == 0 && !node->staging)
		return -EPERM;
	int rc;
	if (node->staging) {
		rc = jag_stage_setattr(fs, node, attr, to_set);
		return rc ? rc : jag_resolved_stat(fs, node, st);
	}
	rc = to_set & FUSE_SET_ATTR_SIZE ? set_size(fs, node, attr->st_size, handle) : 0;
	if (rc == 0)
		rc = jag_resolved_stat(fs, node, st);
	if (rc == 0)
		rc = jag_check_owner(fs, node->base, st, attr, to_set);
	if (rc)
		return rc;
	set_times(fs, &node->place, attr, to_set);
	return jag_resolved_stat(fs, node, st);
}

void jag_op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct jag_resolved node;
	struct stat st;
	int rc = jag_fs_resolve(req, ino, &node);
	if (rc == 0) {
		rc = set_attributes(fs, &node, attr, to_set, jag_handle_of(fi), &st);
		jag_resolved_done(fs, &node);
	}
	if (rc)
		jag_reply(req, rc);
	else
		fuse_reply_attr(req, &st, jag_attr_timeout(fs, &node));
}
