/* SPDX-License-Identifier: MIT */
/* cmd_put.c - `jagfs put`: a file from standard input becomes the content of an element, without a mount: the same
 * commit as a staged write of the mount, on the disk when it succeeds. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "jag/commit.h"
#include "shown.h"
#include "ui.h"

#define BLOCK (1U << 16)

static const char help[] =
	"usage: jagfs put STORE/PATH [-f] [-o OPTIONS] < FILE\n"
	"\n"
	"Store the file on standard input as the content of one element, as a write through a mount with "
	"the same options\n"
	"would. Images are told by content; shape and dtype must be the element's. Nothing is changed "
	"unless all is right.\n"
	"\n"
	"  -f           resize an image of another size to the element's\n"
	"  -o OPTIONS   comma-separated:\n" JAG_TREE_ARGS_HELP "\n"
	"example: jagfs put photos.td/image/000042.png < better.jpg\n";

static int read_all(struct jag_buffer *input)
{
	for (;;) {
		int rc = input->capacity - input->nbytes >= BLOCK
				 ? 0
				 : jag_buffer_reserve(input, input->capacity + input->capacity / 2 + 2 * BLOCK);
		if (rc)
			return rc;
		ssize_t n = read(STDIN_FILENO, input->data + input->nbytes, input->capacity - input->nbytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		input->nbytes += (size_t)n;
	}
}

static int refuse(struct jag_shown *shown, jag_node node, int rc, const struct jag_error *err)
{
	char view[512];
	if (rc == -EACCES && err->message[0] && !err->path[0])
		return jag_ui_error(shown->target, "%s; write to %s instead", err->message,
				    jag_tree_view_path(shown->tree, node, view, sizeof(view)));
	return jag_ui_error(shown->target, "%s", err->message[0] ? err->message : strerror(-rc));
}

static int put(struct jag_shown *shown, unsigned flags)
{
	struct jag_buffer input = { 0 };
	struct jag_error err = { 0 };
	struct jag_place place;
	jag_node node;
	int rc = jag_shown_file(shown, &node, &place);
	if (rc)
		return jag_ui_error(shown->target, "%s", strerror(-rc));
	rc = read_all(&input);
	if (rc == 0)
		rc = jag_commit(shown->content, &place, input.data, input.nbytes, flags, &err);
	jag_buffer_free(&input);
	return rc ? refuse(shown, node, rc, &err) : JAG_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct jag_shown shown;
	bool fit = false;
	bool *const set[] = { &fit };
	int rc = jag_shown_parse(&shown, &jag_cmd_put, argc, argv, "f", set);
	if (rc != JAG_EXIT_OK)
		return rc;
	rc = jag_shown_open(&shown, JAG_STORE_WRITE);
	if (rc == JAG_EXIT_OK)
		rc = put(&shown, JAG_COMMIT_SYNC | (fit ? JAG_COMMIT_FIT : 0));
	jag_shown_close(&shown);
	return rc;
}

const struct jag_cmd jag_cmd_put = {
	.name = "put",
	.summary = "write a file of the tree, without a mount",
	.help = help,
	.run = run,
};
