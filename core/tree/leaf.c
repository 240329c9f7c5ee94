/* SPDX-License-Identifier: MIT */
/* leaf.c - the objects of one key whose values are tensors: a directory of its elements, the whole as a file, the shape
 * matrix. Decides how many dimensions number the elements. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "names.h"
#include "parts.h"

struct leaf_plan {
	const struct jag_leaf *first;
	const char *path; /* mount path for options; NULL outside */
	enum jag_layout_source source;
	enum jag_layout wanted;
	struct jag_format_wish wish;
	bool bgr;
	unsigned batch; /* leading dimensions that number the elements of a dense leaf */
	bool unbatched; /* one tensor, as far as anybody says: K/ is there, but not what it is */
};

static const struct jag_leaf *leaf_at(const struct jag_key *key, size_t i)
{
	return key->entries[i]->leaf;
}

static int bad_option(struct jag_builder *b, const char *name, const char *value, const char *expected)
{
	return jag_error_set(b->err, -EINVAL, NULL, 0, "option %s: \"%s\" is not %s", name, value, expected);
}

static int read_options(struct jag_builder *b, const struct jag_key *key, const struct jag_scope *scope,
			struct leaf_plan *plan)
{
	bool exact;
	plan->path = scope->path && !*scope->path ? "." : scope->path;
	const char *value = jag_option_find(&b->layout, plan->path, NULL);
	if (value) {
		int rc = jag_layout_from_name(value, &plan->wanted);
		if (rc < 0)
			return bad_option(b, "layout", value, "auto, chw, hwc, planes or none");
		plan->source = rc ? JAG_LAYOUT_OPTION : JAG_LAYOUT_GUESS;
	} else if (jag_recorded_keeps(scope->recorded, key->key)) {
		plan->source = JAG_LAYOUT_RECORDED;
		plan->wanted = scope->recorded->layout;
	}
	value = jag_option_find(&b->channels, plan->path, NULL);
	if (value && strcmp(value, "rgb") != 0 && strcmp(value, "bgr") != 0)
		return bad_option(b, "channels", value, "rgb or bgr");
	plan->bgr = value && !strcmp(value, "bgr");
	value = jag_option_find(&b->format, plan->path, &exact);
	return jag_format_wish_parse(b, value, exact, &plan->wish);
}

/* Does the collection's batch_size hold for this leaf? (An UnbatchedTensor does not begin with it.) */
static unsigned stated_batch(const struct jag_leaf *leaf)
{
	const struct jag_collection *parent = leaf->parent;
	if (!parent || !parent->batch_known || parent->batch_rank == 0 || parent->batch_rank > leaf->shape.rank)
		return 0;
	for (unsigned i = 0; i < parent->batch_rank; i++)
		if (parent->batch[i] != leaf->shape.dims[i])
			return 0;
	return parent->batch_rank;
}

/* With no batch_size: are the rows of this leaf images? A tensor of rank 3 that is one image itself, [3,H,W], is not
 * a batch of three planes. */
static bool rows_are_images(const struct jag_leaf *leaf, const struct leaf_plan *plan)
{
	struct jag_layout_choice rows = { .layout = JAG_LAYOUT_NONE }, whole = { .layout = JAG_LAYOUT_NONE };
	struct jag_sequence *seq;
	if (leaf->shape.rank < 3)
		return false;
	if (jag_sequence_of_leaf(leaf, 1, &seq) == 0) {
		jag_layout_decide(seq, plan->source, plan->wanted, &rows);
		jag_sequence_free(seq);
	}
	if (leaf->shape.rank == 3 && jag_sequence_whole(leaf, &seq) == 0) {
		jag_layout_decide(seq, plan->source, plan->wanted, &whole);
		jag_sequence_free(seq);
	}
	return rows.layout != JAG_LAYOUT_NONE && jag_layout_rank(whole.layout) != 3;
}

static int decide_batch(struct jag_builder *b, struct leaf_plan *plan)
{
	const struct jag_leaf *leaf = plan->first;
	const char *value = jag_option_find(&b->batch, plan->path, NULL);
	if (leaf->nested || leaf->shape.rank == 0)
		return 0;
	if (value) {
		char *end;
		unsigned long n = strtoul(value, &end, 10);
		if (*end || *value < '0' || *value > '9' || n > JAG_MAX_RANK)
			return bad_option(b, "batch", value, "a number of dimensions");
		plan->batch = n < leaf->shape.rank ? (unsigned)n : leaf->shape.rank;
	} else {
		plan->batch = stated_batch(leaf);
		if (plan->batch == 0 && rows_are_images(leaf, plan))
			plan->batch = 1;
	}
	plan->unbatched = plan->batch == 0;
	if (plan->unbatched)
		plan->batch = 1; /* K/ resolves all the same */
	return 0;
}

