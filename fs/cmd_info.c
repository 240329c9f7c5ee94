/* SPDX-License-Identifier: MIT */
/* cmd_info.c - `jagfs info`: what is in a store, how a mount shows it and why, and what is wrong with it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"
#include "shown.h"
#include "ui.h"

static const char help[] = "usage: jagfs info STORE[/KEY] [--json] [-o OPTIONS]\n"
			   "\n"
			   "Print the keys of a store (dtypes, counts, ranges of shapes, bytes, holes), what a mount "
			   "with the same options\n"
			   "lists and why, and what is odd or broken. Exit status 1 if something cannot be read.\n"
			   "\n"
			   "  --json       one JSON object: store, kind, keys, shown, notes\n"
			   "  -o OPTIONS   comma-separated:\n" JAG_TREE_ARGS_HELP "\n"
			   "example: jagfs info photos.td/image\n";

static char *child_path(const char *dir, const char *key)
{
	char *path = NULL;
	return asprintf(&path, "%s%s%s", dir, *dir ? "/" : "", key) < 0 ? NULL : path;
}

/* A key as a file name; it goes to a terminal. */
static char *key_name(const char *key)
{
	size_t room = strlen(key) * 3 + 8;
	char *name = malloc(room);
	if (name && jag_key_encode(key, name, room) >= 0)
		return name;
	free(name);
	return NULL;
}

static int print_entry(struct jag_info_out *out, const char *path, const struct jag_entry *entry);

static int print_entries(struct jag_info_out *out, const char *dir, const struct jag_collection *collection)
{
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < collection->entry_count; i++) {
		const struct jag_entry *entry = &collection->entries[i];
		char *name = key_name(entry->type == JAG_ENTRY_LEAF ? entry->leaf->key : entry->collection->key);
		char *path = name ? child_path(dir, name) : NULL;
		rc = path ? print_entry(out, path, entry) : -ENOMEM;
		free(path);
		free(name);
	}
	return rc;
}

static int print_entry(struct jag_info_out *out, const char *path, const struct jag_entry *entry)
{
	if (entry->type == JAG_ENTRY_LEAF) {
		jag_info_leaf(out, path, entry->leaf);
		return 0;
	}
	jag_info_collection(out, path, entry->collection);
	return print_entries(out, strcmp(path, ".") != 0 ? path : "", entry->collection);
}

/* What is listed below `dir`, without the files of the directories of elements. */
static int print_shown(struct jag_info_out *out, const struct jag_tree *tree, jag_node dir, const char *dir_path)
{
	struct jag_tree_sequence_info sequence;
	struct jag_dirent *entry = calloc(1, sizeof(*entry));
	int rc = entry ? 1 : -ENOMEM;
	while (entry && (rc = jag_tree_entry(tree, dir, entry->next, entry)) == 1) {
		char *path = child_path(dir_path, entry->name);
		struct jag_place place;
		if (!path)
			rc = -ENOMEM;
		else if (entry->type == JAG_NODE_FILE)
			rc = jag_tree_place(tree, entry->node, &place);
		else if (jag_tree_describe(tree, path, &sequence) == 0)
			jag_info_sequence(out, path, &sequence);
		else
			rc = print_shown(out, tree, entry->node, path);
		if (path && rc >= 0 && entry->type == JAG_NODE_FILE)
			jag_info_file(out, path, place.size_known ? place.size : UINT64_MAX);
		free(path);
		if (rc < 0)
			break;
	}
	free(entry);
	return rc < 0 ? rc : 0;
}

static void section(struct jag_info_out *out, const char *key, const char *title)
{
	if (out->as_json)
		jag_json_open(&out->json, key, '[');
	else
		printf("%s\n", title);
}

static void end_section(struct jag_info_out *out)
{
	if (out->as_json)
		jag_json_close(&out->json, '[');
}

static void print_notes(struct jag_info_out *out, const struct jag_tree *tree)
{
	size_t count = tree ? jag_tree_note_count(tree) : 0;
	if (!count && !out->as_json)
		return;
	section(out, "notes", "notes:");
	for (size_t i = 0; i < count; i++) {
		if (out->as_json)
			jag_json_string(&out->json, NULL, jag_tree_note(tree, i));
		else
			printf("  %s\n", jag_tree_note(tree, i));
	}
	end_section(out);
}

