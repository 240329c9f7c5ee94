/* SPDX-License-Identifier: MIT */
/* classes.c - class folders -> labels. The classes are the first-level folders of all folder sources, each name once,
 * by bytes; the label of an image is the index of its folder. There are labels only if every image has a folder: a
 * made-up label for the others would be wrong in training. */
#include "pack_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A class name against the first folder of a file, which is not terminated. */
static int compare_key(const char *key, size_t n, const char *name)
{
	int c = strncmp(key, name, n);
	return c ? c : name[n] ? -1 : 0;
}

static size_t find_class(const struct jag_pack *pack, const struct jag_pack_file *file)
{
	size_t lo = 0, hi = pack->class_count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = compare_key(file->path + file->name, file->class_dir, pack->classes[mid]);
		if (!c)
			return mid;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return SIZE_MAX;
}

static uint64_t count_outside(const struct jag_pack *pack)
{
	uint64_t n = 0;
	for (size_t i = 0; i < pack->file_count; i++)
		n += pack->files[i].class_dir == 0;
	return n;
}

/* Set the labels and see which classes have images. */
static int label_files(struct jag_pack *pack, bool *used, struct jag_error *err)
{
	for (size_t i = 0; i < pack->file_count; i++) {
		struct jag_pack_file *file = &pack->files[i];
		size_t label = find_class(pack, file);
		if (label == SIZE_MAX)
			return jag_error_set(err, -EINVAL, file->path, 0, "lies in no class folder");
		file->label = (uint32_t)label;
		used[label] = true;
	}
	for (size_t i = 0; i < pack->class_count && !pack->options->allow_empty; i++)
		if (!used[i])
			return jag_error_set(err, -ENOENT, pack->classes[i], 0,
					     "this class folder holds no image (--allow-empty keeps it as a class)");
	return 0;
}

int jag_pack_classes(struct jag_pack *pack, struct jag_error *err)
{
	if (pack->loose || !pack->class_dir_count)
		return 0;
	uint64_t outside = count_outside(pack);
	if (outside) {
		jag_pack_note(pack, NULL, "no labels: %" PRIu64 " of %zu images lie outside the class folders", outside,
			      pack->file_count);
		return 0;
	}
	qsort(pack->class_dirs, pack->class_dir_count, sizeof(*pack->class_dirs), compare_names);
	size_t n = 0;
	for (size_t i = 0; i < pack->class_dir_count; i++)
		if (!n || strcmp(pack->class_dirs[n - 1], pack->class_dirs[i]) != 0)
			pack->class_dirs[n++] = pack->class_dirs[i];
	pack->classes = pack->class_dirs;
	pack->class_count = n;
	pack->result->classes = n;
	bool *used = calloc(n, sizeof(*used));
	if (!used)
		return -ENOMEM;
	int rc = label_files(pack, used, err);
	free(used);
	return rc;
}
