/* SPDX-License-Identifier: MIT */
/* exif.c - finds the orientation in an EXIF segment: one tag of the first directory of a TIFF structure. Every offset
 * is checked against the segment; whatever does not add up is orientation 1. */
#include <string.h>

#include "codec/bytes.h"
#include "codec/image_formats.h"

#define TAG_ORIENTATION 0x0112
#define TYPE_SHORT 3
#define ENTRY_NBYTES 12

struct tiff {
	const uint8_t *bytes;
	size_t nbytes;
	bool big;
};

static uint32_t u16(const struct tiff *t, size_t at)
{
	return t->big ? jag_be16(t->bytes + at) : jag_le16(t->bytes + at);
}

static uint32_t u32(const struct tiff *t, size_t at)
{
	return t->big ? jag_be32(t->bytes + at) : jag_le32(t->bytes + at);
}

unsigned jag_exif_orientation(const uint8_t *tiff, size_t nbytes)
{
	struct tiff t = { tiff, nbytes, false };
	if (nbytes < 8 || (memcmp(tiff, "II", 2) != 0 && memcmp(tiff, "MM", 2) != 0))
		return 1;
	t.big = tiff[0] == 'M';
	size_t at = u32(&t, 4);
	if (u16(&t, 2) != 42 || at > nbytes || nbytes - at < 2)
		return 1;
	size_t count = u16(&t, at);
	at += 2;
	if (count > (nbytes - at) / ENTRY_NBYTES)
		count = (nbytes - at) / ENTRY_NBYTES;
	for (; count; count--, at += ENTRY_NBYTES) {
		if (u16(&t, at) != TAG_ORIENTATION)
			continue;
		uint32_t value = u16(&t, at + 8);
		bool valid = u16(&t, at + 2) == TYPE_SHORT && u32(&t, at + 4) == 1 && value >= 1 && value <= 8;
		return valid ? value : 1;
	}
	return 1;
}
