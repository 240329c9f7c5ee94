/* SPDX-License-Identifier: MIT */
/* list.c - a sequence of byte strings as one JSON list: the elements are read in runs that lie side by side in a file,
 * because there are millions of them and each is a few bytes. */
#include "list.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "cleanup.h"
#include "jag/json_quote.h"

#define RUN_NBYTES (1U << 20)
#define BULK_COUNT 4096
#define FLUSH_NBYTES (1U << 18)

struct lister {
	struct jag_locks *locks;
	const struct jag_text_list *list;
	struct jag_buffer *out; /* measuring: emptied into the hash now and then */
	XXH3_state_t *state;    /* NULL: not measuring */
	uint64_t nbytes;        /* of what has been emptied */

	struct jag_place run; /* its element spans `count` elements, whose sizes are `sizes` */
	size_t count;
	size_t sizes[BULK_COUNT];
	bool has_matrix;
	struct jag_element matrix; /* of sizes */
	uint64_t odd_until;        /* elements below it are taken one by one */
	struct jag_buffer bytes;
};

static void empty(struct lister *l)
{
	XXH3_64bits_update(l->state, l->out->data, l->out->nbytes);
	l->nbytes += l->out->nbytes;
	l->out->nbytes = 0;
}

/* The run as strings. */
static int emit_run(struct lister *l)
{
	bool first = l->nbytes + l->out->nbytes == 1;
	size_t at = 0;
	int rc = 0;
	for (size_t i = 0; i < l->count && rc == 0; i++) {
		if (!first)
			rc = jag_buffer_append(l->out, ",", 1);
		first = false;
		if (rc == 0)
			rc = jag_json_quote(l->out, (const char *)l->bytes.data + at, l->sizes[i], JAG_JSON_SURROGATE);
		rc = rc < 0 ? rc : 0; /* 1: not all of it is UTF-8 */
		at += l->sizes[i];
		if (l->nbytes + l->out->nbytes > JAG_LIST_NBYTES_MAX)
			rc = -EFBIG;
		if (rc == 0 && l->state && l->out->nbytes >= FLUSH_NBYTES)
			empty(l);
	}
	return rc;
}

/* A run is locked like a whole tensor, which covers many elements: no commit of one of them can be seen half done. */
static int end_run(struct lister *l)
{
	struct jag_element *element = &l->run.element;
	size_t nbytes = (size_t)element->nbytes;
	l->bytes.nbytes = 0;
	int rc = jag_buffer_reserve(&l->bytes, nbytes ? nbytes : 1);
	if (rc == 0 && nbytes) {
		element->pieces = &element->one;
		jag_locks_shared(l->locks, &l->run);
		rc = jag_element_read(element, l->bytes.data, nbytes, 0);
		jag_locks_release(l->locks, &l->run);
	}
	if (rc == 0)
		rc = emit_run(l);
	return rc;
}

/* The elements from `first` on, at most `n`, as one run, by their sizes in the shape matrix: locating each would read 64
 * of its rows each time. Returns their number; 0: these do not lie side by side as the matrix says. */
static size_t bulk_run(struct lister *l, uint64_t first, size_t n)
{
	int64_t sizes[BULK_COUNT];
	struct jag_element last, *run = &l->run.element;
	uint64_t total = 0;
	size_t count = 0;
	if (!l->has_matrix || jag_element_read(&l->matrix, sizes, n * sizeof(*sizes), first * sizeof(*sizes)))
		return 0;
	while (count < n && sizes[count] >= 0 && total + (uint64_t)sizes[count] <= RUN_NBYTES) {
		total += (uint64_t)sizes[count];
		l->sizes[count] = (size_t)sizes[count];
		count++;
	}
	if (count < 2 || jag_sequence_locate(l->list->elements, first, run) ||
	    jag_sequence_locate(l->list->elements, first + count - 1, &last) || run->piece_count != 1 ||
	    last.piece_count != 1 || last.one.file != run->one.file ||
	    last.one.offset + last.one.nbytes != run->one.offset + total)
		return 0;
	run->one.nbytes = run->nbytes = total;
	l->count = count;
	return count;
}

static int single_run(struct lister *l, uint64_t i)
{
	int rc = jag_sequence_locate(l->list->elements, i, &l->run.element);
	if (rc == 0 && l->run.element.nbytes > JAG_LIST_NBYTES_MAX)
		rc = -EFBIG;
	l->sizes[0] = (size_t)l->run.element.nbytes;
	l->count = 1;
	return rc;
}

static int list_all(struct lister *l)
{
	uint64_t count = jag_sequence_count(l->list->elements), i = 0;
	int rc = jag_buffer_append(l->out, "[", 1);
	while (i < count && rc == 0) {
		size_t n = count - i < BULK_COUNT ? (size_t)(count - i) : BULK_COUNT;
		size_t taken = i < l->odd_until ? 0 : bulk_run(l, i, n);
		if (taken == 0) {
			/* one by one as far as this look went, or it would be repeated for each of them */
			l->odd_until = i < l->odd_until ? l->odd_until : i + n;
			rc = single_run(l, i);
			taken = 1;
		}
		if (rc == 0)
			rc = end_run(l);
		i += taken;
	}
	return rc ? rc : jag_buffer_append(l->out, "]\n", 2);
}

static int run_lister(struct jag_locks *locks, const struct jag_text_list *list, struct jag_buffer *out,
		      XXH3_state_t *state, uint64_t *nbytes)
{
	struct lister *l JAG_AUTO_FREE = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->locks = locks;
	l->list = list;
	l->out = out;
	l->state = state;
	l->has_matrix = list->sizes && jag_sequence_locate(list->sizes, 0, &l->matrix) == 0 &&
			l->matrix.nbytes / sizeof(int64_t) == jag_sequence_count(list->elements);
	int rc = list_all(l);
	if (rc == 0 && state)
		empty(l);
	*nbytes = l->nbytes;
	jag_buffer_free(&l->bytes);
	return rc;
}

int jag_list_measure(struct jag_locks *locks, const struct jag_text_list *list, uint64_t *nbytes, uint64_t *hash)
{
	struct jag_buffer block = { 0 };
	XXH3_state_t *state = XXH3_createState();
	if (!state)
		return -ENOMEM;
	XXH3_64bits_reset(state);
	int rc = run_lister(locks, list, &block, state, nbytes);
	*hash = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	jag_buffer_free(&block);
	return rc;
}

int jag_list_encode(struct jag_locks *locks, const struct jag_text_list *list, struct jag_buffer *out)
{
	uint64_t unused;
	return run_lister(locks, list, out, NULL, &unused);
}
