/* SPDX-License-Identifier: MIT */
/* place_temp.c - temporary directories of stores in the making: made, locked, and those of killed processes removed.
 *
 * The maker holds a lock (flock) on the directory for as long as it lives, however it dies. That proves something only
 * to processes of the same kernel since the same boot, so the name says which that was:
 *
 *   NAME.jagfs-BOOT-XXXXXX.tmp   made and locked under the boot id that begins with BOOT
 *   NAME.jagfs-XXXXXX.tmp        made where directories cannot be locked (NFS), or the boot is unknown
 *
 * A directory with our BOOT that nobody has locked is a dead process's and goes. Of all others it is only told that
 * they are there: another machine may be working in them. */
#include "place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"

#define TEMP_MARK ".jagfs-"
#define TEMP_END ".tmp"
#define TEMP_OLD ".old"
#define TEMP_RANDOM 6
#define TEMP_TRIES 100
#define BOOT_DIGITS 12
#define MAKE_SECONDS 60 /* from making a directory to locking it, also on a machine that hardly moves */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* The first random digits of the kernel's boot id, and a '-'; "" where it does not say. */
static void boot_text(char text[BOOT_DIGITS + 2])
{
	char id[BOOT_DIGITS + 1]; /* 8 digits, a '-', 4 digits */
	int fd JAG_AUTO_CLOSE = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	*text = '\0';
	if (fd < 0 || read(fd, id, sizeof(id)) != (ssize_t)sizeof(id) || id[8] != '-')
		return;
	snprintf(text, BOOT_DIGITS + 2, "%.8s%.4s-", id, id + 9);
	if (strspn(text, "0123456789abcdef") != BOOT_DIGITS)
		*text = '\0';
}

/* Bytes of the name that all temporary names of it begin with: it is cut where the whole would be too long. */
static int kept(const char *name)
{
	size_t keep = NAME_MAX - strlen(TEMP_MARK) - BOOT_DIGITS - 1 - TEMP_RANDOM - strlen(TEMP_END);
	size_t n = strlen(name);
	return (int)(n < keep ? n : keep);
}

static char *temp_name(const char *name, const char *boot, const char *end)
{
	uint8_t random[TEMP_RANDOM];
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return NULL;
	char tail[TEMP_RANDOM + 1] = { 0 }, *out;
	for (size_t i = 0; i < TEMP_RANDOM; i++)
		tail[i] = letters[random[i] % (sizeof(letters) - 1)];
	if (asprintf(&out, "%.*s%s%s%s%s", kept(name), name, TEMP_MARK, boot, tail, end) < 0)
		return NULL;
	return out;
}

char *jag_place_aside_name(const struct jag_place *place)
{
	return temp_name(place->name, "", TEMP_OLD);
}

/* The text after TEMP_MARK: [BOOT-]XXXXXX and the end. *boot is where BOOT begins, NULL if there is none. */
static bool is_tail(const char *at, const char *end, const char **boot)
{
	*boot = NULL;
	if (strspn(at, "0123456789abcdef") == BOOT_DIGITS && at[BOOT_DIGITS] == '-') {
		*boot = at;
		at += BOOT_DIGITS + 1;
	}
	return strspn(at, letters) == TEMP_RANDOM && !strcmp(at + TEMP_RANDOM, end);
}

bool jag_is_temporary(const char *name)
{
	const char *boot;
	while ((name = strstr(name, TEMP_MARK))) {
		name += strlen(TEMP_MARK);
		if (is_tail(name, TEMP_END, &boot) || is_tail(name, TEMP_OLD, &boot))
			return true;
	}
	return false;
}

