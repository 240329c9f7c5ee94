/* SPDX-License-Identifier: MIT */
/* tensordict.c - the kind "tensordict directory": walks the directories of a store and says what each of them is. The
 * structure decides, as drawn in layout.h. Leaves are opened in leaf.c, meta.json is read in meta.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "keyname.h"
#include "layout.h"
#include "leaf.h"
#include "meta.h"
#include "model.h"
#include "nontensor.h"
#include "stack.h"
#include "suspect.h"
#include "tensordict.h"

static int fill(struct jag_store *store, struct jag_collection *c, const char *dir, unsigned depth);

/* A directory that is there and below the store? Otherwise a fault. */
static int enter(struct jag_store *store, struct jag_collection *c, const char *dir, unsigned depth)
{
	const char *path = dir[0] ? dir : ".";
	if (depth > JAG_DEPTH_MAX)
		return jag_model_fault_collection(store, c, -ELOOP, path, 0,
						  "collections are nested deeper than 256 levels");
	int rc = jag_root_is_dir(&store->root_dir, dir);
	if (rc > 0 || jag_model_fatal(rc))
		return rc > 0 ? 0 : rc;
	if (rc == 0)
		return jag_model_fault_collection(store, c, -ENOENT, path, 0,
						  "missing; meta.json names a collection there");
	return jag_model_fault_collection(store, c, rc, path, 0, jag_td_open_problem(rc));
}

int jag_td_add_child(struct jag_store *store, struct jag_collection *parent, const char *key, const char *dir,
		     unsigned depth)
{
	struct jag_collection *child = jag_model_alloc(store, sizeof(*child));
	if (!child)
		return -ENOMEM;
	child->key = key;
	child->path = dir;
	child->stack_dim = -1;
	child->kind = JAG_UNREADABLE;
	int rc = jag_model_add_collection(store, parent, child);
	if (rc == 0)
		rc = enter(store, child, dir, depth + 1);
	return rc || child->fault ? rc : fill(store, child, dir, depth + 1);
}

/* The directory of a listed sub-collection: encoded name, then raw. The encoded one if neither exists. */
static int add_listed(struct jag_store *store, struct jag_collection *c, const char *dir,
		      const struct jag_meta_member *member, unsigned depth)
{
	char name[JAG_FILE_NAME_MAX + 1];
	char *key = jag_td_key_text(store, member);
	int n = jag_keyname_encode(member->key, member->key_nbytes, name, sizeof(name));
	/* too long for a directory: let the lookup of what is left of it fail */
	char *path = jag_model_join(store, dir, n < 0 ? "" : name);
	if (!key || !path)
		return -ENOMEM;
	bool legacy = n >= 0 && strcmp(name, member->key) != 0 &&
		      jag_keyname_raw_allowed(member->key, member->key_nbytes, true) &&
		      jag_root_is_dir(&store->root_dir, path) == 0;
	if (legacy) {
		char *raw = jag_model_join(store, dir, member->key);
		if (!raw)
			return -ENOMEM;
		legacy = jag_root_is_dir(&store->root_dir, raw) == 1;
		path = legacy ? raw : path;
	}
	if (n < 0 || strlen(member->key) != member->key_nbytes)
		return jag_td_add_refused(store, c, key, dir,
					  n < 0 ? "a key whose file name is longer than 255 bytes"
						: "a key with a NUL byte");
	int rc = jag_td_add_child(store, c, key, path, depth);
	if (rc == 0 && legacy)
		rc = jag_model_warn(store, &c->entries[c->entry_count - 1].collection->warning,
				    "legacy directory name (not percent-encoded)");
	return rc;
}

int jag_td_add_refused(struct jag_store *store, struct jag_collection *parent, const char *key, const char *dir,
		       const char *problem)
{
	struct jag_collection *child = jag_model_alloc(store, sizeof(*child));
	char *meta = jag_model_join(store, dir, JAG_META_NAME);
	char message[512];
	if (!child || !meta)
		return -ENOMEM;
	child->key = key;
	child->path = dir;
	child->stack_dim = -1;
	child->kind = JAG_UNREADABLE;
	snprintf(message, sizeof(message), "\"%s\": %s", key, problem);
	int rc = jag_model_add_collection(store, parent, child);
	return rc ? rc : jag_model_fault_collection(store, child, -EINVAL, meta, 0, message);
}

