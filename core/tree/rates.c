/* SPDX-License-Identifier: MIT */
/* rates.c - the option `rate`: a number of Hz, or the path of a leaf that has it. A leaf is read once, when the tree is
 * opened, like all else that names and headers follow from; where its values differ, a byte for each element says which
 * of them it is. So there are 256 at most, more than sampling rates in use.
 */
#include "rates.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jag/scalar.h"
#include "parts.h"

#define VALUES_MAX 256
#define BLOCK_NBYTES 65536

struct jag_rates {
	const char *text;            /* as the user wrote it */
	uint32_t values[VALUES_MAX]; /* each once */
	unsigned value_count;
	uint64_t count; /* of elements that it is for; 0: any, they all have the one value */
	bool taken;     /* some leaf of sounds has so many elements */
	uint8_t *which; /* of each; NULL where there is but one value */
};

static int refuse(struct jag_builder *b, const char *text, const char *why)
{
	return jag_error_set(b->err, -EINVAL, NULL, 0, "option rate: %s %s", text, why);
}

/* --- the leaf -------------------------------------------------------------------------------------------------- */

/* One value for each element, whatever the leaf's shape is: a dense one as it lies, else element by element. */
static int sequence_of(const struct jag_key *key, struct jag_sequence **seq, bool *whole)
{
	for (size_t i = 0; i < key->entry_count; i++)
		if (key->entries[i]->type != JAG_ENTRY_LEAF || key->entries[i]->leaf->fault)
			return -EINVAL;
	*whole = !key->entries[0]->leaf->nested && !key->stack;
	return jag_part_sequence(key, *whole ? JAG_PART_WHOLE : JAG_PART_ELEMENTS, 1, seq);
}

/* Value number i of the leaf. */
static int add_value(struct jag_builder *b, struct jag_rates *rates, uint64_t i, const struct jag_scalar *value)
{
	if (value->kind != JAG_SCALAR_INT || value->i < 1 || value->i > UINT32_MAX)
		return jag_error_set(b->err, -EINVAL, NULL, 0,
				     "option rate: value %" PRIu64 " of %s is not from 1 to 4294967295", i,
				     rates->text);
	unsigned n = 0;
	while (n < rates->value_count && rates->values[n] != (uint32_t)value->i)
		n++;
	if (n == VALUES_MAX)
		return refuse(b, rates->text, "has more than 256 different values");
	rates->values[n] = (uint32_t)value->i;
	rates->value_count += n == rates->value_count;
	rates->which[i] = (uint8_t)n;
	return 0;
}

/* The items of one element are the values from number *i on. */
static int add_element(struct jag_builder *b, struct jag_rates *rates, const struct jag_element *element, uint64_t *i)
{
	uint8_t block[BLOCK_NBYTES];
	const enum jag_dtype dtype = element->shape.dtype;
	const size_t itemsize = jag_dtype_info(dtype)->itemsize;
	for (uint64_t at = 0; at < element->nbytes; at += sizeof(block)) {
		size_t n = element->nbytes - at < sizeof(block) ? (size_t)(element->nbytes - at) : sizeof(block);
		int rc = jag_element_read(element, block, n, at);
		if (rc)
			return jag_error_set(b->err, rc, jag_element_path(element), 0, "the rates cannot be read: %s",
					     strerror(-rc));
		for (size_t k = 0; k < n; k += itemsize) {
			struct jag_scalar value;
			rc = jag_scalar_load(dtype, block + k, &value);
			if (rc == 0)
				rc = add_value(b, rates, (*i)++, &value);
			if (rc)
				return rc;
		}
	}
	return 0;
}

static int read_values(struct jag_builder *b, struct jag_rates *rates, const struct jag_sequence *seq, bool whole)
{
	const enum jag_dtype_kind kind = jag_dtype_info(jag_sequence_dtype(seq))->kind;
	uint64_t total = jag_sequence_count(seq), numel, at = 0;
	struct jag_element element;
	if (kind != JAG_KIND_INT && kind != JAG_KIND_UINT)
		return refuse(b, rates->text, "does not hold integers");
	int rc = whole ? jag_sequence_locate(seq, 0, &element) : 0;
	if (rc == 0 && whole)
		rc = jag_shape_numel(&element.shape, &total);
	if (rc || total >= JAG_INDEX_LIMIT)
		return refuse(b, rates->text, "cannot be read");
	if (total == 0)
		return refuse(b, rates->text, "is empty");
	rates->which = jag_tree_alloc(b->tree, (size_t)total);
	if (!rates->which)
		return -ENOMEM;
	for (uint64_t i = 0; i < jag_sequence_count(seq); i++) {
		rc = jag_sequence_locate(seq, i, &element);
		if (rc || (!whole && (jag_shape_numel(&element.shape, &numel) || numel != 1)))
			return refuse(b, rates->text, "does not have one value for each element");
		rc = add_element(b, rates, &element, &at);
		if (rc)
			return rc;
	}
	rates->count = total == 1 ? 0 : total;
	return 0;
}

