/* SPDX-License-Identifier: MIT */
/* fsx.c - random reads, writes, mapped reads and writes, syncs and reopens on files of fixed size, each byte checked
 * against a model. The size never changes. Several files are worked on by one process each, at the same time.
 *
 *   fsx [-s SEED] [-n OPS] [-o OFFSET] [-l LENGTH] [-m MAX] [-R] [-W] FILE[=DATA:AT]...
 *
 * -o, -l  only the bytes [OFFSET, OFFSET+LENGTH) are this run's; the others are left alone and not looked at
 * -m      longest range of one operation (default 65536)
 * -R, -W  no mapped reads, no mapped writes
 * =DATA:AT  the file's bytes are those of the file DATA from byte AT on. Then each write must be there when it
 *           returns, and some operations store into DATA behind the file's back, to be seen by the next open.
 *
 * A failure prints the seed and the last operations; the same seed and options repeat the run.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

#define HISTORY 24

enum op { OP_READ, OP_WRITE, OP_MAP_READ, OP_MAP_WRITE, OP_FSYNC, OP_REOPEN, OP_FOREIGN, OP_STAT, OP_COUNT };
static const char *const op_names[OP_COUNT] = { "read",  "write",  "mapread", "mapwrite",
						"fsync", "reopen", "foreign", "stat" };
/* How often each is chosen, of 100. */
static const unsigned op_weights[OP_COUNT] = { 25, 25, 14, 14, 5, 10, 4, 3 };

struct options {
	uint64_t seed, ops, offset, length, max;
	int no_map_read, no_map_write;
};

struct step {
	enum op op;
	uint64_t offset, n;
};

struct run {
	const struct options *options;
	const char *path;
	char *data_path; /* NULL: no second look */
	uint64_t data_at;
	int fd, data_fd;
	off_t size;
	uint64_t begin, length; /* the range that is ours */
	uint8_t *model, *scratch;
	uint64_t random, seed, number;
	struct step history[HISTORY];
};

__attribute__((noreturn)) static void fail(const struct run *run, const char *what, uint64_t at, int got, int expected)
{
	uint64_t first = run->number > HISTORY ? run->number - HISTORY : 0;

	fprintf(stderr, "fsx: %s: %s at byte %llu: got %d, expected %d (operation %llu, seed %llu, errno %s)\n",
		run->path, what, (unsigned long long)at, got, expected, (unsigned long long)run->number,
		(unsigned long long)run->seed, strerror(errno));
	for (uint64_t i = first; i < run->number; i++) {
		const struct step *step = &run->history[i % HISTORY];

		fprintf(stderr, "fsx:   %llu %s [%llu, %llu)\n", (unsigned long long)i, op_names[step->op],
			(unsigned long long)step->offset, (unsigned long long)(step->offset + step->n));
	}
	exit(1);
}

static void compare(const struct run *run, const uint8_t *bytes, uint64_t offset, uint64_t n, const char *what)
{
	const uint8_t *expected = run->model + (offset - run->begin);

	if (!memcmp(bytes, expected, n))
		return;
	for (uint64_t i = 0; i < n; i++)
		if (bytes[i] != expected[i])
			fail(run, what, offset + i, bytes[i], expected[i]);
}

/* All of it or a failure: a short count on a file of fixed size is one. */
static void read_all(const struct run *run, int fd, uint8_t *out, uint64_t offset, uint64_t n, const char *what)
{
	ssize_t got = pread(fd, out, n, (off_t)offset);

	if (got != (ssize_t)n)
		fail(run, what, offset, (int)got, (int)n);
}

/* The bytes are in the backing file, as every other process sees them. */
static void check_data(const struct run *run, uint64_t offset, uint64_t n, const char *what)
{
	if (run->data_fd < 0)
		return;
	read_all(run, run->data_fd, run->scratch, run->data_at + offset, n, what);
	compare(run, run->scratch, offset, n, what);
}

static void open_file(struct run *run)
{
	run->fd = open(run->path, O_RDWR | O_CLOEXEC);
	if (run->fd < 0)
		fail(run, "open", 0, -errno, 0);
}

static void randomize(struct run *run, uint64_t offset, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		run->model[offset - run->begin + i] = (uint8_t)stress_random(&run->random);
}

