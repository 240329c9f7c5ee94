/* SPDX-License-Identifier: MIT */
/* ways.c - see ways.h: each way is the sequence of system calls of a common tool. */
#include "ways.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stress.h"

const char *const way_names[WAY_COUNT] = { "in-place", "truncate", "ftruncate", "rename", "rename-sync", "map" };

unsigned ways_parse(const char *list)
{
	char copy[128], *rest = copy, *name;
	unsigned set = 0;

	if (!strcmp(list, "all"))
		return (1u << WAY_COUNT) - 1;
	snprintf(copy, sizeof(copy), "%s", list);
	while ((name = strsep(&rest, ","))) {
		unsigned way = 0;

		while (way < WAY_COUNT && strcmp(name, way_names[way]))
			way++;
		if (way == WAY_COUNT)
			return 0;
		set |= 1u << way;
	}
	return set;
}

enum way ways_choose(unsigned set, uint64_t *random)
{
	for (;;) {
		unsigned way = (unsigned)stress_below(random, WAY_COUNT);

		if (set & (1u << way))
			return (enum way)way;
	}
}

/* All of it, in pieces of random length; a short count is followed up as tools do. */
static int write_pieces(int fd, const void *bytes, size_t nbytes, uint64_t *random)
{
	const uint8_t *at = bytes;

	while (nbytes) {
		size_t piece = 1 + (size_t)stress_below(random, 200000);
		ssize_t put = write(fd, at, piece < nbytes ? piece : nbytes);

		if (put < 0)
			return -errno;
		at += put;
		nbytes -= (size_t)put;
	}
	return 0;
}

/* close() tells of the commit; its error counts unless there was one before. */
static int finish(int fd, int rc, const char **call)
{
	if (close(fd) && !rc) {
		*call = "close";
		rc = -errno;
	}
	return rc;
}

static int open_for(const char *path, int flags, const char **call)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	*call = "open";
	return fd < 0 ? -errno : fd;
}

static int write_in_place(const char *path, const void *bytes, size_t nbytes, const char **call)
{
	int fd = open_for(path, O_WRONLY, call);
	ssize_t put;

	if (fd < 0)
		return fd;
	*call = "pwrite";
	put = pwrite(fd, bytes, nbytes, 0);
	return finish(fd, put == (ssize_t)nbytes ? 0 : put < 0 ? -errno : -EIO, call);
}

static int write_truncated(const char *path, int later, const void *bytes, size_t nbytes, uint64_t *random,
			   const char **call)
{
	int rc = 0, fd = open_for(path, later ? O_WRONLY : O_WRONLY | O_TRUNC, call);

	if (fd < 0)
		return fd;
	if (later && ftruncate(fd, 0)) {
		*call = "ftruncate";
		rc = -errno;
	}
	if (!rc) {
		*call = "write";
		rc = write_pieces(fd, bytes, nbytes, random);
	}
	return finish(fd, rc, call);
}

static int write_mapped(const char *path, const void *bytes, size_t nbytes, const char **call)
{
	int rc = 0, fd = open_for(path, O_RDWR | O_TRUNC, call);
	void *at = MAP_FAILED;

	if (fd < 0)
		return fd;
	*call = "ftruncate";
	if (ftruncate(fd, (off_t)nbytes))
		rc = -errno;
	if (!rc) {
		*call = "mmap";
		at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		rc = at == MAP_FAILED ? -errno : 0;
	}
	if (at != MAP_FAILED) {
		memcpy(at, bytes, nbytes);
		*call = "msync";
		if (msync(at, nbytes, MS_SYNC))
			rc = -errno;
		munmap(at, nbytes);
	}
	return finish(fd, rc, call);
}

/* ".NAME.RANDOM" beside the file, as rsync names it. */
static void temporary_name(const char *path, char *out, size_t size, uint64_t *random)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash + 1 - path) : 0;

	snprintf(out, size, "%.*s.%s.%06x", folder, path, path + folder, (unsigned)(stress_random(random) & 0xffffff));
}

static int write_temporary(const char *path, const char *temporary, int sync, const void *bytes, size_t nbytes,
			   uint64_t *random, const char **call)
{
	int rc, fd = open_for(temporary, O_WRONLY | O_CREAT | O_EXCL, call);

	if (fd < 0)
		return fd;
	*call = "write";
	rc = write_pieces(fd, bytes, nbytes, random);
	if (!rc && sync && fsync(fd)) {
		*call = "fsync";
		rc = -errno;
	}
	rc = finish(fd, rc, call);
	if (rc || !path)
		return rc;
	*call = "rename";
	return rename(temporary, path) ? -errno : 0;
}

int way_write(enum way way, const char *path, const void *bytes, size_t nbytes, uint64_t *random, const char **call)
{
	char temporary[4096];
	int rc;

	*call = "";
	switch (way) {
	case WAY_IN_PLACE:
		return write_in_place(path, bytes, nbytes, call);
	case WAY_TRUNCATE:
	case WAY_FTRUNCATE:
		return write_truncated(path, way == WAY_FTRUNCATE, bytes, nbytes, random, call);
	case WAY_MAP:
		return write_mapped(path, bytes, nbytes, call);
	default:
		temporary_name(path, temporary, sizeof(temporary), random);
		rc = write_temporary(path, temporary, way == WAY_RENAME_SYNC, bytes, nbytes, random, call);
		if (rc)
			unlink(temporary);
		return rc;
	}
}

int way_abandon(int renamed, const char *path, const void *bytes, size_t nbytes, uint64_t *random, const char **call)
{
	char temporary[4096];
	size_t part = 1 + (size_t)stress_below(random, nbytes - 1);
	int rc;

	if (!renamed)
		return write_truncated(path, 0, bytes, part, random, call);
	temporary_name(path, temporary, sizeof(temporary), random);
	rc = write_temporary(NULL, temporary, 0, bytes, part, random, call);
	if (!rc && unlink(temporary)) {
		*call = "unlink";
		rc = -errno;
	}
	return rc;
}
