/* SPDX-License-Identifier: MIT */
/* sysdo.c - system calls on one file, one after the other, each with its errno: what a shell cannot say exactly.
 *
 *   sysdo FILE OP[:ARGUMENT...]...
 *
 *   open:FLAGS             "rw", "wo" or "ro", then any of +trunc +append +direct +creat +excl
 *   write:N:BYTE           pwrite:OFFSET:N:BYTE       N times BYTE (a number)
 *   pread:OFFSET:N         the count that came
 *   map:OFFSET:N:BYTE      store through a shared mapping, msync, unmap
 *   keep:OFFSET:N:BYTE     store through a shared mapping that stays until the end
 *   hold:OFFSET:N          map shared for reading, until the end
 *   look:AT                the byte AT bytes after the start of what is held
 *   touch:OFFSET:N         map shared, read every byte, unmap
 *   truncate:N  fallocate:MODE:OFFSET:N  fsync  fdatasync  seekhole:OFFSET  seekdata:OFFSET  size
 *   copy:FILE:N            copy_file_range from the start of FILE
 *   times:SECONDS          futimens
 *   dup                    dup and close the copy: a FLUSH
 *   fork                   a child that closes its copy and ends: a FLUSH of another process
 *   thread                 another thread closes a copy: a FLUSH of another thread
 *   close                  once more "open" may follow
 *   to:NAME                rename to NAME
 *   sh:COMMAND             its exit code; no ":" in it
 *
 * Prints a line "OP RESULT" for each: a count or "0", or the name of the errno; never stops at an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path;
static int fd = -1;
static const volatile uint8_t *held;

typedef long long (*action)(char *arguments[]); /* -1: errno says why */

static long long number(const char *text)
{
	return text ? strtoll(text, NULL, 0) : 0;
}

/* 4096-aligned, for O_DIRECT. */
static void *filled(size_t nbytes, const char *byte)
{
	void *bytes = aligned_alloc(4096, (nbytes + 4096) / 4096 * 4096);

	if (!bytes)
		exit(3);
	memset(bytes, (int)number(byte), nbytes);
	return bytes;
}

static long long do_open(char *arguments[])
{
	static const struct {
		const char *name;
		int flag;
	} names[] = { { "rw", O_RDWR },       { "wo", O_WRONLY },     { "ro", O_RDONLY },   { "trunc", O_TRUNC },
		      { "append", O_APPEND }, { "direct", O_DIRECT }, { "creat", O_CREAT }, { "excl", O_EXCL } };
	char *list = arguments[0], *name;
	int flags = O_CLOEXEC;

	while ((name = strsep(&list, "+")))
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(name, names[i].name))
				flags |= names[i].flag;
	fd = open(path, flags, 0600);
	return fd < 0 ? -1 : 0;
}

static long long do_write(char *arguments[])
{
	size_t nbytes = (size_t)number(arguments[0]);
	void *bytes = filled(nbytes, arguments[1]);
	ssize_t put = write(fd, bytes, nbytes);

	free(bytes);
	return put;
}

static long long do_pwrite(char *arguments[])
{
	size_t nbytes = (size_t)number(arguments[1]);
	void *bytes = filled(nbytes, arguments[2]);
	ssize_t put = pwrite(fd, bytes, nbytes, (off_t)number(arguments[0]));

	free(bytes);
	return put;
}

static long long do_pread(char *arguments[])
{
	size_t nbytes = (size_t)number(arguments[1]);
	void *bytes = filled(nbytes, "0");
	ssize_t got = pread(fd, bytes, nbytes, (off_t)number(arguments[0]));

	free(bytes);
	return got;
}

static uint8_t *map(char *arguments[], int protection, size_t *nbytes)
{
	long long offset = number(arguments[0]), start = offset / 4096 * 4096;
	uint8_t *at;

	*nbytes = (size_t)(number(arguments[1]) + offset - start);
	at = mmap(NULL, *nbytes, protection, MAP_SHARED, fd, (off_t)start);
	if (at == MAP_FAILED)
		return NULL;
	if (protection & PROT_WRITE)
		memset(at + (offset - start), (int)number(arguments[2]), (size_t)number(arguments[1]));
	return at;
}

static long long do_map(char *arguments[])
{
	size_t nbytes;
	uint8_t *at = map(arguments, PROT_READ | PROT_WRITE, &nbytes);

	if (!at || msync(at, nbytes, MS_SYNC))
		return -1;
	return munmap(at, nbytes);
}

static long long do_keep(char *arguments[])
{
	size_t nbytes;

	return map(arguments, PROT_READ | PROT_WRITE, &nbytes) ? 0 : -1;
}

