/* SPDX-License-Identifier: MIT */
/* info_print.c - the lines and the JSON of `jagfs info`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "info.h"

/* "uint8" */
static const char *dtype_name(enum jag_dtype dtype)
{
	const char *torch = jag_dtype_info(dtype)->torch;
	const char *dot = torch ? strchr(torch, '.') : NULL;
	return dot ? dot + 1 : "unknown dtype";
}

static const char *kind_name(enum jag_collection_kind kind)
{
	switch (kind) {
	case JAG_TENSORDICT:
		return "tensordict";
	case JAG_LAZY_STACK:
		return "lazy stack";
	case JAG_TENSORCLASS:
		return "tensorclass";
	case JAG_NONTENSOR:
		return "value";
	case JAG_NONTENSOR_STACK:
		return "stack of values";
	case JAG_LAZY_VIEW:
		return "view, shown as its source";
	case JAG_UNREADABLE:
		break;
	}
	return "not readable";
}

const char *jag_info_unloadable(const struct jag_leaf *leaf)
{
	if (leaf->fault)
		return NULL;
	if (!jag_dtype_info(leaf->shape.dtype)->loadable)
		return "its loader does not know this dtype";
	if (leaf->nested && leaf->numel > INT32_MAX)
		return "it loads nested leaves of at most 2147483647 values";
	if (leaf->nested && leaf->count == 0)
		return "it has no nested leaf without elements";
	if (leaf->nested && leaf->numel == 0)
		return "it leaves out nested leaves whose elements are all empty";
	return NULL;
}

/* "[3, 200..300, 7]": the range of each dimension of the elements. */
static void shape_text(const struct jag_leaf *leaf, char *text, size_t text_nbytes)
{
	size_t used = 0;
	if (!leaf->nested || !leaf->dims || leaf->fault) {
		if (leaf->nested)
			snprintf(text, text_nbytes, "[%u dimensions]", leaf->shape.rank);
		else
			jag_shape_text(&leaf->shape, text, text_nbytes);
		return;
	}
	used += (size_t)snprintf(text, text_nbytes, "[");
	for (unsigned i = 0; i < leaf->shape.rank && used < text_nbytes; i++) {
		const struct jag_dim_stats *dim = &leaf->dims[i];
		const char *comma = i ? ", " : "";
		int n = dim->min == dim->max ? snprintf(text + used, text_nbytes - used, "%s%" PRId64, comma, dim->min)
					     : snprintf(text + used, text_nbytes - used, "%s%" PRId64 "..%" PRId64,
							comma, dim->min, dim->max);
		used += n > 0 ? (size_t)n : 0;
	}
	if (used < text_nbytes)
		snprintf(text + used, text_nbytes - used, "]");
}

/* Bytes that take no space; 0 where that cannot be told. */
static uint64_t hole_bytes(const struct jag_leaf *leaf)
{
	uint64_t holes = 0;
	if (!leaf->data || leaf->fault || jag_file_holes(leaf->data, leaf->data_offset, leaf->nbytes, &holes))
		return 0;
	return holes;
}

/* "1.5 MB" */
static const char *size_text(uint64_t nbytes, char *text, size_t text_nbytes)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB", "TB", "PB", "EB" };
	double value = (double)nbytes;
	unsigned unit = 0;
	for (; value >= 1000.0 && unit < 6; unit++)
		value /= 1000.0;
	if (unit == 0)
		snprintf(text, text_nbytes, "%" PRIu64 " bytes", nbytes);
	else
		snprintf(text, text_nbytes, "%.1f %s", value, units[unit]);
	return text;
}

/* Warnings and faults may quote a store's own bytes: no escape codes to a terminal. */
static void print_plain(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
}

static void print_line(const char *what, const char *text)
{
	if (!text)
		return;
	printf("      %s: ", what);
	print_plain(text);
	putchar('\n');
}

static void leaf_json(struct jag_info_out *out, const char *path, const struct jag_leaf *leaf, uint64_t holes)
{
	struct jag_json_out *json = &out->json;
	jag_json_open(json, NULL, '{');
	jag_json_string(json, "path", path);
	jag_json_string(json, "kind", leaf->nested ? "nested" : "dense");
	jag_json_string(json, "dtype", dtype_name(leaf->shape.dtype));
	jag_json_number(json, "count", leaf->count);
	if (!leaf->nested) {
		jag_json_open(json, "shape", '[');
		for (unsigned i = 0; i < leaf->shape.rank; i++)
			jag_json_integer(json, NULL, leaf->shape.dims[i]);
		jag_json_close(json, '[');
	} else if (leaf->dims) {
		jag_json_open(json, "shape_range", '[');
		for (unsigned i = 0; i < leaf->shape.rank; i++) {
			jag_json_open(json, NULL, '[');
			jag_json_integer(json, NULL, leaf->dims[i].min);
			jag_json_integer(json, NULL, leaf->dims[i].max);
			jag_json_close(json, '[');
		}
		jag_json_close(json, '[');
	}
	jag_json_number(json, "numel", leaf->numel);
	jag_json_number(json, "nbytes", leaf->nbytes);
	jag_json_number(json, "hole_nbytes", holes);
	jag_json_string(json, "unloadable", jag_info_unloadable(leaf));
	jag_json_string(json, "warning", leaf->warning);
	jag_json_string(json, "fault", leaf->fault ? leaf->fault_text : NULL);
	jag_json_close(json, '{');
}

