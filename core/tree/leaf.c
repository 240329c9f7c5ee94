/* SPDX-License-Identifier: MIT */
/* leaf.c - the objects of one key whose values are tensors: a directory of its elements, the whole as a file, the shape
 * matrix. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "leaf_plan.h"
#include "names.h"
#include "parts.h"
#include "rates.h"

static const struct jag_leaf *leaf_at(const struct jag_key *key, size_t i)
{
	return key->entries[i]->leaf;
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

static void base_look(const struct jag_builder *b, const struct jag_leaf_plan *plan, struct jag_look *look)
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
			const struct jag_leaf_plan *plan)
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
	rc = jag_rates_give(b, plan->path, object);
	if (rc)
		return rc;
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
		     const struct jag_leaf_plan *plan)
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
	rc = jag_rates_give(b, plan->path, object);
	if (rc)
		return rc;
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

/* path.json: where the images came from, without a file for each. Its elements are those of K/. */
static int add_list(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope)
{
	const struct jag_sequence *seq = b->tree->objects[key->dir].seq;
	if (jag_sequence_dtype(seq) != JAG_UINT8 || jag_sequence_rank(seq) != 1)
		return 0;
	int64_t number = jag_tree_add_object(b->tree, JAG_OBJECT_LIST, dir);
	if (number < 0)
		return (int)number;
	struct jag_object *object = &b->tree->objects[number];
	leaf_attr(b, key, &object->attr);
	object->read_only = true;
	object->source = key->dir;
	object->sizes = key->shape;
	object->hash = jag_hash_salt(scope->hash, JAG_OBJECT_LIST);
	key->list = (uint32_t)number;
	return 0;
}

/* What of a key is listed, by the table of the tree and `list`. */
static void decide_listing(const struct jag_builder *b, struct jag_key *key, const struct jag_leaf_plan *plan)
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

int jag_build_leaf(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope)
{
	struct jag_leaf_plan plan = { .first = leaf_at(key, 0), .source = JAG_LAYOUT_GUESS };
	for (size_t i = 0; i < key->entry_count; i++) {
		if (!leaf_at(key, i)->fault)
			continue;
		jag_note_entry_fault(b, scope, key->entries[i]);
		return 0;
	}
	int rc = jag_leaf_plan_read(b, key, scope, &plan);
	if (rc)
		return rc;
	if (plan.first->nested || key->stack || plan.first->shape.rank > 0)
		rc = add_elements(b, dir, key, scope, &plan);
	if (rc == -EINVAL && b->err->code) /* an option, not the store */
		return rc;
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
	if (rc == 0 && key->dir && jag_recorded_path(scope->recorded, key->key, plan.first))
		rc = add_list(b, dir, key, scope);
	if (rc)
		return rc;
	if (!key->dir && !key->file)
		jag_tree_add_note(b->tree, "%s differs in dtype or rank between the children: see these", key->name);
	if (key->dir)
		jag_found_root(b, scope, key->dir);
	decide_listing(b, key, &plan);
	return jag_leaf_plan_check(b, key, &plan);
}
