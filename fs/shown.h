/* SPDX-License-Identifier: MIT */
/* shown.h - a store as a mount would show it, for the verbs that look into one without a mount: its tree and the
 * contents of its files, from `STORE[/PATH]` and `-o` lists on the command line. */
#ifndef JAG_SHOWN_H
#define JAG_SHOWN_H

#include "cmd.h"
#include "jag/content.h"
#include "target.h"

struct jag_shown {
	struct jag_tree_args args;
	const char *target; /* STORE[/PATH] as it was given */
	const char *rest;   /* PATH, "" for the root; in `target` */
	struct jag_store *store;
	struct jag_tree *tree;
	struct jag_content *content;
};

/* Options of the verb itself: `flags` are its letters ("l"), each of which sets the bool of the same position. Takes
 * exactly one argument, the target. An enum jag_exit; on JAG_EXIT_OK finish with jag_shown_close(). */
int jag_shown_parse(struct jag_shown *shown, const struct jag_cmd *cmd, int argc, char **argv, const char *flags,
		    bool *const set[]);

/* Open the store only. An enum jag_exit, with the reason on stderr. */
int jag_shown_open_store(struct jag_shown *shown, unsigned store_flags);

/* Open store, tree (of all of the store) and contents. An enum jag_exit, with the reason on stderr. */
int jag_shown_open(struct jag_shown *shown, unsigned store_flags);

/* The file that the target names: 0, or -errno (-EISDIR: a directory). */
int jag_shown_file(const struct jag_shown *shown, jag_node *node, struct jag_place *place);

/* Also after a failure. */
void jag_shown_close(struct jag_shown *shown);

/* Result bytes on standard output: 0, or -errno. -EPIPE: nobody reads any more, which is no failure. */
int jag_shown_write(const void *bytes, size_t nbytes);

#endif
