/* SPDX-License-Identifier: MIT */
/* versions.h - which content a node of a snapshot file (png, jpg, txt) stands for.
 *
 * The kernel keeps one size and one page cache for each node id, not for each open handle. A file whose content
 * changes under the mount can therefore be served whole only if a node id means one content for as long as anybody
 * has it open, and one size for as long as an answer with another may be on its way:
 *
 *   - The first open of a node *pins* a snapshot; every read, size and attribute of the node comes from it until the
 *     last handle is closed. A mapping keeps its handle open, so it is covered.
 *   - A LOOKUP that finds other content than what is pinned, or another size than what was told of the node a moment
 *     ago, answers another node id, with the same st_ino.
 *   - An OPEN of a node that pins other content, or whose size is not what the kernel was told, answers ESTALE: the
 *     VFS looks the name up again, once, and the program does not notice. If the content has changed again between
 *     that lookup and the second open, the open takes what the lookup had found (stale.h); if the node cannot have
 *     that, the handle gets a snapshot of its own with direct I/O, past size and page cache of the node.
 *   - While nobody has it open, a node stands for the present content, whatever it is.
 *
 * The id that the tree computes is the first version and needs no memory unless it is pinned. Further versions are
 * dynamic nodes. No lock is held while encoding; who waits, waits for the same file only (vfile.h). */
#ifndef JAG_MOUNT_VERSIONS_H
#define JAG_MOUNT_VERSIONS_H

#include <sys/types.h>

#include "jag/content.h"
#include "nodes.h"

struct jag_versions; /* opaque */

/* Both must outlive it. `immutable`: nobody writes the store. */
int jag_versions_create(struct jag_content *content, struct jag_nodes *nodes, bool immutable,
			struct jag_versions **out);
void jag_versions_destroy(struct jag_versions *versions); /* after jag_nodes_finish(); NULL is fine */

/* What a LOOKUP is told. */
struct jag_found {
	uint64_t id;
	uint64_t size;
	double age; /* seconds since this was so; 0: it is so now */
};

/* LOOKUP: the id of the version that has the present content, and its exact size; or what these were not more than
 * `max_age` seconds ago, if that is known without a look at the element. A dynamic id counts one lookup. */
int jag_versions_lookup(struct jag_versions *versions, jag_node base, const struct jag_place *place, double max_age,
			struct jag_found *out);

/* GETATTR of `id`, a version of `base`, by thread `tid`: its exact size. -ESTALE: look the name up again. */
int jag_versions_size(struct jag_versions *versions, uint64_t id, jag_node base, const struct jag_place *place,
		      pid_t tid, uint64_t *size);

/* What an open handle holds. */
struct jag_pin {
	struct jag_blob *blob;
	uint64_t id; /* the version it pins; 0: a private snapshot, to be served with direct I/O */
	jag_node base;
};

/* OPEN of `id` by thread `tid`. 0 and *pin; -ESTALE: look the name up again. */
int jag_versions_open(struct jag_versions *versions, uint64_t id, jag_node base, const struct jag_place *place,
		      pid_t tid, struct jag_pin *pin);

/* The thread has found a node that is its own: what it was answered before does not count any more. */
void jag_versions_settle(struct jag_versions *versions, jag_node base, pid_t tid);

void jag_versions_release(struct jag_versions *versions, struct jag_pin *pin);

/* FORGET of a dynamic version that is held by the caller; takes the hold back too. */
void jag_versions_forget(struct jag_versions *versions, struct jag_dynamic *node, uint64_t lookups);

/* The first version's id. */
jag_node jag_version_base(const struct jag_dynamic *node);
void jag_version_free(struct jag_dynamic *node);

/* Answers of ESTALE, and handles with direct I/O, so far; for `status`. */
void jag_versions_stats(const struct jag_versions *versions, uint64_t *stale, uint64_t *private_handles);

#endif
