/* SPDX-License-Identifier: MIT */
/* ops.c - INIT, DESTROY, STATFS, and the one table of handlers.
 *
 * What is not in the table is answered ENOSYS by libfuse, which the kernel remembers: extended attributes (it would ask
 * for one before each write otherwise), locks (local ones do), lseek (holes are not shown) and
 * copy_file_range (tools fall back to reading and writing). */
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "ahead.h"
#include "reply.h"

/* Whoever started the mount waits for this. */
static void say_ready(struct jag_fs *fs)
{
	if (fs->ready_fd < 0)
		return;
	/* First let go of the terminal and of pipes: $(jagfs ...) waits for their ends. */
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
	ssize_t n = write(fs->ready_fd, "R", 1);
	(void)n; /* if nobody is there to read it, nobody waits */
	close(fs->ready_fd);
	fs->ready_fd = -1;
}

static void init(void *userdata, struct fuse_conn_info *conn)
{
	struct jag_fs *fs = userdata;
	/* Other processes store into the same files: pages must not be held back in the kernel. */
	conn->want &= ~(unsigned)FUSE_CAP_WRITEBACK_CACHE;
	/* Names of the tree and "." and ".." can be looked up at any time, ids are never used twice: NFS export works. */
	conn->want |= conn->capable & FUSE_CAP_EXPORT_SUPPORT;
	conn->time_gran = 1;
	fs->no_open = fs->options->immutable && (conn->capable & FUSE_CAP_NO_OPEN_SUPPORT);
	/* Threads start after the fork only; without them everything works, just later. */
	if (jag_ahead_create(fs->content, &fs->ahead) != 0)
		fs->ahead = NULL;
	say_ready(fs);
}

static void statfs_(fuse_req_t req, fuse_ino_t ino)
{
	struct jag_fs *fs = jag_fs_of(req);
	struct statvfs volume;
	(void)ino;
	int rc = jag_store_statvfs(fs->store, &volume);
	if (rc) {
		jag_reply(req, rc);
		return;
	}
	volume.f_namemax = JAG_NAME_MAX;
	fuse_reply_statfs(req, &volume);
}

const struct fuse_lowlevel_ops jag_ops = {
	.init = init,
	.statfs = statfs_,

	.lookup = jag_op_lookup,
	.forget = jag_op_forget,
	.forget_multi = jag_op_forget_multi,
	.getattr = jag_op_getattr,
	.setattr = jag_op_setattr,

	.opendir = jag_op_opendir,
	.readdir = jag_op_readdir,
	.readdirplus = jag_op_readdirplus,

	.open = jag_op_open,
	.read = jag_op_read,
	.write = jag_op_write,
	.fallocate = jag_op_fallocate,
	.flush = jag_op_flush,
	.fsync = jag_op_fsync,
	.release = jag_op_release,

	.create = jag_op_create,
	.mknod = jag_op_mknod,
	.mkdir = jag_op_mkdir,
	.symlink = jag_op_symlink,
	.link = jag_op_link,
	.unlink = jag_op_unlink,
	.rmdir = jag_op_rmdir,
	.rename = jag_op_rename,
};
