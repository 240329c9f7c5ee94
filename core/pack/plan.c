/* SPDX-License-Identifier: MIT */
/* plan.c - the keys of a packed store: the leaves of each chunk, the class list, the options; and the bytes of the
 * small leaves. */
#include "pack_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "json_text.h"
#include "resize/resize_json.h"

#define BLOCK_NBYTES (size_t)(256 << 10)

static const char *mode_name(enum jag_mode mode)
{
	static const char *const names[] = { "rgb", "gray", "rgba", "keep" };
	return names[mode];
}

/* [count, C, H, W] of --size HxW. */
static int dense_image(struct jag_pack_chunk *chunk, struct jag_error *err)
{
	struct jag_shape shape = { .dtype = JAG_UINT8, .rank = 4, .dims = { (int64_t)chunk->count } };
	int rc = jag_pack_image_rows(chunk, 0, 1, shape.dims + 1);
	return rc ? rc : jag_create_dense(chunk->dir, "image", &shape, &chunk->image, err);
}

static int plan_chunk(struct jag_pack *pack, struct jag_pack_chunk *chunk, struct jag_error *err)
{
	int64_t batch = (int64_t)chunk->count;
	struct jag_rows image = { .count = chunk->count, .rank = 3, .fetch = jag_pack_image_rows, .ctx = chunk };
	struct jag_rows path = { .count = chunk->count, .rank = 1, .fetch = jag_pack_path_rows, .ctx = chunk };
	struct jag_shape label = { .dtype = JAG_INT64, .rank = 1, .dims = { batch } };
	int rc = jag_create_set_batch(chunk->dir, 1, &batch, err);
	if (!rc)
		rc = pack->dense ? dense_image(chunk, err)
				 : jag_create_nested(chunk->dir, "image", JAG_UINT8, &image, &chunk->image, err);
	if (!rc)
		rc = jag_create_nested(chunk->dir, "path", JAG_UINT8, &path, &chunk->path, err);
	if (!rc && pack->classes)
		rc = jag_create_dense(chunk->dir, "label", &label, &chunk->label, err);
	return rc;
}

static int classes_json(struct jag_pack *pack, struct jag_buffer *out)
{
	int rc = jag_emit_raw(out, "[");
	for (size_t i = 0; i < pack->class_count && rc >= 0; i++) {
		if (i)
			rc = jag_emit_raw(out, ",");
		if (!rc)
			rc = jag_json_quote(out, pack->classes[i], strlen(pack->classes[i]), JAG_JSON_PERCENT);
		if (rc == 1)
			jag_pack_note(pack, pack->classes[i],
				      "is not UTF-8; its bytes are written as %%XX in `classes`");
		if (rc == 1)
			rc = 0;
	}
	if (!rc)
		rc = jag_emit_raw(out, "]");
	return rc ? rc : jag_buffer_append(out, "", 1);
}

static int options_json(const struct jag_pack *pack, struct jag_buffer *out)
{
	const struct jag_pack_options *options = pack->options;
	const char *writer = options->writer ? options->writer : "";
	int rc = jag_emit_raw(out, "{\"jagfs\":");
	if (!rc)
		rc = jag_emit_string(out, writer, strlen(writer));
	if (!rc)
		rc = jag_emit_raw(out, ",\"layout\":\"chw\",\"mode\":\"");
	if (!rc)
		rc = jag_emit_raw(out, mode_name(options->mode));
	if (!rc)
		rc = jag_emit_raw(out, options->exif ? "\",\"exif\":true" : "\",\"exif\":false");
	if (!rc && options->size)
		rc = jag_resize_spec_json(options->size, out);
	if (!rc && pack->chunk_count > 1)
		rc = jag_emit_raw(out, ",\"chunks\":");
	if (!rc && pack->chunk_count > 1)
		rc = jag_emit_int(out, (int64_t)pack->chunk_count);
	if (!rc)
		rc = jag_emit_raw(out, pack->classes ? ",\"keys\":[\"image\",\"path\",\"label\"]}"
						     : ",\"keys\":[\"image\",\"path\"]}");
	return rc ? rc : jag_buffer_append(out, "", 1);
}

/* A value from the text that was put together, which is freed. */
static int plan_value(struct jag_pack *pack, const char *key, struct jag_buffer *text, int rc, struct jag_error *err)
{
	if (!rc)
		rc = jag_create_value(jag_create_root(pack->create), key, (const char *)text->data, err);
	jag_buffer_free(text);
	return rc;
}

int jag_pack_plan(struct jag_pack *pack, struct jag_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < pack->chunk_count && !rc; i++) {
		struct jag_pack_chunk *chunk = &pack->chunks[i];
		char key[24];
		snprintf(key, sizeof(key), "%zu", i);
		chunk->dir = jag_create_root(pack->create);
		if (pack->chunk_count > 1)
			rc = jag_create_collection(jag_create_root(pack->create), key, &chunk->dir, err);
		if (!rc)
			rc = plan_chunk(pack, chunk, err);
	}
	struct jag_buffer text = { 0 };
	if (!rc && pack->classes)
		rc = plan_value(pack, "classes", &text, classes_json(pack, &text), err);
	if (!rc)
		rc = plan_value(pack, "jagfs", &text, options_json(pack, &text), err);
	pack->result->store_nbytes = jag_create_nbytes(pack->create);
	return rc;
}

/* Bytes on their way into a leaf, in order. */
struct stream {
	struct jag_create_leaf *leaf;
	struct jag_buffer buf;
	uint64_t offset;
};

static int stream_flush(struct stream *stream)
{
	int rc = jag_create_write(stream->leaf, stream->buf.data, stream->buf.nbytes, stream->offset);
	stream->offset += stream->buf.nbytes;
	stream->buf.nbytes = 0;
	return rc;
}

static int stream_add(struct stream *stream, const void *bytes, size_t n)
{
	int rc = jag_buffer_append(&stream->buf, bytes, n);
	return rc || stream->buf.nbytes < BLOCK_NBYTES ? rc : stream_flush(stream);
}

static int write_chunk(const struct jag_pack *pack, const struct jag_pack_chunk *chunk)
{
	struct stream path = { .leaf = chunk->path }, label = { .leaf = chunk->label };
	int rc = 0;
	for (uint64_t i = chunk->first; i < chunk->first + chunk->count && !rc; i++) {
		const struct jag_pack_file *file = &pack->files[i];
		const char *name = file->path + file->name;
		int64_t value = file->label;
		rc = stream_add(&path, name, strlen(name));
		if (!rc && chunk->label)
			rc = stream_add(&label, &value, sizeof(value));
	}
	if (!rc)
		rc = stream_flush(&path);
	if (!rc && chunk->label)
		rc = stream_flush(&label);
	jag_buffer_free(&path.buf);
	jag_buffer_free(&label.buf);
	jag_create_close(chunk->path);
	if (chunk->label)
		jag_create_close(chunk->label);
	return rc;
}

int jag_pack_write_small(struct jag_pack *pack, struct jag_error *err)
{
	for (size_t i = 0; i < pack->chunk_count; i++) {
		int rc = write_chunk(pack, &pack->chunks[i]);
		if (rc)
			return jag_pack_errno(err, pack->options->target, rc, "cannot write labels and paths");
	}
	return 0;
}
