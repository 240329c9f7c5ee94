/* SPDX-License-Identifier: MIT */
/* content.h - the bytes of the files of a tree: exact sizes, snapshots of encoded formats, ranges of live ones,
 * writes in place. Holds the only mutable state of the reading side: finished encodings and the files that were written
 * last (both bounded in bytes), the sizes of encodings remembered by content hash (12 bytes for each element asked
 * for), and the locks that keep a commit and a snapshot of the same bytes apart.
 *
 * Close-to-open: every call but jag_content_fresh_size() looks at the store's bytes as they are now. A size or an
 * encoding is reused only if the XXH3 hash of the element's bytes is the one that it was made from; times are never
 * trusted.
 *
 * Threads: everything here may be called from any thread. No lock is held while encoding an element; two callers that
 * need the same encoding share one (the second waits for the first, nobody else does).
 */
#ifndef JAG_CONTENT_H
#define JAG_CONTENT_H

#include "jag/tree.h"

struct jag_content; /* opaque */

struct jag_content_options {
	uint64_t cache_nbytes;    /* finished encodings that nobody holds; 0: 64 MiB */
	uint64_t readback_nbytes; /* files as they were written; 0: 64 MiB, JAG_READBACK_OFF: none */
	bool immutable;           /* nobody writes the store: remembered sizes are used without hashing again */
};
#define JAG_READBACK_OFF UINT64_MAX

/* The tree must outlive it. `options` are copied and may be NULL. -ENOMEM. */
JAG_API int jag_content_create(const struct jag_tree *tree, const struct jag_content_options *options,
			       struct jag_content **out);

/* NULL is fine. Blobs that somebody holds stay valid; all else must be out of use. */
JAG_API void jag_content_destroy(struct jag_content *content);

/* The tree that it was made for. */
JAG_API const struct jag_tree *jag_content_tree(const struct jag_content *content);

/* Immutable bytes of one whole file, reference counted. */
struct jag_blob {
	const uint8_t *data;
	size_t nbytes;
	uint64_t hash; /* of what it stands for: the element's bytes, or a file that was written */
		       /* the rest is private to core/content */
};

/* One more reference, and one less: the last frees it. NULL is fine for unref. Any thread. */
JAG_API struct jag_blob *jag_blob_ref(struct jag_blob *blob);
JAG_API void jag_blob_unref(struct jag_blob *blob);

/* A blob of the caller's own bytes (copied), for generated files. -ENOMEM. */
JAG_API int jag_blob_create(const void *bytes, size_t nbytes, struct jag_blob **out);

/* True if opens of this file take a snapshot (png, jpg, txt); false for live formats and fixed texts. */
JAG_API bool jag_content_is_snapshot(const struct jag_place *place);

/* The exact size of the file now. Encodes where the format needs it and no remembered size has the right hash; what
 * was encoded stays in the cache for the open that follows. `hash`, if not NULL, gets the content hash that the size
 * belongs to (0 where none was computed: closed-form sizes). Errors as jag_content_snapshot(). */
JAG_API int jag_content_size(struct jag_content *content, jag_node node, const struct jag_place *place, uint64_t *size,
			     uint64_t *hash);

/* The size that jag_content_size() or jag_content_warm() has found by a look that began less than `max_age` seconds
 * ago, and how long ago, if nothing was written through this content since: good enough where an answer may be so old
 * anyway. */
JAG_API bool jag_content_fresh_size(struct jag_content *content, jag_node node, double max_age, uint64_t *size,
				    double *age);

/* It was found that the fresh size of this node is not so any more: forget it. */
JAG_API void jag_content_outdated(struct jag_content *content, jag_node node);

/* True if the size of the file is place->size, whatever its content is: no jag_content_size() of it has answered or
 * will answer another. A stored png is of another size as long as its last written bytes are remembered. */
JAG_API bool jag_content_size_fixed(const struct jag_content *content, const struct jag_place *place);

/* What blob.hash a snapshot made now would have: XXH3 of the element, which is read under its lock, or of
 * the written file that stands for it. Errors: of reading it; -EINVAL, -ENOMEM. */
JAG_API int jag_content_hash(struct jag_content *content, const struct jag_place *place, uint64_t *hash);

/* A whole, consistent encoding of the element as it is now (or of fixed texts). Remembers its size. Unref it.
 * Errors: -EIO / -ESTALE from the backing file, -ENOMEM, -EINVAL if the format does not fit. */
JAG_API int jag_content_snapshot(struct jag_content *content, jag_node node, const struct jag_place *place,
				 struct jag_blob **out);

/* Encode into the cache if the element's present content is not there yet; for threads that work ahead of a reader.
 * Does nothing for files that are no snapshots. -ESTALE no such node; else as jag_content_snapshot(). */
JAG_API int jag_content_warm(struct jag_content *content, jag_node node);

/* Bytes [offset, offset+n) of a live file or fixed text, clamped at its end; the count, or -errno: -EIO, -ESTALE from
 * the backing file. */
JAG_API int64_t jag_content_read(struct jag_content *content, const struct jag_place *place, void *dst, size_t n,
				 uint64_t offset);

/* A range of a live file that is a header followed by the element's bytes as they stand: some bytes of the header, then
 * a range of one descriptor of the store. */
struct jag_content_range {
	size_t header_nbytes;
	uint8_t header[JAG_HEADER_MAX];
	int fd;
	uint64_t offset; /* in fd */
	size_t nbytes;   /* > 0 */
};

/* Bytes [offset, offset+n), clamped at the end of the file, without a copy; for splice(2). Errors as
 * jag_content_read(); -EOPNOTSUPP: use that. See jag_element_fd() for files that are cut later. */
JAG_API int jag_content_range(const struct jag_place *place, size_t n, uint64_t offset, struct jag_content_range *out);

/* Store bytes in place through a live format; in the mapping when it returns. Errors: -EFBIG the range crosses the
 * end, -EINVAL header bytes differ, -EPERM read-only place or snapshot format, -EROFS, -EACCES, -ENOSPC, -EIO. */
JAG_API int jag_content_write(struct jag_content *content, const struct jag_place *place, const void *src, size_t n,
			      uint64_t offset);

/* Exclude snapshots and commits of the element while a whole new content is stored; unlock on the same thread. Elements
 * share a fixed number of locks, so never hold two. Unlocking forgets all fresh sizes. */
JAG_API void jag_content_lock(struct jag_content *content, const struct jag_place *place);
JAG_API void jag_content_unlock(struct jag_content *content, const struct jag_place *place);

/* The element has just got these bytes (place->element.nbytes of them) from this file, in the place's format: as long
 * as it keeps them, snapshots are the file. For jag_commit(), with the element locked. */
JAG_API void jag_content_remember(struct jag_content *content, const struct jag_place *place, const void *element_bytes,
				  const void *file, size_t file_nbytes);

/* Counted since it was made; "now" is any moment during the call. */
struct jag_content_stats {
	uint64_t encodes;          /* encodings made */
	uint64_t encode_hits;      /* served from the cache */
	uint64_t cache_nbytes;     /* held now */
	uint64_t sizes_remembered; /* elements; 12 bytes each */
	uint64_t readback_nbytes;  /* of written files, held now */
};
JAG_API void jag_content_stats(struct jag_content *content, struct jag_content_stats *out);

#endif
