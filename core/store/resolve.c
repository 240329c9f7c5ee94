/* SPDX-License-Identifier: MIT */
/* resolve.c - the store's directory, and how paths below it are resolved without leaving it. */
#include "resolve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include "cleanup.h"
#include "layout.h"

/* O_NONBLOCK: a FIFO in the place of a file must not hang us; regular files do not care. openat2 takes neither of the
 * two together with O_PATH. */
static int with_defaults(int flags)
{
	return flags | O_CLOEXEC | (flags & O_PATH ? 0 : O_NOCTTY | O_NONBLOCK);
}

/* -ENOSYS: not here; anything else is the answer. */
static int openat2_beneath(const struct jag_root *root, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = { .flags = (uint64_t)flags,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | resolve };
	/* EAGAIN: somebody renamed directories meanwhile, and the kernel cannot tell whether we got out. */
	for (int tries = 0; tries < 32; tries++) {
		long fd = syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			return fd >= 0 ? (int)fd : -errno;
	}
	return -EAGAIN;
}

/* One component at a time, following nothing. */
static int open_each_component(const struct jag_root *root, const char *path, int flags)
{
	int dir JAG_AUTO_CLOSE = -1;
	for (;;) {
		size_t n = strcspn(path, "/");
		char name[NAME_MAX + 1];
		if (n > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, path, n);
		name[n] = '\0';
		if (strcmp(name, "..") == 0)
			return -EXDEV;
		bool last = path[n] == '\0';
		int fd = openat(dir < 0 ? root->fd : dir, name,
				last ? flags | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || last)
			return fd < 0 ? -errno : fd;
		if (dir >= 0)
			close(dir);
		dir = fd;
		path += n + 1;
	}
}

static int resolve_with(const struct jag_root *root, const char *path, int flags, uint64_t resolve)
{
	if (path[0] == '\0')
		path = ".";
	int fd = -ENOSYS;
	if (!root->no_openat2)
		fd = openat2_beneath(root, path, flags, resolve);
	return fd == -ENOSYS ? open_each_component(root, path, flags) : fd;
}

int jag_resolve(const struct jag_root *root, const char *path, int flags)
{
	return resolve_with(root, path, with_defaults(flags), 0);
}

int jag_resolve_dir(struct jag_root *root, const char *path, int flags)
{
	flags = with_defaults(flags | O_DIRECTORY);
	int fd = resolve_with(root, path, flags, RESOLVE_NO_SYMLINKS);
	if (fd != -ELOOP || root->no_openat2)
		return fd;
	if (root->link_count >= JAG_SYMLINK_MAX)
		return -ELOOP;
	root->link_count++;
	return resolve_with(root, path, flags, 0);
}

int jag_root_open(const char *path, struct jag_root *root)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	struct rlimit limit;
	size_t kept_max = 512;
	/* Half for the data files; the rest is the program's. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		kept_max = limit.rlim_cur > INT32_MAX ? INT32_MAX : (size_t)limit.rlim_cur / 2;
	*root = (struct jag_root){ .fd = fd, .kept_max = kept_max };
	/* Sandboxes answer EPERM to system calls that they do not know. Asked once, of the directory itself. */
	int probe = openat2_beneath(root, ".", O_PATH | O_CLOEXEC, 0);
	root->no_openat2 = probe == -ENOSYS || probe == -EPERM;
	if (probe >= 0)
		close(probe);
	return 0;
}

void jag_root_close(struct jag_root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	root->fd = -1;
}

int jag_root_statvfs(const struct jag_root *root, struct statvfs *out)
{
	return fstatvfs(root->fd, out) < 0 ? -errno : 0;
}

static int is_type(int fd, mode_t type)
{
	struct stat st;
	if (fd == -ENOENT || fd == -ENOTDIR)
		return 0;
	if (fd < 0)
		return fd;
	int rc = fstat(fd, &st) < 0 ? -errno : (st.st_mode & S_IFMT) == type;
	close(fd);
	return rc;
}

int jag_root_is_dir(struct jag_root *root, const char *path)
{
	return is_type(jag_resolve_dir(root, path, O_PATH), S_IFDIR);
}

int jag_root_has_file(struct jag_root *root, const char *path)
{
	return is_type(jag_resolve(root, path, O_PATH), S_IFREG);
}

bool jag_root_has_name(struct jag_root *root, const char *path)
{
	int fd = jag_resolve(root, path, O_PATH | O_NOFOLLOW);
	if (fd >= 0)
		close(fd);
	return fd != -ENOENT && fd != -ENOTDIR;
}

int jag_root_list(struct jag_root *root, const char *path, int (*each)(void *context, const char *name), void *context)
{
	int fd = jag_resolve_dir(root, path, O_RDONLY);
	if (fd < 0)
		return fd;
	DIR *dir = fdopendir(fd);
	if (!dir) {
		int rc = -errno;
		close(fd);
		return rc;
	}
	int rc = 0;
	while (rc == 0) {
		errno = 0;
		struct dirent *entry = readdir(dir);
		if (!entry) {
			rc = -errno;
			break;
		}
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			rc = each(context, entry->d_name);
	}
	closedir(dir);
	return rc;
}