static void leaf_attr(const struct jag_builder *b, const struct jag_key *key, struct jag_file_attr *attr)
{
	bool writable = true, found = false;
	*attr = b->attr;
	for (size_t i = 0; i < key->entry_count; i++) {
		const struct jag_leaf *leaf = leaf_at(key, i);
		struct jag_file_attr one;
		if (!leaf->data)
			continue;
		jag_file_attr(leaf->data, &one);
		if (!found)
			*attr = one;
		found = true;
		writable = writable && one.writable;
	}
	attr->writable = found && writable;
}

static void base_look(const struct jag_builder *b, const struct leaf_plan *plan, struct jag_look *look)
{
	jag_look_default(look);
	if (b->options->quality)
		look->quality = (uint8_t)b->options->quality;
	look->subsampling = (uint8_t)b->options->subsampling;
	look->png_level = (uint8_t)b->options->png_level;
	look->npy_bits = b->options->npy_bits;
	look->bgr = plan->bgr;
}

/* An object for a sequence, which it owns from here on. */
static int64_t add_sequence(struct jag_builder *b, enum jag_object_kind kind, uint32_t dir, const struct jag_key *key,
			    struct jag_sequence *seq)
{
	int64_t number = jag_tree_add_object(b->tree, kind, dir);
	if (number < 0) {
		jag_sequence_free(seq);
		return number;
	}
	struct jag_object *object = &b->tree->objects[number];
	object->seq = seq;
	object->raw_suffix = ".bin";
	leaf_attr(b, key, &object->attr);
	return number;
}

static int add_elements(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope,
			const struct leaf_plan *plan)
{
	struct jag_layout_choice choice;
	struct jag_sequence *seq;
	int rc = jag_part_sequence(key, JAG_PART_ELEMENTS, plan->batch, &seq);
	if (rc)
		return rc;
	uint64_t count = jag_sequence_count(seq);
	if (count >= JAG_INDEX_LIMIT - JAG_INDEX_FRAMES) { /* more than node ids can number: the whole is there */
		jag_sequence_free(seq);
		return 0;
	}
	int64_t number = add_sequence(b, JAG_OBJECT_ELEMENTS, dir, key, seq);
	if (number < 0)
		return (int)number;
	struct jag_object *object = &b->tree->objects[number];
	base_look(b, plan, &object->look);
	jag_layout_decide(seq, plan->source, plan->wanted, &choice);
	object->look.layout = choice.layout;
	memcpy(object->why, choice.why, sizeof(object->why));
	object->count = count;
	object->width = jag_index_width(count);
	object->hash = jag_hash_salt(scope->hash, JAG_OBJECT_ELEMENTS);
	jag_choose_format(object, &plan->wish, plan->first->nested || key->stack, true);
	key->dir = (uint32_t)number;
	return 0;
}

/* Formats that fit a file that stands alone. */
static uint16_t fitting_formats(const struct jag_object *object)
{
	struct jag_element element;
	unsigned formats = 0;
	if (jag_sequence_locate(object->seq, 0, &element))
		return 1U << JAG_FORMAT_RAW;
	for (unsigned f = 1; f < JAG_FORMAT_COUNT; f++) {
		const struct jag_codec *codec = jag_codec_by_format((enum jag_format)f);
		if (codec && jag_object_suffix(object, 0, codec, &element.shape))
			formats |= 1U << f;
	}
	return (uint16_t)formats;
}

