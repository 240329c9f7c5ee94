/* SPDX-License-Identifier: MIT */
/* shown.c - opens what ls, cat and info look at; see shown.h. */
#include "shown.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ui.h"

/* -o LIST or -oLIST: the list. */
static const char *option_list(int argc, char **argv, int *i)
{
	if (argv[*i][2])
		return argv[*i] + 2;
	return *i + 1 < argc ? argv[++*i] : NULL;
}

static int take_flags(const struct jag_cmd *cmd, const char *arg, const char *flags, bool *const set[])
{
	for (const char *letter = arg + 1; *letter; letter++) {
		const char *at = strchr(flags, *letter);
		if (!at)
			return jag_ui_usage(cmd, "unknown option: %s", arg);
		*set[at - flags] = true;
	}
	return JAG_EXIT_OK;
}

static int take_argument(struct jag_shown *shown, const struct jag_cmd *cmd, const char *arg)
{
	if (shown->target)
		return jag_ui_usage(cmd, "one argument expected, and here is another: %s", arg);
	shown->target = arg;
	return JAG_EXIT_OK;
}

int jag_shown_parse(struct jag_shown *shown, const struct jag_cmd *cmd, int argc, char **argv, const char *flags,
		    bool *const set[])
{
	struct jag_error err = { 0 };
	bool options = true;
	int rc = JAG_EXIT_OK;
	*shown = (struct jag_shown){ 0 };
	for (int i = 1; i < argc && rc == JAG_EXIT_OK; i++) {
		const char *arg = argv[i];
		if (!options || arg[0] != '-' || !arg[1]) {
			rc = take_argument(shown, cmd, arg);
		} else if (!strcmp(arg, "--")) {
			options = false;
		} else if (arg[1] == 'o') {
			const char *list = option_list(argc, argv, &i);
			if (!list)
				rc = jag_ui_usage(cmd, "-o needs a list of options");
			else if (jag_tree_args_take_list(&shown->args, list, &err))
				rc = jag_ui_usage(cmd, "%s", err.message);
		} else {
			rc = take_flags(cmd, arg, flags, set);
		}
	}
	if (rc == JAG_EXIT_OK && !shown->target)
		rc = jag_ui_usage(cmd, "no store was named");
	if (rc != JAG_EXIT_OK)
		jag_shown_close(shown);
	return rc;
}

int jag_shown_open_store(struct jag_shown *shown, unsigned store_flags)
{
	struct jag_error err = { 0 };
	/* a reader that goes away shall be an error of write(), which is told from a full disk */
	signal(SIGPIPE, SIG_IGN);
	int rc = jag_target_open(shown->target, store_flags, &shown->store, &shown->rest, &err);
	return rc ? jag_ui_failure(shown->target, rc, &err) : JAG_EXIT_OK;
}

int jag_shown_open(struct jag_shown *shown, unsigned store_flags)
{
	struct jag_error err = { 0 };
	int rc = jag_shown_open_store(shown, store_flags);
	if (rc != JAG_EXIT_OK)
		return rc;
	rc = jag_tree_open(shown->store, "", &shown->args.options, &shown->tree, &err);
	if (rc == 0)
		rc = jag_content_create(shown->tree, NULL, &shown->content);
	return rc ? jag_ui_failure(shown->target, rc, &err) : JAG_EXIT_OK;
}

int jag_shown_file(const struct jag_shown *shown, jag_node *node, struct jag_place *place)
{
	int rc = jag_tree_walk(shown->tree, shown->rest, node);
	if (rc == 0)
		rc = jag_tree_place(shown->tree, *node, place);
	return rc == 0 && place->type == JAG_NODE_DIRECTORY ? -EISDIR : rc;
}

void jag_shown_close(struct jag_shown *shown)
{
	jag_content_destroy(shown->content);
	jag_tree_close(shown->tree);
	jag_store_close(shown->store);
	jag_tree_args_finish(&shown->args);
}

int jag_shown_write(const void *bytes, size_t nbytes)
{
	const char *from = bytes;
	while (nbytes > 0) {
		ssize_t put = write(STDOUT_FILENO, from, nbytes);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		from += put;
		nbytes -= (size_t)put;
	}
	return 0;
}
