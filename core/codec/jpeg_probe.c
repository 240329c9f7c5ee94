/* SPDX-License-Identifier: MIT */
/* jpeg_probe.c - the header of a JPEG from a prefix of the file: walks the marker segments up to the frame header,
 * without the library, which could not say how many bytes it is short of.
 *
 *   FF D8 | FF xx length(2, big-endian, counts itself) ... | FF Cn length precision height width components ...
 */
#include <errno.h>
#include <string.h>

#include "codec/bytes.h"
#include "codec/jpeg.h"

/* Baseline, extended, progressive; the same with arithmetic coding. Lossless and hierarchical frames are not read. */
static bool is_frame(unsigned marker, struct jag_image_info *info)
{
	info->progressive = marker == 0xc2 || marker == 0xca;
	return marker == 0xc0 || marker == 0xc1 || marker == 0xc9 || info->progressive;
}

static bool is_unreadable_frame(unsigned marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/* `p` is the segment after its length; n bytes. */
static int read_frame(const uint8_t *p, size_t n, struct jag_image_info *info, struct jag_error *err)
{
	if (n < 6)
		return jag_error_set(err, -EINVAL, NULL, 0, "JPEG frame header of %zu bytes", n);
	info->height = jag_be16(p + 1);
	info->width = jag_be16(p + 3);
	if (p[0] != 8)
		return jag_error_set(err, -EINVAL, NULL, 0, "JPEG with %u bits a sample, only 8 is read", p[0]);
	if (!info->width || !info->height)
		return jag_error_set(err, -EINVAL, NULL, 0, "JPEG of %ux%u pixels", info->width, info->height);
	if (p[5] != 1 && p[5] != 3 && p[5] != 4)
		return jag_error_set(err, -EINVAL, NULL, 0, "JPEG with %u components, expected 1, 3 or 4", p[5]);
	info->cmyk = p[5] == 4;
	info->channels = p[5] == 1 ? 1 : 3;
	info->depth = 8;
	return 0;
}

static void read_app1(const uint8_t *p, size_t n, struct jag_image_info *info)
{
	if (n > 6 && memcmp(p, "Exif\0\0", 6) == 0 && info->orientation == 1)
		info->orientation = jag_exif_orientation(p + 6, n - 6);
}

int jag_jpeg_probe(const uint8_t *bytes, size_t nbytes, struct jag_image_info *info, struct jag_error *err)
{
	size_t at = 2;
	for (;;) {
		while (at + 1 < nbytes && bytes[at] == 0xff && bytes[at + 1] == 0xff)
			at++; /* fill bytes */
		if (at + 4 > nbytes)
			return -EAGAIN;
		unsigned marker = bytes[at + 1];
		size_t length = jag_be16(bytes + at + 2);
		if (bytes[at] != 0xff || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda) || length < 2)
			return jag_error_set(err, -EINVAL, NULL, at, "JPEG without a frame header: marker %02x%02x",
					     bytes[at], marker);
		at += 4;
		length -= 2;
		if (length > nbytes - at)
			return -EAGAIN;
		if (is_frame(marker, info))
			return read_frame(bytes + at, length, info, err);
		if (is_unreadable_frame(marker))
			return jag_error_set(err, -EINVAL, NULL, at, "JPEG of a kind that is not read (frame %02x)",
					     marker);
		if (marker == 0xe1)
			read_app1(bytes + at, length, info);
		at += length;
	}
}
