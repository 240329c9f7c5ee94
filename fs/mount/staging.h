/* SPDX-License-Identifier: MIT */
/* staging.h - bytes that are written but are not the element yet, and the points at which they become it. Knows no
 * FUSE.
 *
 * A staging belongs to
 *   - a node of its own: an element that is opened with O_TRUNC (or an encoded one that is opened for writing), or a
 *     free name that is created. All handles of the node share it;
 *   - or one handle, whose ftruncate(0) began it (node.link.key == 0).
 *
 * An *episode* begins with the first change (or O_TRUNC, or creation) and ends when the last handle is closed and the
 * name, if it is a free one, is gone. It ends in one of three ways, each counted once: committed, refused (the last
 * attempt failed), abandoned (there was none). Between episodes a staging holds no bytes.
 *
 * A commit is attempted at
 *   - FLUSH: shells, dup() and forked children flush before the file is complete. So only that of the process which
 *     opened the file counts; where that has gone, heirs commit what is whole and right, and hear of nothing else;
 *   - FSYNC and the rename onto an element: errors go to the caller;
 *   - the last RELEASE, for bytes that came after the last FLUSH (a mapping that outlived close()): errors can go to
 *     the log only.
 * It may succeed several times while the file is open. */
#ifndef JAG_MOUNT_STAGING_H
#define JAG_MOUNT_STAGING_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include "jag/commit.h"
#include "nodes.h"

/* All stagings of a mount; every number atomic. */
struct jag_staging_pool {
	uint64_t limit;  /* of nbytes */
	uint64_t inos;   /* numbers given to free names */
	uint64_t nbytes; /* allocated by all buffers now */
	uint64_t anew;   /* elements that are being written, or about to be */
	unsigned commit_flags;
	uint64_t staged, commits, refusals, abandoned; /* episodes begun; and how they ended */
	uint64_t committed_nbytes;                     /* of elements */
};

enum jag_staging_outcome { JAG_STAGING_UNTRIED, JAG_STAGING_COMMITTED, JAG_STAGING_REFUSED };

struct jag_staging {
	struct jag_dynamic node; /* link.key 0: it has none */
	struct jag_staging_pool *pool;
	uint64_t ino; /* st_ino of a free name */

	pthread_mutex_t lock;    /* of all below; held while a commit decodes: who writes the file waits, nobody else */
	jag_node target;         /* the file of an element; 0: a free name */
	struct jag_blob *origin; /* the content until it is changed: what the file held when it was opened; or NULL */
	uint8_t *data;
	size_t nbytes, capacity;
	bool active;  /* an episode is under way */
	bool anew;    /* counted in the pool's */
	bool dirty;   /* changed since the last attempt */
	bool fsynced; /* a free name that is to be on disk when its rename returns */
	bool named;   /* a free name that can be found */
	unsigned handles;
	enum jag_staging_outcome outcome; /* of the last attempt in this episode */
	int refusal;                      /* its -errno */
	mode_t mode;                      /* of a free name */
	uid_t uid;
	gid_t gid;
	struct timespec mtime;
	bool has_mtime; /* somebody has set it, and nothing was written since */
};

/* What came of a commit point. */
struct jag_staging_result {
	bool committed;        /* the element has a new content */
	bool refused;          /* an attempt failed; `err` says why. Not set again for the same bytes */
	struct timespec mtime; /* if committed: what the element's is to be */
	struct jag_error err;
};

enum jag_staging_point { JAG_STAGING_FLUSH, JAG_STAGING_FLUSH_OTHER, JAG_STAGING_FSYNC, JAG_STAGING_RELEASE };

/* `target` 0: a free name, whose episode begins at once. `origin`: the content to begin with (a reference is taken),
 * or NULL. -ENOMEM. */
int jag_staging_create(struct jag_staging_pool *pool, jag_node target, struct jag_blob *origin,
		       struct jag_staging **out);

/* Ends the episode, if there is one. */
void jag_staging_free(struct jag_staging *staging);

/* The staging of a node of kind JAG_DYNAMIC_STAGING. */
struct jag_staging *jag_staging_of(struct jag_dynamic *node);

/* The hash of what it was opened with, as long as nobody has changed that; false if it has nothing of the kind. */
bool jag_staging_origin_hash(struct jag_staging *staging, uint64_t *hash);

/* The element has changed since; without effect once somebody has the node open. */
void jag_staging_set_origin(struct jag_staging *staging, struct jag_blob *origin);

/* One handle more. -ESTALE: of an element, with nothing to show: the element itself has to be opened. */
int jag_staging_open(struct jag_staging *staging, bool truncate);

/* One handle less. With the last one of an element the commit point RELEASE comes before it, in one step: of two that are
 * closed at a time, each would leave it to the other. *result is filled in any case. True: the episode has ended, and
 * was abandoned. */
bool jag_staging_close(struct jag_staging *staging, struct jag_content *content, struct jag_staging_result *result);

/* The name is gone (unlinked, or renamed onto an element). As jag_staging_close(). */
bool jag_staging_drop_name(struct jag_staging *staging);

/* All or nothing. -ENOSPC beyond the limit of all stagings; -EFBIG; -ENOMEM. */
int jag_staging_write(struct jag_staging *staging, const void *src, size_t n, uint64_t offset);

/* Any size; what is added is zero. With `fixed`, a content that nobody has changed yet can only be emptied or left as it
 * is: -EFBIG, -EINVAL. */
int jag_staging_truncate(struct jag_staging *staging, uint64_t nbytes, bool fixed);

/* Up to the end of the file; the count. */
size_t jag_staging_read(struct jag_staging *staging, void *dst, size_t n, uint64_t offset);

/* False: it holds nothing of its own (any more); the element itself is what counts. */
bool jag_staging_size(struct jag_staging *staging, uint64_t *nbytes);

/* Written, and no attempt to commit it has been made. */
bool jag_staging_is_dirty(struct jag_staging *staging);

/* FLUSH or FSYNC. What to answer; *result is filled in any case. */
int jag_staging_commit(struct jag_staging *staging, struct jag_content *content, enum jag_staging_point point,
		       struct jag_staging_result *result);

/* The file of a free name becomes the content of the element `target`, and the staging one of that element. */
int jag_staging_rename(struct jag_staging *staging, struct jag_content *content, jag_node target,
		       struct jag_staging_result *result);

/* The element that it is of; 0: a free name. */
jag_node jag_staging_target(struct jag_staging *staging);

#endif
