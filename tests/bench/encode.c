/* SPDX-License-Identifier: MIT */
/* encode.c - what encoding costs without a filesystem around it: every element of STORE/KEY through one codec, on one
 * thread, and a memcpy of the same bytes.
 *
 * usage: encode STORE KEY FORMAT
 *
 * All elements are in memory beforehand; output buffers are reused. Prints the nanoseconds of the encoder and of
 * memcpy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "jag/codec.h"
#include "jag/sequence.h"

struct load {
	struct jag_sequence *seq;
	uint64_t count;
	struct jag_shape *shapes;
	uint64_t *offsets; /* in `bytes`; offsets[count] is the end */
	uint8_t *bytes;
	uint64_t max_nbytes;
};

/* Shapes and offsets first, then all bytes into one block. */
static int load_elements(struct load *load)
{
	load->count = jag_sequence_count(load->seq);
	load->shapes = calloc(load->count, sizeof(*load->shapes));
	load->offsets = calloc(load->count + 1, sizeof(*load->offsets));
	if (!load->shapes || !load->offsets)
		return -1;
	struct jag_element element;
	for (uint64_t i = 0; i < load->count; i++) {
		if (jag_sequence_locate(load->seq, i, &element) < 0)
			return -1;
		jag_shape_copy(&load->shapes[i], &element.shape);
		load->offsets[i + 1] = load->offsets[i] + element.nbytes;
		if (element.nbytes > load->max_nbytes)
			load->max_nbytes = element.nbytes;
	}
	load->bytes = malloc(load->offsets[load->count] + 1);
	if (!load->bytes)
		return -1;
	for (uint64_t i = 0; i < load->count; i++)
		if (jag_sequence_locate(load->seq, i, &element) < 0 ||
		    jag_element_read(&element, load->bytes + load->offsets[i], element.nbytes, 0) < 0)
			return -1;
	return 0;
}

static uint64_t time_encoder(const struct load *load, const struct jag_codec *codec, const struct jag_look *look)
{
	struct jag_buffer out = { 0 };
	uint64_t start = now_ns();
	for (uint64_t i = 0; i < load->count; i++) {
		struct jag_view view = { &load->shapes[i], load->bytes + load->offsets[i],
					 load->offsets[i + 1] - load->offsets[i] };
		out.nbytes = 0;
		int rc = codec->encode(&view, look, &out);
		if (rc < 0) {
			fprintf(stderr, "element %" PRIu64 ": %s\n", i, strerror(-rc));
			exit(1);
		}
	}
	uint64_t elapsed = now_ns() - start;
	jag_buffer_free(&out);
	return elapsed;
}

static uint64_t time_memcpy(const struct load *load)
{
	uint8_t *out = malloc(load->max_nbytes + 1);
	if (!out)
		exit(1);
	memset(out, 0, load->max_nbytes + 1);
	uint64_t start = now_ns();
	for (uint64_t i = 0; i < load->count; i++) {
		memcpy(out, load->bytes + load->offsets[i], load->offsets[i + 1] - load->offsets[i]);
		__asm__ volatile("" : : "r"(out) : "memory"); /* the copy must happen */
	}
	uint64_t elapsed = now_ns() - start;
	free(out);
	return elapsed;
}

static int open_sequence(const char *path, const char *key, struct jag_store **store, struct jag_sequence **seq)
{
	struct jag_error err = { 0 };
	struct jag_entry entry;
	if (jag_store_open(path, 0, store, &err) < 0) {
		fprintf(stderr, "%s: %s\n", path, err.message);
		return -1;
	}
	if (jag_store_find(*store, key, &entry) < 0 || entry.type != JAG_ENTRY_LEAF) {
		fprintf(stderr, "%s: no leaf %s\n", path, key);
		return -1;
	}
	return jag_sequence_of_leaf(entry.leaf, 1, seq);
}

int main(int argc, char **argv)
{
	struct load load = { 0 };
	struct jag_store *store = NULL;
	struct jag_look look;
	if (argc != 4) {
		fprintf(stderr, "usage: encode STORE KEY FORMAT\n");
		return 2;
	}
	const struct jag_codec *codec = jag_codec_by_name(argv[3], strlen(argv[3]));
	if (!codec || !codec->encode) {
		fprintf(stderr, "%s: no format that is encoded\n", argv[3]);
		return 2;
	}
	jag_look_default(&look);
	look.layout = JAG_LAYOUT_CHW;
	if (open_sequence(argv[1], argv[2], &store, &load.seq) < 0 || load_elements(&load) < 0)
		return 1;
	time_memcpy(&load); /* warm */
	uint64_t copy = time_memcpy(&load), encode = time_encoder(&load, codec, &look);
	copy = (copy + time_memcpy(&load)) / 2;
	printf("%" PRIu64 " %" PRIu64 "\n", encode, copy);
	jag_sequence_free(load.seq);
	jag_store_close(store);
	free(load.shapes);
	free(load.offsets);
	free(load.bytes);
	return 0;
}
