/* SPDX-License-Identifier: MIT */
/* churn.c - readers of encoded files against a process that changes the element all the time: is every file that is
 * read one whole encoding, of the one content or the other, with the size that fstat says?
 *
 * usage: churn DATAFILE OFFSET MILLISECONDS FILE...
 *
 * Eight aligned bytes at or after OFFSET of DATAFILE, inside the element, are switched between two values through a
 * shared mapping, in one store, every millisecond; so there are two contents and nothing between them. Each FILE is
 * read under both first; then four threads read all of them, in pieces of 64 KiB. Prints
 *
 *   reads=N first=N second=N mixed=N cut=N errors=N
 *
 * and exits 0 if nothing was mixed, cut or refused and both contents were seen. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READERS 4
#define FILES_MAX 8
#define PIECE 65536
#define LONGEST_MS 60000

struct bytes {
	uint8_t *data;
	size_t n;
};

static char **files;
static int file_count;
static struct bytes want[2][FILES_MAX];
static uint64_t *word, values[2];
static int stop;
static long counts[6]; /* reads, first, second, mixed, cut, errors */
enum { READS, FIRST, SECOND, MIXED, CUT, ERRORS };

static void count(int what)
{
	__atomic_fetch_add(&counts[what], 1, __ATOMIC_RELAXED);
}

static bool seen(int what)
{
	return __atomic_load_n(&counts[what], __ATOMIC_RELAXED) > 0;
}

/* 0, 1 if the length is not what fstat said, -1 on errors. */
static int read_file(const char *path, struct bytes *out)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	out->n = 0;
	if (fd < 0)
		return -1;
	ssize_t n = fstat(fd, &st);
	out->data = realloc(out->data, (size_t)st.st_size + PIECE);
	while (n >= 0 && (n = read(fd, out->data + out->n, PIECE)) > 0) {
		out->n += (size_t)n;
		if (out->n > (size_t)st.st_size)
			break;
	}
	close(fd);
	return n < 0 ? -1 : out->n != (size_t)st.st_size;
}

static bool equal(const struct bytes *a, const struct bytes *b)
{
	return a->n == b->n && !memcmp(a->data, b->data, a->n);
}

static void *reader(void *arg)
{
	struct bytes got = { 0 };
	for (int i = (int)(intptr_t)arg; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		int f = i % file_count, rc = read_file(files[f], &got);
		count(READS);
		if (rc < 0)
			count(ERRORS);
		else if (rc > 0)
			count(CUT);
		else
			count(equal(&got, &want[0][f]) ? FIRST : equal(&got, &want[1][f]) ? SECOND : MIXED);
	}
	free(got.data);
	return NULL;
}

static void sleep_us(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };
	nanosleep(&ts, NULL);
}

static int fail(const char *what)
{
	fprintf(stderr, "churn: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	pthread_t threads[READERS];
	if (argc < 5 || argc - 4 > FILES_MAX)
		return fail("usage: churn DATAFILE OFFSET MILLISECONDS FILE...");
	files = argv + 4;
	file_count = argc - 4;
	int fd = open(argv[1], O_RDWR);
	size_t at = (strtoul(argv[2], NULL, 10) + 7) / 8 * 8;
	uint8_t *map = fd < 0 ? MAP_FAILED : mmap(NULL, at + 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return fail(argv[1]);
	word = (uint64_t *)(void *)(map + at);
	values[0] = *word;
	values[1] = ~*word;
	for (int v = 0; v < 2; v++) {
		__atomic_store_n(word, values[v], __ATOMIC_SEQ_CST);
		sleep_us(1100000); /* names and attributes are believed for a second */
		for (int f = 0; f < file_count; f++)
			if (read_file(files[f], &want[v][f]) != 0)
				return fail(files[f]);
	}
	for (int f = 0; f < file_count; f++)
		if (equal(&want[0][f], &want[1][f]))
			return fail("both contents look the same");
	for (intptr_t i = 0; i < READERS; i++)
		pthread_create(&threads[i], NULL, reader, (void *)i);
	/* Longer where readers come to run so seldom that they have not met both. */
	for (long ms = 0; ms < atol(argv[3]) || (ms < LONGEST_MS && !(seen(FIRST) && seen(SECOND))); ms++) {
		__atomic_store_n(word, values[ms & 1], __ATOMIC_SEQ_CST);
		sleep_us(1000);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	*word = values[0];
	printf("reads=%ld first=%ld second=%ld mixed=%ld cut=%ld errors=%ld\n", counts[READS], counts[FIRST],
	       counts[SECOND], counts[MIXED], counts[CUT], counts[ERRORS]);
	return counts[MIXED] || counts[CUT] || counts[ERRORS] || !counts[FIRST] || !counts[SECOND];
}
