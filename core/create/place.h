/* SPDX-License-Identifier: MIT */
/* place.h - where a new store goes: its final name, the temporary directory beside it, and the change from one to the
 * other. Knows nothing of what a store is, but that one has a meta.json. */
#ifndef JAG_CREATE_PLACE_H
#define JAG_CREATE_PLACE_H

#include <stdint.h>

#include "jag/error.h"

struct jag_watch;

struct jag_place {
	char *path;        /* as messages name it */
	int parent_fd;     /* directory that holds both names */
	char *parent_path; /* its real path */
	char *name;        /* final name in it */
	char *temp;        /* temporary name in it; NULL until made */
	int fd;            /* the temporary directory; -1 until made */
	bool replace;      /* something non-empty is at the name and shall go */
};

/* Find the place and see that a store may be made there. A symbolic link at `path` is followed. Nothing is created.
 * Errors as jag_create_new(). */
int jag_place_find(struct jag_place *place, const char *path, bool force, struct jag_error *err);

/* Make the temporary directory, NAME.jagfs-*.tmp. It is locked until jag_place_finish(), where that can be done. */
int jag_place_make(struct jag_place *place, struct jag_error *err);

/* `path` of a temporary directory, and what became of it. */
typedef void (*jag_place_note)(void *ctx, const char *path, const char *text);

/* Remove the temporary directories that dead processes have left at this place; `note` (may be NULL) is told of each,
 * and of those that may be another machine's. What a process works in stays. */
void jag_place_sweep(const struct jag_place *place, jag_place_note note, void *ctx);

/* A name in the same directory for what is moved aside; free() it. NULL: out of memory. */
char *jag_place_aside_name(const struct jag_place *place);

/* Give the directory its final name, durably if `sync`; what was replaced is removed. On failure what was there is
 * there again. -EEXIST: something has appeared there since jag_place_find() that may not be replaced. */
int jag_place_commit(struct jag_place *place, bool sync, struct jag_error *err);

/* Is what holds the place gone: removed, or in a store that --force has replaced and that is being removed? */
bool jag_place_is_gone(const struct jag_place *place);

/* Has a temporary directory, of whatever place, this name? */
bool jag_is_temporary(const char *name);

/* Lock a directory against others that make or add (lock.c). 0; -EAGAIN somebody else has had it for `wait_ns`, or is
 * stopped; -ECANCELED by the watch (may be NULL); -errno it cannot be locked. */
#define JAG_LOCK_FOREVER INT64_MAX
int jag_lock_dir(int fd, int64_t wait_ns, const struct jag_watch *watch);

/* Remove the temporary directory, if there is one. */
void jag_place_discard(struct jag_place *place);

/* Is `path` what will be replaced, or does it lie in it? False where nothing is replaced. */
bool jag_place_holds(const struct jag_place *place, const char *path);

/* Free memory and descriptors; removes nothing. */
void jag_place_finish(struct jag_place *place);

/* 1: the directory has no entry but "." and ".."; 0: it has; -errno. Takes the descriptor. */
int jag_is_empty(int dir_fd);

/* Remove `name` in `dir_fd` and all below it. Symbolic links are removed, not followed. */
int jag_remove_tree(int dir_fd, const char *name);

#endif
