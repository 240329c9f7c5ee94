/* SPDX-License-Identifier: MIT */
/* control.h - /.jagfs: not listed in the root, but it can be opened. `status` is JSON about this mount, `errors` the
 * last refusals. Each LOOKUP makes a node with a text of its own, so that its size is exact. */
#ifndef JAG_MOUNT_CONTROL_H
#define JAG_MOUNT_CONTROL_H

#include <sys/stat.h>

#include "jag/content.h"
#include "nodes.h"

struct jag_fs;

/* Called once: choose the name, and note the state of the store's meta.json files. */
void jag_control_init(struct jag_fs *fs);

/* A file of /.jagfs by name: a new node with one lookup. -ENOENT, -ENOMEM. */
int jag_control_lookup(struct jag_fs *fs, const char *name, struct jag_dynamic **out);

/* Names of /.jagfs by position; NULL at the end. */
const char *jag_control_name(uint64_t pos);
uint64_t jag_control_ino(uint64_t pos);

/* NULL: the directory itself. */
uint64_t jag_control_size(const struct jag_dynamic *node);
void jag_control_stat(struct jag_fs *fs, const struct jag_dynamic *node, struct stat *st);

/* The node's text, for as long as the node is held. */
struct jag_blob *jag_control_blob(const struct jag_dynamic *node);
void jag_control_free(struct jag_dynamic *node);

#endif
