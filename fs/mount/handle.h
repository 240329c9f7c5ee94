/* SPDX-License-Identifier: MIT */
/* handle.h - open files: what fi->fh points to. All open handles are in a list, because at unmount the kernel does not
 * release what is still open. */
#ifndef JAG_MOUNT_HANDLE_H
#define JAG_MOUNT_HANDLE_H

#include "reply.h"

struct jag_handle {
	struct jag_handle *next, **at; /* in fs->handles; under fs->handles_lock */
	unsigned users;                /* the kernel's, and requests that go on after their reply; atomic */
	struct jag_place place;        /* if base != 0, and it was not opened on a staging's node */
	uint64_t id;                   /* the node that was opened */
	jag_node base;                 /* the tree's node; 0 for files of /.jagfs */
	struct jag_pin pin;            /* snapshot formats */
	struct jag_blob *blob;         /* what READ serves; NULL: the live element. Owned by `pin`, or a reference */
	bool pinned;
	bool writes;                 /* opened for writing */
	bool direct;                 /* reads and writes come here, past the page cache of the node */
	struct jag_staging *staging; /* where writes go; NULL: in place. Atomic: ftruncate(0) can set it later */
	uint64_t reads, read_nbytes; /* READs so far, and what they asked for; atomic */
	bool watched;                /* ... because that tells how its thread reads; see readers.h */
	pid_t tid;                   /* the thread that opened it */
	pid_t opener;                /* the process that opened it; 0: not known */
	uint64_t cached; /* the live node whose page cache it shares; 0: none. Set at open, under handles_lock */
	bool anew;       /* ... and what it stages may be in those pages. Under fs->handles_lock */
};

static inline struct jag_handle *jag_handle_of(const struct fuse_file_info *fi)
{
	return fi ? (struct jag_handle *)(uintptr_t)fi->fh : NULL;
}

/* Where its writes go; NULL: in place, or there is no handle. */
static inline struct jag_staging *jag_handle_staging(const struct jag_handle *handle)
{
	return handle ? __atomic_load_n(&handle->staging, __ATOMIC_ACQUIRE) : NULL;
}

/* A handle with one user, in the list; NULL: out of memory. */
struct jag_handle *jag_handle_create(struct jag_fs *fs);

/* What it reads: a text of /.jagfs, a snapshot, or the live element. -ESTALE: look the name up again; errors of
 * reading the element. */
int jag_handle_fill(struct jag_fs *fs, const struct jag_resolved *node, struct jag_handle *handle);

/* Does it count as an open and a release? Looking at the counters does not change them. */
bool jag_handle_counts(const struct jag_handle *handle);

/* What a handle that shares its node's pages (one that was opened for reading and writing) stages after ftruncate(0)
 * goes through those pages, so nobody else may look at them meanwhile.
 * join: false: somebody does so; this handle has to do without the pages.
 * alone: before each staged write; false: another handle shares the pages. true: none does, and none can join until
 * settled, which is when what was staged is committed or refused: the next open drops the pages. */
bool jag_handle_join(struct jag_fs *fs, struct jag_handle *handle);
bool jag_handle_alone(struct jag_fs *fs, struct jag_handle *handle);
void jag_handle_settled(struct jag_fs *fs, struct jag_handle *handle);

/* Once the reply is sent, the file may be closed and the handle released by another thread: a handler that looks at it
 * afterwards is a user. The last user ends it: what is staged is committed or given up. */
void jag_handle_use(struct jag_handle *handle);
void jag_handle_done(struct jag_fs *fs, struct jag_handle *handle);

/* Close what is still open; no request is served any more. */
void jag_handles_finish(struct jag_fs *fs);

#endif
