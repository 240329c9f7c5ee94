/* SPDX-License-Identifier: MIT */
/* jpeg_decode.c - JPEG -> pixels with libjpeg-turbo as it comes: accurate DCT, fancy upsampling. Gray stays gray,
 * YCbCr and RGB become RGB, CMYK and YCCK become CMYK.
 *
 * The library calls back and jumps: every object that lives across setjmp() is in `struct job`, which the caller of
 * run() owns, so nothing is lost or read from a clobbered register after a jump.
 */
#include "codec/jpeg.h"

#include <errno.h>
#include <jerror.h>
#include <string.h>

#define ROWS 16
#define MEMORY_BASE (64L << 20)

static void fail(j_common_ptr cinfo)
{
	struct jag_jpeg_errors *e = (struct jag_jpeg_errors *)(void *)cinfo->err;
	if (!e->code)
		e->code = e->base.msg_code == JERR_OUT_OF_MEMORY ? -ENOMEM : -EINVAL;
	if (!e->message[0])
		e->base.format_message(cinfo, e->message);
	longjmp(e->escape, 1);
}

/* Level -1 is a warning: the library would go on with guessed pixels. Two of them are about tags, not data. */
static void emit(j_common_ptr cinfo, int level)
{
	int code = cinfo->err->msg_code;
	if (level < 0 && code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR)
		fail(cinfo);
}

static void no_output(j_common_ptr cinfo)
{
	(void)cinfo;
}

struct jpeg_error_mgr *jag_jpeg_errors_init(struct jag_jpeg_errors *errors)
{
	memset(errors, 0, sizeof(*errors));
	jpeg_std_error(&errors->base);
	errors->base.error_exit = fail;
	errors->base.emit_message = emit;
	errors->base.output_message = no_output;
	return &errors->base;
}

struct job {
	struct jag_jpeg_errors errors;
	struct jpeg_decompress_struct d;
	struct jpeg_progress_mgr progress;
	const struct jag_image_source *src;
	uint8_t *out;
};

static void give_up(struct job *job, int code, const char *message)
{
	job->errors.code = code;
	snprintf(job->errors.message, sizeof(job->errors.message), "%s", message);
	job->d.err->error_exit((j_common_ptr)&job->d);
}

/* Each scan of a progressive file costs a pass over all coefficients, however few bytes it has. */
static void count_scans(j_common_ptr cinfo)
{
	struct job *job = cinfo->client_data;
	if (job->src->scans_max && job->d.input_scan_number > (int)job->src->scans_max)
		give_up(job, -E2BIG, "JPEG with more scans than the limit");
}

/* Coefficients of all components at full size, twice, and some. */
static long memory_limit(const struct jag_image_source *src)
{
	uint64_t pixels = ((uint64_t)src->info->width + 64) * ((uint64_t)src->info->height + 64);
	return MEMORY_BASE + (long)(pixels * src->channels * 2 * sizeof(JCOEF));
}

static J_COLOR_SPACE colour_space(unsigned channels)
{
	return channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
}

static void read_rows(struct job *job, size_t stride)
{
	struct jpeg_decompress_struct *d = &job->d;
	while (d->output_scanline < d->output_height) {
		JSAMPROW rows[ROWS];
		JDIMENSION n = d->output_height - d->output_scanline;
		n = n < ROWS ? n : ROWS;
		for (JDIMENSION i = 0; i < n; i++)
			rows[i] = job->out + (d->output_scanline + i) * stride;
		jpeg_read_scanlines(d, rows, n);
	}
}

static int run(struct job *job)
{
	const struct jag_image_source *src = job->src;
	struct jpeg_decompress_struct *d = &job->d;
	if (setjmp(job->errors.escape))
		return job->errors.code;
	jpeg_create_decompress(d);
	d->client_data = job;
	d->progress = &job->progress;
	job->progress.progress_monitor = count_scans;
	d->mem->max_memory_to_use = memory_limit(src);
	jpeg_mem_src(d, src->bytes, src->nbytes);
	jpeg_read_header(d, TRUE);
	d->out_color_space = colour_space(src->channels);
	d->dct_method = JDCT_ISLOW;
	jpeg_start_decompress(d);
	/* The memory was sized by our own reading of the header. */
	if (d->output_width != src->info->width || d->output_height != src->info->height ||
	    d->output_components != (int)src->channels)
		give_up(job, -EINVAL, "JPEG with contradicting headers");
	read_rows(job, (size_t)d->output_width * src->channels);
	jpeg_finish_decompress(d);
	return 0;
}

static int jpeg_decode(const struct jag_image_source *src, uint8_t *out, struct jag_error *err)
{
	struct job job;
	memset(&job, 0, sizeof(job));
	job.d.err = jag_jpeg_errors_init(&job.errors);
	job.src = src;
	job.out = out;
	int rc = run(&job);
	jpeg_destroy_decompress(&job.d);
	return rc ? jag_error_set(err, rc, NULL, 0, "%s", job.errors.message) : 0;
}

const struct jag_image_format jag_image_jpeg = {
	.type = JAG_IMAGE_JPEG,
	.probe = jag_jpeg_probe,
	.decode = jpeg_decode,
};
