/* SPDX-License-Identifier: MIT */
/* leaf_plan.c - the options for one leaf, and how many of its dimensions number the elements. An option that names a
 * leaf and does nothing there is a mistake of its user, and said. */
#include "leaf_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rates.h"

/* --- values ---------------------------------------------------------------------------------------------------- */

static int bad_value(struct jag_builder *b, const char *name, const char *value, const char *expected)
{
	return jag_error_set(b->err, -EINVAL, NULL, 0, "option %s: \"%s\" is not %s", name, value, expected);
}

/* 1: a layout; 0: auto. */
static int parse_layout(struct jag_builder *b, const char *value, enum jag_layout *out)
{
	int rc = jag_layout_from_name(value, out);
	return rc < 0 ? bad_value(b, "layout", value, "auto, chw, hwc, planes or none") : rc;
}

static int parse_channels(struct jag_builder *b, const char *value, bool *bgr)
{
	*bgr = !strcmp(value, "bgr");
	return *bgr || !strcmp(value, "rgb") ? 0 : bad_value(b, "channels", value, "rgb or bgr");
}

static int parse_batch(struct jag_builder *b, const char *value, unsigned *out)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);
	if (*end || *value < '0' || *value > '9' || n > JAG_MAX_RANK)
		return bad_value(b, "batch", value, "a number of dimensions");
	*out = (unsigned)n;
	return 0;
}

int jag_leaf_options_check(struct jag_builder *b)
{
	struct jag_format_wish wish;
	enum jag_layout layout;
	unsigned batch;
	bool bgr;
	int rc = 0;
	for (size_t i = 0; i < b->format.count && rc >= 0; i++)
		rc = jag_format_wish_parse(b, b->format.items[i].value, false, &wish);
	for (size_t i = 0; i < b->layout.count && rc >= 0; i++)
		rc = parse_layout(b, b->layout.items[i].value, &layout);
	for (size_t i = 0; i < b->channels.count && rc >= 0; i++)
		rc = parse_channels(b, b->channels.items[i].value, &bgr);
	for (size_t i = 0; i < b->batch.count && rc >= 0; i++)
		rc = parse_batch(b, b->batch.items[i].value, &batch);
	return rc < 0 ? rc : 0;
}

/* --- one leaf -------------------------------------------------------------------------------------------------- */

