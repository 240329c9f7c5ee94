/* SPDX-License-Identifier: MIT */
/* jpeg.c - .jpg: uint8 images of 1 or 3 channels, through libjpeg-turbo with the settings that Pillow and cjpeg use:
 * baseline tables, accurate DCT, no optimised Huffman codes. So the bytes are theirs. Reading is image.c's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/codecs.h"
#include "codec/jpeg.h"
#include "codec/pixels.h"

#define ROWS 16
#define FIRST_NBYTES 4096

static const char *const suffixes[] = { ".jpg", NULL };

static int check(const struct jag_shape *shape, const struct jag_look *look, struct jag_geometry *g)
{
	if (jag_geometry(shape, look, g) || g->depth != 8 || (g->channels != 1 && g->channels != 3) ||
	    g->width > JPEG_MAX_DIMENSION || g->height > JPEG_MAX_DIMENSION || jag_is_too_large(g))
		return -EINVAL;
	return 0;
}

static const char *jpg_suffix(const struct jag_shape *shape, const struct jag_look *look)
{
	struct jag_geometry g;
	return check(shape, look, &g) ? NULL : suffixes[0];
}

/* All that lives across the library's jumps. */
struct job {
	struct jag_jpeg_errors errors;
	struct jpeg_compress_struct c;
	struct jpeg_destination_mgr dest;
	struct jag_buffer *out;
	size_t start;  /* of the file in `out` */
	uint8_t *rows; /* ROWS rows in file order */
	const uint8_t *element;
	struct jag_geometry g;
	struct jag_pixel_order order;
	const struct jag_look *look;
};

/* Offer the library the free part of the buffer, at least `room` bytes. */
static bool offer(struct job *job, size_t room)
{
	struct jag_buffer *out = job->out;
	if (jag_buffer_reserve(out, out->nbytes + room))
		return false;
	job->dest.next_output_byte = out->data + out->nbytes;
	job->dest.free_in_buffer = out->capacity - out->nbytes;
	return true;
}

static void fail_memory(j_compress_ptr c)
{
	struct job *job = c->client_data;
	job->errors.code = -ENOMEM;
	c->err->error_exit((j_common_ptr)c);
}

static void dest_init(j_compress_ptr c)
{
	struct job *job = c->client_data;
	size_t guess = (size_t)(job->g.width * job->g.height * job->g.channels) / 6;
	if (!offer(job, FIRST_NBYTES + guess))
		fail_memory(c);
}

static boolean dest_full(j_compress_ptr c)
{
	struct job *job = c->client_data;
	/* The whole buffer is full, whatever free_in_buffer says. */
	job->out->nbytes = job->out->capacity;
	if (!offer(job, job->out->capacity - job->start + FIRST_NBYTES))
		fail_memory(c);
	return TRUE;
}

static void dest_finish(j_compress_ptr c)
{
	struct job *job = c->client_data;
	job->out->nbytes = job->out->capacity - job->dest.free_in_buffer;
}

static void set_sampling(j_compress_ptr c, unsigned subsampling)
{
	c->comp_info[0].h_samp_factor = subsampling == JAG_444 ? 1 : 2;
	c->comp_info[0].v_samp_factor = subsampling == JAG_420 ? 2 : 1;
}

static void configure(struct job *job)
{
	j_compress_ptr c = &job->c;
	c->image_width = (JDIMENSION)job->g.width;
	c->image_height = (JDIMENSION)job->g.height;
	c->input_components = (int)job->g.channels;
	c->in_color_space = job->g.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(c);
	c->dct_method = JDCT_ISLOW;
	jpeg_set_quality(c, job->look->quality, TRUE);
	if (job->g.channels == 3)
		set_sampling(c, job->look->subsampling);
}

static void write_rows(struct job *job)
{
	j_compress_ptr c = &job->c;
	size_t width = (size_t)job->g.width, stride = width * job->g.channels;
	while (c->next_scanline < c->image_height) {
		JSAMPROW at[ROWS];
		JDIMENSION n = c->image_height - c->next_scanline;
		n = n < ROWS ? n : ROWS;
		jag_pixels_read(&job->order, job->element, width * (size_t)job->g.height, c->next_scanline * width,
				n * width, job->rows);
		for (JDIMENSION i = 0; i < n; i++)
			at[i] = job->rows + i * stride;
		jpeg_write_scanlines(c, at, n);
	}
}

static int run(struct job *job)
{
	if (setjmp(job->errors.escape))
		return job->errors.code;
	jpeg_create_compress(&job->c);
	job->c.client_data = job;
	job->c.dest = &job->dest;
	job->dest.init_destination = dest_init;
	job->dest.empty_output_buffer = dest_full;
	job->dest.term_destination = dest_finish;
	configure(job);
	jpeg_start_compress(&job->c, TRUE);
	write_rows(job);
	jpeg_finish_compress(&job->c);
	return 0;
}

static int jpg_encode(const struct jag_view *view, const struct jag_look *look, struct jag_buffer *out)
{
	struct job job;
	memset(&job, 0, sizeof(job));
	if (check(view->shape, look, &job.g))
		return -EINVAL;
	job.c.err = jag_jpeg_errors_init(&job.errors);
	job.out = out;
	job.start = out->nbytes;
	job.element = view->data;
	job.order = jag_pixel_order(&job.g, look, false);
	job.look = look;
	job.rows = malloc(ROWS * (size_t)job.g.width * job.g.channels);
	int rc = job.rows ? run(&job) : -ENOMEM;
	jpeg_destroy_compress(&job.c);
	free(job.rows);
	if (rc)
		out->nbytes = job.start;
	return rc;
}

const struct jag_codec jag_codec_jpg = {
	.name = "jpg",
	.format = JAG_FORMAT_JPG,
	.suffixes = suffixes,
	.suffix = jpg_suffix,
	.encode = jpg_encode,
	.decode = jag_image_codec_decode,
};
