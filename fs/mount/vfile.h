/* SPDX-License-Identifier: MIT */
/* vfile.h - the records behind versions.c: one for each snapshot file that something is going on with (a request, an
 * open handle, a further version), found by the tree's node id and freed when idle, so that files that are merely
 * known cost nothing.
 *
 * Requests about one file take turns: between jag_vfile_enter() and jag_vfile_leave() nobody else tells a size of it,
 * pins it, or adds a version. Only releases and forgets come in between; so a version that has handles may lose them,
 * but one that has none stays so. */
#ifndef JAG_MOUNT_VFILE_H
#define JAG_MOUNT_VFILE_H

#include "jag/content.h"
#include "nodes.h"
#include "told.h"

struct jag_vshard;

struct jag_version {
	struct jag_dynamic node; /* unused in the first version, whose id is the file's */
	jag_node base;
	struct jag_version *next;
	struct jag_blob *blob; /* the pinned content; NULL while no handle is open */
	uint64_t handles;
	struct jag_told_size told; /* of the first version see jag_vshard.told */
};

struct jag_vfile {
	struct jag_link link; /* key: the tree's node id */
	struct jag_vshard *shard;
	struct jag_version first;
	struct jag_version *further;
	uint64_t privates; /* open handles with a snapshot of their own */
	bool taken;        /* somebody has the turn */
	unsigned waiting;
};

/* A part of all files. Its lock guards all fields of its files and versions; it is held for a few instructions. */
struct jag_vshard {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	struct jag_table files;
	struct jag_told told; /* of first versions */
};

#define JAG_VSHARD_COUNT 64 /* a power of two */
struct jag_vfiles {
	struct jag_nodes *nodes;
	struct jag_vshard shards[JAG_VSHARD_COUNT];
};

void jag_vfiles_init(struct jag_vfiles *files, struct jag_nodes *nodes);
void jag_vfiles_finish(struct jag_vfiles *files); /* after jag_nodes_finish(), which frees further versions */

/* Take the turn. NULL: out of memory. */
struct jag_vfile *jag_vfile_enter(struct jag_vfiles *files, jag_node base);
void jag_vfile_leave(struct jag_vfile *file);

/* All below: with the turn. */

uint64_t jag_version_id(const struct jag_vfile *file, const struct jag_version *version);
struct jag_version *jag_vfile_find(struct jag_vfile *file, uint64_t id);

/* Nothing is pinned, and there is one version only. */
bool jag_vfile_is_plain(struct jag_vfile *file);

/* The version that pins this content; NULL if none does. *blob is a reference. A dynamic version gets one lookup. */
struct jag_version *jag_vfile_find_pinned(struct jag_vfiles *files, struct jag_vfile *file, uint64_t hash,
					  struct jag_blob **blob);

/* A version that nobody has open and that may be told this size, and tell it: the first if it may, else a further one,
 * made if there is none. A dynamic one gets a lookup. `fixed`: the size follows from the shape. */
int jag_vfile_find_free(struct jag_vfiles *files, struct jag_vfile *file, uint64_t size, bool fixed,
			struct jag_version **out);

/* What the kernel was told of a version: .ms == 0 if that is not known (any more). */
struct jag_told_size jag_version_told(struct jag_vfile *file, const struct jag_version *version);

/* True, and noted, if a version may be told this size. */
bool jag_version_tell(struct jag_vfile *file, struct jag_version *version, uint64_t size);

/* The content that a version pins, as a reference; NULL if none. */
struct jag_blob *jag_version_pinned(struct jag_vfile *file, const struct jag_version *version);

/* One more handle: on the content that it pins, if it pins one already; else `blob` is pinned. */
void jag_version_pin(struct jag_vfiles *files, struct jag_vfile *file, struct jag_version *version,
		     struct jag_blob *blob);

/* Handles that have a snapshot of their own: counted, so that it is known whether there are any. */
void jag_vfile_add_private(struct jag_vfile *file);
bool jag_vfile_has_private(struct jag_vfile *file);

/* Without the turn: */

void jag_vfile_drop_private(struct jag_vfiles *files, jag_node base);

/* One handle less, of the version `id` of `base`; the last one lets the content go. */
void jag_version_unpin(struct jag_vfiles *files, jag_node base, uint64_t id);

/* Lookups and holds less, of a dynamic version. */
void jag_version_drop(struct jag_vfiles *files, struct jag_version *version, uint64_t lookups, uint64_t holds);

#endif
