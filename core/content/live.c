/* SPDX-License-Identifier: MIT */
/* live.c - ranges of files that are a header and the element's own bytes: read, lent to a system call, written. No
 * state: what others store into the element is there at once. */
#include <errno.h>
#include <string.h>

#include "jag/content.h"

static int fetch(const void *ctx, void *dst, size_t n, uint64_t offset)
{
	const struct jag_element *element = ctx;
	return jag_element_read(element, dst, n, offset);
}

static int store(const void *ctx, const void *src, size_t n, uint64_t offset)
{
	const struct jag_element *element = ctx;
	return jag_element_write(element, src, n, offset);
}

static size_t clamp(size_t n, uint64_t offset, uint64_t end)
{
	if (offset >= end)
		return 0;
	return n < end - offset ? n : (size_t)(end - offset);
}

int64_t jag_content_read(struct jag_content *content, const struct jag_place *place, void *dst, size_t n,
			 uint64_t offset)
{
	struct jag_live live;
	(void)content;
	if (place->bytes) {
		n = clamp(n, offset, place->size);
		if (n)
			memcpy(dst, place->bytes + offset, n);
		return (int64_t)n;
	}
	if (!place->codec || !place->codec->live)
		return -EINVAL;
	int rc = place->codec->live(&place->element.shape, place->look, &live);
	return rc ? rc : jag_live_read(&live, fetch, &place->element, dst, n, offset);
}

int jag_content_range(const struct jag_place *place, size_t n, uint64_t offset, struct jag_content_range *out)
{
	struct jag_live live;
	if (place->bytes || !place->codec || !place->codec->live)
		return -EOPNOTSUPP;
	int rc = place->codec->live(&place->element.shape, place->look, &live);
	if (rc)
		return rc;
	if (!jag_live_is_plain(&live))
		return -EOPNOTSUPP;
	n = clamp(n, offset, live.header_nbytes + live.payload_nbytes);
	out->header_nbytes = clamp(n, offset, live.header_nbytes);
	if (out->header_nbytes) {
		memcpy(out->header, live.header + offset, out->header_nbytes);
		offset += out->header_nbytes;
	}
	out->nbytes = n - out->header_nbytes;
	if (out->nbytes == 0)
		return -EOPNOTSUPP;
	return jag_element_fd(&place->element, out->nbytes, offset - live.header_nbytes, &out->fd, &out->offset);
}

int jag_content_write(struct jag_content *content, const struct jag_place *place, const void *src, size_t n,
		      uint64_t offset)
{
	struct jag_live live;
	if (place->bytes || place->read_only || !place->codec || !place->codec->live)
		return -EPERM;
	int rc = place->codec->live(&place->element.shape, place->look, &live);
	if (rc)
		return rc;
	/* whole for snapshots that are made meanwhile; readers of live formats may see half of it, as in any file */
	jag_content_lock(content, place);
	rc = jag_live_write(&live, fetch, store, &place->element, src, n, offset);
	jag_content_unlock(content, place);
	return rc;
}
