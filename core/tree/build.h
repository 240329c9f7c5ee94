/* SPDX-License-Identifier: MIT */
/* build.h - from the model of a store to the objects of a tree. Every function here runs once, in jag_tree_open().
 *
 * A directory is built from the keys of a collection, or from the keys that several collections have in common
 * (keys.c): the chunks of a packed store, and the children of a lazy stack that have no batch of their own. Names are
 * given in three passes over its keys, because a name that two want goes to the first in this order: keys of the
 * store, generated names, views (which are never stored: view.c looks whether a key has their name).
 */
#ifndef JAG_TREE_BUILD_H
#define JAG_TREE_BUILD_H

#include "layout.h"
#include "model.h"
#include "options.h"

/* What `pack` left in the store about itself: the non-tensor value "jagfs". */
struct jag_recorded {
	bool present;
	bool has_layout;
	enum jag_layout layout;
	uint64_t chunks;  /* 0: not chunked */
	const char *json; /* the value's text, for jag_recorded_keeps() */
	size_t json_nbytes;
};

struct jag_rates; /* rates.c; lives as long as the tree */

struct jag_builder {
	struct jag_tree *tree;
	const struct jag_tree_options *options;
	struct jag_option_list format, layout, batch, channels, rate;
	bool batch_fit;            /* some dense leaf has as many dimensions as `batch` says for it */
	bool batch_misfit;         /* some has fewer */
	struct jag_rates **rates;  /* of each item of `rate` */
	uint16_t views;            /* bit f: K@f/ is listed */
	bool root_found;           /* the object of the wanted sub-path has been made */
	struct jag_file_attr attr; /* of collections and texts: the store's own */
	struct jag_error *err;
	struct jag_error fault; /* the first fault below the root of the mount; code 0: none */
};

/* Where the builder is. */
struct jag_scope {
	const char *wanted; /* what is left of the sub-path to be mounted; "" inside of it; NULL beside it */
	const char *path;   /* mount path, "" for the root itself; NULL outside */
	uint64_t hash;      /* of the keys from the store's root to here */
	const struct jag_recorded *recorded;
};

/* One key of a directory under construction. */
struct jag_key {
	const char *key, *name;
	const struct jag_entry **entries; /* of one collection, or of each that has the key */
	size_t entry_count;
	bool joined, stack; /* of several; `stack`: each dense leaf is one element */
	bool hidden;        /* nothing of it is listed */
	/* what was made of it; 0: nothing (the root is no child) */
	uint32_t dir, file, shape, text, list;
	bool list_dir, list_file;
};

struct jag_keys {
	struct jag_key *items;
	size_t count;
};

/* --- keys.c: which keys a directory has ------------------------------------------------------------------------ */

/* The keys of one collection; with its chunks or children joined, where it says so. */
int jag_keys_of_collection(struct jag_builder *b, const struct jag_collection *collection,
			   const struct jag_recorded *recorded, struct jag_keys *out);

/* The keys of several collections, in order of first appearance. */
int jag_keys_of_parts(struct jag_builder *b, const struct jag_entry *const *parts, size_t part_count, bool stack,
		      struct jag_keys *out);
void jag_keys_free(struct jag_keys *keys);

/* The key at a path below the store's root, joined as it is shown; it is one of `keys`, which the caller frees in every
 * case. -ENOENT. */
int jag_keys_find(struct jag_builder *b, const char *path, struct jag_keys *keys, const struct jag_key **key);

/* --- leaf.c: the objects of a leaf ----------------------------------------------------------------------------- */
int jag_build_leaf(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope);

/* --- choose.c: the listed format ------------------------------------------------------------------------------- */
struct jag_format_wish {
	const struct jag_codec *codec; /* NULL: auto */
	const char *raw_suffix;        /* of raw.EXT; NULL: none */
	bool exact;                    /* named for this leaf: refused where it fits nothing */
	const char *text;              /* as the user wrote it */
};

/* "auto", "png", "raw.jpg" -> wish. -EINVAL names the option. */
int jag_format_wish_parse(struct jag_builder *b, const char *text, bool exact, struct jag_format_wish *out);

/* Decide codec, raw suffix, frames and uniform suffix of an object whose sequence and look are set.
 * `nested`: auto shows rank-1 uint8 as raw; `picture`: auto may choose png. */
void jag_choose_format(struct jag_object *object, const struct jag_format_wish *wish, bool nested, bool picture);

/* --- texts.c: JSON values -------------------------------------------------------------------------------------- */

/* The items of a JSON list as texts: strings without quotes, anything else as JSON. -ENOMEM; -EINVAL if it is none. */
int jag_texts_split(struct jag_tree *tree, const char *json, size_t nbytes, struct jag_texts *out);
bool jag_json_is_list(const char *json, size_t nbytes);

/* K.json and K/ of a non-tensor value. */
int jag_build_value(struct jag_builder *b, uint32_t dir, struct jag_key *key, const struct jag_scope *scope);

/* --- recorded.c ------------------------------------------------------------------------------------------------ */
void jag_recorded_read(const struct jag_collection *collection, struct jag_recorded *out);

/* True if the leaf is the source paths that pack wrote. */
bool jag_recorded_path(const struct jag_recorded *recorded, const char *key, const struct jag_leaf *leaf);

/* True if the recorded layout is meant for this key. */
bool jag_recorded_keeps(const struct jag_recorded *recorded, const char *key);

/* --- register.c: names ----------------------------------------------------------------------------------------- */

/* The key as a file name, in memory of the tree. NULL if there is no memory. */
const char *jag_key_name(struct jag_tree *tree, const char *key);

int jag_register_dir(struct jag_builder *b, uint32_t object, const char *name);

/* Names of a FILE (one for each format that fits it) or TEXT, which the object's `name` and `formats` then tell;
 * `suffix` is ".json" for generated texts, "" where the name is complete. */
int jag_register_file(struct jag_builder *b, uint32_t object, const char *name, const char *suffix);

/* --- build.c --------------------------------------------------------------------------------------------------- */

/* The children of the directory `dir`, which shows the collection. */
int jag_build_collection(struct jag_builder *b, uint32_t dir, const struct jag_collection *collection,
			 const struct jag_scope *scope);

/* The scope of a key of the directory that `scope` is for. `out->path` is in memory of the tree. -ENOMEM. */
int jag_scope_enter(struct jag_builder *b, const struct jag_scope *scope, const struct jag_key *key,
		    struct jag_scope *out);

/* Keep the first fault below the mount's root. */
void jag_note_fault(struct jag_builder *b, const struct jag_scope *scope, int code, const char *path, const char *text);

/* The same for an entry that the store has found at fault: with the file that the store names. */
void jag_note_entry_fault(struct jag_builder *b, const struct jag_scope *scope, const struct jag_entry *entry);

/* The tree's root, if the key is what shall be mounted. */
void jag_found_root(struct jag_builder *b, const struct jag_scope *scope, uint32_t object);

static inline uint64_t jag_hash_salt(uint64_t hash, unsigned salt)
{
	return (hash ^ salt) * UINT64_C(0x9e3779b97f4a7c15);
}

#endif
