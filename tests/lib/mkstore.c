/* SPDX-License-Identifier: MIT */
/* mkstore.c - write a small tensordict store by hand, with content that follows from a formula.
 *
 * usage: mkstore DIR [COUNT [HEIGHT WIDTH]]      (default: 12 elements, 20 high and 30 wide at most)
 *
 *   image       nested uint8 [3, H-i%5, W-i%7], smooth with a little noise; element 0 is [3, HEIGHT, WIDTH]
 *   label       dense int64 [COUNT]: 10 * i
 *   signal      nested float32 [4+i%3]
 *   obs/pixels  dense uint8 [COUNT, 8, 9, 3]
 *
 * Bytes are written straight, without the library that is to be tested. Prints one line for each image:
 * INDEX OFFSET NBYTES CHANNELS HEIGHT WIDTH. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void die(const char *what)
{
	fprintf(stderr, "mkstore: %s: %s\n", what, strerror(errno));
	exit(1);
}

static FILE *create(const char *dir, const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *file = fopen(path, "w");
	if (!file)
		die(path);
	return file;
}

static void finish(FILE *file)
{
	if (fclose(file) != 0)
		die("write");
}

static void put_int64(FILE *file, int64_t value)
{
	for (int i = 0; i < 8; i++)
		fputc((int)((uint64_t)value >> (8 * i) & 255), file);
}

static void put_float(FILE *file, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	for (int i = 0; i < 4; i++)
		fputc((int)(bits >> (8 * i) & 255), file);
}

static void make_dir(const char *dir)
{
	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		die(dir);
}

static void write_images(const char *dir, long count, long height, long width)
{
	FILE *data = create(dir, "image.memmap"), *shapes = create(dir, "image.shape.memmap");
	uint64_t offset = 0;
	uint32_t noise = 1;
	for (long i = 0; i < count; i++) {
		long h = height - i % 5, w = width - i % 7;
		put_int64(shapes, 3);
		put_int64(shapes, h);
		put_int64(shapes, w);
		for (long c = 0; c < 3; c++)
			for (long y = 0; y < h; y++)
				for (long x = 0; x < w; x++) {
					noise = noise * 1664525 + 1013904223;
					fputc((int)((i * 20 + c * 60 + y * 3 + x * 2 + (long)(noise >> 29)) & 255),
					      data);
				}
		printf("%ld %" PRIu64 " %ld 3 %ld %ld\n", i, offset, 3 * h * w, h, w);
		offset += (uint64_t)(3 * h * w);
	}
	finish(data);
	finish(shapes);
}

static void write_rest(const char *dir, long count)
{
	char path[4096];
	FILE *label = create(dir, "label.memmap");
	for (long i = 0; i < count; i++)
		put_int64(label, 10 * i);
	finish(label);

	FILE *signal = create(dir, "signal.memmap"), *shapes = create(dir, "signal.shape.memmap");
	for (long i = 0; i < count; i++) {
		put_int64(shapes, 4 + i % 3);
		for (long k = 0; k < 4 + i % 3; k++)
			put_float(signal, (float)i + (float)k / 8);
	}
	finish(signal);
	finish(shapes);

	snprintf(path, sizeof(path), "%s/obs", dir);
	make_dir(path);
	FILE *pixels = create(path, "pixels.memmap");
	for (long i = 0; i < count * 8 * 9 * 3; i++)
		fputc((int)(i * 7 & 255), pixels);
	finish(pixels);
	FILE *meta = create(path, "meta.json");
	fprintf(meta,
		"{\"pixels\": {\"device\": \"cpu\", \"shape\": [%ld, 8, 9, 3], \"dtype\": \"torch.uint8\", "
		"\"is_nested\": false}, \"shape\": [%ld], \"device\": \"cpu\", "
		"\"_type\": \"<class 'tensordict._td.TensorDict'>\"}\n",
		count, count);
	finish(meta);
}

static void write_meta(const char *dir, long count)
{
	FILE *meta = create(dir, "meta.json");
	fprintf(meta,
		"{\"image\": {\"device\": \"cpu\", \"shape\": [%ld, 3], \"dtype\": \"torch.uint8\", \"is_nested\": "
		"true}, "
		"\"label\": {\"device\": \"cpu\", \"shape\": [%ld], \"dtype\": \"torch.int64\", \"is_nested\": false}, "
		"\"signal\": {\"device\": \"cpu\", \"shape\": [%ld, 1], \"dtype\": \"torch.float32\", \"is_nested\": "
		"true}, "
		"\"obs\": {\"type\": \"TensorDict\"}, \"shape\": [%ld], \"device\": \"cpu\", "
		"\"_type\": \"<class 'tensordict._td.TensorDict'>\"}\n",
		count, count, count, count);
	finish(meta);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: mkstore DIR [COUNT [HEIGHT WIDTH]]\n");
		return 2;
	}
	long count = argc > 2 ? atol(argv[2]) : 12;
	long height = argc > 4 ? atol(argv[3]) : 20, width = argc > 4 ? atol(argv[4]) : 30;
	make_dir(argv[1]);
	write_images(argv[1], count, height, width);
	write_rest(argv[1], count);
	write_meta(argv[1], count);
	return 0;
}
