/* SPDX-License-Identifier: MIT */
/* tempdir.h - a scratch directory for one test, and small files in it. */
#ifndef JAG_TEST_TEMPDIR_H
#define JAG_TEST_TEMPDIR_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#define TEMPDIR_PATHS 16

struct tempdir {
	char dir[256];
	char *paths[TEMPDIR_PATHS];
	unsigned next;
};

static inline int tempdir_setup(void **state)
{
	struct tempdir *t = calloc(1, sizeof(*t));
	const char *base = getenv("TMPDIR");
	snprintf(t->dir, sizeof(t->dir), "%s/jagfs-unit-XXXXXX", base ? base : "/tmp");
	*state = t;
	return mkdtemp(t->dir) ? 0 : -1;
}

static inline int tempdir_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int tempdir_teardown(void **state)
{
	struct tempdir *t = *state;
	int rc = nftw(t->dir, tempdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	for (unsigned i = 0; i < TEMPDIR_PATHS; i++)
		free(t->paths[i]);
	free(t);
	return rc;
}

/* DIR/NAME; good until TEMPDIR_PATHS more were asked for. */
static inline const char *tempdir_path(struct tempdir *t, const char *name)
{
	char **path = &t->paths[t->next++ % TEMPDIR_PATHS];
	free(*path);
	assert_true(asprintf(path, "%s/%s", t->dir, name) > 0);
	return *path;
}

/* A file with these bytes; its folders are made. */
static inline const char *tempdir_file(struct tempdir *t, const char *name, const void *bytes, size_t n)
{
	const char *path = tempdir_path(t, name);
	char *part = strdup(path);
	for (char *slash = strchr(part + strlen(t->dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0777);
		*slash = '/';
	}
	free(part);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
	return path;
}

/* The content of a file as a string, NULL if there is none; free() it. */
static inline char *tempdir_read(struct tempdir *t, const char *name, size_t *n)
{
	FILE *file = fopen(tempdir_path(t, name), "rb");
	if (!file)
		return NULL;
	char *text = calloc(1, 1 << 16);
	size_t got = fread(text, 1, (1 << 16) - 1, file);
	fclose(file);
	if (n)
		*n = got;
	return text;
}

static inline bool tempdir_exists(struct tempdir *t, const char *name)
{
	return access(tempdir_path(t, name), F_OK) == 0;
}

#endif