void jag_info_leaf(struct jag_info_out *out, const char *path, const struct jag_leaf *leaf)
{
	char shape[1024], size[32], holes_text[32];
	uint64_t holes = hole_bytes(leaf);
	out->faults += leaf->fault != 0;
	if (out->as_json) {
		leaf_json(out, path, leaf, holes);
		return;
	}
	shape_text(leaf, shape, sizeof(shape));
	printf("  %s: ", path);
	if (leaf->nested)
		printf("nested %s, %" PRIu64 " elements of %s", dtype_name(leaf->shape.dtype), leaf->count, shape);
	else
		printf("%s %s", dtype_name(leaf->shape.dtype), shape);
	printf(", %s", size_text(leaf->nbytes, size, sizeof(size)));
	if (holes)
		printf(", of which %s are holes", size_text(holes, holes_text, sizeof(holes_text)));
	putchar('\n');
	print_line("tensordict cannot load it", jag_info_unloadable(leaf));
	print_line("warning", leaf->warning);
	print_line("fault", leaf->fault ? leaf->fault_text : NULL);
}

void jag_info_collection(struct jag_info_out *out, const char *path, const struct jag_collection *collection)
{
	bool value = collection->kind == JAG_NONTENSOR || collection->kind == JAG_NONTENSOR_STACK;
	const char *where = value ? collection->json ? "JSON" : "pickle" : NULL;
	out->faults += collection->fault != 0;
	if (out->as_json) {
		struct jag_json_out *json = &out->json;
		jag_json_open(json, NULL, '{');
		jag_json_string(json, "path", path);
		jag_json_string(json, "kind", kind_name(collection->kind));
		jag_json_string(json, "type", collection->type_text);
		if (value)
			jag_json_string(json, "stored_as", where);
		if (collection->batch_known) {
			jag_json_open(json, "batch_size", '[');
			for (unsigned i = 0; i < collection->batch_rank; i++)
				jag_json_integer(json, NULL, collection->batch[i]);
			jag_json_close(json, '[');
		}
		jag_json_string(json, "warning", collection->warning);
		jag_json_string(json, "fault", collection->fault ? collection->fault_text : NULL);
		jag_json_close(json, '{');
		return;
	}
	printf("  %s%s: %s", path, value ? "" : "/", kind_name(collection->kind));
	if (value)
		printf(", %s", where);
	if (collection->batch_known && !value) {
		printf(", batch_size [");
		for (unsigned i = 0; i < collection->batch_rank; i++)
			printf("%s%" PRId64, i ? ", " : "", collection->batch[i]);
		putchar(']');
	}
	putchar('\n');
	print_line("warning", collection->warning);
	print_line("fault", collection->fault ? collection->fault_text : NULL);
}

void jag_info_sequence(struct jag_info_out *out, const char *path, const struct jag_tree_sequence_info *sequence)
{
	if (out->as_json) {
		struct jag_json_out *json = &out->json;
		jag_json_open(json, NULL, '{');
		jag_json_string(json, "path", path);
		jag_json_string(json, "kind", "elements");
		jag_json_number(json, "count", sequence->count);
		jag_json_string(json, "format", sequence->listed->name);
		jag_json_string(json, "why", sequence->why);
		jag_json_number(json, "misfits", sequence->misfit_count);
		jag_json_close(json, '{');
		return;
	}
	printf("  %s/: %" PRIu64 " files, %s (", path, sequence->count, sequence->listed->name);
	print_plain(sequence->why);
	puts(")");
	if (sequence->misfit_count)
		printf("      %" PRIu64 " do not fit that format: they are listed as .npy or .bin\n",
		       sequence->misfit_count);
}

void jag_info_file(struct jag_info_out *out, const char *path, uint64_t size)
{
	char text[32];
	bool known = size != UINT64_MAX;
	if (out->as_json) {
		struct jag_json_out *json = &out->json;
		jag_json_open(json, NULL, '{');
		jag_json_string(json, "path", path);
		jag_json_string(json, "kind", "file");
		if (known)
			jag_json_number(json, "size", size);
		jag_json_close(json, '{');
		return;
	}
	printf("  %s: %s\n", path, known ? size_text(size, text, sizeof(text)) : "size known once encoded");
}
