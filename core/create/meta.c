/* SPDX-License-Identifier: MIT */
/* meta.c - the meta.json files of a store in the making: version 0 of the format, which names no version. The
 * spelling and the order of entries are tensordict's own. */
#include "create_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_text.h"
#include "transfer.h"

#define TENSORDICT_TYPE "<class 'tensordict._td.TensorDict'>"
#define NONTENSOR_TYPE "<class 'tensordict.tensorclass.NonTensorData'>"

/* {"device":"cpu","shape":[2,3],"dtype":"torch.uint8","is_nested":false}; the shape of a nested leaf is that of its
 * shape matrix. */
static int append_leaf(struct jag_buffer *out, const struct jag_create_leaf *leaf)
{
	int64_t matrix[2] = { (int64_t)leaf->count, leaf->shape.rank };
	int rc = jag_emit_raw(out, "{\"device\":\"cpu\",\"shape\":");
	if (!rc)
		rc = leaf->nested ? jag_emit_ints(out, matrix, 2)
				  : jag_emit_ints(out, leaf->shape.dims, leaf->shape.rank);
	if (!rc)
		rc = jag_emit_raw(out, ",\"dtype\":\"");
	if (!rc)
		rc = jag_emit_raw(out, jag_dtype_info(leaf->shape.dtype)->torch);
	if (!rc)
		rc = jag_emit_raw(out, leaf->nested ? "\",\"is_nested\":true}" : "\",\"is_nested\":false}");
	return rc;
}

static int append_entry(struct jag_buffer *out, const struct jag_create_entry *entry)
{
	int rc = jag_emit_string(out, entry->key, strlen(entry->key));
	if (!rc)
		rc = jag_emit_raw(out, ":");
	if (rc)
		return rc;
	switch (entry->type) {
	case JAG_CREATE_LEAF:
		rc = append_leaf(out, entry->leaf);
		break;
	case JAG_CREATE_DIR:
		rc = jag_emit_raw(out, "{\"type\":\"TensorDict\"}");
		break;
	case JAG_CREATE_VALUE:
		rc = jag_emit_raw(out, "{\"type\":\"NonTensorData\"}");
		break;
	}
	return rc;
}

int jag_create_entries_text(const struct jag_create_dir *dir, struct jag_buffer *out)
{
	int rc = 0;
	for (size_t i = 0; i < dir->entry_count && !rc; i++) {
		if (i)
			rc = jag_emit_raw(out, ",");
		if (!rc)
			rc = append_entry(out, &dir->entries[i]);
	}
	return rc;
}

int jag_create_dir_text(const struct jag_create_dir *dir, struct jag_buffer *out)
{
	int rc = jag_emit_raw(out, "{");
	if (!rc)
		rc = jag_create_entries_text(dir, out);
	if (!rc)
		rc = jag_emit_raw(out, dir->entry_count ? ",\"shape\":" : "\"shape\":");
	if (!rc)
		rc = jag_emit_ints(out, dir->batch, dir->batch_rank);
	if (!rc)
		rc = jag_emit_raw(out, ",\"device\":\"cpu\",\"_type\":\"" TENSORDICT_TYPE "\"}");
	return rc;
}

static int value_text(const char *json, struct jag_buffer *out)
{
	int rc = jag_emit_raw(out, "{\"_type\":\"" NONTENSOR_TYPE "\",\"data\":");
	if (!rc)
		rc = jag_emit_raw(out, json);
	if (!rc)
		rc = jag_emit_raw(out, ",\"_is_non_tensor\":true,\"_metadata\":null}");
	return rc;
}

/* DIR/meta.json; an earlier one is of jag_create_store(). */
static int write_file(const struct jag_create *create, const char *dir, const struct jag_buffer *text)
{
	char *path;
	if (asprintf(&path, "%s%smeta.json", dir, *dir ? "/" : "") < 0)
		return -ENOMEM;
	int fd = openat(create->place.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	free(path);
	if (fd < 0)
		return -errno;
	int rc = jag_write_at(fd, text->data, text->nbytes, 0);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

/* The text of one directory, written as its meta.json. */
static int write_one(struct jag_create *create, const char *dir, struct jag_buffer *text, int rc, struct jag_error *err)
{
	if (!rc)
		rc = write_file(create, dir, text);
	jag_buffer_free(text);
	if (rc)
		return jag_error_set(err, rc, create->place.path, 0, "cannot write %s%smeta.json: %s", dir,
				     *dir ? "/" : "", strerror(-rc));
	return 0;
}

int jag_create_write_meta(struct jag_create_dir *dir, struct jag_error *err)
{
	struct jag_create *create = dir->create;
	int rc = 0;
	for (size_t i = 0; i < dir->entry_count && !rc; i++) {
		const struct jag_create_entry *entry = &dir->entries[i];
		struct jag_buffer text = { 0 };
		if (entry->type == JAG_CREATE_DIR)
			rc = jag_create_write_meta(entry->dir, err);
		else if (entry->type == JAG_CREATE_VALUE)
			rc = write_one(create, entry->path, &text, value_text(entry->json, &text), err);
	}
	struct jag_buffer text = { 0 };
	return rc ? rc : write_one(create, dir->path, &text, jag_create_dir_text(dir, &text), err);
}