static long long do_hold(char *arguments[])
{
	size_t nbytes;
	uint8_t *at = map(arguments, PROT_READ, &nbytes);

	held = at ? at + number(arguments[0]) % 4096 : NULL;
	return at ? 0 : -1;
}

static long long do_look(char *arguments[])
{
	errno = EFAULT;
	return held ? held[number(arguments[0])] : -1;
}

static long long do_touch(char *arguments[])
{
	static volatile uint8_t sink;
	size_t nbytes;
	uint8_t *at = map(arguments, PROT_READ, &nbytes);

	if (!at)
		return -1;
	for (size_t i = 0; i < nbytes; i++)
		sink = (uint8_t)(sink + at[i]);
	return munmap(at, nbytes);
}

static long long do_truncate(char *arguments[])
{
	return ftruncate(fd, (off_t)number(arguments[0]));
}

static long long do_fallocate(char *arguments[])
{
	return fallocate(fd, (int)number(arguments[0]), (off_t)number(arguments[1]), (off_t)number(arguments[2]));
}

static long long do_fsync(char *arguments[])
{
	(void)arguments;
	return fsync(fd);
}

static long long do_fdatasync(char *arguments[])
{
	(void)arguments;
	return fdatasync(fd);
}

static long long do_seekhole(char *arguments[])
{
	return lseek(fd, (off_t)number(arguments[0]), SEEK_HOLE);
}

static long long do_seekdata(char *arguments[])
{
	return lseek(fd, (off_t)number(arguments[0]), SEEK_DATA);
}

static long long do_size(char *arguments[])
{
	struct stat st;

	(void)arguments;
	return fstat(fd, &st) ? -1 : (long long)st.st_size;
}

static long long do_copy(char *arguments[])
{
	int from = open(arguments[0], O_RDONLY | O_CLOEXEC);
	loff_t in = 0, out = 0;
	long long put;

	if (from < 0)
		return -1;
	put = copy_file_range(from, &in, fd, &out, (size_t)number(arguments[1]), 0);
	close(from);
	return put;
}

static long long do_times(char *arguments[])
{
	struct timespec times[2] = { { .tv_sec = (time_t)number(arguments[0]) },
				     { .tv_sec = (time_t)number(arguments[0]) } };

	return futimens(fd, times);
}

static long long do_dup(char *arguments[])
{
	int copy = dup(fd);

	(void)arguments;
	return copy < 0 ? -1 : close(copy);
}

static long long do_fork(char *arguments[])
{
	int status = 0;
	pid_t pid = fork();

	(void)arguments;
	if (!pid)
		_exit(close(fd) ? errno : 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static void *close_copy(void *argument)
{
	int *copy = argument;

	*copy = close(*copy) ? errno : 0;
	return NULL;
}

static long long do_thread(char *arguments[])
{
	pthread_t thread;
	int copy = dup(fd);

	(void)arguments;
	if (copy < 0 || pthread_create(&thread, NULL, close_copy, &copy) || pthread_join(thread, NULL))
		return -1;
	errno = copy;
	return copy ? -1 : 0;
}

static long long do_close(char *arguments[])
{
	(void)arguments;
	return close(fd);
}

static long long do_to(char *arguments[])
{
	return rename(path, arguments[0]);
}

static long long do_sh(char *arguments[])
{
	int status = system(arguments[0]);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const struct {
	const char *name;
	action run;
} actions[] = {
	{ "open", do_open },
	{ "write", do_write },
	{ "pwrite", do_pwrite },
	{ "pread", do_pread },
	{ "map", do_map },
	{ "keep", do_keep },
	{ "touch", do_touch },
	{ "truncate", do_truncate },
	{ "fsync", do_fsync },
	{ "fdatasync", do_fdatasync },
	{ "seekhole", do_seekhole },
	{ "seekdata", do_seekdata },
	{ "size", do_size },
	{ "copy", do_copy },
	{ "times", do_times },
	{ "dup", do_dup },
	{ "fork", do_fork },
	{ "thread", do_thread },
	{ "close", do_close },
	{ "to", do_to },
	{ "fallocate", do_fallocate },
	{ "hold", do_hold },
	{ "look", do_look },
	{ "sh", do_sh },
};

static void run(char *text)
{
	char *arguments[5] = { NULL }, *name = strsep(&text, ":");

	for (int i = 0; i < 5 && text; i++)
		arguments[i] = strsep(&text, ":");
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		long long result;

		if (strcmp(name, actions[i].name))
			continue;
		result = actions[i].run(arguments);
		if (result < 0)
			printf("%s %s\n", name, strerrorname_np(errno));
		else
			printf("%s %lld\n", name, result);
		fflush(stdout);
		return;
	}
	fprintf(stderr, "sysdo: %s: no such operation\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	path = argv[1];
	for (int i = 2; i < argc; i++)
		run(argv[i]);
	return 0;
}
