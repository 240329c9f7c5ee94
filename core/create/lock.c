/* SPDX-License-Identifier: MIT */
/* lock.c - the lock (flock) on a collection that keys are added to. Who adds holds it while files have moved in that
 * meta.json does not name yet; who wants to know all names that are taken has to wait for that to end.
 *
 * A slow disk can make the holder slow, so one that runs is waited for. One that is stopped (SIGSTOP, Ctrl-Z) may never
 * go on; the kernel's list of locks says who it is. */
#include "create_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#define RETRY_NS INT64_C(10000000)
#define LOOK_NS INT64_C(100000000)
#define STOPPED_LOOKS 10 /* in a row: 1 s */

static bool is_stopped(int pid)
{
	char path[32], text[512] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		*text = '\0';
	fclose(file);
	const char *name_end = strrchr(text, ')');
	return name_end && !strncmp(name_end, ") T", 3);
}

/* Only the number of the inode is compared: some file systems show another device there than stat(2) does. */
static bool holder_is_stopped(int fd)
{
	struct stat st;
	char line[256];
	FILE *locks = fstat(fd, &st) ? NULL : fopen("/proc/locks", "re");
	if (!locks)
		return false;
	bool any = false, all = true;
	while (fgets(line, sizeof(line), locks)) {
		int pid;
		uint64_t inode;
		if (sscanf(line, "%*d: FLOCK %*s %*s %d %*x:%*x:%" SCNu64, &pid, &inode) != 2 || inode != st.st_ino)
			continue;
		any = true;
		all = all && is_stopped(pid);
	}
	fclose(locks);
	return any && all;
}

int jag_lock_dir(int fd, int64_t wait_ns, const struct jag_watch *watch)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	int stopped = 0;
	for (int64_t waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += RETRY_NS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (jag_watch_cancelled(watch))
			return -ECANCELED;
		if (waited % LOOK_NS == 0)
			stopped = holder_is_stopped(fd) ? stopped + 1 : 0;
		if (waited >= wait_ns || stopped > STOPPED_LOOKS)
			return -EAGAIN;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int jag_create_lock(const struct jag_create *create, int64_t wait_ns)
{
	return jag_lock_dir(create->place.parent_fd, wait_ns, create->watch);
}

void jag_create_unlock(const struct jag_create *create)
{
	flock(create->place.parent_fd, LOCK_UN);
}
