/* SPDX-License-Identifier: MIT */
/* blobcache.h - finished encodings by key, bounded in bytes; and who is encoding what just now, so that two callers that
 * need the same encoding make it once.
 *
 * Use: begin(). If it says that there is nothing, the caller encodes and must call end() with the same key, whatever
 * comes of it; until then everybody else who begins that key waits, and then gets the blob, or the caller's error.
 *
 * Locks: one mutex inside, held for a look-up or an insertion, never while anybody encodes or waits. The cache calls
 * nothing that takes another lock, so callers may hold any lock - but one who holds a lock that an encoder needs must
 * not begin(), because that may wait for the encoder.
 *
 * Two sorts of blob share the limit. Costly ones are kept by last use. Cheap ones (a stored png is a copy and two
 * checksums, and as large as the element) are kept only if they were encoded ahead of their reader, get a quarter of the
 * limit, and never push a costly one out.
 */
#ifndef JAG_CONTENT_BLOBCACHE_H
#define JAG_CONTENT_BLOBCACHE_H

#include "jag/content.h"

struct jag_blobcache;

enum jag_blob_sort { JAG_BLOB_COSTLY, JAG_BLOB_CHEAP };

int jag_blobcache_create(uint64_t limit_nbytes, struct jag_blobcache **out);

/* No call may be under way. NULL is fine. */
void jag_blobcache_destroy(struct jag_blobcache *cache);

/* 1 with *blob (unref it); 0: the caller encodes and calls end(); -errno of the caller that encoded; -ENOMEM. */
int jag_blobcache_begin(struct jag_blobcache *cache, uint64_t key, struct jag_blob **blob);

/* True and *blob (unref it), if it is there and finished. */
bool jag_blobcache_get(struct jag_blobcache *cache, uint64_t key, struct jag_blob **blob);

/* The encoding (which the cache refs itself), or rc < 0 and NULL. `keep`: also for those who come later. */
void jag_blobcache_end(struct jag_blobcache *cache, uint64_t key, int rc, struct jag_blob *blob,
		       enum jag_blob_sort sort, bool keep);

/* Bytes that the cache holds now. */
uint64_t jag_blobcache_nbytes(struct jag_blobcache *cache);

#endif
