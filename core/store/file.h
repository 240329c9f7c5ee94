/* SPDX-License-Identifier: MIT */
/* file.h - the files below a store's directory. file.c is the only one that makes file calls.
 *
 * Every path is resolved beneath the root: a symbolic link may lead to another place in the store, never out of it.
 * No call creates a file, changes its length, or touches a mapping (that would be SIGBUS if the file has been cut):
 * copies go through pread and pwrite after a look at the length and the link count.
 *
 * Threads: an open jag_file may be used from any number of threads. Opening and closing belong to one. */
#ifndef JAG_STORE_FILE_H
#define JAG_STORE_FILE_H

#include <sys/types.h>

#include "jag/sequence.h"

/* The directory of a store. */
struct jag_root {
	int fd;              /* O_PATH */
	bool no_openat2;     /* the kernel (or a sandbox) lacks it: then no symbolic link is followed at all */
	size_t kept_count;   /* data files that keep their descriptor; those beyond kept_max reopen for each use, */
	size_t kept_max;     /* ... so that a store with more leaves than RLIMIT_NOFILE still opens */
	unsigned link_count; /* directories reached through symbolic links so far; see JAG_SYMLINK_MAX */
};

struct jag_file {
	struct jag_file *next; /* the store's list, for closing */
	struct jag_root *root;
	const char *path; /* below the root; memory of the store */
	int fd;           /* -1: reopen for each use */
	int open_flags;
	int write_error; /* 0: open for writing; else the -errno that a write answers */
	dev_t dev;       /* identity, to notice a replaced file when reopening */
	ino_t ino;
	uint64_t nbytes; /* when it was opened */
	bool sparse;     /* it had holes then, or may have had some: a write can find the disk full */
	struct jag_file_attr attr;
	void *map; /* atomic; NULL until somebody asks, then the whole file, MAP_SHARED and PROT_READ */
};

/* 0, or -errno. */
int jag_root_open(const char *path, struct jag_root *root);
void jag_root_close(struct jag_root *root);

/* 1: yes, 0: something else or nothing, -errno: it cannot be told (-EXDEV, -ELOOP: a link out of the store, or too many
 * of them; a directory that is reached through one counts). */
int jag_root_is_dir(struct jag_root *root, const char *path);
int jag_root_has_file(struct jag_root *root, const char *path);

/* Is there anything of that name, whatever it is? */
bool jag_root_has_name(struct jag_root *root, const char *path);

/* The whole of a regular file in malloc memory, with a NUL after it. -EFBIG beyond `limit`, -EISDIR or -EINVAL if it
 * is not a regular file. */
int jag_root_slurp(struct jag_root *root, const char *path, uint64_t limit, uint8_t **bytes, size_t *nbytes);

/* Names in a directory except "." and ".."; return non-zero from `each` to stop with that value. */
int jag_root_list(struct jag_root *root, const char *path, int (*each)(void *context, const char *name), void *context);

/* Owner, permission bits without search permission, and time of the directory itself. */
int jag_root_attr(const struct jag_root *root, struct jag_file_attr *out);

int jag_root_statvfs(const struct jag_root *root, struct statvfs *out);

/* Open a data file; `path` must outlive it. With `write` also for writing, if permissions allow. -EISDIR or -EINVAL
 * if it is not a regular file. */
int jag_file_open(struct jag_root *root, const char *path, bool write, struct jag_file **out);
void jag_file_close(struct jag_file *file);

/* All or nothing. -ESTALE: unlinked or replaced; -EIO: shorter than offset + n. */
int jag_file_read(const struct jag_file *file, void *dst, size_t n, uint64_t offset);
int jag_file_write(const struct jag_file *file, const void *src, size_t n, uint64_t offset);

/* The disk has room for [offset, offset + n) of the file, holes or not: a write that follows cannot stop half way for
 * want of it. Nothing is stored. -ENOSPC, -EDQUOT; or errors as for writing. */
int jag_file_reserve(const struct jag_file *file, size_t n, uint64_t offset);

/* As jag_file_read, without the look at length and link count; for the shape matrix, where a short read says it. */
int jag_file_read_quick(const struct jag_file *file, void *dst, size_t n, uint64_t offset);

/* [offset, offset + n) is on the disk. */
int jag_file_sync(const struct jag_file *file, uint64_t n, uint64_t offset);

/* The descriptor, for reading [offset, offset + n) by other means. -EOPNOTSUPP: the file keeps none. Errors as for
 * jag_file_read(). */
int jag_file_fd(const struct jag_file *file, size_t n, uint64_t offset, int *fd);

#endif
