/* SPDX-License-Identifier: MIT */
/* writers.c - processes that replace pictures, and processes that read and map them, on the same few elements.
 *
 *   writers [-s SEED] [-t SECONDS | -n TIMES] [-w WRITERS] [-r READERS] [-a PERCENT] [-g WxH] [-f FORMATS] [-y WAYS] NAME...
 *
 * NAME is a file without its suffix, or with "%s" where the view goes ("mnt/image%s/03": "", "@jpg", "@raw"). Each
 * writer replaces one of them by another whole picture in one of the WAYS (ways.h; never in place: that may be seen
 * half done), or, PERCENT times of a hundred, begins and does not finish. Each reader opens, stats, reads or maps:
 * the size must be the bytes that come, and a png or jpg one whole picture. Raw files may change while they are read,
 * so that only their size counts. One more process keeps a mapping of each file and touches its pages all the time.
 *
 * With -n each writer and reader does that many, and nothing is kept mapped.
 *
 * Ends at the first fault, or when all is done; prints what was done as "KEY VALUE" lines.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "picture.h"
#include "stress.h"
#include "ways.h"

struct counts {
	uint64_t commits, abandoned, reads, maps, touches;
};

struct plan {
	pid_t *pids;          /* of the children; here, where a leak check of theirs still finds it */
	uint64_t seed, times; /* times 0: until `end` */
	double seconds, end;
	unsigned writers, readers, abandon_percent, formats, ways;
	uint32_t width, height;
	char **names;
	unsigned name_count;
	uint8_t *files[PICTURE_FORMATS][PICTURE_COUNT];
	size_t nbytes[PICTURE_FORMATS][PICTURE_COUNT];
	struct counts *shared; /* one for each process */
	unsigned first_commits;
};

static const char *const format_names[PICTURE_FORMATS] = { "png", "jpg", "raw" };
static const char *const format_views[PICTURE_FORMATS] = { "", "@jpg", "@raw" };

/* The file of `name` in a format: "%s" in the name becomes the view where that format is listed. */
static void path_of(const char *name, unsigned format, char *path, size_t size)
{
	const char *view = strstr(name, "%s");

	if (view)
		snprintf(path, size, "%.*s%s%s%s", (int)(view - name), name, format_views[format], view + 2,
			 picture_suffixes[format]);
	else
		snprintf(path, size, "%s%s", name, picture_suffixes[format]);
}

/* One of the plan's files under one of its formats. */
static enum picture_format choose(const struct plan *plan, uint64_t *random, char *path, size_t size)
{
	unsigned format;

	do
		format = (unsigned)stress_below(random, PICTURE_FORMATS);
	while (!(plan->formats & (1u << format)));
	path_of(plan->names[stress_below(random, plan->name_count)], format, path, size);
	return (enum picture_format)format;
}

static void write_one(const struct plan *plan, uint64_t *random, struct counts *counts)
{
	char path[4096];
	enum picture_format format = choose(plan, random, path, sizeof(path));
	unsigned number = (unsigned)stress_below(random, PICTURE_COUNT);
	const uint8_t *bytes = plan->files[format][number];
	size_t nbytes = plan->nbytes[format][number];
	const char *call = "";
	enum way way;
	int rc;

	if (stress_below(random, 100) < plan->abandon_percent) {
		int renamed = (int)stress_below(random, 2);

		rc = way_abandon(renamed, path, bytes, nbytes, random, &call);
		if (rc != (renamed ? 0 : -EINVAL))
			stress_die("writers: %s: half a file: %s: %s, expected %s", path, call, strerror(-rc),
				   renamed ? "success" : "EINVAL");
		counts->abandoned++;
		return;
	}
	do /* snapshot formats cannot be mapped for writing */
		way = ways_choose(plan->ways, random);
	while (way == WAY_MAP && format != PICTURE_RAW);
	rc = way_write(way, path, bytes, nbytes, random, &call);
	if (rc)
		stress_die("writers: %s: %s: %s: %s", path, way_names[way], call, strerror(-rc));
	counts->commits++;
}

/* Until end of file, in pieces of random length. */
static uint8_t *read_file(const char *path, int fd, size_t expected, uint64_t *random)
{
	size_t have = 0, room = expected + 65536;
	uint8_t *bytes = malloc(room);

	if (!bytes)
		stress_die("writers: out of memory");
	for (;;) {
		size_t piece = 1 + (size_t)stress_below(random, 100000);
		ssize_t got = read(fd, bytes + have, piece < room - have ? piece : room - have);

		if (got < 0)
			stress_die("writers: %s: read at %zu: %s", path, have, strerror(errno));
		if (!got)
			break;
		have += (size_t)got;
		if (have == room)
			break;
	}
	if (have != expected)
		stress_die("writers: %s: fstat says %zu bytes, %zu came", path, expected, have);
	return bytes;
}

