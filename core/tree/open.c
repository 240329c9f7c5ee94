/* SPDX-License-Identifier: MIT */
/* open.c - opens and closes a tree: reads the options, builds the objects, finds the root of the mount among them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "leaf_plan.h"
#include "rates.h"

static int parse_views(struct jag_builder *b, const char *text)
{
	if (text && !*text)
		return jag_error_set(b->err, -EINVAL, NULL, 0, "option views: no format is named");
	while (text && *text) {
		size_t nbytes = strcspn(text, ":");
		const struct jag_codec *codec = jag_codec_by_name(text, nbytes);
		if (!codec)
			return jag_error_set(b->err, -EINVAL, NULL, 0,
					     "option views: no format is called \"%.*s\"; there are raw, npy, pnm, "
					     "png, jpg, txt, wav",
					     (int)nbytes, text);
		b->views |= (uint16_t)(1U << codec->format);
		text += nbytes + (text[nbytes] == ':');
	}
	return 0;
}

static int parse_rates(struct jag_builder *b, const char *subpath)
{
	b->rates = jag_tree_alloc(b->tree, b->rate.count * sizeof(*b->rates));
	if (!b->rates)
		return -ENOMEM;
	for (size_t i = 0; i < b->format.count && b->rate.count == 0; i++)
		if (!strcmp(b->format.items[i].value, "wav"))
			return jag_error_set(b->err, -EINVAL, NULL, 0,
					     "option format: wav needs the samples a second, as in rate=16000");
	return jag_rates_read(b, subpath);
}

static int parse_options(struct jag_builder *b, const char *subpath)
{
	const struct jag_tree_options *o = b->options;
	int rc = jag_option_list_parse("format", o->format, &b->format, b->err);
	if (rc == 0)
		rc = jag_option_list_parse("layout", o->layout, &b->layout, b->err);
	if (rc == 0)
		rc = jag_option_list_parse("batch", o->batch, &b->batch, b->err);
	if (rc == 0)
		rc = jag_option_list_parse("channels", o->channels, &b->channels, b->err);
	if (rc == 0)
		rc = jag_leaf_options_check(b);
	if (rc == 0)
		rc = jag_option_list_parse("rate", o->rate, &b->rate, b->err);
	if (rc == 0)
		rc = parse_rates(b, subpath);
	if (rc == 0)
		rc = parse_views(b, o->views);
	if (rc == 0 && (o->quality < 0 || o->quality > 100))
		rc = jag_error_set(b->err, -EINVAL, NULL, 0, "option quality: %d is not 1..100", o->quality);
	if (rc == 0 && (o->png_level < 0 || o->png_level > 9))
		rc = jag_error_set(b->err, -EINVAL, NULL, 0, "option png_level: %d is not 0..9", o->png_level);
	return rc;
}

static int check_options_used(struct jag_builder *b)
{
	const struct jag_option_list *lists[] = { &b->format, &b->layout, &b->batch, &b->channels, &b->rate };
	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		int rc = jag_option_list_unused(lists[i], b->err);
		if (rc)
			return rc;
	}
	if (b->batch_misfit && !b->batch_fit)
		return jag_error_set(b->err, -EINVAL, NULL, 0, "option batch: no leaf has as many dimensions as \"%s\"",
				     b->options->batch);
	return jag_rates_check(b);
}

/* A store that is one list of values: its root is the directory of its items, as K/ would be. */
static int build_list(struct jag_builder *b, const struct jag_collection *top, const struct jag_scope *scope)
{
	const struct jag_entry entry = { .type = JAG_ENTRY_COLLECTION,
					 .collection = (struct jag_collection *)(uintptr_t)top };
	const struct jag_entry *entries[] = { &entry };
	struct jag_key key = { .key = "", .name = "", .entries = entries, .entry_count = 1 };
	bool list = top->json && jag_json_is_list(top->json, top->json_nbytes);
	return list ? jag_build_value(b, 0, &key, scope) : 0;
}

static int build_root(struct jag_builder *b, const struct jag_collection *top, struct jag_scope *scope)
{
	int64_t root = jag_tree_add_object(b->tree, JAG_OBJECT_DIR, 0);
	int rc = root < 0 ? (int)root : jag_store_attr(b->tree->store, &b->attr);
	if (rc)
		return rc;
	b->tree->objects[0].attr = b->attr;
	b->tree->objects[0].name = "";
	b->tree->objects[0].hash = jag_hash_salt(0, JAG_OBJECT_DIR);
	if (*scope->wanted)
		return 0;
	scope->path = "";
	if (top->kind == JAG_NONTENSOR || top->kind == JAG_NONTENSOR_STACK)
		rc = build_list(b, top, scope);
	jag_found_root(b, scope, 0);
	return rc;
}

static int build(struct jag_builder *b, const char *subpath)
{
	const struct jag_collection *top = jag_store_root(b->tree->store);
	struct jag_scope scope = { .wanted = subpath + strspn(subpath, "/") };
	int rc = build_root(b, top, &scope);
	if (rc)
		return rc;
	rc = jag_build_collection(b, 0, top, &scope);
	if (rc)
		return rc;
	if (b->fault.code && (!b->options->skip_faults || !b->root_found)) {
		*b->err = b->fault;
		return b->fault.code;
	}
	if (!b->root_found)
		return jag_error_set(b->err, -ENOENT, jag_store_path(b->tree->store), 0,
				     "the store has no collection or sequence called \"%s\"", subpath);
	return check_options_used(b);
}

int jag_tree_open(const struct jag_store *store, const char *subpath, const struct jag_tree_options *options,
		  struct jag_tree **tree, struct jag_error *err)
{
	static const struct jag_tree_options defaults;
	struct jag_error ignored = { 0 };
	struct jag_builder b = { .options = options ? options : &defaults, .err = err ? err : &ignored };
	b.tree = calloc(1, sizeof(*b.tree));
	if (!b.tree)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	b.tree->store = store;
	b.err->code = 0;
	int rc = parse_options(&b, subpath ? subpath : "");
	if (rc == 0)
		rc = build(&b, subpath ? subpath : "");
	jag_option_list_free(&b.format);
	jag_option_list_free(&b.layout);
	jag_option_list_free(&b.batch);
	jag_option_list_free(&b.channels);
	jag_option_list_free(&b.rate);
	if (rc) {
		jag_tree_close(b.tree);
		if (!b.err->code)
			jag_error_set(b.err, rc, jag_store_path(store), 0,
				      rc == -E2BIG ? "the store has too many keys" : "%s", strerror(-rc));
		return rc;
	}
	*tree = b.tree;
	return 0;
}

void jag_tree_close(struct jag_tree *tree)
{
	if (!tree)
		return;
	for (uint32_t i = 0; i < tree->object_count; i++) {
		jag_sequence_free(tree->objects[i].seq);
		free(tree->objects[i].children);
	}
	for (size_t i = 0; i < tree->memory_count; i++)
		free(tree->memory[i]);
	for (size_t i = 0; i < tree->note_count; i++)
		free(tree->notes[i]);
	free(tree->memory);
	free(tree->notes);
	free(tree->objects);
	free(tree->names.slots);
	free(tree);
}

const struct jag_store *jag_tree_store(const struct jag_tree *tree)
{
	return tree->store;
}

size_t jag_tree_note_count(const struct jag_tree *tree)
{
	return tree->note_count;
}

const char *jag_tree_note(const struct jag_tree *tree, size_t i)
{
	return i < tree->note_count ? tree->notes[i] : NULL;
}
