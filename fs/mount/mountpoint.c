/* SPDX-License-Identifier: MIT */
/* mountpoint.c - checks before mounting. */
#include "mountpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

static int check_empty(const char *path, struct jag_error *err)
{
	DIR *dir = opendir(path);
	if (!dir)
		return jag_error_set(err, -errno, path, 0, "the mount point cannot be read: %s", strerror(errno));
	int rc = 0;
	struct dirent *entry;
	while (rc == 0 && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = jag_error_set(err, -ENOTEMPTY, path, 0,
					   "the mount point is not empty: there is \"%s\" (-o nonempty hides it)",
					   entry->d_name);
	closedir(dir);
	return rc;
}

/* Is `path` the store or below it? By identity, so that bind mounts and links do not hide it. A mount inside its own
 * store would make every walk over the store endless. */
static int check_outside(const char *path, const char *store_path, struct jag_error *err)
{
	struct stat store, st;
	char at[4096];
	if (stat(store_path, &store) < 0)
		return 0;
	int n = snprintf(at, sizeof(at), "%s", path);
	if (n < 0 || (size_t)n >= sizeof(at))
		return jag_error_set(err, -ENAMETOOLONG, path, 0, "the path is too long");
	for (;;) {
		if (stat(at, &st) == 0 && st.st_dev == store.st_dev && st.st_ino == store.st_ino)
			return jag_error_set(err, -EINVAL, path, 0, "the mount point is inside of the store %s",
					     store_path);
		char *slash = strrchr(at, '/');
		if (!slash || !strcmp(at, "/"))
			return 0;
		slash[slash == at] = '\0';
	}
}

int jag_mountpoint_check(const struct jag_mount_options *options, const char *store_path, char **path,
			 struct jag_error *err)
{
	const char *given = options->mountpoint;
	struct stat st;
	struct statfs volume;
	*path = NULL;
	/* statfs asks the daemon each time; attributes of a dead mount may still be cached. */
	if (statfs(given, &volume) < 0 && (errno == ENOTCONN || errno == ECONNABORTED))
		return jag_error_set(err, -errno, given, 0,
				     "a dead mount is here, its daemon is gone; `jagfs umount %s` removes it", given);
	if (stat(given, &st) < 0) {
		if (errno == ENOENT)
			return jag_error_set(err, -ENOENT, given, 0, "the mount point does not exist");
		return jag_error_set(err, -errno, given, 0, "%s", strerror(errno));
	}
	if (!S_ISDIR(st.st_mode))
		return jag_error_set(err, -ENOTDIR, given, 0, "the mount point is not a directory");
	char *real = realpath(given, NULL);
	if (!real)
		return jag_error_set(err, -errno, given, 0, "%s", strerror(errno));
	int rc = check_outside(real, store_path, err);
	if (rc == 0 && !options->nonempty)
		rc = check_empty(real, err);
	if (rc)
		free(real);
	else
		*path = real;
	return rc;
}

static bool is_executable(const char *dir, size_t dir_nbytes)
{
	char path[4096];
	snprintf(path, sizeof(path), "%.*s/fusermount3", (int)dir_nbytes, dir);
	return access(path, X_OK) == 0;
}

static bool has_fusermount(void)
{
	const char *path = getenv("PATH");
	while (path && *path) {
		size_t n = strcspn(path, ":");
		if (is_executable(path, n))
			return true;
		path += n + (path[n] == ':');
	}
	return is_executable("/usr/bin", 8) || is_executable("/bin", 4);
}

/* A line of its own in /etc/fuse.conf. */
static bool user_allow_other(void)
{
	FILE *conf = fopen("/etc/fuse.conf", "re");
	char line[256];
	bool found = false;
	while (conf && !found && fgets(line, sizeof(line), conf)) {
		char word[64];
		found = sscanf(line, " %63s", word) == 1 && !strcmp(word, "user_allow_other");
	}
	if (conf)
		fclose(conf);
	return found;
}

static int check_device(struct jag_error *err)
{
	static const char device[] = "/dev/fuse";
	int fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno == ENOENT)
		return jag_error_set(err, -ENOENT, device, 0,
				     "missing: load the module (modprobe fuse), or give it to the container "
				     "(--device /dev/fuse); ls, cat and put need no mount");
	if (errno == ENODEV || errno == ENXIO)
		return jag_error_set(err, -errno, device, 0, "this kernel has no FUSE (modprobe fuse)");
	return jag_error_set(err, -errno, device, 0, "cannot be opened: %s", strerror(errno));
}

int jag_mount_rights_check(const struct jag_mount_options *options, const char *store_path, struct jag_error *err)
{
	struct stat st;
	bool root = geteuid() == 0;
	int rc = check_device(err);
	if (rc || root)
		return rc;
	if (!has_fusermount())
		return jag_error_set(err, -ENOENT, "fusermount3", 0,
				     "not found, and only root can mount without it "
				     "(package fuse3)");
	if ((options->allow_other || options->allow_root) && !user_allow_other())
		return jag_error_set(err, -EPERM, "/etc/fuse.conf", 0,
				     "%s is for root only unless there is a line \"user_allow_other\" in this file",
				     options->allow_other ? "allow_other" : "allow_root");
	bool overrides = options->has_uid || options->has_gid || options->has_umask;
	if (overrides && (stat(store_path, &st) < 0 || st.st_uid != geteuid()))
		return jag_error_set(err, -EPERM, store_path, 0,
				     "uid, gid and umask are for root and the store's owner");
	return 0;
}