/* Is it still the directory of that name, or absolute path? */
static bool is_there(const struct jag_place *place, int fd, const char *name)
{
	struct stat open_one, named;
	return !fstat(fd, &open_one) && !fstatat(place->parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

/* A name alone proves nothing, for a user may have chosen it: the directory must also have left its path. */
bool jag_place_is_gone(const struct jag_place *place)
{
	struct stat st;
	char link[32], path[PATH_MAX], *state = NULL;
	if (fstat(place->parent_fd, &st) || !st.st_nlink)
		return true;
	if (is_there(place, place->parent_fd, place->parent_path))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place->parent_fd);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	for (char *name = strtok_r(path, "/", &state); name; name = strtok_r(NULL, "/", &state))
		if (jag_is_temporary(name))
			return true;
	return false;
}

/* -EAGAIN: another process took the new directory for a dead one's before it was locked. -ENOTSUP: no locks here. */
static int open_locked(struct jag_place *place, bool want_lock)
{
	int fd = openat(place->parent_fd, place->temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	int rc = 0;
	if (want_lock && flock(fd, LOCK_EX | LOCK_NB))
		rc = errno == EWOULDBLOCK || errno == EINTR ? -EAGAIN : -ENOTSUP;
	else if (!is_there(place, fd, place->temp))
		rc = -EAGAIN;
	if (rc)
		close(fd);
	else
		place->fd = fd;
	return rc;
}

int jag_place_make(struct jag_place *place, struct jag_error *err)
{
	char boot[BOOT_DIGITS + 2];
	const char *what = "cannot make a temporary directory beside it";
	int rc = -EAGAIN;
	boot_text(boot);
	for (int i = 0; i < TEMP_TRIES && (rc == -EAGAIN || rc == -EEXIST); i++) {
		free(place->temp);
		place->temp = temp_name(place->name, boot, TEMP_END);
		if (!place->temp)
			return -ENOMEM;
		rc = mkdirat(place->parent_fd, place->temp, 0777) ? -errno : open_locked(place, *boot);
		if (!rc)
			return 0;
		if (rc != -EEXIST)
			unlinkat(place->parent_fd, place->temp, AT_REMOVEDIR);
		if (rc == -ENOTSUP && *boot) {
			*boot = '\0';
			rc = -EAGAIN;
		}
	}
	free(place->temp);
	place->temp = NULL;
	return jag_error_set(err, rc, place->path, 0, "%s: %s", what, strerror(-rc));
}

/* Is it a temporary name of this place? Then *boot is where BOOT begins, NULL if it has none. */
static bool is_temporary(const struct jag_place *place, const char *entry, const char **boot)
{
	size_t n = (size_t)kept(place->name), mark = strlen(TEMP_MARK);
	if (strncmp(entry, place->name, n) != 0 || strncmp(entry + n, TEMP_MARK, mark) != 0)
		return false;
	return is_tail(entry + n + mark, TEMP_END, boot);
}

/* Made a moment ago, and empty: its maker is about to lock it. */
static bool is_being_made(const struct jag_place *place, const char *entry, const struct stat *st)
{
	if (time(NULL) - st->st_mtim.tv_sec > MAKE_SECONDS)
		return false;
	int fd = openat(place->parent_fd, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 || jag_is_empty(fd) > 0;
}

/* 1: its maker is dead, and it was removed; 0: it lives; -errno: who knows. */
static int remove_dead(const struct jag_place *place, const char *entry)
{
	struct stat st;
	int fd JAG_AUTO_CLOSE = openat(place->parent_fd, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (st.st_uid != geteuid())
		return -EPERM;
	if (is_being_made(place, entry, &st))
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? 0 : -errno;
	if (!is_there(place, fd, entry))
		return 0;
	int rc = jag_remove_tree(place->parent_fd, entry);
	return rc ? rc : 1;
}

static void tell(const struct jag_place *place, const char *entry, int rc, jag_place_note note, void *ctx)
{
	char *path JAG_AUTO_FREE = NULL;
	const char *slash = strcmp(place->parent_path, "/") != 0 ? "/" : "";
	if (!note || !rc || rc == -ENOENT || asprintf(&path, "%s%s%s", place->parent_path, slash, entry) < 0) {
		path = NULL;
		return;
	}
	note(ctx, path,
	     rc > 0 ? "removed: a process that was killed had left it"
		    : "is there from a run that did not end, or goes on elsewhere; if none does, remove it");
}

void jag_place_sweep(const struct jag_place *place, jag_place_note note, void *ctx)
{
	char boot[BOOT_DIGITS + 2];
	int fd = openat(place->parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	boot_text(boot);
	struct dirent *entry;
	while ((entry = readdir(dir))) {
		const char *of;
		if (!is_temporary(place, entry->d_name, &of))
			continue;
		bool ours = of && *boot && !strncmp(of, boot, BOOT_DIGITS);
		tell(place, entry->d_name, ours ? remove_dead(place, entry->d_name) : -EHOSTDOWN, note, ctx);
	}
	closedir(dir);
}
