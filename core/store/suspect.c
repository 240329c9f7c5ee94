/* SPDX-License-Identifier: MIT */
/* suspect.c - damage that the format does not prevent and that leaves every file readable: found at open, and said. */
#include "suspect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "layout.h"

/* A leaf "a.shape" lies where the shape matrix of a nested leaf "a" lies: whoever was written last has won. */
int jag_td_warn_shared_shape_file(struct jag_store *store, const struct jag_meta *meta, struct jag_leaf *leaf)
{
	static const char tail[] = ".shape";
	size_t n = strlen(leaf->key), t = sizeof(tail) - 1;
	const struct jag_meta_member *other = NULL;
	char *key JAG_AUTO_FREE = NULL;
	if (leaf->nested && asprintf(&key, "%s%s", leaf->key, tail) >= 0) {
		other = jag_meta_find(meta, key);
		if (other && other->type == JAG_META_LEAF)
			return jag_model_warn(store, &leaf->warning,
					      "suspect: \"%s\" shares the file of its shape matrix", key);
		free(JAG_STEAL(key));
	}
	if (n > t && strcmp(leaf->key + n - t, tail) == 0 && asprintf(&key, "%.*s", (int)(n - t), leaf->key) >= 0) {
		other = jag_meta_find(meta, key);
		if (other && other->type == JAG_META_LEAF && other->nested)
			return jag_model_warn(store, &leaf->warning,
					      "suspect: its file is also the shape matrix of \"%s\"", key);
	}
	return 0;
}

/* The data of a user's key that tensordict's own entry has overwritten is still lying there. */
int jag_td_warn_orphans(struct jag_store *store, struct jag_collection *c, const char *dir)
{
	static const char *const names[] = { "shape" JAG_DATA_SUFFIX, "device" JAG_DATA_SUFFIX,
					     "_type" JAG_DATA_SUFFIX };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = jag_model_join(store, dir, names[i]);
		if (!path)
			return -ENOMEM;
		if (jag_root_has_file(&store->root_dir, path) == 1 &&
		    jag_model_warn(store, &c->warning, "%s has no entry: its key is reserved", path))
			return -ENOMEM;
	}
	return 0;
}
