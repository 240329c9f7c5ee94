/* SPDX-License-Identifier: MIT */
/* sequence.h - what a directory of elements shows: a count and, for each index, where the bytes lie, their dtype and
 * shape. A nested leaf is one, and so are the rows of a dense leaf, a whole leaf (count 1), and several of these
 * joined end to end (the chunks of a packed store, one key across a lazy stack).
 *
 * Codecs, tree, writes, pack and resize know sequences only; nothing outside core/store/ and core/sequence*.c looks
 * at how a leaf is stored.
 *
 * Threads: all functions may be called from any thread at any time; none takes a lock.
 */
#ifndef JAG_SEQUENCE_H
#define JAG_SEQUENCE_H

#include "jag/store.h"

struct jag_sequence; /* opaque; immutable once made */

/* A run of bytes in one backing file. */
struct jag_piece {
	struct jag_file *file;
	uint64_t offset; /* in the file */
	uint64_t nbytes;
};

/* Where one element lies. Plain memory, filled by jag_sequence_locate(); valid as long as the sequence.
 * Nearly every element is one piece; the whole of a joined dense leaf is one piece for each chunk. */
struct jag_element {
	struct jag_shape shape;
	uint64_t nbytes; /* = sum of the pieces; 0 elements have no piece */
	size_t piece_count;
	/* = &one, or memory of the sequence. In a copy of an element it may be stale: the functions below use `one`
	 * where piece_count is 1. */
	const struct jag_piece *pieces;
	struct jag_piece one;
};

/* Making sequences: the caller frees them with jag_sequence_free(), before the store of the leaf is closed. -ENOMEM,
 * and:
 *
 * The components of a nested leaf, or the rows of a dense leaf over its first `batch_rank` dimensions (row-major,
 * batch_rank <= rank; a nested leaf ignores it). -EINVAL if the leaf has a fault or the batch_rank does not fit. */
JAG_API int jag_sequence_of_leaf(const struct jag_leaf *leaf, unsigned batch_rank, struct jag_sequence **out);

/* A dense leaf as one element with its full shape; count 1. */
JAG_API int jag_sequence_whole(const struct jag_leaf *leaf, struct jag_sequence **out);

/* The int64 [n,d] shape matrix of a nested leaf as one element; count 1. -EINVAL if the leaf is dense. */
JAG_API int jag_sequence_shape_matrix(const struct jag_leaf *leaf, struct jag_sequence **out);

/* `nbytes` bytes of `file` from `offset` as one uint8 [nbytes] element (pickles). The file must stay open. */
JAG_API int jag_sequence_file(struct jag_file *file, uint64_t offset, uint64_t nbytes, struct jag_sequence **out);

/* Joined end to end: element i of the result is element i - (counts before) of one part. Takes ownership of the
 * parts, also on failure. Parts may differ in shapes but not in dtype (-EINVAL). */
JAG_API int jag_sequence_join(struct jag_sequence **parts, size_t part_count, struct jag_sequence **out);

/* Several whole dense tensors as one, concatenated along dimension 0 (one piece each); count 1. The other dimensions
 * and the dtype must agree (-EINVAL). Takes ownership of the parts, also on failure. */
JAG_API int jag_sequence_concat(struct jag_sequence **wholes, size_t whole_count, struct jag_sequence **out);

/* Joined ones free their parts. NULL is fine. */
JAG_API void jag_sequence_free(struct jag_sequence *seq);

JAG_API uint64_t jag_sequence_count(const struct jag_sequence *seq);
JAG_API enum jag_dtype jag_sequence_dtype(const struct jag_sequence *seq);

/* The rank of every element, or -1 if they differ (joined parts). */
JAG_API int jag_sequence_rank(const struct jag_sequence *seq);

/* Range of dimension `dim` over all elements, merged over joined parts, without a pass over the elements.
 * -EINVAL if there is no element or the ranks differ or dim >= rank. */
