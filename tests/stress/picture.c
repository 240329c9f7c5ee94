/* SPDX-License-Identifier: MIT */
/* picture.c - see picture.h. */
#include "picture.h"

#include <png.h>
#include <setjmp.h>

#include "stress.h"
#include <jpeglib.h>

const char *const picture_suffixes[PICTURE_FORMATS] = { ".png", ".jpg", ".bin" };

#define BLOCK 16
#define TOLERANCE 5 /* a JPEG of pixels that were a JPEG */

struct colour {
	int rgb[3];
};

/* Distances of 10 in red and of 7 in blue; brightness shifts are added to all three. */
static struct colour colour_at(unsigned number, uint32_t x, uint32_t y)
{
	uint64_t state = number * UINT64_C(1000003) + (y / BLOCK) * 1009 + x / BLOCK;
	/* the larger the number, the more blocks stand out: sizes of encodings differ */
	int shift = stress_below(&state, PICTURE_COUNT) < number ? (int)stress_below(&state, 5) * 8 : 0;
	int n = (int)number;

	return (struct colour){ { n * 8 + shift, 190 - n * 7 + shift, 20 + (n * 5 % PICTURE_COUNT) * 7 + shift } };
}

void picture_draw(unsigned number, uint32_t width, uint32_t height, uint8_t *rgb)
{
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++) {
			struct colour c = colour_at(number, x, y);

			for (int i = 0; i < 3; i++)
				*rgb++ = (uint8_t)c.rgb[i];
		}
}

static void planes_of(const uint8_t *rgb, size_t pixels, uint8_t *planes)
{
	for (size_t i = 0; i < pixels; i++)
		for (size_t c = 0; c < 3; c++)
			planes[c * pixels + i] = rgb[i * 3 + c];
}

static uint8_t *encode_png(const uint8_t *rgb, uint32_t width, uint32_t height, size_t *nbytes)
{
	png_image image = { .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB };
	png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
	uint8_t *out = malloc(size);

	if (!out || !png_image_write_to_memory(&image, out, &size, 0, rgb, 0, NULL))
		stress_die("picture: png: %s", image.message);
	*nbytes = size;
	return out;
}

static uint8_t *encode_jpg(const uint8_t *rgb, uint32_t width, uint32_t height, size_t *nbytes)
{
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr errors;
	uint8_t *row = malloc((size_t)width * 3), *out = NULL;
	unsigned long size = 0;

	if (!row)
		stress_die("picture: out of memory");
	jpeg.err = jpeg_std_error(&errors);
	jpeg_create_compress(&jpeg);
	jpeg_mem_dest(&jpeg, &out, &size);
	jpeg.image_width = width;
	jpeg.image_height = height;
	jpeg.input_components = 3;
	jpeg.in_color_space = JCS_RGB;
	jpeg_set_defaults(&jpeg);
	jpeg_set_quality(&jpeg, 97, TRUE);
	jpeg_start_compress(&jpeg, TRUE);
	while (jpeg.next_scanline < height) {
		JSAMPROW rows[1] = { row };

		memcpy(row, rgb + (size_t)jpeg.next_scanline * width * 3, (size_t)width * 3);
		jpeg_write_scanlines(&jpeg, rows, 1);
	}
	jpeg_finish_compress(&jpeg);
	jpeg_destroy_compress(&jpeg);
	free(row);
	*nbytes = size;
	return out;
}

uint8_t *picture_encode(enum picture_format format, const uint8_t *rgb, uint32_t width, uint32_t height, size_t *nbytes)
{
	uint8_t *out;

	if (format == PICTURE_PNG)
		return encode_png(rgb, width, height, nbytes);
	if (format == PICTURE_JPG)
		return encode_jpg(rgb, width, height, nbytes);
	*nbytes = (size_t)width * height * 3;
	out = malloc(*nbytes);
	if (!out)
		stress_die("picture: out of memory");
	planes_of(rgb, (size_t)width * height, out);
	return out;
}

