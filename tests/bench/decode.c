/* SPDX-License-Identifier: MIT */
/* decode.c - what decoding JPEG files costs with libjpeg-turbo alone, and PNG files with libpng: the peer of `jagfs
 * pack` and of commits.
 *
 * usage: decode THREADS < LIST      LIST: paths of JPEG or PNG files, NUL-separated
 *
 * The files are in memory beforehand; every thread decodes into one row buffer of its own. Prints the nanoseconds. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

#include "clock.h"

struct file {
	uint8_t *bytes;
	size_t nbytes;
};

static struct file *files;
static size_t file_count;
static atomic_size_t next_file;

static int read_file(const char *path, struct file *out)
{
	FILE *in = fopen(path, "rb");
	if (!in || fseek(in, 0, SEEK_END) < 0)
		return -1;
	long size = ftell(in);
	rewind(in);
	out->nbytes = size < 0 ? 0 : (size_t)size;
	out->bytes = malloc(out->nbytes + 1);
	size_t got = out->bytes ? fread(out->bytes, 1, out->nbytes, in) : 0;
	fclose(in);
	return got == out->nbytes && got > 0 ? 0 : -1;
}

static int read_list(void)
{
	char *path = NULL;
	size_t capacity = 0;
	while (getdelim(&path, &capacity, '\0', stdin) > 0) {
		struct file *grown = realloc(files, (file_count + 1) * sizeof(*files));
		if (!grown || read_file(path, &grown[file_count]) < 0) {
			fprintf(stderr, "%s: cannot read\n", path);
			return -1;
		}
		files = grown;
		file_count++;
	}
	free(path);
	return 0;
}

static void make_room(size_t need, uint8_t **pixels, size_t *capacity)
{
	if (need <= *capacity)
		return;
	free(*pixels);
	*pixels = malloc(need);
	*capacity = need;
	if (!*pixels)
		exit(1);
}

static void take_bytes(png_structp png, png_bytep out, png_size_t n)
{
	struct file *rest = png_get_io_ptr(png);
	if (n > rest->nbytes)
		png_error(png, "ends too early");
	memcpy(out, rest->bytes, n);
	rest->bytes += n;
	rest->nbytes -= n;
}

/* Row by row, without any transformation; libpng's own error exit is right for a benchmark. */
static void decode_png(const struct file *file, uint8_t **pixels, size_t *capacity)
{
	struct file rest = *file;
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	png_set_read_fn(png, &rest, take_bytes);
	png_read_info(png, info);
	size_t stride = png_get_rowbytes(png, info), height = png_get_image_height(png, info);
	make_room(stride * height, pixels, capacity);
	for (size_t y = 0; y < height; y++)
		png_read_row(png, *pixels + y * stride, NULL);
	png_read_end(png, NULL);
	png_destroy_read_struct(&png, &info, NULL);
}

/* The whole image, as pack needs it, into `pixels`, which grows. libjpeg's own error exit is right for a benchmark. */
static void decode_jpg(const struct file *file, uint8_t **pixels, size_t *capacity)
{
	struct jpeg_decompress_struct jpeg;
	struct jpeg_error_mgr errors;
	jpeg.err = jpeg_std_error(&errors);
	jpeg_create_decompress(&jpeg);
	jpeg_mem_src(&jpeg, file->bytes, file->nbytes);
	jpeg_read_header(&jpeg, TRUE);
	jpeg.out_color_space = JCS_RGB;
	jpeg_start_decompress(&jpeg);
	size_t stride = (size_t)jpeg.output_width * 3, need = stride * jpeg.output_height;
	make_room(need, pixels, capacity);
	while (jpeg.output_scanline < jpeg.output_height) {
		JSAMPROW rows[4];
		for (unsigned i = 0; i < 4; i++)
			rows[i] = *pixels + stride * (jpeg.output_scanline + i < jpeg.output_height
							      ? jpeg.output_scanline + i
							      : jpeg.output_height - 1);
		jpeg_read_scanlines(&jpeg, rows, 4);
	}
	jpeg_finish_decompress(&jpeg);
	jpeg_destroy_decompress(&jpeg);
}

static void *work(void *unused)
{
	uint8_t *pixels = NULL;
	size_t capacity = 0, i;
	while ((i = atomic_fetch_add(&next_file, 1)) < file_count)
		(files[i].bytes[0] == 0x89 ? decode_png : decode_jpg)(&files[i], &pixels, &capacity);
	free(pixels);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int thread_count = argc == 2 ? atoi(argv[1]) : 0;
	if (thread_count < 1 || thread_count > 64) {
		fprintf(stderr, "usage: decode THREADS < LIST\n");
		return 2;
	}
	if (read_list() < 0)
		return 1;
	uint64_t start = now_ns();
	for (int i = 0; i < thread_count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	for (int i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	printf("%" PRIu64 "\n", now_ns() - start);
	for (size_t i = 0; i < file_count; i++)
		free(files[i].bytes);
	free(files);
	return 0;
}
