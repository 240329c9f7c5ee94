/* SPDX-License-Identifier: MIT */
/* create.h - making stores: plan the keys, allocate everything, write the bytes, finish.
 *
 *   jag_create_new()            nothing is on disk yet
 *   jag_create_dense() ...      the plan: every key, name and size is checked here
 *   jag_create_allocate()       free space is checked, then all files are made at their full size
 *   jag_create_write() ...      from any number of threads
 *   jag_create_finish()         meta.json files, fsync, one rename: now the store is there, whole
 *
 * A new store is built in a directory beside its final place (NAME.jagfs-*.tmp), so its final name never shows a part
 * of a store. A process that is killed leaves that directory; the next that makes a store at the same place removes
 * it, and a note says so. Where it cannot be known to be dead (another machine, before a reboot), the note only names
 * it.
 *
 * What is written is version 0 of tensordict's on-disk format, which every release since 0.5 loads. Where a release
 * cannot load it (2^31 elements and more in a nested leaf, float8, empty leaves), a note says so when the leaf is
 * planned; it is no error.
 *
 * Threads: one thread plans, allocates and finishes; jag_create_write() and jag_create_fill() may run on many between.
 */
#ifndef JAG_CREATE_H
#define JAG_CREATE_H

#include "jag/error.h"
#include "jag/progress.h"
#include "jag/scalar.h"
#include "jag/sequence.h"
#include "jag/shape.h"

struct jag_create;      /* opaque: a store in the making */
struct jag_create_dir;  /* opaque: one of its collections; lives as long as it */
struct jag_create_leaf; /* opaque: one of its leaves; lives as long as it */

enum {
	JAG_CREATE_FORCE = 1 << 0,  /* replace the store that is there (only a store: a directory with a meta.json) */
	JAG_CREATE_SPARSE = 1 << 1, /* leave holes instead of reserving the space */
	JAG_CREATE_NOSYNC = 1 << 2, /* do not wait for the disk: a power cut may leave a broken store */
	JAG_CREATE_BARE = 1 << 3    /* jag_create_add(): a directory without meta.json, which becomes a store */
};

/* The largest number of elements of a nested leaf that tensordict can load. */
#define JAG_NESTED_LOADABLE_MAX INT64_C(2147483647)

/* Begin a store at `path`. Nothing is created yet, but the place is checked: -EEXIST there is something and
 * JAG_CREATE_FORCE is not set, or it is no store; -ENOENT or -ENOTDIR no parent directory; -EACCES, -EROFS it cannot be
 * written; -EBUSY it is a mount point. End with jag_create_finish() or jag_create_discard(). */
JAG_API int jag_create_new(const char *path, unsigned flags, struct jag_create **out, struct jag_error *err);

/* Begin to add to the collection in the directory `path` of a store that is there: STORE, or STORE/SUB. The plan and
 * all that follows is as for a new store. The new keys appear in its meta.json when it is finished, all at once;
 * entries that are there stay as they are, byte for byte. Others may add to the same collection at the same time: each
 * locks it (flock) for the moment of the change. -ENOENT, -EINVAL no collection that can have new keys; -ENOTSUP a
 * newer format version; -EACCES, -EROFS. Keys that exist are refused (-EEXIST) when they are planned, or by finish if
 * another process was faster. Finish fails with -EBUSY if a stopped process has locked it, and with -ESTALE, as all
 * that works in the store may, if the store was replaced or removed meanwhile. */
JAG_API int jag_create_add(const char *path, unsigned flags, struct jag_create **out, struct jag_error *err);

/* A place for a key by its path, "KEY" or "SUB/KEY": `dir` and `key` are what the calls below take. The key is the
 * caller's to free, `create` to finish or to discard. */
struct jag_create_at {
	struct jag_create *create;
	struct jag_create_dir *dir;
	char *key;
};

/* Begin at `path` of the store at `store`: a new store if there is none (as jag_create_new), else an addition to the
 * deepest collection on the way that exists (as jag_create_add). Collections that are missing are planned. Components
 * are keys, or file names that spell them (%2F for a slash in a key). */