static void read_one(const struct plan *plan, uint64_t *random, struct counts *counts)
{
	char path[4096];
	enum picture_format format = choose(plan, random, path, sizeof(path));
	int mapped = stress_below(random, 4) == 0, result, fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;
	size_t size;

	if (fd < 0 || fstat(fd, &st))
		stress_die("writers: %s: open: %s", path, strerror(errno));
	size = (size_t)st.st_size;
	if (!size)
		stress_die("writers: %s: size 0", path);
	if (mapped) {
		bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		if (bytes == MAP_FAILED)
			stress_die("writers: %s: mmap: %s", path, strerror(errno));
		close(fd); /* the mapping alone must pin the content */
	} else {
		bytes = read_file(path, fd, size, random);
		close(fd);
	}
	result = picture_check(format, bytes, size, plan->width, plan->height);
	if (format != PICTURE_RAW ? result < 0 : result == -2)
		stress_die("writers: %s: %s file of %zu bytes: %s", path, mapped ? "mapped" : "read", size,
			   result == -1   ? "does not decode"
			   : result == -2 ? "another size"
					  : "pixels of no picture, or of several");
	if (mapped)
		munmap(bytes, size);
	else
		free(bytes);
	*(mapped ? &counts->maps : &counts->reads) += 1;
}

/* Mappings that stay while the files are truncated and rewritten; a signal is the fault here. */
static void touch_forever(const struct plan *plan, uint64_t *random, struct counts *counts)
{
	static volatile uint8_t sink;
	struct {
		const uint8_t *at;
		size_t nbytes;
	} maps[16];
	char path[4096];

	for (unsigned i = 0; i < 16; i++) {
		struct stat st;
		int fd;

		choose(plan, random, path, sizeof(path));
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st))
			stress_die("writers: %s: open: %s", path, strerror(errno));
		maps[i].nbytes = (size_t)st.st_size;
		maps[i].at = mmap(NULL, maps[i].nbytes, PROT_READ, i % 2 ? MAP_SHARED : MAP_PRIVATE, fd, 0);
		if (maps[i].at == MAP_FAILED)
			stress_die("writers: %s: mmap: %s", path, strerror(errno));
		close(fd);
	}
	while (stress_seconds() < plan->end) {
		for (unsigned i = 0; i < 16; i++)
			for (size_t at = 0; at < maps[i].nbytes; at += 512)
				sink = (uint8_t)(sink + maps[i].at[at]);
		counts->touches++;
		usleep(2000); /* leave the processors to the others */
	}
}

typedef void (*job)(const struct plan *plan, uint64_t *random, struct counts *counts);

static pid_t start(const struct plan *plan, unsigned index, job work)
{
	pid_t pid = fork();
	uint64_t random = plan->seed + (index + 1) * UINT64_C(0x5851f42d4c957f2d);

	if (pid < 0)
		stress_die("writers: fork: %s", strerror(errno));
	if (pid)
		return pid;
	for (uint64_t done = 0; plan->times ? done < plan->times : stress_seconds() < plan->end; done++)
		work(plan, &random, &plan->shared[index]);
	exit(0);
}

/* The first that fails ends the others. */
static int run(struct plan *plan)
{
	unsigned count = plan->writers + plan->readers + !plan->times;
	int failed = 0, status;

	plan->pids = calloc(count, sizeof(*plan->pids));
	if (!plan->pids)
		stress_die("writers: out of memory");
	plan->end = stress_seconds() + plan->seconds;
	for (unsigned i = 0; i < count; i++)
		plan->pids[i] = start(plan, i,
				      i < plan->writers                   ? write_one
				      : i < plan->writers + plan->readers ? read_one
									  : touch_forever);
	for (unsigned left = count; left; left--) {
		pid_t pid = wait(&status);

		for (unsigned i = 0; i < count; i++)
			if (plan->pids[i] == pid)
				plan->pids[i] = 0;
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			continue;
		if (WIFSIGNALED(status) && !failed)
			fprintf(stderr, "writers: a process died of signal %d\n", WTERMSIG(status));
		for (unsigned i = 0; i < count && !failed; i++)
			if (plan->pids[i])
				kill(plan->pids[i], SIGTERM);
		failed = 1;
	}
	free(plan->pids);
	return failed;
}

