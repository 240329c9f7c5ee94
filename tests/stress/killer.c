/* SPDX-License-Identifier: MIT */
/* killer.c - writers that note what was promised to them, while the daemon dies; then the check of the promises.
 *
 *   killer write [-s SEED] [-w WRITERS] [-k PID] [-t MAX_MS] [-y WAYS] RECORD FILE...
 *   killer check RECORD FILE...
 *
 * `write`: each FILE belongs to one writer, which replaces it by version 1, 2, 3 ... of itself in one of the WAYS
 * (ways.h) until the kill. Every word of a version names file and version. After a random time of at most MAX_MS
 * the process PID is killed, with no warning. RECORD then holds, for each file, the last version whose last call
 * returned 0, and the one that was begun. It fails if a call fails before the kill.
 *
 * `check`: each file, read in any way (the mount again, or pieces of the data file), is the version that was promised
 * or the one that was begun; a file that is neither as a whole, but made of those two, is torn. Prints "torn N".
 * Exit 1 if something that was promised is lost: a torn file is for the caller to judge.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"
#include "ways.h"

struct promise {
	uint64_t nbytes, kept, begun;
	char last[80]; /* how the version that was begun was being written */
};

struct plan {
	uint64_t seed;
	unsigned writers, max_ms, ways;
	pid_t victim;
	char **names;
	unsigned count;
	struct promise *promises;
	volatile int *killed; /* shared: errors are expected from now on */
};

static uint64_t word_of(unsigned file, uint64_t version)
{
	uint64_t state = ((uint64_t)file << 40) ^ version;

	return stress_random(&state);
}

/* The last word may be cut. */
static void fill(uint8_t *bytes, size_t nbytes, unsigned file, uint64_t version)
{
	uint64_t word = word_of(file, version);

	for (size_t at = 0; at < nbytes; at += sizeof(word))
		memcpy(bytes + at, &word, nbytes - at < sizeof(word) ? nbytes - at : sizeof(word));
}

/* In one of the ways; notes what was promised. Ends the process if the daemon died meanwhile. */
static void write_version(const struct plan *plan, unsigned file, uint8_t *bytes, uint64_t *random)
{
	struct promise *promise = &plan->promises[file];
	uint64_t version = promise->kept + 1;
	enum way way = ways_choose(plan->ways, random);
	const char *call;
	int rc;

	fill(bytes, promise->nbytes, file, version);
	snprintf(promise->last, sizeof(promise->last), "%s", way_names[way]);
	promise->begun = version;
	rc = way_write(way, plan->names[file], bytes, promise->nbytes, random, &call);
	if (!rc) {
		promise->kept = version;
		return;
	}
	/* the kill may come between the failing call and here, never after it */
	if (!*plan->killed)
		stress_die("killer: %s: %s: %s: %s before the kill", plan->names[file], way_names[way], call,
			   strerror(-rc));
	exit(0);
}

static uint8_t *room_for_largest(const struct plan *plan)
{
	uint64_t largest = 0;
	uint8_t *bytes;

	for (unsigned i = 0; i < plan->count; i++)
		if (plan->promises[i].nbytes > largest)
			largest = plan->promises[i].nbytes;
	bytes = malloc(largest);
	if (!bytes)
		stress_die("killer: out of memory");
	return bytes;
}

static const volatile int *daemon_killed;

/* A store through a mapping faults on a page that nobody serves any more: no fault of the writer's, after the kill. */
static void on_bus(int number)
{
	(void)number;
	_exit(*daemon_killed ? 0 : 1);
}

/* The files index, index + writers, index + 2 writers ... are this writer's. */
static void work(const struct plan *plan, unsigned index)
{
	uint64_t random = plan->seed + (index + 1) * UINT64_C(0x5851f42d4c957f2d);
	unsigned mine = (plan->count - index + plan->writers - 1) / plan->writers;
	uint8_t *bytes = room_for_largest(plan);

	daemon_killed = plan->killed;
	signal(SIGBUS, on_bus);
	while (mine && !*plan->killed)
		write_version(plan, index + plan->writers * (unsigned)stress_below(&random, mine), bytes, &random);
	exit(0);
}

static int write_and_kill(struct plan *plan)
{
	uint64_t random = plan->seed;
	uint8_t *bytes = room_for_largest(plan);
	int status, failed = 0;

	for (unsigned i = 0; i < plan->count; i++) /* version 1 of each: there is always one that was promised */
		write_version(plan, i, bytes, &random);
	free(bytes);
	for (unsigned i = 0; i < plan->writers; i++) {
		pid_t pid = fork();

		if (pid < 0)
			stress_die("killer: fork: %s", strerror(errno));
		if (!pid)
			work(plan, i);
	}
	usleep((useconds_t)(1000 * (1 + stress_below(&random, plan->max_ms))));
	*plan->killed = 1;
	if (kill(plan->victim, SIGKILL))
		stress_die("killer: kill %d: %s", (int)plan->victim, strerror(errno));
	for (unsigned i = 0; i < plan->writers; i++) {
		if (wait(&status) < 0)
			return 1;
		failed |= !WIFEXITED(status) || WEXITSTATUS(status);
	}
	return failed;
}

static void save(const struct plan *plan, const char *path)
{
	FILE *out = fopen(path, "w");
	uint64_t versions = 0;

	if (!out)
		stress_die("killer: %s: %s", path, strerror(errno));
	for (unsigned i = 0; i < plan->count; i++) {
		const struct promise *p = &plan->promises[i];

		fprintf(out, "%llu %llu %llu %s\n", (unsigned long long)p->nbytes, (unsigned long long)p->kept,
			(unsigned long long)p->begun, p->last);
		versions += p->kept;
	}
	if (fclose(out))
		stress_die("killer: %s: %s", path, strerror(errno));
	printf("versions %llu\n", (unsigned long long)versions);
}