/* 0.3 listed no sub-collections. Later versions say so in ways that 0.3 did not know. */
static bool may_have_unlisted(const struct jag_meta *meta)
{
	if (meta->format_version != 0)
		return false;
	for (size_t i = 0; i < meta->count; i++) {
		if (meta->members[i].type == JAG_META_COLLECTION || meta->members[i].has_nested)
			return false;
	}
	return true;
}

static int fill_tensordict(struct jag_store *store, struct jag_collection *c, const char *dir,
			   const struct jag_meta *meta, unsigned depth)
{
	c->kind = JAG_TENSORDICT;
	c->batch_known = meta->has_shape;
	c->batch_rank = meta->batch_rank;
	memcpy(c->batch, meta->batch, meta->batch_rank * sizeof(*meta->batch));
	int rc = 0;
	for (size_t i = 0; i < meta->count && rc == 0; i++) {
		const struct jag_meta_member *member = &meta->members[i];
		if (member->type == JAG_META_COLLECTION)
			rc = add_listed(store, c, dir, member, depth);
		if (member->type != JAG_META_LEAF)
			continue;
		rc = jag_td_add_leaf(store, c, dir, member);
		if (rc == 0)
			rc = jag_td_warn_shared_shape_file(store, meta, c->entries[c->entry_count - 1].leaf);
	}
	if (rc == 0 && may_have_unlisted(meta))
		rc = jag_td_add_unlisted(store, c, dir, depth);
	return rc ? rc : jag_td_warn_orphans(store, c, dir);
}

/* Is there a directory `name` that meta.json does not list as an entry of its own? */
static bool has_unlisted_dir(struct jag_store *store, const char *dir, const struct jag_meta *meta, const char *name)
{
	const struct jag_meta_member *member = jag_meta_find(meta, name);
	char *path = jag_model_join(store, dir, name);
	if (member && member->type == JAG_META_COLLECTION)
		return false;
	return path && jag_root_is_dir(&store->root_dir, path) == 1;
}

/* Fill `c` from a directory inside its own: the fields appear as if they stood in `c`. */
static int fill_from_inside(struct jag_store *store, struct jag_collection *c, const char *dir, const char *name,
			    unsigned depth)
{
	const char *type_text = c->type_text;
	char *inside = jag_model_join(store, dir, name);
	if (!inside)
		return -ENOMEM;
	int rc = enter(store, c, inside, depth + 1);
	if (rc == 0 && c->fault == 0)
		rc = fill(store, c, inside, depth + 1);
	c->type_text = type_text;
	return rc;
}

static int fill_tensorclass(struct jag_store *store, struct jag_collection *c, const char *dir,
			    const struct jag_meta *meta, unsigned depth)
{
	int rc = fill_from_inside(store, c, dir, JAG_TENSORCLASS_DIR, depth);
	if (rc || c->fault)
		return rc;
	/* A tensorclass around a lazy stack stays a stack: that is what its children are. */
	if (c->kind == JAG_TENSORDICT)
		c->kind = JAG_TENSORCLASS;
	return jag_td_add_plain_fields(store, c, dir, meta);
}

static int fill_view(struct jag_store *store, struct jag_collection *c, const char *dir, unsigned depth)
{
	int rc = fill_from_inside(store, c, dir, JAG_VIEW_DIR, depth);
	if (rc || c->fault)
		return rc;
	c->kind = JAG_LAZY_VIEW;
	c->stack_dim = -1;
	return jag_model_warn(store, &c->warning, "view not applied: what it is a view of is shown");
}

static int fill_by_structure(struct jag_store *store, struct jag_collection *c, const char *dir,
			     const struct jag_meta *meta, unsigned depth)
{
	if (jag_td_is_non_tensor(meta))
		return jag_td_fill_non_tensor(store, c, dir, meta, depth);
	/* nearly all collections, without looking for directories */
	bool plain = meta->type_text && strcmp(meta->type_text, "<class 'tensordict._td.TensorDict'>") == 0;
	if (plain && meta->has_shape && !meta->has_stack_dim)
		return fill_tensordict(store, c, dir, meta, depth);
	if (has_unlisted_dir(store, dir, meta, JAG_TENSORCLASS_DIR))
		return fill_tensorclass(store, c, dir, meta, depth);
	if (meta->has_stack_dim)
		return jag_td_fill_stack(store, c, dir, meta, depth);
	if (has_unlisted_dir(store, dir, meta, JAG_VIEW_DIR))
		return fill_view(store, c, dir, depth);
	return fill_tensordict(store, c, dir, meta, depth);
}

