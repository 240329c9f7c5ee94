/* SPDX-License-Identifier: MIT */
/* ops_write.c - WRITE in place, SETATTR, and who may open for writing.
 *
 * Staged writes (a file written anew, decoded and committed as a whole) come in at two places here: an OPEN with
 * O_TRUNC in jag_fs_may_write(), and a SETATTR of size 0 in check_size(). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>

#include "reply.h"

/* 0, or why this file cannot be opened with these flags for writing. Modes have been checked by the kernel. */
int jag_fs_may_write(struct jag_fs *fs, jag_node base, const struct jag_place *place, int flags)
{
	if (fs->options->read_only)
		return -EROFS;
	if (base == 0)
		return -EPERM;
	if (place->read_only || place->bytes || !place->codec)
		return jag_refuse(fs, base, NULL, -EPERM, "this file is read-only");
	if (flags & O_TRUNC)
		return jag_refuse(fs, base, NULL, -EPERM, "elements cannot be written anew yet, only in place");
	if (!place->codec->live)
		return jag_refuse(fs, base, NULL, -EPERM, "%s files cannot be written in place", place->codec->name);
	if (!place->attr.writable) {
		struct statvfs volume;
		bool read_only = jag_store_statvfs(fs->store, &volume) == 0 && (volume.f_flag & ST_RDONLY);
		return jag_refuse(fs, base, NULL, read_only ? -EROFS : -EACCES, "the store's file cannot be written");
	}
	return 0;
}

static void note_written(struct jag_fs *fs, const struct jag_place *place, size_t nbytes)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	jag_times_set(fs->times, jag_times_key(place), &now);
	jag_count(fs, writes, 1);
	jag_count(fs, written_nbytes, nbytes);
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

void jag_op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off, struct fuse_file_info *fi)
{
	struct jag_fs *fs = jag_fs_of(req);
	const struct jag_handle *handle = jag_handle_of(fi);
	(void)ino;
	if (!handle || handle->blob) {
		jag_reply(req, -EBADF);
		return;
	}
	int rc = jag_content_write(fs->content, &handle->place, buf, size, (uint64_t)off);
	if (rc) {
		jag_reply(req, jag_refuse(fs, handle->base, NULL, rc, "%s", write_trouble(rc)));
		return;
	}
	note_written(fs, &handle->place, size);
	fuse_reply_write(req, size);
}

/* A size that it has already is fine; none else is. */
static int check_size(struct jag_fs *fs, const struct jag_resolved *node, off_t size)
{
	uint64_t own;
	int rc = jag_resolved_size(fs, node, &own);
	if (rc)
		return rc;
	if ((uint64_t)size == own)
		return 0;
	if (size == 0)
		return jag_refuse(fs, node->base, NULL, -EPERM, "elements cannot be written anew yet, only in place");
	return jag_refuse(fs, node->base, NULL, (uint64_t)size > own ? -EFBIG : -EINVAL,
			  "cannot be cut or extended to %lld bytes: its size is %llu", (long long)size,
			  (unsigned long long)own);
}

/* What a copying tool sets to what it is anyway succeeds; real changes of mode or owner do not. */
static int check_owner(const struct stat *st, const struct stat *attr, int to_set)
{
	if ((to_set & FUSE_SET_ATTR_MODE) && ((attr->st_mode ^ st->st_mode) & 07777))
		return -EPERM;
	if ((to_set & FUSE_SET_ATTR_UID) && attr->st_uid != st->st_uid)
		return -EPERM;
	if ((to_set & FUSE_SET_ATTR_GID) && attr->st_gid != st->st_gid)
		return -EPERM;
	return 0;
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

static int set_attributes(struct jag_fs *fs, const struct jag_resolved *node, const struct stat *attr, int to_set,
			  struct stat *st)
{
	if (fs->options->read_only)
		return -EROFS;
	if (node->base == 0)
		return -EPERM;
	int rc = to_set & FUSE_SET_ATTR_SIZE ? check_size(fs, node, attr->st_size) : 0;
	if (rc == 0)
		rc = jag_resolved_stat(fs, node, st);
	if (rc == 0 && (rc = check_owner(st, attr, to_set)) != 0)
		jag_refuse(fs, node->base, NULL, rc, "mode and owner are those of the store's file");
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
	(void)fi;
	int rc = jag_fs_resolve(req, ino, &node);
	if (rc == 0) {
		rc = set_attributes(fs, &node, attr, to_set, &st);
		jag_resolved_done(fs, &node);
	}
	if (rc)
		jag_reply(req, rc);
	else
		fuse_reply_attr(req, &st, fs->options->attr_timeout);
}