JAG_API int jag_sequence_dim_stats(const struct jag_sequence *seq, unsigned dim, struct jag_dim_stats *out);

/* Element i: O(1) for dense, at most one read of 64 rows of the shape matrix for nested, O(log parts) for joined.
 * Errors: -ERANGE i >= count; -EIO the shape matrix no longer says what it said when the store was opened, or its
 * file has been cut. The bytes themselves are not touched. */
JAG_API int jag_sequence_locate(const struct jag_sequence *seq, uint64_t i, struct jag_element *out);

/* Narrow an element to the sub-tensor `sub` of its leading `lead_rank` dimensions flattened (one frame of a clip).
 * -ERANGE beyond the product of these dimensions; -EINVAL for an element of more than one piece. */
JAG_API int jag_element_narrow(struct jag_element *element, unsigned lead_rank, uint64_t sub);

/* Copy n bytes from byte `offset` of the element. All or nothing: 0, -EIO if the backing file has become shorter
 * (message in the caller's hands: jag_element_path()), -ESTALE if it has been unlinked or replaced, -ERANGE if
 * [offset, offset+n) is not inside the element. Never faults. */
JAG_API int jag_element_read(const struct jag_element *element, void *dst, size_t n, uint64_t offset);

/* Store n bytes. All or nothing up to what pwrite(2) promises; never extends the file. Errors as for reading, also
 * -EROFS / -EACCES where the file could not be opened for writing, -ENOSPC for holes on a full disk. */
JAG_API int jag_element_write(const struct jag_element *element, const void *src, size_t n, uint64_t offset);

/* Take space on the disk for holes in [offset, offset + n), so that a write there cannot fail for want of it; stores
 * nothing. Errors as for writing. */
JAG_API int jag_element_reserve(const struct jag_element *element, size_t n, uint64_t offset);

/* The bytes are on the disk when this returns 0. Syncs the element's range only: a sync of the
 * whole file costs hundreds of milliseconds when others have dirtied it. -EIO, -ENOSPC, -EDQUOT from the file system;
 * -ESTALE. */
JAG_API int jag_element_sync(const struct jag_element *element);

/* The bytes [offset, offset + n) of the element as a range of one descriptor, for system calls that move bytes between
 * descriptors (splice(2)): *fd is the store's, *at the offset in it. -EOPNOTSUPP: the bytes lie in several pieces, or
 * the file keeps no descriptor; then use jag_element_read(). Other errors are those of jag_element_read(). A file that
 * is cut later gives fewer bytes than n: count them. */
JAG_API int jag_element_fd(const struct jag_element *element, size_t n, uint64_t offset, int *fd, uint64_t *at);

/* Path of the (first) backing file below the store, for messages; "" for an element of 0 bytes. Lives as long as the
 * store. */
JAG_API const char *jag_element_path(const struct jag_element *element);

/* Owner, permission bits and times of the backing file. */
struct jag_file_attr {
	uint32_t uid, gid;
	uint32_t mode;     /* permission bits; with a POSIX ACL the group bits are the ACL's group:: entry */
	int64_t mtime_sec; /* when the store was opened */
	uint32_t mtime_nsec;
	bool writable; /* this process may write it, and the store was opened with JAG_STORE_WRITE */
};

JAG_API void jag_file_attr(const struct jag_file *file, struct jag_file_attr *out);

/* The same of the directory or file that is the store, as it is now; for what no data file stands behind. -errno of
 * fstat(2). */
JAG_API int jag_store_attr(const struct jag_store *store, struct jag_file_attr *out);

/* How many of the bytes [offset, offset + n) lie in holes of the file, which take no space. Those beyond its end count
 * as holes. 0 holes where the filesystem cannot tell. -EOVERFLOW a range beyond 2^63; -errno of opening or seeking. */
JAG_API int jag_file_holes(const struct jag_file *file, uint64_t offset, uint64_t n, uint64_t *holes);

#endif
