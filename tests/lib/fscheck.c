/* SPDX-License-Identifier: MIT */
/* fscheck.c - exact questions to a file system, for tests in shell. Each prints one line.
 *
 *   fscheck try CALL PATH [ARGS]    OK or the name of the errno of one system call; CALLs are in the table below
 *   fscheck sizes PATH              size by stat, by fstat, and by reading to the end
 *   fscheck bytes PATH OFFSET N     N bytes by one pread, in hexadecimal
 *   fscheck seek DIR                telldir/seekdir: every position leads to the same name again; prints the count
 *   fscheck poke PATH OFFSET HEX    store bytes through a shared mapping, no msync
 *   fscheck mapread PATH            size and sum of all bytes, through a shared read-only mapping
 *   fscheck hold PATH COMMAND...    keep PATH open and mapped while COMMAND runs; its bytes must not change, nor vanish
 *
 * Numbers are decimal. Exit status 0 if the question could be asked. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int fail(const char *what)
{
	fprintf(stderr, "fscheck: %s: %s\n", what, strerror(errno));
	return 1;
}

static const struct {
	const char *name;
	int flags;
} open_flags[] = { { "r", O_RDONLY },
		   { "w", O_WRONLY },
		   { "rw", O_RDWR },
		   { "wt", O_WRONLY | O_TRUNC },
		   { "wc", O_WRONLY | O_CREAT },
		   { "wa", O_WRONLY | O_APPEND },
		   { "direct", O_RDONLY | O_DIRECT } };

static int flags_of(const char *name)
{
	for (size_t i = 0; i < sizeof(open_flags) / sizeof(open_flags[0]); i++)
		if (!strcmp(open_flags[i].name, name))
			return open_flags[i].flags;
	return O_RDONLY;
}

/* pwrite of N bytes 'x' at OFFSET; a short count is told as such. */
static int try_pwrite(const char *path, const char *offset, const char *count)
{
	size_t n = strtoul(count, NULL, 10);
	char *bytes = malloc(n + 1);
	int fd = open(path, O_WRONLY);
	if (!bytes || fd < 0)
		return -1;
	memset(bytes, 'x', n);
	ssize_t done = pwrite(fd, bytes, n, atoll(offset));
	int error = errno;
	free(bytes);
	close(fd);
	errno = error;
	if (done >= 0 && (size_t)done != n) {
		printf("%zd of ", done);
		return 0;
	}
	return done < 0 ? -1 : 0;
}

static int try_call(int argc, char **argv)
{
	const char *call = argv[0], *path = argv[1];
	const char *a = argc > 2 ? argv[2] : "", *b = argc > 3 ? argv[3] : "";
	if (!strcmp(call, "open")) /* PATH r|w|rw|wt|wc|wa */
		return open(path, flags_of(a), 0666);
	if (!strcmp(call, "pwrite")) /* PATH OFFSET N */
		return try_pwrite(path, a, b);
	if (!strcmp(call, "truncate")) /* PATH SIZE */
		return truncate(path, atoll(a));
	if (!strcmp(call, "unlink"))
		return unlink(path);
	if (!strcmp(call, "rmdir"))
		return rmdir(path);
	if (!strcmp(call, "mkdir"))
		return mkdir(path, 0777);
	if (!strcmp(call, "mknod"))
		return mknod(path, S_IFIFO | 0666, 0);
	if (!strcmp(call, "rename")) /* OLD NEW */
		return rename(path, a);
	if (!strcmp(call, "link")) /* OLD NEW */
		return link(path, a);
	if (!strcmp(call, "symlink")) /* NEW TARGET */
		return symlink(a, path);
	if (!strcmp(call, "chmod")) /* PATH OCTAL */
		return chmod(path, (mode_t)strtoul(a, NULL, 8));
	if (!strcmp(call, "chown")) /* PATH UID */
		return chown(path, (uid_t)atoi(a), (gid_t)-1);
	if (!strcmp(call, "utimens")) { /* PATH SECONDS */
		struct timespec times[2] = { { atoll(a), 0 }, { atoll(a), 0 } };
		return utimensat(AT_FDCWD, path, times, 0);
	}
	if (!strcmp(call, "getxattr")) /* PATH NAME */
		return (int)getxattr(path, a, NULL, 0);
	if (!strcmp(call, "stat")) {
		struct stat st;
		return stat(path, &st);
	}
	if (!strcmp(call, "read")) { /* PATH: to the end */
		char bytes[4096];
		ssize_t n = 1;
		int fd = open(path, O_RDONLY);
		while (fd >= 0 && n > 0)
			n = read(fd, bytes, sizeof(bytes));
		return fd < 0 ? -1 : (int)n;
	}
	if (!strcmp(call, "fsync")) {
		int fd = open(path, O_RDWR);
		return fd < 0 ? -1 : fsync(fd);
	}
	if (!strcmp(call, "mmap")) { /* PATH: shared, for writing */
		int fd = open(path, O_RDWR);
		return fd >= 0 && mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED ? 0 : -1;
	}
	errno = ENOTSUP;
	return -1;
}

