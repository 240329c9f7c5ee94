/* SPDX-License-Identifier: MIT */
/* headers.c - pass 1 of packing: the first bytes of every file, in parallel. What a file is is told by its content;
 * its suffix only decides whether a file that is no image is passed over in silence or refused. */
#include "pack_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/workers.h"
#include "transfer.h"

/* Nearly every header (EXIF block included) is in this; more is read for those that are not. */
#define FIRST_READ (size_t)(16 << 10)

/* A file is read as a whole. What goes beyond 16 bytes for each pixel (the most of any format is 8) and this much for
 * metadata is no image, but something that fills the memory. */
#define FILE_SPARE (UINT64_C(256) << 20)

/* Counts of one worker; added up at the end, so that no counter is shared. */
struct tally {
	struct jag_buffer buf;
	uint64_t not_images, oriented, cmyk, deep, alpha;
};

struct headers {
	struct jag_pack *pack;
	struct tally *tallies;
};

/* Suffixes of files that somebody means to be images, ours or not. */
static const char *const image_suffixes[] = { ".jpg",  ".jpeg", ".jpe",  ".jfif", ".png", ".ppm",  ".pgm",
					      ".pbm",  ".pnm",  ".pam",  ".bmp",  ".gif", ".webp", ".tif",
					      ".tiff", ".heic", ".avif", ".jxl",  ".jp2" };

static bool has_image_suffix(const char *path)
{
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof(image_suffixes) / sizeof(image_suffixes[0]); i++)
		if (!strcasecmp(dot, image_suffixes[i]))
			return true;
	return false;
}

/* Probe a growing part of the file until the header is whole. -EAGAIN from the whole file means that it is cut. */
static int probe(const struct jag_pack *pack, int fd, uint64_t file_nbytes, struct jag_buffer *buf,
		 struct jag_image_info *info, struct jag_error *err)
{
	for (size_t want = FIRST_READ;; want *= 4) {
		int rc = jag_read_on(fd, buf, want < file_nbytes ? want : (size_t)file_nbytes);
		if (rc)
			return jag_error_set(err, rc, NULL, 0, "cannot read: %s", strerror(-rc));
		if (jag_image_sniff(buf->data, buf->nbytes) == JAG_IMAGE_NONE)
			return -ENOMSG;
		rc = jag_image_probe(buf->data, buf->nbytes, &pack->options->limits, info, err);
		if (rc != -EAGAIN)
			return rc;
		if (want >= file_nbytes)
			return jag_error_set(err, -EINVAL, NULL, 0, "the file ends inside its header");
	}
}

static void take(const struct jag_pack *pack, struct jag_pack_file *file, const struct jag_image_info *info,
		 struct tally *tally)
{
	const struct jag_pack_options *options = pack->options;
	file->state = JAG_FILE_IMAGE;
	file->channels = (uint8_t)jag_mode_channels(options->mode, info);
	file->orientation = (uint8_t)info->orientation;
	/* Orientations 5 to 8 lie on their side. */
	bool turned = options->exif && info->orientation >= 5;
	file->width = turned ? info->height : info->width;
	file->height = turned ? info->width : info->height;
	tally->oriented += info->orientation > 1;
	tally->cmyk += info->cmyk;
	tally->deep += info->depth > 8;
	tally->alpha += info->alpha && (options->mode == JAG_MODE_RGB || options->mode == JAG_MODE_GRAY);
}

