/* SPDX-License-Identifier: MIT */
/* reply.h - from what the library says to what the kernel hears: node ids to places, places to stat and entries,
 * -errno to replies. */
#ifndef JAG_MOUNT_REPLY_H
#define JAG_MOUNT_REPLY_H

#include "fs.h"

/* What a node id stands for. */
struct jag_resolved {
	uint64_t id;
	pid_t tid;                   /* the thread that asks */
	jag_node base;               /* the tree's node; 0 for /.jagfs, its files, and free names */
	struct jag_dynamic *dynamic; /* held; NULL for computed ids */
	struct jag_staging *staging; /* what `dynamic` is, if it is one; then base is its element, or 0 */
	struct jag_place place;      /* if base != 0 */
};

/* 0 or -errno (-ESTALE: no such node). After 0, jag_resolved_done() gives the hold back. */
int jag_fs_resolve(fuse_req_t req, fuse_ino_t id, struct jag_resolved *out);
void jag_resolved_done(struct jag_fs *fs, struct jag_resolved *node);

/* Owner, mode, times and numbers of a tree's node of this size. */
void jag_place_stat(struct jag_fs *fs, const struct jag_place *place, uint64_t size, struct stat *st);

/* Under what its times are remembered: one for all formats of an element. */
jag_node jag_times_key(const struct jag_place *place);

/* The exact size of a file now. */
int jag_resolved_size(struct jag_fs *fs, const struct jag_resolved *node, uint64_t *size);

int jag_resolved_stat(struct jag_fs *fs, const struct jag_resolved *node, struct stat *st);

/* True while some element is being written anew, for files whose size may then change: a size that was told meanwhile
 * must not outlive the commit, after which everybody is to see the new one. */
bool jag_size_is_passing(struct jag_fs *fs, const struct jag_place *place);

/* How long the kernel may believe the attributes of a node: not at all if it stands for staged bytes, or its size is
 * passing. */
double jag_attr_timeout(struct jag_fs *fs, const struct jag_resolved *node);

/* fuse_reply_err takes a positive errno. */
void jag_reply(fuse_req_t req, int rc);

/* [off, off+size) cut to the end of `nbytes` of data. */
void jag_reply_range(fuse_req_t req, const uint8_t *data, size_t nbytes, size_t size, off_t off);

/* A refusal, with the node's path in front. Returns `rc`. */
int jag_refuse(struct jag_fs *fs, jag_node node, const char *name, int rc, const char *fmt, ...) JAG_PRINTF(5, 6);

/* Answer an OPEN with this handle. */
void jag_reply_handle(struct jag_fs *fs, struct jag_handle *handle, struct fuse_file_info *fi);

#endif
