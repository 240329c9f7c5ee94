/* SPDX-License-Identifier: MIT */
/* fs.h - the state of one mount, and the handlers of its requests. Everything hangs on struct jag_fs, which libfuse
 * hands to each handler; there are no globals. */
#ifndef JAG_MOUNT_FS_H
#define JAG_MOUNT_FS_H

#include <fuse_lowlevel.h>

#include "jag/content.h"
#include "log.h"
#include "nodes.h"
#include "options.h"
#include "pending.h"
#include "readers.h"
#include "stage_names.h"
#include "times.h"
#include "versions.h"

struct jag_ahead;
struct jag_handle;

/* What has happened so far, for `status`; each atomic. */
struct jag_counters {
	uint64_t lookups, opens, releases, reads, read_nbytes, writes, written_nbytes;
	uint64_t in_place_writes, in_place_nbytes; /* of these, those that went straight into the store */
};
#define jag_count(fs, member, n) __atomic_fetch_add(&(fs)->counters.member, (uint64_t)(n), __ATOMIC_RELAXED)

struct jag_fs {
	const struct jag_mount_options *options;
	bool read_only; /* asked for, or all that the store's volume allows */
	struct jag_store *store;
	struct jag_tree *tree;
	struct jag_content *content;
	struct jag_nodes nodes;
	struct jag_versions *versions;
	struct jag_staging_pool stagings;
	struct jag_pending pending;
	struct jag_stage_names stage_names;
	struct jag_times *times;
	struct jag_handle *handles; /* all that are open; see handle.h */
	unsigned anew_count;        /* of them that stage through pages; under handles_lock */
	pthread_mutex_t handles_lock;
	struct jag_readers readers;
	struct jag_ahead *ahead; /* NULL: not started */
	struct jag_log log;
	struct jag_counters counters;
	struct timespec mounted; /* CLOCK_REALTIME */
	uint64_t store_stamp;    /* of the store's meta.json files at mount time; see control.c */
	char control_name[16];   /* ".jagfs", or ".jagfs~2" where the store has such a key */
	int ready_fd;            /* where init says that the mount answers; -1: nobody waits */
	uint64_t init_unique;    /* the INIT that is being answered; see channel.c */
	bool direct_mmap;        /* the kernel has both shared mappings and direct I/O */
	bool no_open;            /* immutable, and the kernel can do without OPEN */
	pthread_key_t scratch;   /* see scratch.h */
};

static inline struct jag_fs *jag_fs_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

/* The one table of handlers (ops.c). */
extern const struct fuse_lowlevel_ops jag_ops;

/* ops_lookup.c */
void jag_op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name);
void jag_op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void jag_op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup);
void jag_op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets);
void jag_fs_forget(struct jag_fs *fs, fuse_ino_t ino, uint64_t lookups);

/* ops_dir.c */
void jag_op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void jag_op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void jag_op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);

/* ops_file.c */
void jag_op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void jag_op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void jag_op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void jag_op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void jag_op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);

/* ops_write.c */
void jag_op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off, struct fuse_file_info *fi);
void jag_op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t offset, off_t length, struct fuse_file_info *fi);
void jag_op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *fi);

/* 0, or why this file cannot be written (anew: as a whole). Modes have been checked by the kernel. */
int jag_fs_may_write(struct jag_fs *fs, jag_node base, const struct jag_place *place, bool anew);

/* Why the store's files cannot be written: -EROFS or -EACCES. */
int jag_unwritable(struct jag_fs *fs);

/* 0 if mode and owner are what they are already; else -EPERM, noted. */
int jag_check_owner(struct jag_fs *fs, jag_node base, const struct stat *st, const struct stat *attr, int to_set);

/* ops_name.c: the namespace is fixed, but for staging files. */
void jag_op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi);
void jag_op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev);
void jag_op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void jag_op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void jag_op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void jag_op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name);
void jag_op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name);
void jag_op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent, const char *new_name,
		   unsigned flags);

#endif
