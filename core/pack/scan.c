/* SPDX-License-Identifier: MIT */
/* scan.c - the sources of pack -> a list of regular files in their final order. Folders are walked with a work list
 * (no recursion, one open directory at a time); no file is opened, and none is stat'ed where the directory tells its
 * type. */
#include "pack_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPORT_EVERY 1024 /* files */
#define ARENA_BLOCK (size_t)(1 << 20)

/* A directory of the walk. `parent` leads back to the source: a directory that is its own ancestor is a loop. */
struct dir {
	const char *path;
	size_t parent; /* SIZE_MAX: the source */
	size_t depth;  /* 0: the source */
	dev_t dev;
	ino_t ino;
};

struct scan {
	struct jag_pack *pack;
	struct jag_error *err;
	struct dir *dirs;
	size_t dir_count, dir_capacity;
	uint32_t source;
	size_t prefix;      /* bytes of the paths that are the source */
	size_t next_report; /* when the list has as many files */
};

static char *arena_alloc(struct jag_pack *pack, size_t n)
{
	struct jag_arena_block *block = pack->arena;
	if (!block || block->size - block->used < n) {
		size_t size = n > ARENA_BLOCK ? n : ARENA_BLOCK;
		block = malloc(sizeof(*block) + size);
		if (!block)
			return NULL;
		*block = (struct jag_arena_block){ .next = pack->arena, .size = size };
		pack->arena = block;
	}
	char *p = block->bytes + block->used;
	block->used += n;
	return p;
}

/* DIR/NAME in the arena. */
static const char *join(struct jag_pack *pack, const char *dir, const char *name)
{
	size_t a = strlen(dir), b = strlen(name);
	bool slash = a && dir[a - 1] != '/';
	char *path = arena_alloc(pack, a + slash + b + 1);
	if (!path)
		return NULL;
	memcpy(path, dir, a);
	if (slash)
		path[a] = '/';
	memcpy(path + a + slash, name, b + 1);
	return path;
}

/* A source or an entry that cannot be used: stops the scan, or is told and left out. */
static int refuse(struct scan *scan, const char *path, int code, const char *text)
{
	struct jag_error error = { 0 };
	jag_error_set(&error, code, path, 0, "%s", text);
	int rc = jag_pack_refuse(scan->pack, SIZE_MAX, code, &error);
	if (rc && scan->err)
		*scan->err = error;
	return rc;
}

static int add_file(struct scan *scan, const char *path, size_t name)
{
	struct jag_pack *pack = scan->pack;
	if (strlen(path) >= PATH_MAX)
		return refuse(scan, path, -ENAMETOOLONG, strerror(ENAMETOOLONG));
	if (pack->file_count == pack->file_capacity) {
		size_t capacity = pack->file_capacity ? pack->file_capacity * 2 : 1024;
		struct jag_pack_file *files = realloc(pack->files, capacity * sizeof(*files));
		if (!files)
			return -ENOMEM;
		pack->files = files;
		pack->file_capacity = capacity;
	}
	const char *recorded = path + name, *last = strrchr(recorded, '/'), *first = strchr(recorded, '/');
	pack->files[pack->file_count++] = (struct jag_pack_file){
		.path = path,
		.source = scan->source,
		.name = (uint16_t)name,
		.dir = last ? (uint16_t)(last - recorded) : 0,
		.class_dir = first ? (uint16_t)(first - recorded) : 0,
		.label = JAG_NO_LABEL,
	};
	return 0;
}

static int add_class_dir(struct jag_pack *pack, const char *name)
{
	const char **dirs = realloc(pack->class_dirs, (pack->class_dir_count + 1) * sizeof(*dirs));
	if (!dirs)
		return -ENOMEM;
	pack->class_dirs = dirs;
	dirs[pack->class_dir_count++] = name;
	return 0;
}

/* Queue a directory, unless it is one of its own ancestors. */
static int add_dir(struct scan *scan, const char *path, size_t parent, const struct stat *st)
{
	for (size_t i = parent; i != SIZE_MAX; i = scan->dirs[i].parent)
		if (scan->dirs[i].dev == st->st_dev && scan->dirs[i].ino == st->st_ino)
			return refuse(scan, path, -ELOOP, "is a loop: it leads back to a folder that it lies in");
	if (scan->dir_count == scan->dir_capacity) {
		size_t capacity = scan->dir_capacity ? scan->dir_capacity * 2 : 64;
		struct dir *dirs = realloc(scan->dirs, capacity * sizeof(*dirs));
		if (!dirs)
			return -ENOMEM;
		scan->dirs = dirs;
		scan->dir_capacity = capacity;
	}
	size_t depth = parent == SIZE_MAX ? 0 : scan->dirs[parent].depth + 1;
	scan->dirs[scan->dir_count++] = (struct dir){ path, parent, depth, st->st_dev, st->st_ino };
	return depth == 1 ? add_class_dir(scan->pack, path + scan->prefix) : 0;
}