static int decode_png(const uint8_t *bytes, size_t nbytes, uint32_t width, uint32_t height, uint8_t *rgb)
{
	png_image image = { .version = PNG_IMAGE_VERSION };

	if (!png_image_begin_read_from_memory(&image, bytes, nbytes))
		return -1;
	image.format = PNG_FORMAT_RGB;
	if (image.width != width || image.height != height) {
		png_image_free(&image);
		return -2;
	}
	return png_image_finish_read(&image, NULL, rgb, 0, NULL) ? 0 : -1;
}

struct catcher {
	struct jpeg_error_mgr errors;
	jmp_buf jump;
};

static void on_error(j_common_ptr jpeg)
{
	longjmp(((struct catcher *)(void *)jpeg->err)->jump, 1);
}

/* A warning is a cut or damaged file: as bad as an error. */
static void on_message(j_common_ptr jpeg, int level)
{
	if (level < 0)
		on_error(jpeg);
}

static int decode_jpg(const uint8_t *bytes, size_t nbytes, uint32_t width, uint32_t height, uint8_t *rgb)
{
	struct jpeg_decompress_struct jpeg;
	struct catcher catcher;
	volatile int rc = -1;

	jpeg.err = jpeg_std_error(&catcher.errors);
	catcher.errors.error_exit = on_error;
	catcher.errors.emit_message = on_message;
	if (setjmp(catcher.jump))
		goto out;
	jpeg_create_decompress(&jpeg);
	jpeg_mem_src(&jpeg, bytes, nbytes);
	jpeg_read_header(&jpeg, TRUE);
	rc = -2;
	if (jpeg.image_width != width || jpeg.image_height != height || jpeg.num_components != 3)
		goto out;
	rc = -1;
	jpeg.out_color_space = JCS_RGB;
	jpeg_start_decompress(&jpeg);
	while (jpeg.output_scanline < height) {
		JSAMPROW rows[1] = { rgb + (size_t)jpeg.output_scanline * width * 3 };

		jpeg_read_scanlines(&jpeg, rows, 1);
	}
	jpeg_finish_decompress(&jpeg);
	rc = 0;
out:
	jpeg_destroy_decompress(&jpeg);
	return rc;
}

static int decode_raw(const uint8_t *bytes, size_t nbytes, uint32_t width, uint32_t height, uint8_t *rgb)
{
	size_t pixels = (size_t)width * height;

	if (nbytes != pixels * 3)
		return -2;
	for (size_t i = 0; i < pixels; i++)
		for (size_t c = 0; c < 3; c++)
			*rgb++ = bytes[c * pixels + i];
	return 0;
}

static int is_picture(unsigned number, const uint8_t *rgb, uint32_t width, uint32_t height, int tolerance)
{
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++) {
			struct colour c = colour_at(number, x, y);

			for (int i = 0; i < 3; i++)
				if (abs(*rgb++ - c.rgb[i]) > tolerance)
					return 0;
		}
	return 1;
}

int picture_check(enum picture_format format, const uint8_t *bytes, size_t nbytes, uint32_t width, uint32_t height)
{
	uint8_t *rgb = malloc((size_t)width * height * 3);
	int rc;

	if (!rgb)
		stress_die("picture: out of memory");
	if (format == PICTURE_PNG)
		rc = decode_png(bytes, nbytes, width, height, rgb);
	else if (format == PICTURE_JPG)
		rc = decode_jpg(bytes, nbytes, width, height, rgb);
	else
		rc = decode_raw(bytes, nbytes, width, height, rgb);
	if (!rc) {
		/* any file may hold pixels that came through a JPEG twice */
		for (rc = 0; rc < PICTURE_COUNT; rc++)
			if (is_picture((unsigned)rc, rgb, width, height, TOLERANCE))
				break;
		if (rc == PICTURE_COUNT)
			rc = -3;
	}
	free(rgb);
	return rc;
}
