/* SPDX-License-Identifier: MIT */
/* stage.h - the write side, between requests and stagings: which opens are redirected to a node of their own, what such
 * a node looks like to the kernel, and who hears what came of a commit. */
#ifndef JAG_MOUNT_STAGE_H
#define JAG_MOUNT_STAGE_H

#include "reply.h"

/* Take back lookups, and one hold. */
void jag_stage_put(struct jag_fs *fs, struct jag_staging *staging, uint64_t lookups);

/* Size and attributes of a staging's node; its element's where it holds nothing of its own. */
int jag_stage_size(struct jag_fs *fs, const struct jag_resolved *node, uint64_t *size);
void jag_stage_stat(struct jag_fs *fs, const struct jag_resolved *node, uint64_t size, struct stat *st);

/* LOOKUP of a free name that was created: 0 and the entry, with one lookup; -ENOENT. */
int jag_stage_lookup(struct jag_fs *fs, fuse_ino_t dir, const char *name, struct fuse_entry_param *entry);

/* LOOKUP of an element by a thread whose open was redirected: true, and the entry of its own node. */
bool jag_stage_find_pending(struct jag_fs *fs, pid_t tid, jag_node base, struct fuse_entry_param *entry);

/* Must this open of an element be redirected? The kernel would cut the file for everybody with O_TRUNC; and an encoded
 * file that is changed in place is of no use before all of it is there. */
bool jag_stage_wanted(const struct jag_place *place, int flags);

/* Do so: -ESTALE, which makes the VFS look the name up again, or another error. */
int jag_stage_redirect(struct jag_fs *fs, const struct jag_resolved *node, int flags);

/* GETATTR, or the OPEN of a reader, has to answer ESTALE: whatever the thread does next with the name, it must not come to that again. */
void jag_stage_guess(struct jag_fs *fs, const struct jag_resolved *node);

/* OPEN of a staging's node, and the end of any handle that has a staging. */
int jag_stage_open(struct jag_fs *fs, const struct jag_resolved *node, struct jag_handle *handle, int flags);
void jag_stage_close(struct jag_fs *fs, struct jag_handle *handle);

/* ftruncate(0) of a handle that wrote in place so far: from now on its writes are staged. */
int jag_stage_begin(struct jag_fs *fs, struct jag_handle *handle, pid_t tid);

/* Commit points of an open handle; `tid`: the thread that asks. What to answer. */
int jag_stage_flush(struct jag_fs *fs, struct jag_handle *handle, pid_t tid);
int jag_stage_fsync(struct jag_fs *fs, struct jag_handle *handle);

/* Log a refusal; set the element's time after a commit. */
void jag_stage_note_result(struct jag_fs *fs, jag_node target, const struct jag_staging_result *result);

/* SETATTR of a staging's node. Free names take any mode and owner; elements keep what they have. */
int jag_stage_setattr(struct jag_fs *fs, const struct jag_resolved *node, const struct stat *attr, int to_set);

/* A free name is created: the node, with one lookup, and its entry. */
int jag_stage_create(struct jag_fs *fs, fuse_req_t req, fuse_ino_t dir, const char *name, mode_t mode,
		     struct fuse_entry_param *entry, struct jag_staging **out);

/* -ENOENT: no such free name. */
int jag_stage_unlink(struct jag_fs *fs, fuse_ino_t dir, const char *name);
int jag_stage_rename(struct jag_fs *fs, fuse_req_t req, fuse_ino_t dir, const char *name, fuse_ino_t new_dir,
		     const char *new_name, unsigned flags);

/* The process that a thread belongs to; 0: not known. */
pid_t jag_thread_group(pid_t tid);

#endif
