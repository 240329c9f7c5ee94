/* SPDX-License-Identifier: MIT */
/* nontensor.c - non-tensor values, plain fields and the files that are shown as they are; see nontensor.h. */
#include "nontensor.h"

#include <errno.h>
#include <string.h>

#include "layout.h"
#include "leaf.h"
#include "stack.h"

/* meta.json, other.pickle, pickle.pkl */
enum { SIDE_FILES_MAX = 3 };

static bool is_class(const struct jag_meta *meta, const char *name)
{
	static const char start[] = "<class 'tensordict.";
	const char *text = meta->type_text;
	if (!text || strncmp(text, start, sizeof(start) - 1) != 0)
		return false;
	const char *last = strstr(text, name);
	size_t n = strlen(name);
	return last && last[-1] == '.' && (last[n] == '\'' || last[n] == '[');
}

static bool is_stack(const struct jag_meta *meta)
{
	return is_class(meta, "NonTensorStack");
}

bool jag_td_is_non_tensor(const struct jag_meta *meta)
{
	return meta->non_tensor || is_class(meta, "NonTensorData") || is_class(meta, "MetaData") || is_stack(meta);
}

static int set_json(struct jag_store *store, struct jag_collection *c, struct jag_json_slice value)
{
	struct jag_buffer text = { 0 };
	int rc = jag_json_strict(value, &text);
	if (rc == 0) {
		c->json = jag_model_copy(store, (const char *)text.data, text.nbytes);
		c->json_nbytes = text.nbytes;
		rc = c->json ? 0 : -ENOMEM;
	}
	jag_buffer_free(&text);
	return rc;
}

static int add_side_file(struct jag_store *store, struct jag_collection *c, struct jag_side_file side)
{
	if (!c->side_files)
		c->side_files = jag_model_alloc(store, SIDE_FILES_MAX * sizeof(*c->side_files));
	if (!c->side_files)
		return -ENOMEM;
	if (c->side_file_count < SIDE_FILES_MAX)
		c->side_files[c->side_file_count++] = side;
	return 0;
}

int jag_td_add_meta_file(struct jag_store *store, struct jag_collection *c, const char *bytes, size_t nbytes)
{
	struct jag_side_file side = { .name = JAG_META_NAME, .bytes = (const uint8_t *)bytes, .nbytes = nbytes };
	return add_side_file(store, c, side);
}

/* 1: it is there, and now a side file (or there, and why it is not is a warning); 0: it is not there. */
static int add_pickle(struct jag_store *store, struct jag_collection *c, const char *dir, const char *name)
{
	struct jag_side_file side = { .name = name };
	char *path = jag_model_join(store, dir, name);
	if (!path)
		return -ENOMEM;
	int rc = jag_model_open_file(store, path, false, &side.file);
	if (rc == -ENOENT)
		return 0;
	if (jag_model_fatal(rc))
		return rc;
	if (rc)
		rc = jag_model_warn(store, &c->warning, "%s: %s", path, jag_td_open_problem(rc));
	else {
		side.nbytes = side.file->nbytes;
		rc = add_side_file(store, c, side);
	}
	return rc ? rc : 1;
}

/* 0.3.0 and 0.3.1 kept the values of a stack in numbered children; their JSON joins to a list. */
static int join_children(struct jag_store *store, struct jag_collection *c)
{
	struct jag_buffer text = { 0 };
	int rc = jag_buffer_append(&text, "[", 1);
	for (size_t i = 0; i < c->entry_count && rc == 0; i++) {
		const struct jag_collection *child = c->entries[i].collection;
		if (!child->json) {
			jag_buffer_free(&text);
			return 0; /* one of them is in a pickle: then there is no list */
		}
		rc = i ? jag_buffer_append(&text, ", ", 2) : 0;
		if (rc == 0)
			rc = jag_buffer_append(&text, child->json, child->json_nbytes);
	}
	if (rc == 0)
		rc = jag_buffer_append(&text, "]", 1);
	if (rc == 0)
		rc = set_json(store, c, (struct jag_json_slice){ (const char *)text.data, text.nbytes });
	jag_buffer_free(&text);
	return rc;
}

int jag_td_fill_non_tensor(struct jag_store *store, struct jag_collection *c, const char *dir,
			   const struct jag_meta *meta, unsigned depth)
{
	static const char in_pickle[] = "\"" JAG_PICKLE_STACK "\"";
	const struct jag_meta_member *data = jag_meta_find(meta, "data");
	bool stack = is_stack(meta);
	c->kind = stack ? JAG_NONTENSOR_STACK : JAG_NONTENSOR;
	c->stack_dim = stack ? meta->stack_dim : -1;
	int other = add_pickle(store, c, dir, JAG_PICKLE_OTHER);
	int pickle = other < 0 || !stack ? other : add_pickle(store, c, dir, JAG_PICKLE_STACK);
	if (other < 0 || pickle < 0)
		return other < 0 ? other : pickle;
	/* "data": "pickle.pkl" says where the list is, if the file is there */
	bool away = stack && pickle && data && data->value.nbytes >= sizeof(in_pickle) - 1 &&
		    memcmp(data->value.text, in_pickle, sizeof(in_pickle) - 1) == 0;
	if (data && !away)
		return set_json(store, c, data->value);
	if (stack && !data) {
		int rc = jag_td_add_numbered(store, c, dir, depth);
		return rc || !c->entry_count ? rc : join_children(store, c);
	}
	if (!other && !pickle)
		return jag_model_warn(store, &c->warning, "neither meta.json nor a pickle has its value");
	return 0;
}

static bool has_entry(const struct jag_collection *c, const char *key)
{
	for (size_t i = 0; i < c->entry_count; i++) {
		const struct jag_entry *entry = &c->entries[i];
		if (strcmp(entry->type == JAG_ENTRY_LEAF ? entry->leaf->key : entry->collection->key, key) == 0)
			return true;
	}
	return false;
}

static int add_plain_field(struct jag_store *store, struct jag_collection *c, const char *dir,
			   const struct jag_meta_member *member)
{
	char *key = jag_td_key_text(store, member);
	struct jag_collection *field = jag_model_alloc(store, sizeof(*field));
	if (!key || !field)
		return -ENOMEM;
	if (has_entry(c, key))
		return 0;
	field->key = key;
	field->path = dir;
	field->kind = JAG_NONTENSOR;
	field->stack_dim = -1;
	int rc = jag_model_add_collection(store, c, field);
	return rc ? rc : set_json(store, field, member->value);
}

int jag_td_add_plain_fields(struct jag_store *store, struct jag_collection *c, const char *dir,
			    const struct jag_meta *meta)
{
	int rc = 0;
	for (size_t i = 0; i < meta->count && rc == 0; i++)
		rc = add_plain_field(store, c, dir, &meta->members[i]);
	if (rc == 0)
		rc = add_pickle(store, c, dir, JAG_PICKLE_OTHER);
	return rc < 0 ? rc : 0;
}
