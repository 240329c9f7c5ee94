/* SPDX-License-Identifier: MIT */
/* cmd_cat.c - `jagfs cat`: the bytes of one file of the tree on standard output, without a mount. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"
#include "ui.h"

#define BLOCK (1U << 20)

static const char help[] = "usage: jagfs cat STORE/PATH [-o OPTIONS]\n"
			   "\n"
			   "Print one file as a mount with the same options would show it. Every format that fits an "
			   "element can be named.\n"
			   "\n"
			   "  -o OPTIONS   comma-separated:\n" JAG_TREE_ARGS_HELP "\n"
			   "example: jagfs cat photos.td/image/000042.jpg > 42.jpg\n";

/* Live formats, block by block: an element may be larger than memory. */
static int print_live(struct jag_shown *shown, const struct jag_place *place)
{
	uint8_t *block = malloc(BLOCK);
	uint64_t offset = 0;
	int64_t n = block ? 0 : -ENOMEM;
	int rc = 0;
	while (block && rc == 0) {
		n = jag_content_read(shown->content, place, block, BLOCK, offset);
		if (n <= 0)
			break;
		rc = jag_shown_write(block, (size_t)n);
		offset += (uint64_t)n;
	}
	free(block);
	return n < 0 ? (int)n : rc == -EPIPE ? 0 : rc;
}

static int print_snapshot(struct jag_shown *shown, jag_node node, const struct jag_place *place)
{
	struct jag_blob *blob;
	int rc = jag_content_snapshot(shown->content, node, place, &blob);
	if (rc)
		return rc;
	rc = jag_shown_write(blob->data, blob->nbytes);
	jag_blob_unref(blob);
	return rc == -EPIPE ? 0 : rc;
}

static int print(struct jag_shown *shown)
{
	struct jag_place place;
	jag_node node;
	int rc = jag_shown_file(shown, &node, &place);
	if (rc == 0)
		rc = jag_content_is_snapshot(&place) ? print_snapshot(shown, node, &place) : print_live(shown, &place);
	return rc ? jag_ui_error(shown->target, "%s", strerror(-rc)) : JAG_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct jag_shown shown;
	int rc = jag_shown_parse(&shown, &jag_cmd_cat, argc, argv, "", NULL);
	if (rc != JAG_EXIT_OK)
		return rc;
	rc = jag_shown_open(&shown, 0);
	if (rc == JAG_EXIT_OK)
		rc = print(&shown);
	jag_shown_close(&shown);
	return rc;
}

const struct jag_cmd jag_cmd_cat = {
	.name = "cat",
	.summary = "print a file of the tree, without a mount",
	.help = help,
	.run = run,
};
