/* SPDX-License-Identifier: MIT */
/* commit.c - a written file -> the element's bytes -> the store. Decoding and checking happen before the element's
 * lock is taken; the store sees one write of the whole element, so that a killed process tears at most that one. */
#include "jag/commit.h"

#include <errno.h>

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

static int decode(const struct jag_place *place, const void *bytes, size_t nbytes, struct jag_buffer *out,
		  struct jag_error *err)
{
	const struct jag_codec *codec = codec_of_bytes(place, bytes, nbytes);
	struct jag_array array = { 0 };
	int rc = codec->decode(bytes, nbytes, &place->element.shape, place->look, &array, err);
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

int jag_commit(struct jag_content *content, jag_node node, const struct jag_place *place, const void *bytes,
	       size_t nbytes, unsigned flags, struct jag_error *err)
{
	int rc = check_place(place, err);
	if (rc)
		return rc;

	struct jag_buffer decoded = { 0 };
	const void *data = bytes;
	if (place->codec->format == JAG_FORMAT_RAW) {
		if (nbytes != place->element.nbytes)
			rc = jag_error_set(err, -EINVAL, NULL, 0, "%llu bytes expected, %zu written",
					   (unsigned long long)place->element.nbytes, nbytes);
	} else {
		rc = decode(place, bytes, nbytes, &decoded, err);
		data = decoded.data;
	}
	if (rc == 0 && place->element.nbytes > 0) {
		jag_content_lock(content, place);
		rc = jag_element_write(&place->element, data, place->element.nbytes, 0);
		jag_content_unlock(content, place);
		if (rc == 0 && (flags & JAG_COMMIT_SYNC))
			rc = jag_element_sync(&place->element);
		if (rc)
			jag_error_set(err, rc, jag_element_path(&place->element), place->element.pieces[0].offset,
				      "the store cannot be written");
	}
	(void)node;
	jag_buffer_free(&decoded);
	return rc;
}
