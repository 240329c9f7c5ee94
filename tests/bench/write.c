/* SPDX-License-Identifier: MIT */
/* write.c - one pass over a folder of elements that writes each of them whole.
 *
 * usage: write DIR COUNT SUFFIX                 in place: open, fstat, pwrite of as many bytes, close
 *        write DIR COUNT SUFFIX SOURCE SUFFIX   anew, as cp does: open with O_TRUNC, write the bytes of the file of the
 *                                               same number in SOURCE, close
 *
 * The files are DIR/000000SUFFIX ..., zero-padded as jagfs names them; nothing is listed. What is written is in memory
 * beforehand. Prints the nanoseconds and the bytes. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

struct source {
	uint8_t *bytes;
	size_t nbytes;
};

struct pass {
	int dir;
	unsigned long count;
	int width;
	const char *suffix;
	struct source *sources; /* NULL: in place */
	uint8_t *buf;
	size_t capacity;
	uint64_t nbytes;
};

static void name_of(const struct pass *pass, unsigned long i, const char *suffix, char name[64])
{
	snprintf(name, 64, "%0*lu%s", pass->width, i, suffix);
}

static int write_in_place(struct pass *pass, const char *name)
{
	int fd = openat(pass->dir, name, O_WRONLY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(name);
		return -1;
	}
	if ((size_t)st.st_size > pass->capacity) {
		fprintf(stderr, "%s: larger than the buffer\n", name);
		return -1;
	}
	ssize_t put = pwrite(fd, pass->buf, (size_t)st.st_size, 0);
	if (put != st.st_size) {
		fprintf(stderr, "%s: wrote %zd of %lld bytes\n", name, put, (long long)st.st_size);
		return -1;
	}
	pass->nbytes += (uint64_t)put;
	return close(fd);
}

static int write_anew(struct pass *pass, const char *name, const struct source *source)
{
	int fd = openat(pass->dir, name, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, source->bytes, source->nbytes) != (ssize_t)source->nbytes) {
		perror(name);
		return -1;
	}
	pass->nbytes += source->nbytes;
	if (close(fd) < 0) { /* the commit */
		perror(name);
		return -1;
	}
	return 0;
}

static int read_source(const char *name, int dir, struct source *source)
{
	int fd = openat(dir, name, O_RDONLY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	source->nbytes = (size_t)st.st_size;
	source->bytes = malloc(source->nbytes + 1);
	ssize_t got = source->bytes ? read(fd, source->bytes, source->nbytes) : -1;
	close(fd);
	return got == st.st_size ? 0 : -1;
}

static int read_sources(struct pass *pass, const char *folder, const char *suffix)
{
	char name[64];
	int dir = open(folder, O_RDONLY | O_DIRECTORY);
	pass->sources = calloc(pass->count, sizeof(*pass->sources));
	if (dir < 0 || !pass->sources)
		return -1;
	for (unsigned long i = 0; i < pass->count; i++) {
		name_of(pass, i, suffix, name);
		if (read_source(name, dir, &pass->sources[i]) < 0)
			return -1;
	}
	return close(dir);
}

static void finish(struct pass *pass)
{
	for (unsigned long i = 0; pass->sources && i < pass->count; i++)
		free(pass->sources[i].bytes);
	free(pass->sources);
	free(pass->buf);
	close(pass->dir);
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 6) {
		fprintf(stderr, "usage: write DIR COUNT SUFFIX [SOURCE SUFFIX]\n");
		return 2;
	}
	struct pass pass = { .count = strtoul(argv[2], NULL, 10), .suffix = argv[3], .capacity = (size_t)8 << 20 };
	char name[64];
	pass.width = snprintf(name, sizeof(name), "%lu", pass.count ? pass.count - 1 : 0);
	pass.dir = open(argv[1], O_RDONLY | O_DIRECTORY);
	pass.buf = malloc(pass.capacity);
	if (pass.dir < 0 || !pass.buf || (argc == 6 && read_sources(&pass, argv[4], argv[5]) < 0)) {
		perror(argv[1]);
		return 1;
	}
	memset(pass.buf, 1, pass.capacity);
	uint64_t start = now_ns();
	for (unsigned long i = 0; i < pass.count; i++) {
		name_of(&pass, i, pass.suffix, name);
		if (pass.sources ? write_anew(&pass, name, &pass.sources[i]) : write_in_place(&pass, name))
			return 1;
	}
	printf("%" PRIu64 " %" PRIu64 "\n", now_ns() - start, pass.nbytes);
	finish(&pass);
	return 0;
}