static int read_looks(struct jag_builder *b, const struct jag_key *key, const struct jag_scope *scope,
		      struct jag_leaf_plan *plan)
{
	bool exact;
	int rc = 0;
	const char *value = jag_option_find(&b->layout, plan->path, &exact);
	plan->source = JAG_LAYOUT_GUESS;
	if (value) {
		rc = parse_layout(b, value, &plan->wanted);
		plan->source = rc == 1 ? JAG_LAYOUT_OPTION : JAG_LAYOUT_GUESS;
		plan->layout_exact = rc == 1 && exact;
	} else if (jag_recorded_keeps(scope->recorded, key->key)) {
		plan->source = JAG_LAYOUT_RECORDED;
		plan->wanted = scope->recorded->layout;
	}
	value = jag_option_find(&b->channels, plan->path, &exact);
	if (rc >= 0 && value) {
		rc = parse_channels(b, value, &plan->bgr);
		plan->bgr_exact = plan->bgr && exact;
	}
	value = jag_option_find(&b->format, plan->path, &exact);
	return rc < 0 ? rc : jag_format_wish_parse(b, value, exact, &plan->wish);
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
static bool rows_are_images(const struct jag_leaf *leaf, const struct jag_leaf_plan *plan)
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

/* A number for all leaves counts as far as each has dimensions; one for this leaf has to be right. */
static int batch_option(struct jag_builder *b, const struct jag_key *key, struct jag_leaf_plan *plan, bool *given)
{
	bool exact;
	unsigned n = 0, rank = plan->first->shape.rank;
	const char *value = jag_option_find(&b->batch, plan->path, &exact);
	*given = value != NULL;
	int rc = value ? parse_batch(b, value, &n) : 0;
	if (rc || !value || (plan->first->nested && !exact))
		return rc;
	if (exact && (plan->first->nested || key->stack))
		return jag_error_set(b->err, -EINVAL, NULL, 0,
				     "option batch: %s is %s, so its elements are numbered as they are", plan->path,
				     plan->first->nested ? "nested" : "a stack");
	if (exact && n > rank)
		return jag_error_set(b->err, -EINVAL, NULL, 0, "option batch: %s has %u dimension%s, not %u",
				     plan->path, rank, rank == 1 ? "" : "s", n);
	plan->batch = n < rank ? n : rank;
	b->batch_misfit = b->batch_misfit || n > rank;
	b->batch_fit = b->batch_fit || n <= rank;
	return 0;
}

static int decide_batch(struct jag_builder *b, const struct jag_key *key, struct jag_leaf_plan *plan)
{
	const struct jag_leaf *leaf = plan->first;
	bool given;
	int rc = batch_option(b, key, plan, &given);
	if (rc || leaf->nested || leaf->shape.rank == 0)
		return rc;
	if (!given) {
		plan->batch = stated_batch(leaf);
		if (plan->batch == 0 && rows_are_images(leaf, plan))
			plan->batch = 1;
	}
	plan->unbatched = plan->batch == 0;
	if (plan->unbatched)
		plan->batch = 1; /* K/ resolves all the same */
	return 0;
}

int jag_leaf_plan_read(struct jag_builder *b, const struct jag_key *key, const struct jag_scope *scope,
		       struct jag_leaf_plan *plan)
{
	plan->path = scope->path && !*scope->path ? "." : scope->path;
	int rc = read_looks(b, key, scope, plan);
	return rc ? rc : decide_batch(b, key, plan);
}

/* --- what came of it ------------------------------------------------------------------------------------------- */

/* Does it show some element as an image under the layout? One without elements would. */
static bool shows_images(const struct jag_object *object, enum jag_layout layout)
{
	const unsigned images = 1U << JAG_FORMAT_PNM | 1U << JAG_FORMAT_PAM | 1U << JAG_FORMAT_PNG;
	return object->look.layout == layout && layout != JAG_LAYOUT_NONE &&
	       ((object->formats & images) || jag_sequence_count(object->seq) == 0);
}

static bool leaf_shows_images(const struct jag_builder *b, const struct jag_key *key, enum jag_layout layout)
{
	const struct jag_object *objects = b->tree->objects;
	return (key->dir && shows_images(&objects[key->dir], layout)) ||
	       (key->file && shows_images(&objects[key->file], layout));
}

/* In the order in which the one that cannot be explains itself: "NAME: VALUE does not fit KEY (WHY)". */
int jag_leaf_plan_check(struct jag_builder *b, const struct jag_key *key, const struct jag_leaf_plan *plan)
{
	const struct jag_object *objects = b->tree->objects;
	const struct jag_codec *codec = plan->wish.codec;
	const char *why = key->dir ? objects[key->dir].why : "a single value";
	const char *name = NULL, *value = NULL;
	if (codec && plan->wish.exact && !(key->dir && objects[key->dir].codec == codec) &&
	    !(key->file && objects[key->file].codec == codec)) {
		name = "format";
		value = plan->wish.text;
	} else if (plan->layout_exact && plan->wanted != JAG_LAYOUT_NONE && !leaf_shows_images(b, key, plan->wanted)) {
		name = "layout";
		value = jag_layout_name(plan->wanted);
		if (key->dir && objects[key->dir].look.layout == plan->wanted)
			why = "no element has 1 to 4 channels in it";
	} else if (jag_rates_missed(b, key, plan->path)) {
		name = "rate";
		value = "wav";
		why = "neither the elements nor the whole are samples of rank 1 or [C,T]";
	} else if (plan->bgr_exact && !leaf_shows_images(b, key, JAG_LAYOUT_CHW) &&
		   !leaf_shows_images(b, key, JAG_LAYOUT_HWC)) {
		name = "channels";
		value = "bgr";
	}
	return name ? jag_error_set(b->err, -EINVAL, NULL, 0, "option %s: %s does not fit %s (%s)", name, value,
				    plan->path, why)
		    : 0;
}
