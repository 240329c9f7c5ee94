/* SPDX-License-Identifier: MIT */
/* node.h - how a node id is packed. A node is computed from what it stands for, so nothing is remembered for it.
 *
 *   bit 63   62 ........ 44   43 .. 40   39 .. 36   35 ............. 0
 *      0       object: 19      view: 4   format: 4      index: 36
 *
 *   object   number of the object in the tree (see model.h); the root of the tree is 0
 *   view     0, or the format V of the directory K@V/ that the node is seen in
 *   format   0 (JAG_FORMAT_DIR): a directory; else the format of a file
 *   index    directories: 1 the object's own directory; 2 + i the directory of the frames of element i
 *            files of a directory of elements: i * stride + sub. Where elements have frames, stride is one more than
 *            the largest number of frames, sub 0 is the whole element and sub 1 + f is frame f; else stride is 1
 *            any other file: 0
 *
 * The root is object 0, view 0, format 0, index 1: the number 1, which is FUSE_ROOT_ID. No node is 0: a directory has
 * an index, a file a format. Bit 63 (JAG_NODE_FOREIGN) is free for nodes that the mount makes up.
 */
#ifndef JAG_TREE_NODE_H
#define JAG_TREE_NODE_H

#include "jag/tree.h"

#define JAG_INDEX_BITS 36
#define JAG_INDEX_LIMIT (UINT64_C(1) << JAG_INDEX_BITS)
#define JAG_OBJECT_LIMIT (UINT32_C(1) << 19)
#define JAG_INDEX_SELF 1
#define JAG_INDEX_FRAMES 2

struct jag_node_parts {
	uint32_t object;
	unsigned view;
	unsigned format;
	uint64_t index;
};

static inline jag_node jag_node_pack(uint32_t object, unsigned view, unsigned format, uint64_t index)
{
	return (uint64_t)object << 44 | (uint64_t)view << 40 | (uint64_t)format << 36 | index;
}

static inline struct jag_node_parts jag_node_unpack(jag_node node)
{
	return (struct jag_node_parts){
		.object = (uint32_t)(node >> 44),
		.view = (unsigned)(node >> 40) & 15,
		.format = (unsigned)(node >> 36) & 15,
		.index = node & (JAG_INDEX_LIMIT - 1),
	};
}

/* The node without its view: the same for every directory that the file is seen in. */
static inline jag_node jag_node_without_view(jag_node node)
{
	return node & ~(UINT64_C(15) << 40);
}

#endif
