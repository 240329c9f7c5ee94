/* SPDX-License-Identifier: MIT */
/* picfile.c - the numbered pictures of tests/stress/picture.h as files, and back.
 *
 *   picfile make NUMBER WxH FILE     .png, .jpg, .ppm, or .bin: [3, H, W]
 *   picfile number WxH FILE          which picture it is, told by the suffix; "-1" if it does not decode, "-2" if it
 *                                    has another size, "-3" if it is none or a mix
 *   picfile planes WxH FILE.ppm      [3, H, W] on standard output
 */
#include <errno.h>

#include "picture.h"
#include "stress.h"

static uint8_t *read_file(const char *path, size_t *nbytes)
{
	size_t room = 1 << 24;
	uint8_t *bytes = malloc(room);
	FILE *in = fopen(path, "r");

	if (!in || !bytes)
		stress_die("picfile: %s: %s", path, strerror(errno));
	*nbytes = fread(bytes, 1, room, in);
	fclose(in);
	return bytes;
}

static void write_file(const char *path, const char *header, const uint8_t *bytes, size_t nbytes)
{
	FILE *out = fopen(path, "w");

	if (!out || fputs(header, out) < 0 || fwrite(bytes, 1, nbytes, out) != nbytes || fclose(out))
		stress_die("picfile: %s: %s", path, strerror(errno));
}

static int format_of(const char *path)
{
	const char *suffix = strrchr(path, '.');

	for (int i = 0; suffix && i < PICTURE_FORMATS; i++)
		if (!strcmp(suffix, picture_suffixes[i]))
			return i;
	return -1;
}

static void make(unsigned number, uint32_t width, uint32_t height, const char *path)
{
	uint8_t *rgb = malloc((size_t)width * height * 3), *file = rgb;
	size_t nbytes = (size_t)width * height * 3;
	char header[64] = "";
	int format = format_of(path);

	if (!rgb)
		stress_die("picfile: out of memory");
	picture_draw(number, width, height, rgb);
	if (format >= 0)
		file = picture_encode((enum picture_format)format, rgb, width, height, &nbytes);
	else
		snprintf(header, sizeof(header), "P6\n%u %u\n255\n", width, height);
	write_file(path, header, file, nbytes);
	if (file != rgb)
		free(file);
	free(rgb);
}

/* The header is what `make` or jagfs writes: three lines, no comments. */
static void planes(uint32_t width, uint32_t height, const char *path)
{
	size_t nbytes, pixels = (size_t)width * height;
	uint8_t *bytes = read_file(path, &nbytes), *rgb = bytes + nbytes - pixels * 3;

	if (nbytes < pixels * 3)
		stress_die("picfile: %s: %zu bytes", path, nbytes);
	for (size_t c = 0; c < 3; c++)
		for (size_t i = 0; i < pixels; i++)
			putchar(rgb[i * 3 + c]);
	free(bytes);
}

int main(int argc, char **argv)
{
	uint32_t width, height;
	const char *verb = argc > 1 ? argv[1] : "";

	if (argc == 5 && !strcmp(verb, "make") && sscanf(argv[3], "%ux%u", &width, &height) == 2) {
		make((unsigned)strtoul(argv[2], NULL, 0), width, height, argv[4]);
	} else if (argc == 4 && !strcmp(verb, "number") && sscanf(argv[2], "%ux%u", &width, &height) == 2) {
		size_t nbytes;
		uint8_t *bytes = read_file(argv[3], &nbytes);
		int format = format_of(argv[3]);

		if (format < 0)
			return 2;
		printf("%d\n", picture_check((enum picture_format)format, bytes, nbytes, width, height));
		free(bytes);
	} else if (argc == 4 && !strcmp(verb, "planes") && sscanf(argv[2], "%ux%u", &width, &height) == 2) {
		planes(width, height, argv[3]);
	} else {
		return 2;
	}
	return 0;
}