JAG_API int jag_create_at(const char *store, const char *path, unsigned flags, struct jag_create_at *out,
			  struct jag_error *err);

/* Who is told what a user should know (see above): `key` is the path of the leaf, `text` one line; both live as long as
 * the call. Called on the thread that plans, allocates or finishes. NULL: nobody. */
JAG_API void jag_create_on_note(struct jag_create *create, void (*note)(void *ctx, const char *key, const char *text),
				void *ctx);

/* Progress and cancellation of allocate and finish; NULL for none. It must outlive the create. */
JAG_API void jag_create_watch(struct jag_create *create, struct jag_watch *watch);

/* The collection that is made, or added to; a new one's batch_size is [] until it is set. */
JAG_API struct jag_create_dir *jag_create_root(struct jag_create *create);

/* The batch_size of a new collection; `dims` is copied. Leaves that are there already must fit (-EINVAL). */
JAG_API int jag_create_set_batch(struct jag_create_dir *dir, unsigned rank, const int64_t *dims, struct jag_error *err);

/* A sub-collection (a TensorDict). Its batch_size is its parent's. Errors of every call that takes a key: -EEXIST the
 * key, or a file name that it needs, is taken; -EINVAL a reserved key (shape, device, _type, ...), not UTF-8;
 * -ENAMETOOLONG. */
JAG_API int jag_create_collection(struct jag_create_dir *parent, const char *key, struct jag_create_dir **out,
				  struct jag_error *err);

/* A dense leaf. -EINVAL negative dimensions, unknown dtype, a shape that does not start with the batch_size;
 * -EOVERFLOW. */
JAG_API int jag_create_dense(struct jag_create_dir *dir, const char *key, const struct jag_shape *shape,
			     struct jag_create_leaf **out, struct jag_error *err);

/* The shape matrix [count, rank] of a nested leaf. */
struct jag_rows {
	uint64_t count;
	unsigned rank;
	const int64_t *values; /* row by row; or NULL, then: */

	/* Write rows [first, first + n) to `out`: 0 or -errno. Asked in order, twice (plan, allocate); it must answer the
	 * same. Saves the memory of a matrix that can be computed. */
	int (*fetch)(void *ctx, uint64_t first, uint64_t n, int64_t *out);
	void *ctx;
};

/* A nested leaf. `rows` and its memory are borrowed until jag_create_allocate() has returned. -EINVAL as above, or a
 * count that differs from the batch_size's first dimension; -EOVERFLOW. */
JAG_API int jag_create_nested(struct jag_create_dir *dir, const char *key, enum jag_dtype dtype,
			      const struct jag_rows *rows, struct jag_create_leaf **out, struct jag_error *err);

/* A nested leaf of the root that is split into collections "0", "1", ... of at most `limit` elements each, where it
 * has more; a mount shows them as one. Only in a new store. `rows` must have values. `writer` is recorded. -E2BIG one
 * row is more than that. */
JAG_API int jag_create_chunks(struct jag_create *create, const char *key, enum jag_dtype dtype,
			      const struct jag_rows *rows, uint64_t limit, const char *writer, struct jag_error *err);

/* A leaf of the same shape as `like`, dense or nested, of a store that stays open until allocate; `dtype`
 * JAG_DTYPE_NONE: its dtype, too. The errors of the two above; -EIO. */
JAG_API int jag_create_like(struct jag_create_dir *dir, const char *key, const struct jag_leaf *like,
			    enum jag_dtype dtype, struct jag_create_leaf **out, struct jag_error *err);

/* The next leaf that is planned takes its data from `file`, a regular file of exactly its size on the same volume. The
 * file is not read and not copied: with finish it gets its name in the store and loses its own, unless that is the
 * same. -EINVAL, -EXDEV, -ENOENT. */
JAG_API int jag_create_adopt_next(struct jag_create *create, const char *file, struct jag_error *err);