/* Every file must be a picture before the first reader looks. */
static void write_first(struct plan *plan)
{
	uint64_t random = plan->seed;
	char path[4096];
	const char *call;

	for (unsigned i = 0; i < plan->name_count * PICTURE_FORMATS; i++) {
		unsigned format = i % PICTURE_FORMATS;
		int rc;

		if (!(plan->formats & (1u << format)))
			continue;
		path_of(plan->names[i / PICTURE_FORMATS], format, path, sizeof(path));
		rc = way_write(WAY_TRUNCATE, path, plan->files[format][0], plan->nbytes[format][0], &random, &call);
		if (rc)
			stress_die("writers: %s: %s: %s", path, call, strerror(-rc));
		plan->first_commits++;
	}
}

static void prepare(struct plan *plan)
{
	uint8_t *rgb = malloc((size_t)plan->width * plan->height * 3);
	size_t shared = sizeof(*plan->shared) * (plan->writers + plan->readers + 1);

	plan->shared = mmap(NULL, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!rgb || plan->shared == MAP_FAILED)
		stress_die("writers: out of memory");
	for (unsigned n = 0; n < PICTURE_COUNT; n++) {
		picture_draw(n, plan->width, plan->height, rgb);
		for (unsigned f = 0; f < PICTURE_FORMATS; f++)
			plan->files[f][n] = picture_encode((enum picture_format)f, rgb, plan->width, plan->height,
							   &plan->nbytes[f][n]);
	}
	free(rgb);
	write_first(plan);
}

static void report(const struct plan *plan)
{
	struct counts sum = { .commits = plan->first_commits };

	for (unsigned i = 0; i < plan->writers + plan->readers + 1; i++) {
		sum.commits += plan->shared[i].commits;
		sum.abandoned += plan->shared[i].abandoned;
		sum.reads += plan->shared[i].reads;
		sum.maps += plan->shared[i].maps;
		sum.touches += plan->shared[i].touches;
	}
	printf("commits %llu\nabandoned %llu\nreads %llu\nmaps %llu\ntouches %llu\n", (unsigned long long)sum.commits,
	       (unsigned long long)sum.abandoned, (unsigned long long)sum.reads, (unsigned long long)sum.maps,
	       (unsigned long long)sum.touches);
}

static unsigned parse_formats(char *list)
{
	unsigned set = 0;
	char *name;

	while ((name = strsep(&list, ",")))
		for (unsigned f = 0; f < PICTURE_FORMATS; f++)
			if (!strcmp(name, format_names[f]))
				set |= 1u << f;
	return set;
}

/* The other end of prepare(). */
static void drop(struct plan *plan)
{
	for (unsigned f = 0; f < PICTURE_FORMATS; f++)
		for (unsigned n = 0; n < PICTURE_COUNT; n++)
			free(plan->files[f][n]);
}

int main(int argc, char **argv)
{
	struct plan plan = { .seconds = 2, .writers = 8, .readers = 8, .width = 96, .height = 80 };
	const char *seed = NULL;
	int option;

	plan.formats = (1u << PICTURE_FORMATS) - 1;
	plan.ways = ways_parse("truncate,ftruncate,rename,rename-sync,map");
	while ((option = getopt(argc, argv, "s:t:n:w:r:a:g:f:y:")) != -1) {
		switch (option) {
		case 's':
			seed = optarg;
			break;
		case 't':
			plan.seconds = strtod(optarg, NULL);
			break;
		case 'n':
			plan.times = strtoull(optarg, NULL, 0);
			break;
		case 'w':
			plan.writers = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'r':
			plan.readers = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'a':
			plan.abandon_percent = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'g':
			if (sscanf(optarg, "%ux%u", &plan.width, &plan.height) != 2)
				return 2;
			break;
		case 'f':
			plan.formats = parse_formats(optarg);
			break;
		case 'y':
			plan.ways = ways_parse(optarg);
			break;
		default:
			return 2;
		}
	}
	if (optind == argc || !plan.formats || !plan.ways || !plan.width || !plan.height)
		return 2;
	if (!(plan.ways & ~(1u << WAY_MAP)))
		return 2; /* it is for raw alone */
	plan.names = argv + optind;
	plan.name_count = (unsigned)(argc - optind);
	plan.seed = stress_seed(seed);
	printf("seed %llu\n", (unsigned long long)plan.seed);
	prepare(&plan);
	fflush(stdout);
	int failed = run(&plan);
	drop(&plan);
	if (failed) {
		fprintf(stderr, "writers: failed with seed %llu\n", (unsigned long long)plan.seed);
		return 1;
	}
	report(&plan);
	return 0;
}
