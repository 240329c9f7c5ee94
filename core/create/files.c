/* SPDX-License-Identifier: MIT */
/* files.c - the files of a store in the making: allocated at their full size, then written at offsets.
 *
 * Data is written with pwrite(2), not through a mapping: no page faults, no SIGBUS on a full disk, and the kernel
 * copies whole runs at once. Space is reserved first, because hours of decoding must not end in ENOSPC. */
#include "create_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "jag/sequence.h"
#include "transfer.h"

/* What is handed to the disk at a time, while the rest is still being made. */
#define FLUSH_STEP (UINT64_C(16) << 20)

/* One step of fallocate: short enough to notice a cancellation. */
#define ALLOCATE_STEP (UINT64_C(1) << 30)

static int fail(const struct jag_create *create, const char *path, int code, const char *what, struct jag_error *err)
{
	return jag_error_set(err, code, create->place.path, 0, "%s %s: %s", what, path, strerror(-code));
}

int jag_create_check_space(const struct jag_create *create, struct jag_error *err)
{
	struct statvfs vfs;
	if (create->flags & JAG_CREATE_SPARSE || fstatvfs(create->place.parent_fd, &vfs) || !vfs.f_blocks)
		return 0;
	uint64_t blocks = geteuid() ? vfs.f_bavail : vfs.f_bfree, free_nbytes;
	if (__builtin_mul_overflow(blocks, (uint64_t)vfs.f_frsize, &free_nbytes) || free_nbytes >= create->nbytes)
		return 0;
	return jag_error_set(err, -ENOSPC, create->place.path, 0,
			     "the store needs %" PRIu64 " bytes, but %" PRIu64 " are free on its volume",
			     create->nbytes, free_nbytes);
}

/* Reserve the space of an empty file. A file system that cannot reserve gets a file with holes: its free space was
 * checked as a whole, and a failing write is still an error and no crash. */
static int reserve(const struct jag_create *create, int fd, uint64_t nbytes)
{
	if (ftruncate(fd, (off_t)nbytes))
		return -errno;
	if (create->flags & JAG_CREATE_SPARSE)
		return 0;
	for (uint64_t at = 0; at < nbytes;) {
		if (jag_watch_cancelled(create->watch))
			return -ECANCELED;
		uint64_t n = nbytes - at < ALLOCATE_STEP ? nbytes - at : ALLOCATE_STEP;
		if (fallocate(fd, 0, (off_t)at, (off_t)n)) {
			if (errno == EINTR)
				continue;
			return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -errno;
		}
		at += n;
	}
	return 0;
}

static int write_rows(int fd, const struct jag_rows *rows)
{
	struct jag_rows_walk walk = { .rows = rows };
	size_t row_nbytes = rows->rank * sizeof(*walk.block);
	int rc = 0, bad = 0;
	while (!bad && (rc = jag_rows_next(&walk)) > 0)
		bad = jag_write_at(fd, walk.block, walk.n * row_nbytes, walk.first * row_nbytes);
	free(walk.block);
	return rc < 0 ? rc : bad;
}