static void load(struct plan *plan, const char *path)
{
	FILE *in = fopen(path, "r");

	if (!in)
		stress_die("killer: %s: %s", path, strerror(errno));
	for (unsigned i = 0; i < plan->count; i++) {
		struct promise *p = &plan->promises[i];
		unsigned long long nbytes, kept, begun;

		if (fscanf(in, "%llu %llu %llu %79s", &nbytes, &kept, &begun, p->last) != 4)
			stress_die("killer: %s: %u lines, expected %u", path, i, plan->count);
		p->nbytes = nbytes;
		p->kept = kept;
		p->begun = begun;
	}
	fclose(in);
}

enum state { STATE_KEPT, STATE_BEGUN, STATE_TORN, STATE_LOST };

static enum state state_of(const struct plan *plan, unsigned file, const uint8_t *bytes, uint8_t *other)
{
	const struct promise *p = &plan->promises[file];
	uint64_t kept = word_of(file, p->kept), begun = word_of(file, p->begun);

	fill(other, p->nbytes, file, p->kept);
	if (!memcmp(bytes, other, p->nbytes))
		return STATE_KEPT;
	fill(other, p->nbytes, file, p->begun);
	if (!memcmp(bytes, other, p->nbytes))
		return STATE_BEGUN;
	for (size_t at = 0; at < p->nbytes; at++)
		if (bytes[at] != ((uint8_t *)&kept)[at % 8] && bytes[at] != ((uint8_t *)&begun)[at % 8])
			return STATE_LOST;
	return STATE_TORN;
}

static uint8_t *read_whole(const char *path, uint64_t nbytes)
{
	uint8_t *bytes = malloc(nbytes);
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t have = 0;

	if (fd < 0 || !bytes || fstat(fd, &st))
		stress_die("killer: %s: %s", path, strerror(errno));
	if ((uint64_t)st.st_size != nbytes)
		stress_die("killer: %s: %llu bytes, expected %llu", path, (unsigned long long)st.st_size,
			   (unsigned long long)nbytes);
	while (have < nbytes) {
		ssize_t got = read(fd, bytes + have, nbytes - have);

		if (got <= 0)
			stress_die("killer: %s: read: %s", path, got ? strerror(errno) : "end of file");
		have += (uint64_t)got;
	}
	close(fd);
	return bytes;
}

static int check(const struct plan *plan)
{
	unsigned torn = 0, begun = 0, lost = 0;

	for (unsigned i = 0; i < plan->count; i++) {
		const struct promise *p = &plan->promises[i];
		uint8_t *bytes = read_whole(plan->names[i], p->nbytes), *other = malloc(p->nbytes);
		enum state state;

		if (!other)
			stress_die("killer: out of memory");
		state = state_of(plan, i, bytes, other);
		torn += state == STATE_TORN;
		begun += state == STATE_BEGUN && p->begun != p->kept;
		lost += state == STATE_LOST;
		if (state >= STATE_TORN)
			fprintf(stderr, "killer: %s: version %llu was promised, %llu begun (%s): %s\n", plan->names[i],
				(unsigned long long)p->kept, (unsigned long long)p->begun, p->last,
				state == STATE_TORN ? "torn" : "lost");
		free(bytes);
		free(other);
	}
	printf("torn %u\nbegun %u\nlost %u\n", torn, begun, lost);
	return lost ? 1 : 0;
}

static void prepare(struct plan *plan)
{
	size_t nbytes = sizeof(*plan->promises) * plan->count + sizeof(int);

	plan->promises = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plan->promises == MAP_FAILED)
		stress_die("killer: out of memory");
	plan->killed = (int *)(void *)(plan->promises + plan->count);
	for (unsigned i = 0; i < plan->count; i++) {
		struct stat st;

		if (stat(plan->names[i], &st))
			stress_die("killer: %s: %s", plan->names[i], strerror(errno));
		plan->promises[i].nbytes = (uint64_t)st.st_size;
	}
}

int main(int argc, char **argv)
{
	struct plan plan = { .writers = 8, .max_ms = 300, .ways = ways_parse("all") };
	const char *verb = argc > 1 ? argv[1] : "", *seed = NULL, *record;
	int option;

	optind = 2;
	while ((option = getopt(argc, argv, "s:w:k:t:y:")) != -1) {
		switch (option) {
		case 's':
			seed = optarg;
			break;
		case 'w':
			plan.writers = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'k':
			plan.victim = (pid_t)strtol(optarg, NULL, 0);
			break;
		case 't':
			plan.max_ms = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'y':
			plan.ways = ways_parse(optarg);
			break;
		default:
			return 2;
		}
	}
	if (argc - optind < 2 || !plan.writers || !plan.ways || !plan.max_ms)
		return 2;
	record = argv[optind++];
	plan.names = argv + optind;
	plan.count = (unsigned)(argc - optind);
	prepare(&plan);
	if (!strcmp(verb, "check")) {
		load(&plan, record);
		return check(&plan);
	}
	if (strcmp(verb, "write") || plan.victim <= 1)
		return 2;
	plan.seed = stress_seed(seed);
	printf("seed %llu\n", (unsigned long long)plan.seed);
	fflush(stdout);
	if (plan.writers > plan.count)
		plan.writers = plan.count;
	option = write_and_kill(&plan);
	save(&plan, record);
	return option;
}