/* A non-tensor value (tensordict's NonTensorData) from its JSON text; -EINVAL if it is not JSON. */
JAG_API int jag_create_value(struct jag_create_dir *dir, const char *key, const char *json, struct jag_error *err);

/* Bytes of all leaves, shape matrices included: what allocate needs on the disk (file system overhead apart). */
JAG_API uint64_t jag_create_nbytes(const struct jag_create *create);

/* -ENOSPC if the volume says that so much is not free (or only for root); 0 where it does not say. */
JAG_API int jag_create_check_space(const struct jag_create *create, struct jag_error *err);

/* Make all files at their full size; their bytes are zero. -ENOSPC comes from here, before anything was created where
 * the volume says how much is free, and with everything removed again where it does not. -ECANCELED. */
JAG_API int jag_create_allocate(struct jag_create *create, struct jag_error *err);

/* Bytes of one leaf, without the shape matrix. */
JAG_API uint64_t jag_create_leaf_nbytes(const struct jag_create_leaf *leaf);

/* Write n bytes at `offset` of the leaf's data. -ERANGE outside it; -EIO, -ENOSPC. Any thread. */
JAG_API int jag_create_write(struct jag_create_leaf *leaf, const void *src, size_t n, uint64_t offset);

/* Start writing n bytes at `offset` to the disk, without waiting: makes the fsync of finish short. Any thread. */
JAG_API void jag_create_flush_hint(struct jag_create_leaf *leaf, uint64_t n, uint64_t offset);

/* Close the data file; a later write opens it again. Nobody may be writing. Needed only where a store has more leaves
 * than descriptors can be open. */
JAG_API void jag_create_close(struct jag_create_leaf *leaf);

/* Read back what was written. -ERANGE outside of the leaf's data; -EIO. Any thread. */
JAG_API int jag_create_read(struct jag_create_leaf *leaf, void *dst, size_t n, uint64_t offset);

/* Set every item to `value`, cast to the dtype, on several threads (0: one for each CPU). Zeros cost nothing: they are
 * there. The watch of the create is told. -ECANCELED; -EIO, -ENOSPC. */
JAG_API int jag_create_fill(struct jag_create_leaf *leaf, const struct jag_scalar *value, unsigned workers,
			    struct jag_error *err);

/* The same for every leaf of the store in the making. */
JAG_API int jag_create_fill_all(struct jag_create *create, const struct jag_scalar *value, unsigned workers,
				struct jag_error *err);

/* What has been allocated, opened as a store (with JAG_STORE_WRITE): its sequences and elements can be read and written
 * as those of any store, jag_map() included. Close it before jag_create_finish(). When adding, it holds the new keys
 * only. Adopted data is not in it. Errors as jag_store_open(). */
JAG_API int jag_create_store(struct jag_create *create, struct jag_store **out, struct jag_error *err);

/* The leaf `key` (a path below the root) of such a store as a sequence over its first dimension. Allocates if that has
 * not been done. The store behind it belongs to `create`; free the sequence before finish or discard. */
JAG_API int jag_create_sequence(struct jag_create *create, const char *key, struct jag_sequence **out,
				struct jag_error *err);

/* Make an allocated leaf shorter: a dense leaf to `rows->count` rows (rank and values ignored), a nested leaf to a new
 * shape matrix (which is written now). The bytes that stay must have been moved before. -EINVAL if it is larger. The
 * batch_size of its collection is the caller's to set. */
JAG_API int jag_create_shrink(struct jag_create_leaf *leaf, const struct jag_rows *rows, struct jag_error *err);

/* Write the meta.json files, sync, and give the store its name. Frees `create` in every case; on failure everything
 * that was made is removed again, and what was at the path before is there. -ECANCELED; -EEXIST another process has
 * made a store at the path, or added the key, meanwhile. */
JAG_API int jag_create_finish(struct jag_create *create, struct jag_error *err);

/* Remove everything that was made, and free. NULL is fine. */
JAG_API void jag_create_discard(struct jag_create *create);

#endif