/* The tree of what was asked for: of its own if it is a directory of elements. */
static int print_tree(struct jag_info_out *out, const struct jag_tree *tree, const char *key)
{
	struct jag_tree_sequence_info sequence;
	int rc = 0;
	section(out, "shown", "a mount shows:");
	if (tree && jag_tree_describe(tree, "", &sequence) == 0)
		jag_info_sequence(out, *key ? key : ".", &sequence);
	else if (tree)
		rc = print_shown(out, tree, JAG_NODE_ROOT, "");
	end_section(out);
	if (rc == 0)
		print_notes(out, tree);
	return rc;
}

static int print_keys(struct jag_info_out *out, const struct jag_entry *entry, const char *key)
{
	section(out, "keys", "keys:");
	int rc = 0;
	if (entry)
		rc = print_entry(out, *key ? key : ".", entry);
	end_section(out);
	return rc;
}

/* What was asked for, with everything that can be shown of it; shown->tree stays NULL where nothing can. A key that is
 * joined over several collections is in the tree, but is no entry of the store. */
static int find(struct jag_shown *shown, const char *key, struct jag_entry *entry, bool *found)
{
	struct jag_error err = { 0 };
	shown->args.options.skip_faults = true;
	*found = jag_store_find(shown->store, key, entry) == 0;
	int rc = jag_tree_open(shown->store, key, &shown->args.options, &shown->tree, &err);
	if (rc == 0)
		return JAG_EXIT_OK;
	/* a faulty leaf and a single value are no directories, and there is still something to say of them */
	bool leaf = *found && entry->type == JAG_ENTRY_LEAF;
	if (leaf && (entry->leaf->fault || rc == -ENOENT))
		return JAG_EXIT_OK;
	return *found && !leaf && entry->collection->fault ? JAG_EXIT_OK : jag_ui_failure(shown->target, rc, &err);
}

static int print_all(struct jag_info_out *out, const struct jag_shown *shown, const char *key,
		     const struct jag_entry *entry)
{
	if (out->as_json) {
		jag_json_open(&out->json, NULL, '{');
		jag_json_string(&out->json, "store", jag_store_path(shown->store));
		jag_json_string(&out->json, "kind", jag_store_kind_name(shown->store));
		jag_json_string(&out->json, "key", key);
	} else {
		printf("%s: %s\n", jag_store_path(shown->store), jag_store_kind_name(shown->store));
	}
	int rc = print_keys(out, entry, key);
	if (rc == 0)
		rc = print_tree(out, shown->tree, key);
	if (out->as_json) {
		jag_json_close(&out->json, '{');
		fwrite(out->json.text.data, 1, out->json.text.nbytes, stdout);
		putchar('\n');
		jag_buffer_free(&out->json.text);
	}
	return rc ? rc : out->json.rc;
}

static int print(struct jag_shown *shown, struct jag_info_out *out)
{
	struct jag_entry entry;
	bool found;
	char *key = strdup(shown->rest);
	if (!key)
		return jag_ui_failure(shown->target, -ENOMEM, NULL);
	for (size_t n = strlen(key); n > 0 && key[n - 1] == '/'; n--)
		key[n - 1] = '\0';
	int status = find(shown, key, &entry, &found);
	if (status == JAG_EXIT_OK) {
		int rc = print_all(out, shown, key, found ? &entry : NULL);
		status = rc ? jag_ui_failure(shown->target, rc, NULL) : jag_ui_flush();
	}
	free(key);
	if (status == JAG_EXIT_OK && out->faults)
		status = jag_ui_error(shown->target, "%llu key%s of it cannot be read", (unsigned long long)out->faults,
				      out->faults == 1 ? "" : "s");
	return status;
}

static int run(int argc, char **argv)
{
	struct jag_info_out out = { 0 };
	struct jag_shown shown;
	char **rest = calloc((size_t)argc + 1, sizeof(char *));
	int count = 0;
	if (!rest)
		return jag_ui_failure("info", -ENOMEM, NULL);
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			out.as_json = true;
		else
			rest[count++] = argv[i];
	}
	int rc = jag_shown_parse(&shown, &jag_cmd_info, count, rest, "", NULL);
	free(rest);
	if (rc != JAG_EXIT_OK)
		return rc;
	rc = jag_shown_open_store(&shown, 0);
	if (rc == JAG_EXIT_OK)
		rc = print(&shown, &out);
	jag_shown_close(&shown);
	return rc;
}

const struct jag_cmd jag_cmd_info = {
	.name = "info",
	.summary = "what is in a store, and how a mount shows it",
	.help = help,
	.run = run,
};
