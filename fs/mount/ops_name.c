/* SPDX-License-Identifier: MIT */
/* ops_name.c - everything that would change the namespace. It is fixed: each request is refused, loudly, so that no
 * tool believes to have saved something. Staging names come in here: a free name may then be created, written, and
 * renamed onto an element. */
#include <errno.h>

#include "reply.h"

static void refuse(fuse_req_t req, fuse_ino_t parent, const char *name, const char *why)
{
	struct jag_fs *fs = jag_fs_of(req);
	if (fs->options->read_only)
		jag_reply(req, -EROFS);
	else
		jag_reply(req, jag_refuse(fs, parent, name, -EPERM, "%s", why));
}

static const char no_new[] = "files cannot be added to a store through its mount";
static const char no_less[] = "elements cannot be removed";

void jag_op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	(void)mode;
	(void)fi;
	refuse(req, parent, name, no_new);
}

void jag_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	(void)mode;
	(void)rdev;
	refuse(req, parent, name, no_new);
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
	refuse(req, parent, name, no_less);
}

void jag_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	refuse(req, parent, name, no_less);
}

void jag_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent, const char *new_name,
		   unsigned flags)
{
	(void)new_parent;
	(void)new_name;
	(void)flags;
	refuse(req, parent, name, "elements cannot be renamed");
}
