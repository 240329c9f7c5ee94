/* SPDX-License-Identifier: MIT */
/* target.c - STORE[/KEY] arguments and tree options of the command line. */
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_meta(const char *dir, size_t nbytes)
{
	char *path = NULL;
	struct stat st;
	if (asprintf(&path, "%.*s/meta.json", (int)nbytes, dir) < 0)
		return false;
	bool yes = stat(path, &st) == 0;
	free(path);
	return yes;
}

/* A file may be a store of a single-file kind; but one that lies in a store (meta.json, a pickle) is a path below it. */
static bool is_lone_file(const char *arg, size_t nbytes)
{
	struct stat st;
	char *path = strndup(arg, nbytes);
	bool yes = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
	char *slash = yes ? strrchr(path, '/') : NULL;
	if (yes)
		yes = slash ? !has_meta(path, (size_t)(slash - path)) : !has_meta(".", 1);
	free(path);
	return yes;
}

/* Is there something that could be a store at the first `nbytes` bytes of `arg`? A directory inside of a store that
 * holds no meta.json of its own (children of a tensorclass, say) is a path below the store, not a store. */
static bool may_be_store(const char *arg, size_t nbytes)
{
	return has_meta(arg, nbytes) || is_lone_file(arg, nbytes);
}

int jag_target_open(const char *arg, unsigned flags, struct jag_store **store, const char **rest, struct jag_error *err)
{
	size_t full = strlen(arg), nbytes = full;
	if (full == 0 || full > 65536)
		return jag_error_set(err, -ENOENT, arg, 0, "not a path");
	while (nbytes > 0 && !may_be_store(arg, nbytes)) {
		while (nbytes > 0 && arg[nbytes - 1] == '/')
			nbytes--;
		while (nbytes > 0 && arg[nbytes - 1] != '/')
			nbytes--;
		while (nbytes > 1 && arg[nbytes - 1] == '/')
			nbytes--;
		if (nbytes == 1 && arg[0] == '/' && !may_be_store(arg, 1))
			nbytes = 0;
	}
	if (nbytes == 0)
		nbytes = full; /* none: let the store say what is wrong with the whole of it */
	char *path = strndup(arg, nbytes);
	if (!path)
		return jag_error_set(err, -ENOMEM, arg, 0, "out of memory");
	*rest = arg + nbytes;
	while (**rest == '/')
		(*rest)++;
	int rc = jag_store_open(path, flags, store, err);
	free(path);
	return rc;
}

/* Remember VALUE; a second one is joined to the first. */
static int take_text(char **slot, const char *value, struct jag_error *err)
{
	char *joined = NULL;
	int rc = *slot ? asprintf(&joined, "%s:%s", *slot, value) : asprintf(&joined, "%s", value);
	if (rc < 0)
		return jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	free(*slot);
	*slot = joined;
	return 1;
}

static int take_number(int *slot, const char *name, const char *value, int min, int max, struct jag_error *err)
{
	char *end;
	errno = 0;
	long n = strtol(value, &end, 10);
	if (errno || end == value || *end || n < min || n > max)
		return jag_error_set(err, -EINVAL, NULL, 0, "option %s=%s: expected a number from %d to %d", name,
				     value, min, max);
	*slot = (int)n;
	return 1;
}

struct choice {
	const char *word;
	int value;
};
static const struct choice lists[] = {
	{ "elements", JAG_LIST_ELEMENTS }, { "whole", JAG_LIST_WHOLE }, { "both", JAG_LIST_BOTH }, { NULL, 0 }
};
static const struct choice subsamplings[] = { { "420", JAG_420 },   { "422", JAG_422 },   { "444", JAG_444 },
					      { "4:2:0", JAG_420 }, { "4:2:2", JAG_422 }, { "4:4:4", JAG_444 },
					      { NULL, 0 } };