static int warn_about_meta(struct jag_store *store, struct jag_collection *c, const struct jag_meta *meta)
{
	int rc = 0;
	if (!meta->type_text)
		rc = jag_model_warn(store, &c->warning, "meta.json has no \"_type\": tensordict cannot load it");
	if (rc == 0 && meta->format_version < 0)
		rc = jag_model_warn(store, &c->warning, "\"_format_version\" is not a number");
	if (rc == 0 && meta->format_version > JAG_FORMAT_VERSION)
		rc = jag_model_warn(store, &c->warning, "format version %lld is newer than %d",
				    (long long)meta->format_version, JAG_FORMAT_VERSION);
	return rc;
}

/* meta.json of `dir` into memory of the store; a fault of `c` if that cannot be. */
static int read_meta(struct jag_store *store, struct jag_collection *c, const char *dir, const char **bytes,
		     struct jag_meta *meta)
{
	struct jag_error err = { 0 };
	uint8_t *heap JAG_AUTO_FREE = NULL;
	size_t nbytes = 0;
	char *path = jag_model_join(store, dir, JAG_META_NAME);
	if (!path)
		return -ENOMEM;
	int rc = jag_root_slurp(&store->root_dir, path, JAG_META_NBYTES_MAX, &heap, &nbytes);
	if (jag_model_fatal(rc))
		return rc;
	if (rc)
		return jag_model_fault_collection(store, c, rc, path, 0,
						  rc == -ENOENT ? "missing" : jag_td_open_problem(rc));
	*bytes = jag_model_copy(store, (const char *)heap, nbytes);
	if (!*bytes)
		return -ENOMEM;
	rc = jag_meta_parse(*bytes, nbytes, meta, &err);
	if (rc == -EINVAL)
		return jag_model_fault_collection(store, c, rc, path, err.offset, err.message);
	/* of the collection itself, not of what lies inside a tensorclass */
	if (rc == 0 && !c->side_files)
		rc = jag_td_add_meta_file(store, c, *bytes, nbytes);
	return rc;
}

/* `dir` is c->path, or a directory inside it for a tensorclass or a view. */
static int fill(struct jag_store *store, struct jag_collection *c, const char *dir, unsigned depth)
{
	struct jag_meta meta = { 0 };
	const char *bytes = NULL;
	int rc = read_meta(store, c, dir, &bytes, &meta);
	if (rc == 0 && c->fault == 0) {
		c->type_text = meta.type_text ? jag_model_copy(store, meta.type_text, strlen(meta.type_text)) : NULL;
		if (meta.format_version > c->format_version)
			c->format_version = meta.format_version;
		rc = warn_about_meta(store, c, &meta);
		if (rc == 0)
			rc = fill_by_structure(store, c, dir, &meta, depth);
	}
	if (c->fault)
		c->kind = JAG_UNREADABLE;
	jag_meta_free(&meta);
	return rc;
}

static int open_tensordict(struct jag_store *store, struct jag_error *err)
{
	struct jag_collection *root = jag_model_alloc(store, sizeof(*root));
	int rc = -ENOMEM;
	if (root) {
		root->key = root->path = "";
		root->stack_dim = -1;
		root->kind = JAG_UNREADABLE;
		store->root = root;
		rc = fill(store, root, "", 0);
	}
	if (rc)
		return jag_error_set(err, rc, store->path, 0, "cannot be opened: %s", strerror(-rc));
	return 0;
}

static bool probe_tensordict(const struct jag_probe *probe)
{
	/* also where meta.json is there but wrong: then the message is about it */
	return !probe->file && jag_root_has_name(probe->root, JAG_META_NAME);
}

const struct jag_store_kind jag_kind_tensordict = {
	.name = "tensordict directory",
	.probe = probe_tensordict,
	.open = open_tensordict,
};
