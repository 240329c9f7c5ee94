/* SPDX-License-Identifier: MIT */
/* array.c - a decoded file -> the bytes of the element that it is meant for.
 *
 * An array (npy, txt, raw) must have the element's shape and type. An image must have its height and width; channels
 * and depth may differ where nothing is lost, because savers store the smallest type that holds the pixels: a colour
 * image without colour as gray, one whose alpha is opaque without alpha, 16 bit as 8 where each value is v * 257.
 */
#include <errno.h>
#include <string.h>

#include "codec/pixels.h"

void jag_array_free(struct jag_array *array)
{
	jag_buffer_free(&array->data);
}

/* "torch.uint8" -> "uint8" */
static const char *dtype_text(enum jag_dtype dtype)
{
	const char *name = jag_dtype_info(dtype)->torch;
	const char *dot = name ? strchr(name, '.') : NULL;
	return dot ? dot + 1 : name ? name : "unknown";
}

static int refuse(struct jag_error *err, const struct jag_shape *want, const struct jag_array *got, const char *why)
{
	char a[128], b[128];
	return jag_error_set(err, -EINVAL, NULL, 0, "expected %s %s, got %s%s %s%s", dtype_text(want->dtype),
			     jag_shape_text(want, a, sizeof(a)), got->image ? "an image (H, W, C) of " : "",
			     dtype_text(got->shape.dtype), jag_shape_text(&got->shape, b, sizeof(b)), why);
}

/* The same type, or (-o bits) the unsigned integers that stand for a type without a NumPy name. */
static bool dtype_fits(enum jag_dtype want, enum jag_dtype got, const struct jag_look *look)
{
	const char *bits = jag_dtype_info(want)->npy_bits, *npy = jag_dtype_info(got)->npy;
	return want == got || (look->npy_bits && bits && npy && strcmp(bits, npy) == 0);
}

static bool same_dims(const struct jag_shape *a, const struct jag_shape *b)
{
	return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof(a->dims[0])) == 0;
}

static int plain_to_element(const struct jag_array *array, const struct jag_shape *shape, const struct jag_look *look,
			    struct jag_buffer *out, struct jag_error *err)
{
	if (!dtype_fits(shape->dtype, array->shape.dtype, look) || !same_dims(shape, &array->shape))
		return refuse(err, shape, array, "");
	return jag_buffer_append(out, array->data.data, array->data.nbytes);
}

/* The kinds of pixels: gray, gray and alpha, RGB, RGBA, of 8 or 16 bit (bool elements: 1). */
struct pixel_kind {
	unsigned channels, depth;
	bool colour, alpha;
};

static struct pixel_kind kind_of(unsigned channels, unsigned depth)
{
	return (struct pixel_kind){ channels, depth, channels >= 3, channels == 2 || channels == 4 };
}

/* One pixel as 16-bit RGBA, gray in all three. */
static void load_pixel(const struct pixel_kind *k, const uint8_t *p, uint16_t rgba[4])
{
	uint16_t v[4] = { 0 };
	for (unsigned c = 0; c < k->channels; c++) {
		if (k->depth == 16)
			memcpy(&v[c], p + 2 * c, 2);
		else
			v[c] = (uint16_t)(p[c] * 257);
	}
	for (unsigned c = 0; c < 3; c++)
		rgba[c] = v[k->colour ? c : 0];
	rgba[3] = k->alpha ? v[k->channels - 1] : 0xffff;
}

/* False if the kind cannot hold this pixel. */
static bool store_pixel(const struct pixel_kind *k, const uint16_t rgba[4], uint8_t *p)
{
	if (!k->colour && (rgba[0] != rgba[1] || rgba[1] != rgba[2]))
		return false;
	if (!k->alpha && rgba[3] != 0xffff)
		return false;
	for (unsigned c = 0; c < k->channels; c++) {
		uint16_t v = rgba[k->alpha && c == k->channels - 1 ? 3 : c];
		if (k->depth == 16)
			memcpy(p + 2 * c, &v, 2);
		else if (v % 257 != 0 || (k->depth == 1 && v != 0 && v != 0xffff))
			return false;
		else
			p[c] = k->depth == 1 ? v != 0 : (uint8_t)(v / 257);
	}
	return true;
}

static size_t pixel_nbytes(const struct pixel_kind *k)
{
	return k->channels * (k->depth == 16 ? 2U : 1U);
}

/* All pixels into `to` (empty, owned by the caller) as the element's kind; -EINVAL if something would be lost. */
static int convert(const struct jag_array *array, const struct pixel_kind *from, const struct pixel_kind *want,
		   size_t npixels, struct jag_buffer *to)
{
	size_t step = pixel_nbytes(from), out_step = pixel_nbytes(want);
	uint16_t rgba[4];
	if (jag_buffer_reserve(to, npixels * out_step))
		return -ENOMEM;
	for (size_t i = 0; i < npixels; i++) {
		load_pixel(from, array->data.data + i * step, rgba);
		if (!store_pixel(want, rgba, to->data + i * out_step))
			return -EINVAL;
	}
	return 0;
}

static int append_pixels(const uint8_t *pixels, const struct jag_geometry *g, const struct jag_look *look,
			 struct jag_buffer *out)
{
	const struct jag_pixel_order order = jag_pixel_order(g, look, false);
	size_t npixels = (size_t)(g->width * g->height);
	size_t plane = npixels * order.itemsize, nbytes = plane * order.channels;
	if (!order.planar) {
		int rc = jag_buffer_append(out, pixels, nbytes);
		if (rc == 0)
			jag_pixels_in_place(&order, out->data + out->nbytes - nbytes, npixels);
		return rc;
	}
	if (out->nbytes > SIZE_MAX - nbytes || jag_buffer_reserve(out, out->nbytes + nbytes))
		return -ENOMEM;
	jag_pixels_scatter(&order, pixels, npixels, out->data + out->nbytes, plane);
	out->nbytes += nbytes;
	return 0;
}

int jag_array_to_element(const struct jag_array *array, const struct jag_shape *shape, const struct jag_look *look,
			 struct jag_buffer *out, struct jag_error *err)
{
	struct jag_geometry g;
	struct jag_buffer converted = { 0 };
	const int64_t *dims = array->shape.dims;
	if (!array->image)
		return plain_to_element(array, shape, look, out, err);
	if (jag_geometry(shape, look, &g))
		return refuse(err, shape, array, ": the element is not an image");
	if (array->shape.rank != 3 || (uint64_t)dims[0] != g.height || (uint64_t)dims[1] != g.width || dims[2] < 1 ||
	    dims[2] > 4)
		return refuse(err, shape, array, "");
	const struct pixel_kind from = kind_of((unsigned)dims[2], array->shape.dtype == JAG_UINT16 ? 16 : 8);
	const struct pixel_kind want = kind_of(g.channels, g.depth);
	const uint8_t *pixels = array->data.data;
	int rc = 0;
	if (from.channels != want.channels || from.depth != want.depth) {
		rc = convert(array, &from, &want, (size_t)(g.width * g.height), &converted);
		pixels = converted.data;
	}
	if (rc == -EINVAL)
		refuse(err, shape, array, ": converting would lose colour, alpha or depth");
	if (rc == 0)
		rc = append_pixels(pixels, &g, look, out);
	jag_buffer_free(&converted);
	return rc;
}
