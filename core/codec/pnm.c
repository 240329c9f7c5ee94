/* SPDX-License-Identifier: MIT */
/* pnm.c - .ppm, .pgm and .pam: uint8 and uint16 images as a short text header and interleaved values, big-endian
 * where they have 16 bit. PAM is a format of its own, since it fits more channels. Reading is pnm_decode.c. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "codec/codecs.h"
#include "codec/image_formats.h"

static const char *const pnm_suffixes[] = { ".ppm", ".pgm", NULL };
static const char *const pam_suffixes[] = { ".pam", NULL };

static int check(const struct jag_shape *shape, const struct jag_look *look, bool pam, struct jag_geometry *g)
{
	if (jag_geometry(shape, look, g) || g->depth == 1)
		return -EINVAL;
	return pam || g->channels == 1 || g->channels == 3 ? 0 : -EINVAL;
}

static const char *pnm_suffix(const struct jag_shape *shape, const struct jag_look *look)
{
	struct jag_geometry g;
	if (check(shape, look, false, &g))
		return NULL;
	return pnm_suffixes[g.channels == 3 ? 0 : 1];
}

static const char *pam_suffix(const struct jag_shape *shape, const struct jag_look *look)
{
	struct jag_geometry g;
	return check(shape, look, true, &g) ? NULL : pam_suffixes[0];
}

/* The header is written; now how the payload lies in the element. */
static int finish(const struct jag_shape *shape, const struct jag_look *look, const struct jag_geometry *g,
		  int header_nbytes, struct jag_live *out)
{
	int rc = jag_live_init(shape, out);
	if (rc || header_nbytes < 0 || (size_t)header_nbytes >= sizeof(out->header))
		return -EINVAL;
	out->header_nbytes = (size_t)header_nbytes;
	out->swap = g->depth == 16;
	out->reverse = look->bgr && g->channels >= 3;
	if (g->planar) {
		out->channels = g->channels;
		out->plane_count = g->width * g->height;
	} else if (out->reverse) {
		out->pixel_items = g->channels;
	}
	return 0;
}

static unsigned maxval(const struct jag_geometry *g)
{
	return g->depth == 16 ? 65535 : 255;
}

static int pnm_live(const struct jag_shape *shape, const struct jag_look *look, struct jag_live *out)
{
	struct jag_geometry g;
	if (check(shape, look, false, &g))
		return -EINVAL;
	int n = snprintf((char *)out->header, sizeof(out->header), "P%d\n%" PRIu64 " %" PRIu64 "\n%u\n",
			 g.channels == 3 ? 6 : 5, g.width, g.height, maxval(&g));
	return finish(shape, look, &g, n, out);
}

static int pam_live(const struct jag_shape *shape, const struct jag_look *look, struct jag_live *out)
{
	static const char *const tuples[] = { "", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA" };
	struct jag_geometry g;
	if (check(shape, look, true, &g))
		return -EINVAL;
	int n = snprintf((char *)out->header, sizeof(out->header),
			 "P7\nWIDTH %" PRIu64 "\nHEIGHT %" PRIu64 "\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
			 g.width, g.height, g.channels, maxval(&g), tuples[g.channels]);
	return finish(shape, look, &g, n, out);
}

const struct jag_codec jag_codec_pnm = {
	.name = "pnm",
	.format = JAG_FORMAT_PNM,
	.suffixes = pnm_suffixes,
	.suffix = pnm_suffix,
	.live = pnm_live,
	.decode = jag_image_codec_decode,
};

const struct jag_codec jag_codec_pam = {
	.name = "pam",
	.format = JAG_FORMAT_PAM,
	.suffixes = pam_suffixes,
	.suffix = pam_suffix,
	.live = pam_live,
	.decode = jag_image_codec_decode,
};