static int cmd_try(int argc, char **argv)
{
	puts(try_call(argc, argv) >= 0 ? "OK" : strerrorname_np(errno));
	return 0;
}

static int64_t read_size(int fd)
{
	static char buffer[65536];
	int64_t total = 0;
	ssize_t n;
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		total += n;
	return n < 0 ? -1 : total;
}

static int cmd_sizes(int argc, char **argv)
{
	struct stat by_name, by_fd;
	(void)argc;
	if (stat(argv[0], &by_name) < 0)
		return fail(argv[0]);
	int fd = open(argv[0], O_RDONLY);
	if (fd < 0 || fstat(fd, &by_fd) < 0)
		return fail(argv[0]);
	printf("%lld %lld %lld\n", (long long)by_name.st_size, (long long)by_fd.st_size, (long long)read_size(fd));
	return 0;
}

static int cmd_bytes(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned char *bytes = malloc(n + 1);
	int fd = open(argv[0], O_RDONLY);
	ssize_t got = bytes && fd >= 0 ? pread(fd, bytes, n, atoll(argv[1])) : -1;
	if (got < 0)
		return fail(argv[0]);
	for (ssize_t i = 0; i < got; i++)
		printf("%02x", bytes[i]);
	puts("");
	free(bytes);
	return 0;
}

static int cmd_seek(int argc, char **argv)
{
	struct seen {
		long at;
		char name[256];
	} *seen = NULL;
	size_t count = 0;
	struct dirent *entry;
	DIR *dir = opendir(argv[0]);
	(void)argc;
	if (!dir)
		return fail(argv[0]);
	for (long at = telldir(dir); (entry = readdir(dir)); at = telldir(dir)) {
		if (count % 1024 == 0 && !(seen = realloc(seen, (count + 1024) * sizeof(*seen))))
			return fail("memory");
		seen[count].at = at;
		snprintf(seen[count++].name, sizeof(seen->name), "%s", entry->d_name);
	}
	/* Backwards, and then in leaps, so that no position follows from the one before. */
	for (size_t k = 0; k < 2 * count; k++) {
		size_t i = k < count ? count - 1 - k : k * 7919 % count;
		seekdir(dir, seen[i].at);
		entry = readdir(dir);
		if (!entry || strcmp(entry->d_name, seen[i].name) != 0) {
			printf("position of %s leads to %s\n", seen[i].name, entry ? entry->d_name : "the end");
			return 1;
		}
	}
	printf("%zu\n", count);
	free(seen);
	closedir(dir);
	return 0;
}

/* The whole file, shared. */
static unsigned char *map_file(const char *path, int flags, size_t *nbytes)
{
	struct stat st;
	int fd = open(path, flags);
	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	*nbytes = (size_t)st.st_size;
	void *map = mmap(NULL, *nbytes, flags == O_RDWR ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
	return map == MAP_FAILED ? NULL : map;
}

static int cmd_poke(int argc, char **argv)
{
	size_t nbytes, n = argc > 2 ? strlen(argv[2]) / 2 : 0, at = strtoul(argv[1], NULL, 10);
	unsigned char *map = map_file(argv[0], O_RDWR, &nbytes);
	if (!map || at + n > nbytes)
		return fail(argv[0]);
	for (size_t i = 0; i < n; i++) {
		char digits[3] = { argv[2][2 * i], argv[2][2 * i + 1], 0 };
		map[at + i] = (unsigned char)strtoul(digits, NULL, 16);
	}
	return 0;
}

static int cmd_mapread(int argc, char **argv)
{
	size_t nbytes;
	uint64_t sum = 0;
	const unsigned char *map = map_file(argv[0], O_RDONLY, &nbytes);
	(void)argc;
	if (!map)
		return fail(argv[0]);
	for (size_t i = 0; i < nbytes; i++)
		sum += map[i];
	printf("%zu %llu\n", nbytes, (unsigned long long)sum);
	return 0;
}

static int cmd_hold(int argc, char **argv)
{
	size_t nbytes;
	int status;
	const unsigned char *map = map_file(argv[0], O_RDONLY, &nbytes);
	unsigned char *copy = map ? malloc(nbytes) : NULL;
	if (!copy || argc < 2)
		return fail(argv[0]);
	memcpy(copy, map, nbytes);
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		return fail(argv[1]);
	bool same = memcmp(map, copy, nbytes) == 0;
	free(copy);
	puts(same ? "same" : "changed");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int least;
		int (*run)(int argc, char **argv);
	} commands[] = { { "try", 2, cmd_try },   { "sizes", 1, cmd_sizes }, { "bytes", 3, cmd_bytes },
			 { "seek", 1, cmd_seek }, { "poke", 3, cmd_poke },   { "mapread", 1, cmd_mapread },
			 { "hold", 2, cmd_hold } };
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, argv[1]) && argc - 2 >= commands[i].least)
			return commands[i].run(argc - 2, argv + 2);
	fprintf(stderr, "fscheck: what is to be checked? See the head of fscheck.c\n");
	return 2;
}
