/* SPDX-License-Identifier: MIT */
/* buffer.c - the growable run of bytes of jag/buffer.h. */
#include "jag/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int jag_buffer_reserve(struct jag_buffer *buf, size_t nbytes)
{
	if (nbytes <= buf->capacity)
		return 0;
	uint8_t *data = realloc(buf->data, nbytes);
	if (!data)
		return -ENOMEM;
	buf->data = data;
	buf->capacity = nbytes;
	return 0;
}

int jag_buffer_append(struct jag_buffer *buf, const void *bytes, size_t nbytes)
{
	size_t need;
	if (__builtin_add_overflow(buf->nbytes, nbytes, &need))
		return -ENOMEM;
	if (need > buf->capacity) {
		size_t grown = buf->capacity + buf->capacity / 2 + 256;
		int rc = jag_buffer_reserve(buf, grown > need ? grown : need);
		if (rc)
			return rc;
	}
	if (nbytes)
		memcpy(buf->data + buf->nbytes, bytes, nbytes);
	buf->nbytes = need;
	return 0;
}

void jag_buffer_free(struct jag_buffer *buf)
{
	free(buf->data);
	*buf = (struct jag_buffer){ 0 };
}
