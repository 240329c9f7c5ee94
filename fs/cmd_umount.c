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

/* The length of the path without "/" and "/." at its end: they ask whether it is a directory, and a dead mount cannot
 * tell. */
static size_t trimmed(const char *path)
{
	size_t n = strlen(path);
	while ((n > 1 && path[n - 1] == '/') || (n > 2 && path[n - 1] == '.' && path[n - 2] == '/'))
		n--;
	return n;
}

/* The absolute path, symbolic links followed. Reading links asks no daemon, so this works for a dead mount, too; where
 * the last component cannot be looked at, its directory can. */
static char *resolve(const char *arg)
{
	char *copy = strndup(arg, trimmed(arg)), *dir = NULL, *out = NULL;
	char *path = copy ? realpath(copy, NULL) : NULL;
	if (path || !copy || (errno != ENOTCONN && errno != EIO && errno != EACCES)) {
		int saved = errno;
		free(copy);
		errno = saved;
		return path;
	}
	char *slash = strrchr(copy, '/');
	if (slash)
		*slash = '\0';
	dir = realpath(!slash ? "." : slash == copy ? "/" : copy, NULL);
	if (dir && asprintf(&out, "%s/%s", strcmp(dir, "/") != 0 ? dir : "", slash ? slash + 1 : copy) < 0)
		out = NULL;
	free(dir);
	free(copy);
	return out;
}

/* Is `path` below the directory `dir`, or the same? */
static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	return !strncmp(path, dir, n) && (path[n] == '\0' || path[n] == '/');
}

struct mounted {
	char type[64];    /* of the topmost mount at the path; "": nothing is mounted there */
	char *mountpoint; /* of jagfs that the path lies in; NULL: none */
	uid_t owner;      /* who mounted the topmost one, as the kernel tells for FUSE */
};

static void find_mount(const char *path, struct mounted *out)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent entry;
	char line[8192];
	*out = (struct mounted){ .type = "" };
	while (mounts && getmntent_r(mounts, &entry, line, sizeof(line))) {
		if (!strcmp(entry.mnt_dir, path)) {
			const char *owner = hasmntopt(&entry, "user_id");
			snprintf(out->type, sizeof(out->type), "%s", entry.mnt_type);
			out->owner = owner ? (uid_t)strtoul(owner + strlen("user_id="), NULL, 10) : 0;
		} else if (!strcmp(entry.mnt_type, "fuse.jagfs") && is_below(path, entry.mnt_dir)) {
			free(out->mountpoint);
			out->mountpoint = strdup(entry.mnt_dir);
		}
	}
	if (mounts)
		endmntent(mounts);
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

/* Nobody can use a dead mount, so detaching it takes nothing from anybody. statfs asks the daemon each time; attributes
 * of a dead mount may still be cached. */
static int detach(const char *path, bool lazy)
{
	struct statfs volume;
	int rc;
	if (statfs(path, &volume) < 0 && (errno == ENOTCONN || errno == ECONNABORTED))
		lazy = true;
	if (geteuid() == 0)
		rc = umount2(path, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) < 0 ? -errno : 0;
	else
		rc = run_fusermount(path, lazy);
	if (rc == -EBUSY)
		return jag_ui_error(path, "busy: files in it are open, or it is somebody's working directory "
					  "(-z detaches it anyway)");
	if (rc == -ENOEXEC)
		return jag_ui_error(path, "fusermount3 was not found (package fuse3)");
	return rc < 0 ? jag_ui_error(path, "%s", strerror(-rc)) : 0;
}

static int unmount(const char *arg, bool lazy)
{
	struct mounted mounted;
	char *path = resolve(arg);
	int rc;
	if (!path)
		return jag_ui_error(arg, "%s", strerror(errno));
	find_mount(path, &mounted);
	/* fusermount3 only says that it failed, which can then be a busy mount alone. */
	if (!strcmp(mounted.type, "fuse.jagfs") && geteuid() != 0 && mounted.owner != getuid())
		rc = jag_ui_error(path, "mounted by user %u; only that user and root may unmount it (you are user %u)",
				  (unsigned)mounted.owner, (unsigned)getuid());
	else if (!strcmp(mounted.type, "fuse.jagfs"))
		rc = detach(path, lazy);
	else if (*mounted.type)
		rc = jag_ui_error(path, "this is a mount of type %s, not of jagfs", mounted.type);
	else if (mounted.mountpoint)
		rc = jag_ui_error(path, "nothing is mounted here; the mount point is %s", mounted.mountpoint);
	else
		rc = jag_ui_error(path, "nothing is mounted here");
	free(mounted.mountpoint);
	free(path);
	return rc;
}

static int run(int argc, char **argv)
{
	bool lazy = false;
	int opt, status = JAG_EXIT_OK;
	optind = 1;
	opterr = 0;
	while ((opt = getopt(argc, argv, "+z")) != -1) {
		if (opt != 'z')
			return jag_ui_usage(&jag_cmd_umount, "unknown option: -%c", optopt);
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
