/* SPDX-License-Identifier: MIT */
/* mountpoint.h - is this a place where the store can be mounted? Everything that can be known is checked before the
 * mount is tried, so that the message names the cause. */
#ifndef JAG_MOUNT_MOUNTPOINT_H
#define JAG_MOUNT_MOUNTPOINT_H

#include "options.h"

/* 0 and *path, absolute and malloced; else -errno and `err`. `store_path` is the real path of the store. */
int jag_mountpoint_check(const struct jag_mount_options *options, const char *store_path, char **path,
			 struct jag_error *err);

/* /dev/fuse, fusermount3, allow_other, and who may change owners. */
int jag_mount_rights_check(const struct jag_mount_options *options, const char *store_path, struct jag_error *err);

#endif
