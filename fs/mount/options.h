/* SPDX-License-Identifier: MIT */
/* options.h - the command line of a mount as one struct. */
#ifndef JAG_MOUNT_OPTIONS_H
#define JAG_MOUNT_OPTIONS_H

#include <sys/types.h>

#include "../target.h"

struct jag_mount_options {
	const char *store;      /* STORE[/KEY] as given */
	const char *mountpoint; /* as given */

	bool foreground, debug, single_thread;

	bool read_only, immutable, direct, page_cache, nonempty;
	bool allow_other, allow_root, clone_fd;
	bool has_uid, has_gid, has_umask;
	uid_t uid;
	gid_t gid;
	mode_t umask;
	unsigned max_threads; /* 0: chosen from the number of CPUs */
	double attr_timeout, entry_timeout;
	uint64_t cache_nbytes;    /* 0: the library's default */
	uint64_t readback_nbytes; /* 0: the library's default; JAG_READBACK_OFF */
	uint64_t stage_nbytes;    /* 0: 1 GiB */
	bool fit;                 /* images of another size are resized */
	struct jag_tree_args tree;
	char *kernel; /* "noexec,noatime": handed on to the kernel; NULL if none */
	char *fsname; /* instead of the store's path; NULL if not given */
};

/* 0; or -EINVAL with `err` filled: the command line makes no sense, or the option that it names is not known. Strings
 * of argv are borrowed. Call finish in every case. */
int jag_mount_options_parse(struct jag_mount_options *options, int argc, char **argv, struct jag_error *err);
void jag_mount_options_finish(struct jag_mount_options *options);

extern const char jag_mount_help[];

#endif
