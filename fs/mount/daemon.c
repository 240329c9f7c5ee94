/* SPDX-License-Identifier: MIT */
/* daemon.c - the fork. libfuse's own fuse_daemonize() lets the parent go before the first request is answered; then a
 * script that mounts and reads races with the daemon, and a failure after the fork is success to the shell. */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ui.h"

int jag_daemon_occupy_stdio(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= 2);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* The parent: the daemon has said that it is ready, or is gone. */
static int wait_ready(const char *mountpoint, int fd, pid_t child)
{
	char byte;
	ssize_t n;
	struct stat st;
	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1) {
		int status = 0;
		waitpid(child, &status, 0);
		if (WIFSIGNALED(status))
			return jag_ui_error(mountpoint, "the daemon was killed by signal %d before the mount answered",
					    WTERMSIG(status));
		return jag_ui_error(mountpoint, "the daemon ended before the mount answered");
	}
	if (stat(mountpoint, &st) < 0 && errno != EACCES)
		return jag_ui_error(mountpoint, "the mount does not answer: %s", strerror(errno));
	return JAG_EXIT_OK;
}

int jag_daemon_fork(const char *mountpoint, int *ready_fd, int *parent_exit)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid < 0) {
		int rc = -errno;
		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	if (pid > 0) {
		close(fds[1]);
		*parent_exit = wait_ready(mountpoint, fds[0], pid);
		return 1;
	}
	close(fds[0]);
	setsid();
	if (chdir("/") < 0) { /* the working directory must not keep a volume busy; "/" is always there */
		int rc = -errno;
		close(fds[1]);
		return rc;
	}
	*ready_fd = fds[1];
	return 0;
}
