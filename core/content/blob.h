/* SPDX-License-Identifier: MIT */
/* blob.h - how blobs are made. See jag/content.h for what they are. */
#ifndef JAG_CONTENT_BLOB_H
#define JAG_CONTENT_BLOB_H

#include "jag/content.h"

/* Takes the buffer's memory; the buffer is {0} afterwards, also on failure. */
int jag_blob_take(struct jag_buffer *buf, uint64_t hash, struct jag_blob **out);

/* Bytes that outlive every use of the blob (fixed texts of the tree); nothing is copied. */
int jag_blob_borrow(const uint8_t *bytes, size_t nbytes, struct jag_blob **out);

#endif