static int take_choice(int *slot, const char *name, const char *value, const struct choice *choices,
		       struct jag_error *err)
{
	char words[128] = "";
	for (const struct choice *c = choices; c->word; c++) {
		if (!strcmp(c->word, value)) {
			*slot = c->value;
			return 1;
		}
		size_t used = strlen(words);
		snprintf(words + used, sizeof(words) - used, "%s%s", used ? ", " : "", c->word);
	}
	return jag_error_set(err, -EINVAL, NULL, 0, "option %s=%s: expected one of %s", name, value, words);
}

/* NAME=VALUE -> VALUE if the item has this name. */
static const char *value_of(const char *item, const char *name)
{
	size_t n = strlen(name);
	return !strncmp(item, name, n) && item[n] == '=' ? item + n + 1 : NULL;
}

/* What is no item of ours: -EINVAL if it has the name of one, else 0. */
static int misused(const char *item, struct jag_error *err)
{
	static const char *const valued[] = { "format", "layout",  "batch",     "views", "channels",
					      "rate",   "quality", "png_level", "list",  "subsampling" };
	static const char *const flags[] = { "bits", "skip_bad" };
	for (size_t i = 0; i < sizeof(valued) / sizeof(valued[0]); i++)
		if (!strcmp(item, valued[i]))
			return jag_error_set(err, -EINVAL, NULL, 0, "option %s needs a value", item);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (value_of(item, flags[i]))
			return jag_error_set(err, -EINVAL, NULL, 0, "option %s takes no value", flags[i]);
	return 0;
}

int jag_tree_args_take(struct jag_tree_args *args, const char *item, struct jag_error *err)
{
	struct jag_tree_options *options = &args->options;
	const char *value;
	int choice = 0, rc;

	if (!strcmp(item, "bits"))
		return options->npy_bits = true, 1;
	if (!strcmp(item, "skip_bad"))
		return options->skip_faults = true, 1;
	struct {
		const char *name;
		char **slot;
		const char **option;
	} texts[] = {
		{ "format", &args->format, &options->format },       { "layout", &args->layout, &options->layout },
		{ "batch", &args->batch, &options->batch },          { "views", &args->views, &options->views },
		{ "channels", &args->channels, &options->channels }, { "rate", &args->rate, &options->rate }
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!(value = value_of(item, texts[i].name)))
			continue;
		rc = take_text(texts[i].slot, value, err);
		*texts[i].option = *texts[i].slot;
		return rc;
	}
	if ((value = value_of(item, "quality")))
		return take_number(&options->quality, "quality", value, 1, 100, err);
	if ((value = value_of(item, "png_level")))
		return take_number(&options->png_level, "png_level", value, 0, 9, err);
	if ((value = value_of(item, "list"))) {
		if ((rc = take_choice(&choice, "list", value, lists, err)) == 1)
			options->list = (enum jag_list)choice;
		return rc;
	}
	if ((value = value_of(item, "subsampling"))) {
		if ((rc = take_choice(&choice, "subsampling", value, subsamplings, err)) == 1)
			options->subsampling = (enum jag_subsampling)choice;
		return rc;
	}
	return misused(item, err);
}

int jag_tree_args_take_list(struct jag_tree_args *args, const char *list, struct jag_error *err)
{
	char *copy = strdup(list), *state = NULL;
	int rc = copy ? 0 : jag_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	for (char *item = copy ? strtok_r(copy, ",", &state) : NULL; item && rc >= 0;
	     item = strtok_r(NULL, ",", &state)) {
		rc = jag_tree_args_take(args, item, err);
		if (rc == 0)
			rc = jag_error_set(
				err, -EINVAL, NULL, 0,
				"unknown option: %s (options of how a mount is served count for mount alone)", item);
	}
	free(copy);
	return rc < 0 ? rc : 0;
}

void jag_tree_args_finish(struct jag_tree_args *args)
{
	free(args->format);
	free(args->layout);
	free(args->batch);
	free(args->views);
	free(args->channels);
	free(args->rate);
	*args = (struct jag_tree_args){ 0 };
}
