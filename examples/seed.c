/* SPDX-License-Identifier: MIT */
/* seed.c - the script that jagfs grew from, in C: preallocate one nested uint8 tensor from a matrix of shapes, fill it in
 * parallel with decoded images, then map every element through a resize into a second, dense store.
 *
 * usage: seed STORE SMALL IMAGE... */
#include <stdio.h>
#include <stdlib.h>

#include "jag/image_file.h"
#include "jag/map.h"
#include "jag/resize.h"

#define THEN(call) (rc = rc ? rc : (call))

/* Image file -> element [3, H, W]. Runs on several threads; item->out is the element's bytes. */
static int decode(void *names, struct jag_map_item *item, struct jag_error *err)
{
	struct jag_image image = { 0 };
	int rc = jag_image_decode_file(((char **)names)[item->index], JAG_MODE_RGB, 8, NULL, &image, err);
	THEN(jag_image_planes(&image, item->out, item->out_nbytes));
	jag_image_free(&image);
	return rc;
}

/* Element [3, H, W] -> element [3, 32, 32]. Each worker has a resizer of its own. */
static int shrink(void *resizers, struct jag_map_item *item, struct jag_error *err)
{
	struct jag_resizer **resizer = (struct jag_resizer **)resizers + item->worker;
	const struct jag_resize_spec spec = { .rule = JAG_SIZE_EXACT, .height = 32, .width = 32 };
	const struct jag_pixels pixels = { JAG_UINT8, 3, JAG_LAYOUT_CHW, JAG_LAYOUT_CHW };
	const int64_t *dims = item->in.shape->dims;
	struct jag_resize_plan plan;
	int rc = *resizer ? 0 : jag_resizer_create(resizer);
	THEN(jag_resize_plan(&spec, (uint32_t)dims[1], (uint32_t)dims[2], &plan));
	THEN(jag_resize(*resizer, &plan, &pixels, item->in.data, item->out));
	return rc ? jag_error_set(err, rc, NULL, 0, "cannot be resized") : 0;
}

int main(int argc, char **argv)
{
	int n = argc > 3 ? argc - 3 : 0, rc = 0;
	struct jag_create *made[2] = { NULL, NULL };
	struct jag_create_leaf *leaf;
	struct jag_sequence *images = NULL, *icons = NULL;
	struct jag_resizer *resizers[2] = { NULL, NULL };
	struct jag_error err = { 0 };
	int64_t *shapes = calloc((size_t)n + 1, 3 * sizeof(*shapes));
	for (int i = 0; shapes && i < n && !rc; i++) {
		struct jag_image_info info = { 0 };
		rc = jag_image_probe_file(argv[3 + i], NULL, &info, &err);
		shapes[3 * i] = 3, shapes[3 * i + 1] = info.height, shapes[3 * i + 2] = info.width;
	}
	const struct jag_rows rows = { .count = (uint64_t)n, .rank = 3, .values = shapes };
	const struct jag_shape icon = { JAG_UINT8, 4, { n, 3, 32, 32 } };
	THEN(n && shapes ? 0 : jag_error_set(&err, -1, "usage", 0, "seed STORE SMALL IMAGE..."));
	THEN(jag_create_new(argv[1], 0, &made[0], &err));
	THEN(jag_create_nested(jag_create_root(made[0]), "image", JAG_UINT8, &rows, &leaf, &err));
	THEN(jag_create_sequence(made[0], "image", &images, &err));
	THEN(jag_map(&(struct jag_map){ .destination = images, .call = decode, .ctx = argv + 3, .workers = 2 }, &err));
	THEN(jag_create_new(argv[2], 0, &made[1], &err));
	THEN(jag_create_dense(jag_create_root(made[1]), "image", &icon, &leaf, &err));
	THEN(jag_create_sequence(made[1], "image", &icons, &err));
	THEN(jag_map(&(struct jag_map){ images, icons, shrink, resizers, .workers = 2 }, &err));
	jag_sequence_free(images);
	jag_sequence_free(icons);
	for (int i = 0; i < 2; i++) {
		jag_resizer_destroy(resizers[i]);
		rc ? jag_create_discard(made[i]) : (void)THEN(jag_create_finish(made[i], &err));
	}
	free(shapes);
	return rc ? fprintf(stderr, "seed: %s: %s\n", err.path, err.message), 1 : 0;
}
