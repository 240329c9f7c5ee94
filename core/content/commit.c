/* SPDX-License-Identifier: MIT */
/* commit.c - a written file -> the element's bytes -> the store. Decoding and checking happen before the element's
 * lock is taken; the store sees one write of the whole element, so that a killed process tears at most that one. */
#include "jag/commit.h"

#include <errno.h>
#include <string.h>

#include "jag/resize.h"

/* raw is taken as it stands even if it happens to begin like a PNG: a nested uint8 leaf of encoded images holds just
 * such bytes. txt has no magic. All others are told by content, and fall back to the file's own format, whose decoder
 * says best what is wrong. */
static const struct jag_codec *codec_of_bytes(const struct jag_place *place, const void *bytes, size_t nbytes)
{
	if (place->codec->format == JAG_FORMAT_RAW || place->codec->format == JAG_FORMAT_TXT)
		return place->codec;
	const struct jag_codec *told = jag_codec_by_content(bytes, nbytes);
	return told && told->decode ? told : place->codec;
}

static int check_place(const struct jag_place *place, struct jag_error *err)
{
	if (place->type != JAG_NODE_FILE || place->bytes || place->read_only || !place->codec)
		return jag_error_set(err, -EPERM, NULL, 0, "this file cannot be written");
	if (!place->listed_format)
		return jag_error_set(err, -EACCES, NULL, 0, "its directory lists another format");
	if (!place->codec->decode && place->codec->format != JAG_FORMAT_RAW)
		return jag_error_set(err, -EPERM, NULL, 0, "%s files are read-only", place->codec->name);
	return 0;
}

static bool is_image(const struct jag_codec *codec)
{
	return codec->format == JAG_FORMAT_PNG || codec->format == JAG_FORMAT_JPG || codec->format == JAG_FORMAT_PNM ||
	       codec->format == JAG_FORMAT_PAM;
}

/* *fitted: the bytes are not those of the file any more. */
static int decode(const struct jag_place *place, const void *bytes, size_t nbytes, unsigned flags,
		  struct jag_buffer *out, bool *fitted, struct jag_error *err)
{
	const struct jag_codec *codec = codec_of_bytes(place, bytes, nbytes);
	struct jag_array array = { 0 };
	bool fit = (flags & JAG_COMMIT_FIT) && is_image(codec);
	/* Told what it is meant for, a decoder refuses other sizes before it begins. */
	int rc = codec->decode(bytes, nbytes, fit ? NULL : &place->element.shape, place->look, &array, err);
	if (rc == 0 && fit) {
		struct jag_shape before = array.shape;
		rc = jag_resize_array(&array, &place->element.shape, place->look);
		*fitted = !jag_shape_equal(&before, &array.shape);
		if (rc)
			jag_error_set(err, rc, NULL, 0, "the image cannot be resized: %s", strerror(-rc));
	}
	if (rc == 0)
		rc = jag_array_to_element(&array, &place->element.shape, place->look, out, err);
	jag_array_free(&array);
	return rc;
}

bool jag_commit_plausible(const struct jag_place *place, size_t nbytes)
{
	if (place->codec && place->codec->format == JAG_FORMAT_RAW)
		return nbytes == place->element.nbytes;
	return nbytes > 0;
}

static int store_error(const struct jag_place *place, int rc, struct jag_error *err)
{
	return jag_error_set(err, rc, jag_element_path(&place->element), 0, "the store cannot be written: %s",
			     strerror(-rc));
}

/* One write of all of it. `file`: what is read back as long as these bytes stay; NULL: our own encoding. */
static int store(struct jag_content *content, const struct jag_place *place, const void *data, const void *file,
		 size_t file_nbytes, struct jag_error *err)
{
	int rc = 0;
	if (place->element.nbytes == 0)
		return 0;
	jag_content_lock(content, place);
	rc = jag_element_write(&place->element, data, place->element.nbytes, 0);
	if (rc == 0 && file)
		jag_content_remember(content, place, data, file, file_nbytes);
	jag_content_unlock(content, place);
	return rc ? store_error(place, rc, err) : 0;
}

int jag_commit(struct jag_content *content, const struct jag_place *place, const void *bytes, size_t nbytes,
	       unsigned flags, struct jag_error *err)
{
	int rc = check_place(place, err);
	if (rc)
		return rc;

	struct jag_buffer decoded = { 0 };
	const void *data = bytes;
	bool fitted = false;
	if (place->codec->format == JAG_FORMAT_RAW) {
		if (nbytes != place->element.nbytes)
			rc = jag_error_set(err, -EINVAL, NULL, 0, "%llu bytes expected, %zu written",
					   (unsigned long long)place->element.nbytes, nbytes);
	} else {
		rc = decode(place, bytes, nbytes, flags, &decoded, &fitted, err);
		data = decoded.data;
	}
	if (rc == 0)
		rc = store(content, place, data, fitted ? NULL : bytes, nbytes, err);
	if (rc == 0 && (flags & JAG_COMMIT_SYNC) && place->element.nbytes > 0) {
		rc = jag_element_sync(&place->element);
		if (rc)
			store_error(place, rc, err);
	}
	jag_buffer_free(&decoded);
	return rc;
}
