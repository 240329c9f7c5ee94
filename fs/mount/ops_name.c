/* SPDX-License-Identifier: MIT */
/* ops_name.c - everything that would change the namespace. It is fixed: requests are refused, loudly, so that no tool
 * believes to have saved something. Free names are the exception: they can be created, written, and renamed onto an
 * element (stage.h). */
#include <errno.h>

#include "stage.h"

static void refuse(fuse_req_t req, fuse_ino_t parent, const char *name, const char *why)
{
	struct jag_fs *fs = jag_fs_of(req);
	if (fs->read_only)
		jag_reply(req, -EROFS);
	else
		jag_reply(req, jag_refuse(fs, parent, name, -EPERM, "%s", why));
}

static const char no_new[] = "files cannot be added to a store through its mount";
static const char no_less[] = "elements cannot be removed";

void jag_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct fuse_entry_param entry = { 0 };
	struct jag_staging *staging;
	(void)rdev;
	if (!S_ISREG(mode)) {
		refuse(req, parent, name, no_new);
		return;
	}
	int rc = jag_stage_create(fs, req, parent, name, mode, &entry, &staging);
	if (rc)
		jag_reply(req, rc);
	else if (fuse_reply_entry(req, &entry) == -ENOENT)
		jag_fs_forget(fs, entry.ino, 1);
}

void jag_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	(void)mode;
	refuse(req, parent, name, no_new);
}

void jag_op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	(void)target;
	refuse(req, parent, name, no_new);
}

void jag_op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
	(void)ino;
	refuse(req, parent, name, no_new);
}

void jag_op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	if (jag_stage_unlink(jag_fs_of(req), parent, name) == 0)
		jag_reply(req, 0);
	else
		refuse(req, parent, name, no_less);
}

void jag_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	refuse(req, parent, name, no_less);
}

void jag_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent, const char *new_name,
		   unsigned flags)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct jag_staging *staging = jag_stage_names_find(&fs->stage_names, parent, name);
	if (!staging) {
		refuse(req, parent, name, "elements cannot be renamed");
		return;
	}
	jag_reply(req, jag_stage_rename(fs, req, parent, name, new_parent, new_name, flags));
	jag_stage_put(fs, staging, 0);
}
