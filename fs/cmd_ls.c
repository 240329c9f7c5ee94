/* SPDX-License-Identifier: MIT */
/* cmd_ls.c - `jagfs ls`: what a mount would list, without a mount. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "shown.h"
#include "ui.h"

static const char help[] =
	"usage: jagfs ls [-l] STORE[/PATH] [-o OPTIONS]\n"
	"\n"
	"List a directory as a mount with the same options would, one name a line, directories with a slash.\n"
	"\n"
	"  -l           mode, owner, size and time, too; sizes of jpg, txt and compressed png need an encoding\n"
	"  -o OPTIONS   comma-separated:\n" JAG_TREE_ARGS_HELP "\n"
	"example: jagfs ls -l photos.td/image -o format=jpg\n";

static void print_mode(const struct jag_place *place)
{
	static const char letters[] = "rwxrwxrwx";
	char mode[11];
	mode[0] = place->type == JAG_NODE_DIRECTORY ? 'd' : '-';
	for (unsigned i = 0; i < 9; i++)
		mode[1 + i] = place->attr.mode >> (8 - i) & 1 ? letters[i] : '-';
	mode[10] = '\0';
	fputs(mode, stdout);
}

static int print_long(struct jag_shown *shown, jag_node node)
{
	struct jag_place place;
	uint64_t size = 0;
	int rc = jag_tree_place(shown->tree, node, &place);
	if (rc == 0)
		rc = jag_content_size(shown->content, node, &place, &size, NULL);
	if (rc)
		return rc;
	char when[32] = "?";
	time_t seconds = (time_t)place.attr.mtime_sec;
	struct tm tm;
	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	print_mode(&place);
	printf(" %5" PRIu32 " %5" PRIu32 " %12" PRIu64 " %s ", place.attr.uid, place.attr.gid, size, when);
	return 0;
}

static int print_one(struct jag_shown *shown, jag_node node, const char *name, bool directory, bool details)
{
	int rc = details ? print_long(shown, node) : 0;
	/* The reason of a failed write is known now only: stdio forgets it with the bytes. */
	if (rc == 0 && printf("%s%s\n", name, directory ? "/" : "") < 0)
		rc = -errno;
	return rc;
}

/* Stops when nobody reads any more: a million names are not worth formatting for `| head`. */
static int print_directory(struct jag_shown *shown, jag_node dir, bool details)
{
	struct jag_dirent entry = { .next = 0 };
	int rc;
	while ((rc = jag_tree_entry(shown->tree, dir, entry.next, &entry)) == 1) {
		rc = print_one(shown, entry.node, entry.name, entry.type == JAG_NODE_DIRECTORY, details);
		if (rc)
			break;
	}
	return rc < 0 ? rc : 0;
}

static int print(struct jag_shown *shown, bool details)
{
	struct jag_place place;
	char name[JAG_NAME_MAX + 1];
	jag_node node;
	int rc = jag_tree_walk(shown->tree, shown->rest, &node);
	if (rc == 0)
		rc = jag_tree_place(shown->tree, node, &place);
	if (rc == 0 && place.type == JAG_NODE_DIRECTORY) {
		rc = print_directory(shown, node, details);
	} else if (rc == 0) {
		const char *slash = strrchr(shown->rest, '/');
		snprintf(name, sizeof(name), "%s", slash && slash[1] ? slash + 1 : shown->rest);
		rc = print_one(shown, node, name, false, details);
	}
	if (rc == -EPIPE) /* nobody reads any more, which is no failure */
		return JAG_EXIT_OK;
	if (rc)
		return jag_ui_error(shown->target, "%s", strerror(-rc));
	return jag_ui_flush();
}

static int run(int argc, char **argv)
{
	struct jag_shown shown;
	bool details = false;
	int rc = jag_shown_parse(&shown, &jag_cmd_ls, argc, argv, "l", (bool *const[]){ &details });
	if (rc != JAG_EXIT_OK)
		return rc;
	setvbuf(stdout, NULL, _IOFBF, 1 << 18);
	rc = jag_shown_open(&shown, 0);
	if (rc == JAG_EXIT_OK)
		rc = print(&shown, details);
	jag_shown_close(&shown);
	return rc;
}

const struct jag_cmd jag_cmd_ls = {
	.name = "ls",
	.summary = "list a directory of the tree, without a mount",
	.help = help,
	.run = run,
};