static void do_write(struct run *run, uint64_t offset, uint64_t n)
{
	ssize_t put;

	randomize(run, offset, n);
	put = pwrite(run->fd, run->model + (offset - run->begin), n, (off_t)offset);
	if (put != (ssize_t)n)
		fail(run, "write", offset, (int)put, (int)n);
	check_data(run, offset, n, "data file after write");
}

/* A mapping begins at a page; [*start, *start + result) covers the range. */
static uint8_t *map(struct run *run, uint64_t offset, uint64_t n, int protection, uint64_t *start, size_t *nbytes)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	void *at;

	*start = offset / page * page;
	*nbytes = (size_t)(offset + n - *start);
	at = mmap(NULL, *nbytes, protection, MAP_SHARED, run->fd, (off_t)*start);
	if (at == MAP_FAILED)
		fail(run, "mmap", offset, -errno, 0);
	return at;
}

static void do_map_read(struct run *run, uint64_t offset, uint64_t n)
{
	uint64_t start;
	size_t nbytes;
	uint8_t *at = map(run, offset, n, PROT_READ, &start, &nbytes);

	compare(run, at + (offset - start), offset, n, "mapped read");
	munmap(at, nbytes);
}

static void do_map_write(struct run *run, uint64_t offset, uint64_t n)
{
	uint64_t start;
	size_t nbytes;
	uint8_t *at = map(run, offset, n, PROT_READ | PROT_WRITE, &start, &nbytes);

	randomize(run, offset, n);
	memcpy(at + (offset - start), run->model + (offset - run->begin), n);
	if (msync(at, nbytes, MS_SYNC))
		fail(run, "msync", offset, -errno, 0);
	munmap(at, nbytes);
	check_data(run, offset, n, "data file after msync");
}

/* Another process stores into the data file while nobody has ours open: the next open must show it. */
static void do_foreign(struct run *run, uint64_t offset, uint64_t n)
{
	if (close(run->fd))
		fail(run, "close", offset, -errno, 0);
	randomize(run, offset, n);
	if (pwrite(run->data_fd, run->model + (offset - run->begin), n, (off_t)(run->data_at + offset)) != (ssize_t)n)
		fail(run, "write to the data file", offset, -errno, 0);
	open_file(run);
	read_all(run, run->fd, run->scratch, offset, n, "read after a foreign store");
	compare(run, run->scratch, offset, n, "read after a foreign store");
}

static void do_stat(struct run *run)
{
	struct stat st;

	if (fstat(run->fd, &st))
		fail(run, "fstat", 0, -errno, 0);
	if (st.st_size != run->size)
		fail(run, "size", 0, (int)st.st_size, (int)run->size);
}

static void perform(struct run *run, enum op op, uint64_t offset, uint64_t n)
{
	switch (op) {
	case OP_READ:
		read_all(run, run->fd, run->scratch, offset, n, "read");
		compare(run, run->scratch, offset, n, "read");
		break;
	case OP_WRITE:
		do_write(run, offset, n);
		break;
	case OP_MAP_READ:
		do_map_read(run, offset, n);
		break;
	case OP_MAP_WRITE:
		do_map_write(run, offset, n);
		break;
	case OP_FSYNC:
		if (n % 2 ? fsync(run->fd) : fdatasync(run->fd))
			fail(run, "fsync", offset, -errno, 0);
		check_data(run, run->begin, run->length, "data file after fsync");
		break;
	case OP_REOPEN:
		if (close(run->fd))
			fail(run, "close", offset, -errno, 0);
		open_file(run);
		break;
	case OP_FOREIGN:
		do_foreign(run, offset, n);
		break;
	default:
		do_stat(run);
	}
}

static int is_possible(const struct run *run, enum op op)
{
	return !(op == OP_MAP_READ && run->options->no_map_read) &&
	       !(op == OP_MAP_WRITE && run->options->no_map_write) && !(op == OP_FOREIGN && run->data_fd < 0);
}

static enum op choose(struct run *run)
{
	for (;;) {
		uint64_t pick = stress_below(&run->random, 100);
		unsigned op = 0;

		while (pick >= op_weights[op])
			pick -= op_weights[op++];
		if (is_possible(run, (enum op)op))
			return (enum op)op;
	}
}

