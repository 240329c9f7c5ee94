/* SPDX-License-Identifier: MIT */
/* pixels.c - runs of pixels between an element's order and a file's; the loops are permute.c's. */
#include "codec/pixels.h"

#include <string.h>

#include "jag/image.h"

struct jag_pixel_order jag_pixel_order(const struct jag_geometry *geometry, const struct jag_look *look, bool swap)
{
	return (struct jag_pixel_order){
		.channels = geometry->channels,
		.itemsize = geometry->depth == 16 ? 2 : 1,
		.swap = swap && geometry->depth == 16,
		.reverse = look->bgr && geometry->channels >= 3,
		.planar = geometry->planar,
	};
}

static struct jag_permute permute_of(const struct jag_pixel_order *order)
{
	return (struct jag_permute){ order->channels, order->itemsize, order->swap, order->reverse };
}

/* `count` items from one place to another, each `step` bytes behind the last. The sizes are constants in each loop, so
 * that a compiler makes moves of them. */
static void copy_items(size_t itemsize, uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step,
		       size_t count)
{
	switch (itemsize) {
	case 1:
		for (; count; count--, to += to_step, from += from_step)
			*to = *from;
		break;
	case 2:
		for (; count; count--, to += to_step, from += from_step)
			memcpy(to, from, 2);
		break;
	case 4:
		for (; count; count--, to += to_step, from += from_step)
			memcpy(to, from, 4);
		break;
	default:
		for (; count; count--, to += to_step, from += from_step)
			memcpy(to, from, 8);
	}
}

void jag_pixels_gather(const struct jag_pixel_order *order, const uint8_t *planes, size_t stride, size_t count,
		       uint8_t *out)
{
	const struct jag_permute how = permute_of(order);
	const size_t item = order->itemsize, pixel = item * order->channels;
	const uint8_t *at[JAG_PIXEL_CHANNELS_MAX];
	if (jag_pixels_are_wide(order)) {
		for (size_t c = 0; c < order->channels; c++)
			copy_items(item, out + c * item, pixel, planes + c * stride, item, count);
		return;
	}
	for (size_t c = 0; c < order->channels; c++)
		at[c] = planes + c * stride;
	jag_interleave(&how, at, count, out);
}

void jag_pixels_scatter(const struct jag_pixel_order *order, const uint8_t *in, size_t count, uint8_t *planes,
			size_t stride)
{
	const struct jag_permute how = permute_of(order);
	const size_t item = order->itemsize, pixel = item * order->channels;
	uint8_t *at[JAG_PIXEL_CHANNELS_MAX];
	if (jag_pixels_are_wide(order)) {
		for (size_t c = 0; c < order->channels; c++)
			copy_items(item, planes + c * stride, item, in + c * item, pixel, count);
		return;
	}
	for (size_t c = 0; c < order->channels; c++)
		at[c] = planes + c * stride;
	jag_deinterleave(&how, in, count, at);
}

static void swap_items(uint8_t *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t t = items[2 * i];
		items[2 * i] = items[2 * i + 1];
		items[2 * i + 1] = t;
	}
}

void jag_pixels_in_place(const struct jag_pixel_order *order, uint8_t *pixels, size_t count)
{
	const size_t item = order->itemsize, pixel = item * order->channels;
	if (order->swap)
		swap_items(pixels, count * order->channels);
	if (!order->reverse || order->channels < 3)
		return;
	for (size_t i = 0; i < count; i++, pixels += pixel)
		for (size_t b = 0; b < item; b++) {
			uint8_t t = pixels[b];
			pixels[b] = pixels[2 * item + b];
			pixels[2 * item + b] = t;
		}
}

void jag_pixels_read(const struct jag_pixel_order *order, const uint8_t *element, size_t npixels, size_t first,
		     size_t count, uint8_t *out)
{
	const size_t item = order->itemsize, pixel = item * order->channels;
	if (order->planar) {
		jag_pixels_gather(order, element + first * item, npixels * item, count, out);
	} else {
		memcpy(out, element + first * pixel, count * pixel);
		jag_pixels_in_place(order, out, count);
	}
}