static int create_file(const struct jag_create *create, const char *path)
{
	int fd = openat(create->place.fd, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}

static int allocate_shapes(struct jag_create_leaf *leaf)
{
	struct jag_create *create = leaf->create;
	int fd = create_file(create, leaf->shapes_path);
	if (fd < 0)
		return fd;
	int rc = reserve(create, fd, leaf->count * leaf->shape.rank * sizeof(int64_t));
	if (!rc)
		rc = write_rows(fd, &leaf->rows);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

static int allocate_data(struct jag_create_leaf *leaf)
{
	int fd = create_file(leaf->create, leaf->data_path);
	if (fd < 0)
		return fd;
	int rc = reserve(leaf->create, fd, leaf->nbytes);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

static int allocate_leaf(struct jag_create_leaf *leaf, void *ctx)
{
	struct jag_error *err = ctx;
	int rc = 0;
	if (leaf->nbytes && !leaf->adopted)
		rc = allocate_data(leaf);
	if (rc)
		return fail(leaf->create, leaf->data_path, rc, "cannot reserve the space of", err);
	if (leaf->shapes_path)
		rc = allocate_shapes(leaf);
	leaf->rows = (struct jag_rows){ 0 };
	jag_sequence_free(leaf->matrix);
	leaf->matrix = NULL;
	if (rc)
		return fail(leaf->create, leaf->shapes_path, rc, "cannot write", err);
	return 0;
}

static int make_dirs(struct jag_create_dir *dir, struct jag_error *err)
{
	struct jag_create *create = dir->create;
	for (size_t i = 0; i < dir->entry_count; i++) {
		struct jag_create_entry *entry = &dir->entries[i];
		if (entry->type == JAG_CREATE_LEAF)
			continue;
		if (mkdirat(create->place.fd, entry->path, 0777))
			return fail(create, entry->path, -errno, "cannot make the directory", err);
		int rc = entry->type == JAG_CREATE_DIR ? make_dirs(entry->dir, err) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

void jag_create_sweep(struct jag_create *create)
{
	if (!create->swept)
		jag_place_sweep(&create->place, create->note, create->note_ctx);
	create->swept = true;
}

int jag_create_allocate(struct jag_create *create, struct jag_error *err)
{
	jag_create_sweep(create); /* first: what is left there may be as large as the store */
	int rc = jag_create_check_space(create, err);
	if (rc)
		return rc;
	rc = jag_place_make(&create->place, err);
	if (!rc)
		rc = make_dirs(create->root, err);
	if (!rc)
		rc = jag_create_each_leaf(create->root, allocate_leaf, err);
	if (rc)
		rc = jag_create_check_gone(create, rc, err);
	if (rc)
		jag_place_discard(&create->place);
	return rc;
}

/* The open data file. Two threads may open it at once; the second closes its own again. */
static int leaf_fd(struct jag_create_leaf *leaf)
{
	int fd = atomic_load_explicit(&leaf->fd, memory_order_acquire);
	if (fd >= 0)
		return fd;
	fd = openat(leaf->create->place.fd, leaf->data_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int none = -1;
	if (atomic_compare_exchange_strong(&leaf->fd, &none, fd))
		return fd;
	close(fd);
	return none;
}

static int check_range(const struct jag_create_leaf *leaf, size_t n, uint64_t offset)
{
	return offset > leaf->nbytes || n > leaf->nbytes - offset ? -ERANGE : 0;
}

int jag_create_write(struct jag_create_leaf *leaf, const void *src, size_t n, uint64_t offset)
{
	int rc = check_range(leaf, n, offset);
	if (rc || !n)
		return rc;
	int fd = leaf_fd(leaf);
	return fd < 0 ? fd : jag_write_at(fd, src, n, offset);
}

int jag_create_read(struct jag_create_leaf *leaf, void *dst, size_t n, uint64_t offset)
{
	int rc = check_range(leaf, n, offset);
	if (rc || !n)
		return rc;
	int fd = leaf_fd(leaf);
	return fd < 0 ? fd : jag_read_at(fd, dst, n, offset);
}

/* Each call costs the caller, so it is one for a large step, when a write has passed its end. What other threads have not
 * written there by then is left to the fsync at the end. */
void jag_create_flush_hint(struct jag_create_leaf *leaf, uint64_t n, uint64_t offset)
{
	uint64_t step = (offset + n) / FLUSH_STEP;
	int fd = step > offset / FLUSH_STEP ? leaf_fd(leaf) : -1;
	if (fd >= 0)
		sync_file_range(fd, (off_t)((step - 1) * FLUSH_STEP), FLUSH_STEP, SYNC_FILE_RANGE_WRITE);
}

/* Cut one file, or remove it where nothing of it stays: the format has no empty files. */
static int cut(const struct jag_create *create, const char *path, uint64_t nbytes)
{
	if (!nbytes)
		return unlinkat(create->place.fd, path, 0) ? -errno : 0;
	int fd = openat(create->place.fd, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int rc = ftruncate(fd, (off_t)nbytes) ? -errno : 0;
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

static int rewrite_shapes(struct jag_create_leaf *leaf, const struct jag_rows *rows)
{
	int rc = cut(leaf->create, leaf->shapes_path, rows->count * rows->rank * sizeof(int64_t));
	if (rc || !rows->count)
		return rc;
	int fd = openat(leaf->create->place.fd, leaf->shapes_path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = write_rows(fd, rows);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

int jag_create_shrink(struct jag_create_leaf *leaf, const struct jag_rows *rows, struct jag_error *err)
{
	struct jag_create *create = leaf->create;
	struct jag_rows_sum sum = { 0 };
	uint64_t nbytes = 0, rank = leaf->shape.rank;
	int rc = 0;
	if (leaf->nested) {
		struct jag_create_dir anywhere = { 0 };
		rc = rows->rank == rank ? jag_rows_check(rows, &anywhere, leaf->data_path, &sum, err) : -EINVAL;
		nbytes = sum.numel * jag_dtype_info(leaf->shape.dtype)->itemsize;
	} else if (rank && rows->count <= (uint64_t)leaf->shape.dims[0]) {
		uint64_t per_row = leaf->shape.dims[0] ? leaf->nbytes / (uint64_t)leaf->shape.dims[0] : 0;
		nbytes = per_row * rows->count;
		sum.numel = leaf->shape.dims[0] ? leaf->numel / (uint64_t)leaf->shape.dims[0] * rows->count : 0;
	} else {
		rc = -EINVAL;
	}
	if (rc || nbytes > leaf->nbytes || (leaf->nested && rows->count > leaf->count))
		return jag_error_set(err, -EINVAL, leaf->data_path, 0, "only a smaller shape can take its place");
	jag_create_close(leaf);
	if (leaf->nbytes != nbytes)
		rc = cut(create, leaf->data_path, nbytes);
	if (!rc && leaf->shapes_path)
		rc = rewrite_shapes(leaf, rows);
	if (rc)
		return fail(create, leaf->data_path, rc, "cannot shorten", err);
	create->nbytes -= leaf->nbytes - nbytes;
	if (leaf->shapes_path)
		create->nbytes -= (leaf->count - rows->count) * rank * sizeof(int64_t);
	leaf->nbytes = nbytes;
	leaf->numel = sum.numel;
	leaf->count = rows->count;
	if (!leaf->nested)
		leaf->shape.dims[0] = (int64_t)rows->count;
	return 0;
}
