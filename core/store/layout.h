/* SPDX-License-Identifier: MIT */
/* layout.h - tensordict's on-disk format, drawn once. Nothing outside core/store/ depends on it.
 *
 *   ROOT/                         one directory for each collection; every one with a meta.json can be opened alone
 *     meta.json                   {"KEY": {"device", "shape", "dtype", "is_nested"}, "SUB": {"type"}, "shape", ...}
 *     KEY.memmap                  elements of a leaf, C order, little-endian; no header, padding or checksum
 *     KEY.shape.memmap            nested leaves only: int64 [n, d]; row i is the shape of component i
 *     SUB/                        a sub-collection
 *     other.pickle, pickle.pkl    opaque; never interpreted
 *
 * Dense leaf, "shape": [r, c], dtype of w bytes        Nested leaf, "shape": [n, d] (that of the shape matrix)
 *
 *   KEY.memmap                                            KEY.shape.memmap     KEY.memmap
 *   0        w            c*w                             row 0: 3 2 2         component 0: 12 elements
 *   +--------+-- - --+-----+-- - --+                      row 1: 3 1 4         component 1: 12 elements, at byte 12*w
 *   | (0,0)  |       | (1,0)       |                      ...                  ... back to back, no padding
 *   +--------+-- - --+-----+-- - --+
 *
 * A leaf of no elements has no data file; d = 0 (scalars) has no shape file. A data file may be longer than needed
 * (tensordict overwrites without truncating), never shorter.
 *
 * What a directory is follows from its structure, not from "_type", which is the text of a Python class:
 *
 *   "_is_non_tensor" or a non-tensor class     one value: "data", or only a pickle has it
 *   ... NonTensorStack                         "data" is a list; in 0.3.0 and 0.3.1 children 0/ 1/ ...
 *   _tensordict/ that meta.json does not list  tensorclass; its fields are in there, some plain ones in meta.json
 *   "stack_dim"                                lazy stack: children 0/ 1/ 2/ ... until a number is missing
 *   _source/ that meta.json does not list      lazy view of what _source/ holds
 *   anything else                              TensorDict
 *
 * Versions: "_format_version" is absent (0) or 1, with the same layout. 0.3 did not list sub-collections: every
 * directory with a meta.json was one. 0.3 to 0.13 wrote raw file names where later versions encode (keyname.h). */
#ifndef JAG_STORE_LAYOUT_H
#define JAG_STORE_LAYOUT_H

#define JAG_META_NAME "meta.json"
#define JAG_DATA_SUFFIX ".memmap"
#define JAG_SHAPE_SUFFIX ".shape.memmap"
#define JAG_TENSORCLASS_DIR "_tensordict"
#define JAG_VIEW_DIR "_source"
#define JAG_PICKLE_OTHER "other.pickle"
#define JAG_PICKLE_STACK "pickle.pkl"

/* The newest "_format_version" whose layout is known. */
#define JAG_FORMAT_VERSION 1

/* Collections inside collections. Deeper is a fault, so that recursion on a hostile store is bounded. */
#define JAG_DEPTH_MAX 256

/* Directories reached through a symbolic link, in the whole store: links can describe a tree that doubles with each
 * level, or has no end. */
#define JAG_SYMLINK_MAX 1024

/* A meta.json beyond this is refused rather than read into memory. */
#define JAG_META_NBYTES_MAX (UINT64_C(1) << 30)

#endif
