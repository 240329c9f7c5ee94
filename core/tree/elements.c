/* SPDX-License-Identifier: MIT */
/* elements.c - the sequence behind a directory of elements. */
#include "elements.h"

#include <errno.h>

#include "model.h"

int jag_tree_elements(const struct jag_tree *tree, const char *name, const struct jag_sequence **seq,
		      const struct jag_look **look)
{
	struct jag_node_parts parts;
	jag_node node;
	int rc = jag_tree_lookup(tree, JAG_NODE_ROOT, name, &node);
	if (rc)
		return rc;
	const struct jag_object *object = jag_node_object(tree, node, &parts);
	if (!object || object->kind != JAG_OBJECT_ELEMENTS || parts.format != JAG_FORMAT_DIR)
		return -ENOENT;
	*seq = object->seq;
	*look = &object->look;
	return 0;
}