static int read_leaf(struct jag_builder *b, struct jag_rates *rates, const char *path)
{
	struct jag_keys keys = { 0 };
	const struct jag_key *key;
	struct jag_sequence *seq = NULL;
	bool whole;
	size_t notes = b->tree->note_count;
	int rc = jag_keys_find(b, path, &keys, &key);
	if (rc == 0) {
		rc = sequence_of(key, &seq, &whole);
		if (rc == -EINVAL)
			refuse(b, rates->text, "is no tensor that can be read");
	}
	if (rc == 0)
		rc = read_values(b, rates, seq, whole);
	jag_sequence_free(seq);
	jag_keys_free(&keys);
	while (b->tree->note_count > notes) /* the tree itself makes them again */
		free(b->tree->notes[--b->tree->note_count]);
	return rc;
}

/* --- the option ------------------------------------------------------------------------------------------------ */

static bool is_number(const char *text)
{
	return strspn(text, "+-.0123456789") == strlen(text);
}

static int read_number(struct jag_builder *b, struct jag_rates *rates)
{
	const char *text = rates->text;
	uint64_t value = 0;
	for (const char *p = text; *p && value <= UINT32_MAX; p++) {
		if (*p < '0' || *p > '9')
			return refuse(b, text, "is not a whole number of Hz");
		value = value * 10 + (uint64_t)(*p - '0');
	}
	if (value < 1 || value > UINT32_MAX)
		return refuse(b, text, "is not from 1 to 4294967295");
	rates->values[0] = (uint32_t)value;
	rates->value_count = 1;
	return 0;
}

/* The path is one of the mount, else of the store. */
static int read_item(struct jag_builder *b, struct jag_rates *rates, const char *subpath)
{
	char *inner = NULL;
	int rc = -ENOENT;
	if (is_number(rates->text))
		return read_number(b, rates);
	if (*subpath) {
		inner = jag_tree_alloc(b->tree, strlen(subpath) + strlen(rates->text) + 2);
		if (!inner)
			return -ENOMEM;
		strcpy(inner, subpath);
		strcat(inner, "/");
		strcat(inner, rates->text);
		rc = read_leaf(b, rates, inner);
	}
	if (rc == -ENOENT)
		rc = read_leaf(b, rates, rates->text);
	if (rc == -ENOENT)
		return refuse(b, rates->text, "is neither a number of Hz nor a leaf of the store");
	return rc;
}

int jag_rates_read(struct jag_builder *b, const char *subpath)
{
	for (size_t i = 0; i < b->rate.count; i++) {
		struct jag_rates *rates = jag_tree_alloc(b->tree, sizeof(*rates));
		if (!rates)
			return -ENOMEM;
		rates->text = jag_tree_strdup(b->tree, b->rate.items[i].value);
		if (!rates->text)
			return -ENOMEM;
		int rc = read_item(b, rates, subpath + strspn(subpath, "/"));
		if (rc)
			return rc;
		b->rates[i] = rates;
	}
	return 0;
}

static struct jag_rates *rates_for(struct jag_builder *b, const char *path, bool *exact)
{
	const char *value = jag_option_find(&b->rate, path, exact);
	for (size_t i = 0; value && i < b->rate.count; i++)
		if (b->rate.items[i].value == value)
			return b->rates[i];
	return NULL;
}

static int give_each(struct jag_builder *b, const struct jag_rates *rates, struct jag_object *object)
{
	object->looks = jag_tree_alloc(b->tree, rates->value_count * sizeof(*object->looks));
	if (!object->looks)
		return -ENOMEM;
	for (unsigned i = 0; i < rates->value_count; i++) {
		object->looks[i] = object->look;
		object->looks[i].rate = rates->values[i];
	}
	object->look_of = rates->which;
	return 0;
}

/* Could its elements be .wav files, if there were a rate? */
static bool is_sound(const struct jag_object *object)
{
	const struct jag_look look = { .rate = 1 };
	const struct jag_shape one = { .dtype = jag_sequence_dtype(object->seq), .rank = 1, .dims = { 1 } };
	int rank = jag_sequence_rank(object->seq);
	return rank != 0 && rank <= 2 && jag_codec_by_format(JAG_FORMAT_WAV)->suffix(&one, &look);
}

int jag_rates_give(struct jag_builder *b, const char *path, struct jag_object *object)
{
	bool exact;
	struct jag_rates *rates = rates_for(b, path, &exact);
	if (!rates)
		return 0;
	bool same = rates->value_count == 1;
	if (object->kind != JAG_OBJECT_ELEMENTS) {
		object->look.rate = same ? rates->values[0] : 0;
		return 0;
	}
	if (rates->count && rates->count != object->count)
		return exact ? jag_error_set(b->err, -EINVAL, NULL, 0,
					     "option rate: %s has %" PRIu64 " values, %s has %" PRIu64 " elements",
					     rates->text, rates->count, path, object->count)
			     : 0;
	rates->taken = rates->taken || is_sound(object);
	object->look.rate = rates->values[0];
	return same ? 0 : give_each(b, rates, object);
}

bool jag_rates_missed(struct jag_builder *b, const struct jag_key *key, const char *path)
{
	bool exact;
	return rates_for(b, path, &exact) && exact && !(key->dir && is_sound(&b->tree->objects[key->dir])) &&
	       !(key->file && is_sound(&b->tree->objects[key->file]));
}

int jag_rates_check(const struct jag_builder *b)
{
	for (size_t i = 0; i < b->rate.count; i++)
		if (b->rates[i]->count && !b->rates[i]->taken)
			return jag_error_set(b->err, -EINVAL, NULL, 0,
					     "option rate: %s has %" PRIu64
					     " values, and no leaf of sounds has so many elements",
					     b->rates[i]->text, b->rates[i]->count);
	return 0;
}
