/* SPDX-License-Identifier: MIT */
/* make_photos.c - draws sample photos: gradients, noise and text in class folders, JPEG and PNG mixed. The same
 * arguments make the same pixels.
 *
 * usage: make_photos DIR COUNT [SEED [MIN MAX]]     sides are MIN..MAX pixels (200..300)
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jpeglib.h>
#include <png.h>

struct picture {
	uint32_t width, height;
	uint8_t *rgb;
};

/* splitmix64: short, and the same everywhere. */
static uint64_t random_state;

static uint64_t next_random(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(next_random() % n);
}

static uint8_t *pixel(const struct picture *p, uint32_t x, uint32_t y)
{
	return p->rgb + 3 * ((size_t)y * p->width + x);
}

/* From one colour to another, in some direction, with a disc in front. */
static void draw_gradient(const struct picture *p)
{
	int32_t from[3], to[3], cx = (int32_t)below(p->width), cy = (int32_t)below(p->height);
	int32_t radius = 20 + (int32_t)below(60), across = (int32_t)below(100);
	for (int c = 0; c < 3; c++) {
		from[c] = (int32_t)below(256);
		to[c] = (int32_t)below(256);
	}
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++) {
			int32_t dx = (int32_t)x - cx, dy = (int32_t)y - cy;
			int32_t at = (int32_t)(x * 1000 / p->width) * across / 100 +
				     (int32_t)(y * 1000 / p->height) * (100 - across) / 100;
			bool disc = dx * dx + dy * dy < radius * radius;
			for (int c = 0; c < 3; c++) {
				int32_t v = from[c] + (to[c] - from[c]) * at / 1000;
				pixel(p, x, y)[c] = (uint8_t)(disc ? 255 - v : v);
			}
		}
}

/* Random blocks, blended between their corners, and grain over them. */
static void draw_noise(const struct picture *p)
{
	enum { STEP = 24 };
	uint32_t columns = p->width / STEP + 2, rows = p->height / STEP + 2;
	uint8_t *grid = malloc((size_t)columns * rows * 3);
	if (!grid)
		exit(1);
	for (size_t i = 0; i < (size_t)columns * rows * 3; i++)
		grid[i] = (uint8_t)below(256);
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t c = 0; c < 3; c++) {
				uint32_t fx = x % STEP, fy = y % STEP;
				const uint8_t *a = grid + 3 * ((size_t)(y / STEP) * columns + x / STEP) + c;
				const uint8_t *b = a + (size_t)columns * 3;
				uint32_t top = a[0] * (STEP - fx) + a[3] * fx, low = b[0] * (STEP - fx) + b[3] * fx;
				int32_t v = (int32_t)((top * (STEP - fy) + low * fy) / (STEP * STEP));
				v += (int32_t)below(25) - 12;
				pixel(p, x, y)[c] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
			}
	free(grid);
}

/* Lines of signs of 5 x 7 dots that look like writing from afar: sharp edges. */
static void draw_text(const struct picture *p)
{
	uint32_t scale = 1 + below(3), ink = below(90), paper = 200 + below(56);
	memset(p->rgb, (int)paper, (size_t)p->width * p->height * 3);
	for (uint32_t top = 4; top + 8 * scale < p->height; top += 10 * scale)
		for (uint32_t left = 4; left + 6 * scale < p->width; left += 6 * scale) {
			uint64_t dots = below(6) ? next_random() : 0; /* 0: a space */
			for (uint32_t y = 0; y < 7 * scale; y++)
				for (uint32_t x = 0; x < 5 * scale; x++)
					if (dots >> (y / scale * 5 + x / scale) & 1)
						memset(pixel(p, left + x, top + y), (int)ink, 3);
		}
}

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "wb");
	if (!file) {
		fprintf(stderr, "make_photos: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	return file;
}

static void close_file(FILE *file, const char *path)
{
	if (fclose(file)) {
		fprintf(stderr, "make_photos: %s: %s\n", path, strerror(errno));
		exit(1);
	}
}

static void write_jpeg(const struct picture *p, const char *path, uint32_t number)
{
	FILE *file = open_file(path);
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr errors;
	jpeg.err = jpeg_std_error(&errors);
	jpeg_create_compress(&jpeg);
	jpeg_stdio_dest(&jpeg, file);
	jpeg.image_width = p->width;
	jpeg.image_height = p->height;
	jpeg.input_components = 3;
	jpeg.in_color_space = JCS_RGB;
	jpeg_set_defaults(&jpeg);
	jpeg_set_quality(&jpeg, 75 + (int)below(21), TRUE);
	if (number % 11 == 5)
		jpeg_set_colorspace(&jpeg, JCS_GRAYSCALE);
	else if (number % 4 == 1)
		jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
	if (number % 7 == 3)
		jpeg_simple_progression(&jpeg);
	jpeg_start_compress(&jpeg, TRUE);
	while (jpeg.next_scanline < jpeg.image_height) {
		JSAMPROW row = p->rgb + 3 * (size_t)jpeg.next_scanline * p->width;
		jpeg_write_scanlines(&jpeg, &row, 1);
	}
	jpeg_finish_compress(&jpeg);
	jpeg_destroy_compress(&jpeg);
	close_file(file, path);
}

static void write_png(const struct picture *p, const char *path, uint32_t number)
{
	FILE *file = open_file(path);
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	if (!info || setjmp(png_jmpbuf(png))) {
		fprintf(stderr, "make_photos: %s: cannot write PNG\n", path);
		exit(1);
	}
	png_init_io(png, file);
	png_set_compression_level(png, 1);
	png_set_IHDR(png, info, p->width, p->height, 8, PNG_COLOR_TYPE_RGB,
		     number % 5 == 4 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
		     PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (int pass = png_set_interlace_handling(png); pass > 0; pass--)
		for (uint32_t y = 0; y < p->height; y++)
			png_write_row(png, p->rgb + 3 * (size_t)y * p->width);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	close_file(file, path);
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST) {
		fprintf(stderr, "make_photos: %s: %s\n", path, strerror(errno));
		exit(1);
	}
}

static void draw_one(const char *dir, uint32_t number, uint32_t min, uint32_t max)
{
	static const struct {
		const char *name;
		void (*draw)(const struct picture *p);
	} classes[] = { { "gradients", draw_gradient }, { "noise", draw_noise }, { "text", draw_text } };
	unsigned class = number % 3;
	struct picture p = { min + below(max - min + 1), min + below(max - min + 1), NULL };
	p.rgb = malloc((size_t)p.width * p.height * 3);
	if (!p.rgb)
		exit(1);
	classes[class].draw(&p);
	bool png = number / 3 % 4 == 3;
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", dir, classes[class].name);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/%s/%05u.%s", dir, classes[class].name, (unsigned)number, png ? "png" : "jpg");
	if (png)
		write_png(&p, path, number);
	else
		write_jpeg(&p, path, number);
	free(p.rgb);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	uint64_t min = argc > 5 ? strtoull(argv[4], NULL, 10) : 200, max = argc > 5 ? strtoull(argv[5], NULL, 10) : 300;
	if (argc < 3 || argc == 5 || argc > 6 || count > 10000000 || min < 1 || max < min || max > 20000) {
		fprintf(stderr, "usage: make_photos DIR COUNT [SEED [MIN MAX]]\n");
		return 2;
	}
	random_state = seed;
	make_dir(argv[1]);
	for (uint32_t i = 0; i < count; i++)
		draw_one(argv[1], i, (uint32_t)min, (uint32_t)max);
	return 0;
}
