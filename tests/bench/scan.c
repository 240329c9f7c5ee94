/* SPDX-License-Identifier: MIT */
/* scan.c - one pass over a folder of elements as a loader makes it: open, fstat, read the whole file, close.
 *
 * usage: scan DIR COUNT SUFFIX
 *
 * The files are DIR/000000SUFFIX ..., zero-padded as jagfs names them; the folder is not listed, so that nothing is
 * known to the kernel before the first pass. One buffer is reused and its bytes are not looked at. Prints the
 * nanoseconds and the bytes. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

struct pass {
	int dir;
	unsigned long count;
	int width;
	const char *suffix;
	uint8_t *buf;
	size_t capacity;
	uint64_t nbytes;
};

static int read_one(struct pass *pass, unsigned long i)
{
	char name[64];
	snprintf(name, sizeof(name), "%0*lu%s", pass->width, i, pass->suffix);
	int fd = openat(pass->dir, name, O_RDONLY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(name);
		return -1;
	}
	if ((size_t)st.st_size > pass->capacity) {
		fprintf(stderr, "%s: larger than the buffer\n", name);
		return -1;
	}
	ssize_t got = read(fd, pass->buf, (size_t)st.st_size);
	if (got != st.st_size) {
		fprintf(stderr, "%s: read %zd of %lld bytes\n", name, got, (long long)st.st_size);
		return -1;
	}
	pass->nbytes += (uint64_t)got;
	return close(fd);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: scan DIR COUNT SUFFIX\n");
		return 2;
	}
	struct pass pass = { .count = strtoul(argv[2], NULL, 10), .suffix = argv[3], .capacity = (size_t)8 << 20 };
	char digits[32];
	pass.width = snprintf(digits, sizeof(digits), "%lu", pass.count ? pass.count - 1 : 0);
	pass.dir = open(argv[1], O_RDONLY | O_DIRECTORY);
	pass.buf = malloc(pass.capacity);
	if (pass.dir < 0 || !pass.buf) {
		perror(argv[1]);
		return 1;
	}
	memset(pass.buf, 1, pass.capacity);
	uint64_t start = now_ns();
	for (unsigned long i = 0; i < pass.count; i++)
		if (read_one(&pass, i) < 0)
			return 1;
	printf("%" PRIu64 " %" PRIu64 "\n", now_ns() - start, pass.nbytes);
	free(pass.buf);
	close(pass.dir);
	return 0;
}
