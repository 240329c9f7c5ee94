/* SPDX-License-Identifier: MIT */
/* copy.c - a whole store, copied in parallel: its directories first, then its files in pieces that are shared out, so
 * that one large file keeps every worker busy. The kernel copies (copy_file_range: a reflink where the file system has
 * them); holes are not filled. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "jag/map.h"
#include "place.h"
#include "pipeline/span.h"
#include "pipeline/workers.h"
#include "transfer.h"

#define PIECE (UINT64_C(32) << 20)
#define BLOCK (size_t)(1 << 20)
#define META_NAME "meta.json"

struct file {
	char *path; /* below the store */
	uint64_t nbytes;
	uint64_t first_piece;
	mode_t mode;
};

struct copy {
	const char *source;
	int from; /* directory of the source */
	unsigned flags;
	struct jag_place place;
	struct file *files;
	size_t file_count;
	uint64_t piece_count, nbytes;
	struct jag_error *err;
};

static int fail(struct copy *copy, int rc, const char *what, const char *path)
{
	return jag_error_set(copy->err, rc, copy->source, 0, "cannot %s %s: %s", what, *path ? path : ".",
			     strerror(-rc));
}

/* Where copy_file_range() cannot (two file systems, an old kernel). */
static int copy_block(int from, int to, uint64_t at, uint64_t n)
{
	uint8_t *block JAG_AUTO_FREE = malloc(BLOCK);
	if (!block)
		return -ENOMEM;
	while (n) {
		ssize_t got = pread(from, block, n < BLOCK ? (size_t)n : BLOCK, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		int rc = jag_write_at(to, block, (size_t)got, at);
		if (rc)
			return rc;
		at += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return 0;
}

static int copy_run(int from, int to, uint64_t at, uint64_t n)
{
	while (n) {
		off_t in = (off_t)at, out = (off_t)at;
		ssize_t got = copy_file_range(from, &in, to, &out, (size_t)n, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == ENOSPC)
			return -ENOSPC;
		if (got <= 0)
			return copy_block(from, to, at, n);
		at += (uint64_t)got;
		n -= (uint64_t)got;
	}
	return 0;
}

/* A file of its full size, still without its bytes. */
static int add_file(struct copy *copy, const char *path, const struct stat *st)
{
	int fd JAG_AUTO_CLOSE =
		openat(copy->place.fd, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, st->st_size))
		return fail(copy, -errno, "create", path);
	struct file *files = realloc(copy->files, (copy->file_count + 1) * sizeof(*files));
	if (!files)
		return -ENOMEM;
	copy->files = files;
	char *own = strdup(path);
	if (!own)
		return -ENOMEM;
	files[copy->file_count++] = (struct file){ own, (uint64_t)st->st_size, copy->piece_count, st->st_mode & 07777 };
	return 0;
}

/* The bytes of the file that was added last are the workers' to copy. */
static void count_pieces(struct copy *copy)
{
	uint64_t nbytes = copy->files[copy->file_count - 1].nbytes;
	copy->piece_count += (nbytes + PIECE - 1) / PIECE;
	copy->nbytes += nbytes;
}

static int add_link(struct copy *copy, const char *path)
{
	char target[4096];
	ssize_t n = readlinkat(copy->from, path, target, sizeof(target) - 1);
	if (n < 0)
		return fail(copy, -errno, "read the link", path);
	target[n] = '\0';
	return symlinkat(target, copy->place.fd, path) ? fail(copy, -errno, "make the link", path) : 0;
}

static int add_dir(struct copy *copy, const char *path);

static int add_entry(struct copy *copy, const char *path)
{
	struct stat st;
	if (fstatat(copy->from, path, &st, AT_SYMLINK_NOFOLLOW))
		return fail(copy, -errno, "read", path);
	if (S_ISREG(st.st_mode)) {
		int rc = add_file(copy, path, &st);
		if (!rc)
			count_pieces(copy);
		return rc;
	}
	if (S_ISLNK(st.st_mode))
		return add_link(copy, path);
	if (!S_ISDIR(st.st_mode))
		return jag_error_set(copy->err, -EINVAL, copy->source, 0, "holds %s, which is no file, folder or link",
				     path);
	/* Its owner must be able to fill it. */
	if (mkdirat(copy->place.fd, path, (st.st_mode & 07777) | 0700))
		return fail(copy, -errno, "make", path);
	return add_dir(copy, path);
}

/* meta.json as it is now, before the files are listed: one that comes later may name files that the list has not. */
static int add_meta(struct copy *copy, const char *path, bool *done)
{
	struct stat st;
	int from JAG_AUTO_CLOSE = openat(copy->from, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*done = from >= 0 && !fstat(from, &st) && S_ISREG(st.st_mode);
	int rc = *done ? add_file(copy, path, &st) : 0;
	if (!*done || rc)
		return rc;
	int to JAG_AUTO_CLOSE = openat(copy->place.fd, path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	rc = to < 0 ? -errno : copy_run(from, to, 0, (uint64_t)st.st_size);
	return rc ? fail(copy, rc, "copy", path) : 0;
}

static char *below(const char *path, const char *name)
{
	char *out;
	return asprintf(&out, "%s%s%s", path, *path ? "/" : "", name) < 0 ? NULL : out;
}

/* Recursion goes as deep as the store does. */
static int add_dir(struct copy *copy, const char *path)
{
	int fd = openat(copy->from, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int rc = -errno;
		if (fd >= 0)
			close(fd);
		return fail(copy, rc, "read", path);
	}
	bool has_meta = false;
	char *meta JAG_AUTO_FREE = below(path, META_NAME);
	int rc = meta ? add_meta(copy, meta, &has_meta) : -ENOMEM;
	struct dirent *entry;
	while (!rc && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || jag_is_temporary(entry->d_name) ||
		    (has_meta && !strcmp(entry->d_name, META_NAME)))
			continue;
		char *name JAG_AUTO_FREE = below(path, entry->d_name);
		rc = name ? add_entry(copy, name) : -ENOMEM;
	}
	closedir(dir);
	return rc;
}

/* The data in [at, end); holes stay. A file system that knows no holes says that all is data. */
static int copy_data(int from, int to, uint64_t at, uint64_t end)
{
	while (at < end) {
		off_t data = lseek(from, (off_t)at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			return 0;
		if (data < 0)
			return copy_run(from, to, at, end - at);
		off_t hole = lseek(from, data, SEEK_HOLE);
		uint64_t first = (uint64_t)data, last = hole < 0 || (uint64_t)hole > end ? end : (uint64_t)hole;
		if (first >= end)
			return 0;
		int rc = copy_run(from, to, first, last - first);
		if (rc)
			return rc;
		at = last;
	}
	return 0;
}

static const struct file *file_of(const struct copy *copy, uint64_t piece)
{
	const struct file *files = copy->files;
	return &files[jag_span_of(&files->first_piece, copy->file_count, sizeof(*files), piece)];
}

static int work(void *ctx, struct jag_range *range, struct jag_error *err)
{
	const struct copy *copy = ctx;
	const struct file *file = file_of(copy, range->first);
	uint64_t at = (range->first - file->first_piece) * PIECE;
	uint64_t end = file->nbytes - at < PIECE ? file->nbytes : at + PIECE;
	int from JAG_AUTO_CLOSE = openat(copy->from, file->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int to JAG_AUTO_CLOSE = -1;
	int rc = from < 0 ? -errno : 0;
	if (!rc) {
		to = openat(copy->place.fd, file->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
		rc = to < 0 ? -errno : 0;
	}
	if (!rc)
		rc = copy_data(from, to, at, end);
	range->nbytes = end - at;
	return rc ? jag_error_set(err, rc, copy->source, 0, "cannot copy %s: %s", file->path, strerror(-rc)) : 0;
}

/* Permissions come last: a read-only file could not have been filled. */
static int finish_files(struct copy *copy)
{
	bool sync = !(copy->flags & JAG_CREATE_NOSYNC);
	for (size_t i = 0; i < copy->file_count; i++) {
		int fd JAG_AUTO_CLOSE = openat(copy->place.fd, copy->files[i].path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || fchmod(fd, copy->files[i].mode) || (sync && fsync(fd)))
			return fail(copy, -errno, "finish", copy->files[i].path);
	}
	return 0;
}

static int run(struct copy *copy, const char *target, unsigned workers, struct jag_watch *watch)
{
	if (faccessat(copy->from, META_NAME, F_OK, AT_SYMLINK_NOFOLLOW))
		return jag_error_set(copy->err, -EINVAL, copy->source, 0, "is no store: it has no meta.json");
	int rc = jag_place_find(&copy->place, target, copy->flags & JAG_CREATE_FORCE, copy->err);
	if (!rc && jag_place_holds(&copy->place, copy->source))
		rc = jag_error_set(copy->err, -EBUSY, target, 0, "holds the store that shall be copied");
	if (!rc) {
		jag_place_sweep(&copy->place, NULL, NULL);
		rc = jag_place_make(&copy->place, copy->err);
	}
	if (!rc)
		rc = add_dir(copy, "");
	struct jag_workers job = { .count = workers,
				   .total = copy->piece_count,
				   .chunk = 1,
				   .watch = watch,
				   .phase = JAG_PHASE_WORK,
				   .nbytes_total = copy->nbytes,
				   .work = work,
				   .ctx = copy };
	if (!rc)
		rc = jag_workers_run(&job, copy->err);
	if (!rc)
		rc = finish_files(copy);
	return rc ? rc : jag_place_commit(&copy->place, !(copy->flags & JAG_CREATE_NOSYNC), copy->err);
}

int jag_copy_store(const char *source, const char *target, unsigned flags, unsigned workers, struct jag_watch *watch,
		   struct jag_error *err)
{
	struct copy copy = { .source = source, .flags = flags, .err = err };
	copy.place = (struct jag_place){ .parent_fd = -1, .fd = -1 };
	copy.from = open(source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (copy.from < 0)
		return jag_error_set(err, -errno, source, 0, "cannot open the store: %s", strerror(errno));
	int rc = run(&copy, target, workers, watch);
	jag_place_discard(&copy.place);
	jag_place_finish(&copy.place);
	close(copy.from);
	for (size_t i = 0; i < copy.file_count; i++)
		free(copy.files[i].path);
	free(copy.files);
	return rc;
}
