/* SPDX-License-Identifier: MIT */
/* image_samples.h - the sample images of tests/fixtures/images and what is known of each. */
#ifndef JAG_TESTS_IMAGE_SAMPLES_H
#define JAG_TESTS_IMAGE_SAMPLES_H

#include "codec_helpers.h"

#include <stdio.h>

#include "jag/image.h"

struct image_vector {
	const char *name;
	uint32_t width, height;
	unsigned channels, depth, orientation;
	uint32_t crc[3]; /* of the pixels as RGB, gray, RGBA: the order of enum jag_mode */
	bool cmyk, palette, interlaced, progressive, alpha;
};

#include "image_vectors.h"

#define SAMPLE_COUNT (sizeof(image_vectors) / sizeof(image_vectors[0]))

/* The file's bytes; jag_buffer_free() them. */
static inline struct jag_buffer sample_file(const char *name)
{
	char path[512];
	struct jag_buffer out = { 0 };
	snprintf(path, sizeof(path), JAG_TEST_SOURCE "/fixtures/images/%s", name);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("no sample %s", path);
	uint8_t part[4096];
	for (size_t n; (n = fread(part, 1, sizeof(part), f)) > 0;)
		assert_int_equal(jag_buffer_append(&out, part, n), 0);
	fclose(f);
	return out;
}

#endif