/* What a path that is a link, a directory or of unknown type leads to. */
static int add_by_stat(struct scan *scan, const char *path, size_t parent)
{
	struct stat st;
	if (fstatat(AT_FDCWD, path, &st, 0)) {
		int code = -errno;
		struct stat link;
		if (code == -ENOENT && !lstat(path, &link) && S_ISLNK(link.st_mode))
			return refuse(scan, path, code, "is a dangling symbolic link");
		return refuse(scan, path, code, code == -ELOOP ? "is a loop of symbolic links" : strerror(-code));
	}
	if (S_ISDIR(st.st_mode))
		return add_dir(scan, path, parent, &st);
	if (S_ISREG(st.st_mode))
		return add_file(scan, path, scan->prefix);
	scan->pack->result->not_images++;
	return 0;
}

static int add_entry(struct scan *scan, size_t at, const struct dirent *entry)
{
	const char *name = entry->d_name;
	if (name[0] == '.') {
		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
			scan->pack->result->hidden++;
		return 0;
	}
	const char *path = join(scan->pack, scan->dirs[at].path, name);
	if (!path)
		return -ENOMEM;
	if (entry->d_type == DT_REG)
		return add_file(scan, path, scan->prefix);
	return add_by_stat(scan, path, at);
}

static void report(const struct scan *scan)
{
	struct jag_watch *watch = scan->pack->options->watch;
	struct jag_progress_state state = { .phase = JAG_PHASE_SCAN, .items_done = scan->pack->file_count };
	if (watch && watch->report)
		watch->report(watch->ctx, &state);
}

static int read_dir(struct scan *scan, size_t at)
{
	const char *path = scan->dirs[at].path;
	DIR *dir = opendir(path);
	if (!dir)
		return refuse(scan, path, -errno, strerror(errno));
	int rc = 0;
	while (!rc) {
		errno = 0;
		struct dirent *entry = readdir(dir);
		if (!entry) {
			if (errno)
				rc = refuse(scan, path, -errno, strerror(errno));
			break;
		}
		rc = jag_watch_cancelled(scan->pack->options->watch) ? -ECANCELED : add_entry(scan, at, entry);
		if (scan->pack->file_count >= scan->next_report) {
			report(scan);
			scan->next_report = scan->pack->file_count + REPORT_EVERY;
		}
	}
	closedir(dir);
	return rc;
}

/* The folders of the list, which grows while it is read. */
static int walk(struct scan *scan)
{
	int rc = 0;
	for (size_t i = 0; i < scan->dir_count && !rc; i++)
		rc = read_dir(scan, i);
	return rc;
}

/* How a file is recorded that was named itself: as given, without what would lead out of a tree ("/" and "./" at its
 * start), as tar does. */
static size_t recorded_name(const char *path)
{
	const char *p = path;
	for (;;) {
		if (*p == '/')
			p++;
		else if (p[0] == '.' && p[1] == '/')
			p += 2;
		else
			return (size_t)(p - path);
	}
}

static int scan_source(struct scan *scan, const char *source)
{
	struct jag_pack *pack = scan->pack;
	if (!*source)
		return refuse(scan, source, -ENOENT, "the name of a source is empty");
	struct stat st;
	if (stat(source, &st)) {
		int code = -errno;
		if (code == -ENOENT && strchr(source, '\n'))
			return refuse(scan, source, code,
				      "no such file; names in a list end with a NUL byte (find -print0)");
		scan->prefix = 0;
		return add_by_stat(scan, source, SIZE_MAX);
	}
	if (!S_ISDIR(st.st_mode)) {
		pack->loose = true;
		scan->prefix = recorded_name(source);
		return add_by_stat(scan, source, SIZE_MAX);
	}
	size_t n = strlen(source);
	scan->prefix = n + (source[n - 1] != '/');
	scan->dir_count = 0;
	int rc = add_dir(scan, source, SIZE_MAX, &st);
	return rc ? rc : walk(scan);
}

static int compare_bytes(const char *a, size_t na, const char *b, size_t nb)
{
	int c = memcmp(a, b, na < nb ? na : nb);
	return c ? c : (na > nb) - (na < nb);
}

/* Source, class folder, directory, file name (see jag/pack.h). */
static int compare_files(const void *pa, const void *pb)
{
	const struct jag_pack_file *a = pa, *b = pb;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	const char *x = a->path + a->name, *y = b->path + b->name;
	int c = compare_bytes(x, a->class_dir, y, b->class_dir);
	if (!c)
		c = compare_bytes(x, a->dir, y, b->dir);
	return c ? c : strcmp(x + a->dir, y + b->dir);
}

int jag_pack_scan(struct jag_pack *pack, struct jag_error *err)
{
	const struct jag_pack_options *options = pack->options;
	struct scan scan = { .pack = pack, .err = err };
	int rc = 0;
	if (options->source_count > UINT32_MAX)
		rc = jag_error_set(err, -E2BIG, NULL, 0, "too many sources");
	for (size_t i = 0; i < options->source_count && !rc; i++) {
		scan.source = (uint32_t)i;
		rc = scan_source(&scan, options->sources[i]);
	}
	free(scan.dirs);
	if (rc == -ECANCELED)
		return jag_error_set(err, rc, NULL, 0, "interrupted");
	if (rc == -ENOMEM)
		return jag_error_set(err, rc, NULL, 0, "out of memory while listing the sources");
	if (!rc && pack->file_count)
		qsort(pack->files, pack->file_count, sizeof(*pack->files), compare_files);
	jag_pack_tell_refusals(pack);
	return rc;
}
