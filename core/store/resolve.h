/* SPDX-License-Identifier: MIT */
/* resolve.h - opening a path without leaving the store's directory. */
#ifndef JAG_STORE_RESOLVE_H
#define JAG_STORE_RESOLVE_H

#include "file.h"

/* A new descriptor for `path` ("" is the root itself), or -errno. O_CLOEXEC, O_NOCTTY and O_NONBLOCK are added to
 * `flags`; O_CREAT and O_TRUNC are never asked for. A link that leads out of the store: -EXDEV or -ELOOP. */
int jag_resolve(const struct jag_root *root, const char *path, int flags);

/* As jag_resolve for a directory; counts those reached through symbolic links, -ELOOP beyond JAG_SYMLINK_MAX. */
int jag_resolve_dir(struct jag_root *root, const char *path, int flags);

#endif