static int open_source(const char *path, uint64_t *nbytes)
{
	/* O_NONBLOCK: a pipe that took the file's place since the scan must not hang us. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	struct stat st;
	int rc = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (rc) {
		close(fd);
		return rc;
	}
	*nbytes = (uint64_t)st.st_size;
	return fd;
}

/* Its size must be plausible, and its element must fit into a chunk; with --size, there must be such an element. */
static int check_size(const struct jag_pack *pack, const struct jag_pack_file *file, struct jag_error *err)
{
	uint64_t limit = pack->options->chunk_elements, pixels = (uint64_t)file->width * file->height;
	struct jag_resize_plan plan;
	if (file->nbytes > FILE_SPARE + 16 * pixels)
		return jag_error_set(err, -E2BIG, file->path, 0,
				     "%llu bytes are too many for an image of %u x %u pixels",
				     (unsigned long long)file->nbytes, file->width, file->height);
	int rc = jag_pack_resize_plan(pack, file, &plan);
	if (rc)
		return jag_error_set(err, rc, file->path, 0,
				     "%u x %u (height x width) cannot be resized: no side, also of "
				     "the result, may be more than %u",
				     file->height, file->width, JAG_RESIZE_SIDE_MAX);
	if (jag_pack_element_nbytes(pack, file) > limit)
		return jag_error_set(err, -E2BIG, file->path, 0,
				     "%u x %u x %u is more than the %llu scalars that a chunk may have", file->channels,
				     plan.out_height, plan.out_width, (unsigned long long)limit);
	return 0;
}

/* One file. 0: its state is set; else an error of this file. */
static int one_header(const struct jag_pack *pack, struct jag_pack_file *file, struct tally *tally,
		      struct jag_error *err)
{
	int fd = open_source(file->path, &file->nbytes);
	if (fd < 0)
		return jag_error_set(err, fd, file->path, 0, "cannot open: %s", strerror(-fd));
	struct jag_image_info info = { 0 };
	struct jag_error why = { 0 };
	tally->buf.nbytes = 0;
	int rc = probe(pack, fd, file->nbytes, &tally->buf, &info, &why);
	close(fd);
	if (rc == -ENOMSG) {
		if (has_image_suffix(file->path))
			return jag_error_set(
				err, -EINVAL, file->path, 0,
				file->nbytes ? "its name is that of an image, but its content is none that is supported"
					     : "is empty");
		file->state = JAG_FILE_OTHER;
		tally->not_images++;
		return 0;
	}
	if (rc)
		return jag_error_set(err, rc, file->path, why.offset, "%s", *why.message ? why.message : strerror(-rc));
	take(pack, file, &info, tally);
	return check_size(pack, file, err);
}

static int work(void *ctx, struct jag_range *range, struct jag_error *err)
{
	struct headers *headers = ctx;
	struct jag_pack *pack = headers->pack;
	for (uint64_t i = range->first; i < range->first + range->n; i++) {
		struct jag_error error = { 0 };
		int rc = one_header(pack, &pack->files[i], &headers->tallies[range->worker], &error);
		if (rc && jag_pack_refuse(pack, i, rc, &error)) {
			range->failed_at = i;
			*err = error;
			return rc;
		}
	}
	return 0;
}

static void add_up(struct headers *headers, unsigned threads)
{
	struct jag_pack_result *result = headers->pack->result;
	for (unsigned i = 0; i < threads; i++) {
		struct tally *tally = &headers->tallies[i];
		result->not_images += tally->not_images;
		result->oriented += tally->oriented;
		result->cmyk += tally->cmyk;
		result->deep += tally->deep;
		result->alpha += tally->alpha;
		jag_buffer_free(&tally->buf);
	}
	free(headers->tallies);
}

/* Only images stay in the list. */
static void keep_images(struct jag_pack *pack)
{
	size_t kept = 0;
	for (size_t i = 0; i < pack->file_count; i++)
		if (pack->files[i].state == JAG_FILE_IMAGE)
			pack->files[kept++] = pack->files[i];
	pack->file_count = kept;
}

int jag_pack_headers(struct jag_pack *pack, struct jag_error *err)
{
	struct headers headers = { .pack = pack };
	struct jag_workers job = { .count = pack->options->workers,
				   .total = pack->file_count,
				   .watch = pack->options->watch,
				   .phase = JAG_PHASE_HEADERS,
				   .work = work,
				   .ctx = &headers };
	unsigned threads = jag_workers_threads(&job);
	headers.tallies = calloc(threads, sizeof(*headers.tallies));
	if (!headers.tallies)
		return -ENOMEM;
	int rc = jag_workers_run(&job, err);
	add_up(&headers, threads);
	jag_pack_tell_refusals(pack);
	if (!rc)
		keep_images(pack);
	return rc;
}