static int add_whole(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope,
		     const struct leaf_plan *plan)
{
	struct jag_layout_choice choice;
	struct jag_sequence *seq;
	int rc = jag_part_sequence(key, JAG_PART_WHOLE, 0, &seq);
	if (rc)
		return rc == -EINVAL ? 0 : rc; /* chunks whose rows differ: there is no whole tensor */
	int64_t number = add_sequence(b, JAG_OBJECT_FILE, dir, key, seq);
	if (number < 0)
		return (int)number;
	struct jag_object *object = &b->tree->objects[number];
	base_look(b, plan, &object->look);
	jag_layout_decide(seq, plan->source, plan->wanted, &choice);
	if (jag_sequence_rank(seq) == (int)jag_layout_rank(choice.layout))
		object->look.layout = choice.layout; /* a whole is shown in one piece: no frames */
	object->hash = jag_hash_salt(scope->hash, JAG_OBJECT_FILE);
	jag_choose_format(object, &plan->wish, false, plan->unbatched);
	object->formats = fitting_formats(object);
	key->file = (uint32_t)number;
	return 0;
}

static int add_shapes(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope)
{
	struct jag_sequence *seq;
	int rc = jag_part_sequence(key, JAG_PART_SHAPES, 0, &seq);
	if (rc)
		return rc == -EINVAL ? 0 : rc;
	int64_t number = add_sequence(b, JAG_OBJECT_FILE, dir, key, seq);
	if (number < 0)
		return (int)number;
	struct jag_object *object = &b->tree->objects[number];
	jag_look_default(&object->look);
	object->read_only = true;
	object->codec = jag_codec_by_format(JAG_FORMAT_NPY);
	object->formats = 1U << JAG_FORMAT_NPY;
	object->hash = jag_hash_salt(scope->hash, 16 + JAG_OBJECT_FILE);
	key->shape = (uint32_t)number;
	return 0;
}

/* What of a key is listed, by the table of the tree and `list`. */
static void decide_listing(const struct jag_builder *b, struct jag_key *key, const struct leaf_plan *plan)
{
	enum jag_list list = b->options->list;
	bool elements = key->dir != 0;
	if (key->file && elements) {
		unsigned row_rank = plan->first->shape.rank - plan->batch;
		elements = !plan->unbatched && row_rank >= 2;
	}
	key->list_dir = elements;
	key->list_file = key->file && !elements;
	if (key->file && list != JAG_LIST_ELEMENTS)
		key->list_file = true;
	if (key->file && list == JAG_LIST_WHOLE)
		key->list_dir = false;
	if (key->dir && list == JAG_LIST_BOTH)
		key->list_dir = true;
	if (key->hidden)
		key->list_dir = key->list_file = false;
}

/* A format that was asked for by the leaf's name and fits nothing of it is a mistake. */
static int check_wish(struct jag_builder *b, const struct jag_key *key, const struct leaf_plan *plan)
{
	const struct jag_object *objects = b->tree->objects;
	const struct jag_codec *codec = plan->wish.codec;
	if (!codec || !plan->wish.exact || (key->dir && objects[key->dir].codec == codec) ||
	    (key->file && objects[key->file].codec == codec))
		return 0;
	return jag_error_set(b->err, -EINVAL, NULL, 0, "option format: %s does not fit %s (%s)", plan->wish.text,
			     plan->path, key->dir ? objects[key->dir].why : "a single value");
}

int jag_build_leaf(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope)
{
	struct leaf_plan plan = { .first = leaf_at(key, 0), .source = JAG_LAYOUT_GUESS };
	for (size_t i = 0; i < key->entry_count; i++) {
		if (!leaf_at(key, i)->fault)
			continue;
		jag_note_entry_fault(b, scope, key->entries[i]);
		return 0;
	}
	int rc = read_options(b, key, scope, &plan);
	if (rc == 0)
		rc = decide_batch(b, &plan);
	if (rc)
		return rc;
	if (plan.first->nested || key->stack || plan.first->shape.rank > 0)
		rc = add_elements(b, dir, key, scope, &plan);
	if (rc == -EINVAL && !key->joined) {
		jag_note_fault(b, scope, rc, plan.first->path, "it cannot be read");
		return 0;
	}
	if (rc == -EINVAL)
		rc = 0; /* no one sequence: see below */
	if (rc == 0 && !plan.first->nested && !key->stack)
		rc = add_whole(b, dir, key, scope, &plan);
	if (rc == 0 && plan.first->nested)
		rc = add_shapes(b, dir, key, scope);
	if (rc)
		return rc;
	if (!key->dir && !key->file)
		jag_tree_add_note(b->tree, "%s differs in dtype or rank between the children: see these", key->name);
	if (key->dir)
		jag_found_root(b, scope, key->dir);
	decide_listing(b, key, &plan);
	return check_wish(b, key, &plan);
}
