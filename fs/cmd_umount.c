/* SPDX-License-Identifier: MIT */
/* cmd_umount.c - `jagfs umount`: unmount, also a dead mount whose daemon was killed. */
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ui.h"

static const char help[] = "usage: jagfs umount [-z] MOUNTPOINT...\n"
			   "\n"
			   "Unmount. A dead mount, left behind by a daemon that was killed, is detached.\n"
			   "\n"
			   "  -z   lazily: detach now, although files are open; the daemon ends with the last of them\n"
			   "\n"
			   "example: jagfs umount /mnt/photos\n";

/* The absolute path without touching the last component: stat of a dead mount fails, and so does realpath of it. */
static char *resolve(const char *arg)
{
	char *path = realpath(arg, NULL);
	if (path || (errno != ENOTCONN && errno != EIO && errno != EACCES))
		return path;
	size_t n = strlen(arg);
	while (n > 1 && arg[n - 1] == '/')
		n--;
	char *copy = strndup(arg, n), *slash = copy ? strrchr(copy, '/') : NULL;
	char *dir = NULL, *out = NULL;
	if (slash)
		*slash = '\0';
	if (copy)
		dir = realpath(!slash ? "." : slash == copy ? "/" : copy, NULL);
	if (dir && asprintf(&out, "%s/%s", strcmp(dir, "/") != 0 ? dir : "", slash ? slash + 1 : copy) < 0)
		out = NULL;
	free(dir);
	free(copy);
	return out;
}

/* The type of the topmost mount at `path`; false if nothing is mounted there. */
static bool mount_type(const char *path, char *type, size_t type_nbytes)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent entry;
	char line[8192];
	bool found = false;
	while (mounts && getmntent_r(mounts, &entry, line, sizeof(line))) {
		if (strcmp(entry.mnt_dir, path) != 0)
			continue;
		snprintf(type, type_nbytes, "%s", entry.mnt_type);
		found = true;
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

/* For users other than root: the setuid helper knows whose mount it is. */
static int run_fusermount(const char *path, bool lazy)
{
	const char *args[] = { "fusermount3", "-u", "-q", "--", path, NULL, NULL };
	if (lazy) {
		args[3] = "-z";
		args[4] = "--";
		args[5] = path;
	}
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		/* execvp() takes char *const[] for historical reasons; it changes nothing. */
		execvp(args[0], (char *const *)(uintptr_t)args);
		_exit(127);
	}
	int status;
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return -ENOEXEC;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EBUSY;
}

static int unmount(const char *arg, bool lazy)
{
	char *path = resolve(arg), type[64];
	struct statfs volume;
	int rc;
	if (!path)
		return jag_ui_error(arg, "%s", strerror(errno));
	if (!mount_type(path, type, sizeof(type))) {
		rc = jag_ui_error(path, "nothing is mounted here");
	} else if (strcmp(type, "fuse.jagfs") != 0) {
		rc = jag_ui_error(path, "this is a mount of type %s, not of jagfs", type);
	} else {
		/* Nobody can use a dead mount, so detaching it takes nothing from anybody. statfs asks the daemon
		 * each time; attributes of a dead mount may still be cached. */
		bool dead = statfs(path, &volume) < 0 && (errno == ENOTCONN || errno == ECONNABORTED);
		if (geteuid() == 0)
			rc = umount2(path, UMOUNT_NOFOLLOW | (lazy || dead ? MNT_DETACH : 0)) < 0 ? -errno : 0;
		else
			rc = run_fusermount(path, lazy || dead);
		if (rc == -EBUSY)
			rc = jag_ui_error(path, "busy: files in it are open, or it is somebody's working directory "
						"(-z detaches it anyway)");
		else if (rc == -ENOEXEC)
			rc = jag_ui_error(path, "fusermount3 was not found (package fuse3)");
		else if (rc < 0)
			rc = jag_ui_error(path, "%s", strerror(-rc));
	}
	free(path);
	return rc;
}

static int run(int argc, char **argv)
{
	bool lazy = false;
	int opt, status = JAG_EXIT_OK;
	optind = 1;
	while ((opt = getopt(argc, argv, "+z")) != -1) {
		if (opt != 'z')
			return jag_ui_usage(&jag_cmd_umount, "this option is not known");
		lazy = true;
	}
	if (optind == argc)
		return jag_ui_usage(&jag_cmd_umount, "no mount point was given");
	for (int i = optind; i < argc; i++)
		if (unmount(argv[i], lazy) != 0)
			status = JAG_EXIT_FAILED;
	return status;
}

const struct jag_cmd jag_cmd_umount = {
	.name = "umount",
	.summary = "unmount, also a dead mount left by a crash",
	.help = help,
	.run = run,
};