/* Half of the ranges are short, so that many begin and end inside a page. */
static void step(struct run *run)
{
	uint64_t max = run->options->max < run->length ? run->options->max : run->length;
	struct step next;

	if (stress_below(&run->random, 2) && max > 300)
		max = 300;
	next.op = choose(run);
	next.n = 1 + stress_below(&run->random, max);
	next.offset = run->begin + stress_below(&run->random, run->length - next.n + 1);
	run->history[run->number++ % HISTORY] = next;
	perform(run, next.op, next.offset, next.n);
}

static void start(struct run *run)
{
	struct stat st;

	open_file(run);
	if (fstat(run->fd, &st))
		fail(run, "fstat", 0, -errno, 0);
	run->size = st.st_size;
	run->begin = run->options->offset;
	if (run->begin >= (uint64_t)st.st_size)
		stress_die("fsx: %s: nothing at byte %llu", run->path, (unsigned long long)run->begin);
	run->length = (uint64_t)st.st_size - run->begin;
	if (run->options->length && run->options->length < run->length)
		run->length = run->options->length;
	run->model = malloc(run->length);
	run->scratch = malloc(run->length);
	if (!run->model || !run->scratch)
		stress_die("fsx: out of memory");
	run->data_fd = -1;
	if (run->data_path)
		run->data_fd = open(run->data_path, O_RDWR | O_CLOEXEC);
	if (run->data_path && run->data_fd < 0)
		fail(run, "open of the data file", 0, -errno, 0);
	read_all(run, run->fd, run->model, run->begin, run->length, "first read");
	check_data(run, run->begin, run->length, "data file at the start");
}

/* One file, one process. */
static void work(const struct options *options, char *argument, unsigned index)
{
	struct run run = { .options = options, .path = argument, .seed = options->seed };
	char *equals = strchr(argument, '=');

	if (equals) {
		char *colon = strrchr(equals, ':');

		if (!colon)
			stress_die("fsx: %s: expected FILE=DATA:AT", argument);
		*equals = *colon = '\0';
		run.data_path = equals + 1;
		run.data_at = strtoull(colon + 1, NULL, 0);
	}
	run.random = options->seed + index * UINT64_C(0x5851f42d4c957f2d);
	start(&run);
	while (run.number < options->ops)
		step(&run);
	if (close(run.fd))
		fail(&run, "close", 0, -errno, 0);
	open_file(&run);
	do_stat(&run);
	read_all(&run, run.fd, run.scratch, run.begin, run.length, "last read");
	compare(&run, run.scratch, run.begin, run.length, "last read");
	check_data(&run, run.begin, run.length, "data file at the end");
	exit(0);
}

static int wait_all(int count)
{
	int failed = 0, status;

	while (count-- > 0) {
		pid_t pid = wait(&status);

		if (pid > 0 && WIFSIGNALED(status))
			fprintf(stderr, "fsx: process %d died of signal %d\n", (int)pid, WTERMSIG(status));
		failed |= pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	}
	return failed;
}

int main(int argc, char **argv)
{
	struct options options = { .ops = 10000, .max = 65536 };
	const char *seed = NULL;
	int option;

	while ((option = getopt(argc, argv, "s:n:o:l:m:RW")) != -1) {
		switch (option) {
		case 's':
			seed = optarg;
			break;
		case 'n':
			options.ops = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			options.offset = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			options.length = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			options.max = strtoull(optarg, NULL, 0);
			break;
		case 'R':
			options.no_map_read = 1;
			break;
		case 'W':
			options.no_map_write = 1;
			break;
		default:
			return 2;
		}
	}
	if (optind == argc || !options.max)
		return 2;
	options.seed = stress_seed(seed);
	printf("fsx: seed %llu, %llu operations on each of %d files\n", (unsigned long long)options.seed,
	       (unsigned long long)options.ops, argc - optind);
	fflush(stdout);
	for (int i = optind; i < argc; i++) {
		pid_t pid = fork();

		if (pid < 0)
			stress_die("fsx: fork: %s", strerror(errno));
		if (!pid)
			work(&options, argv[i], (unsigned)(i - optind));
	}
	return wait_all(argc - optind);
}
