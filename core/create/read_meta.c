/* SPDX-License-Identifier: MIT */
/* read_meta.c - meta.json before and after entries are added. The new text is the old one up to its last brace, so that
 * key order, spelling and unknown entries survive. */
#include "read_meta.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "transfer.h"

#define META_LIMIT (INT64_C(1) << 30)

int jag_read_meta(int dir_fd, const char *path, struct jag_buffer *text, struct jag_meta *meta, unsigned *mode,
		  struct jag_error *err)
{
	int fd JAG_AUTO_CLOSE = openat(dir_fd, "meta.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return jag_error_set(err, -errno, path, 0, "cannot open its meta.json: %s", strerror(errno));
	struct stat st;
	if (fstat(fd, &st))
		return jag_error_set(err, -errno, path, 0, "cannot read its meta.json: %s", strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size > META_LIMIT)
		return jag_error_set(err, -EINVAL, path, 0, "its meta.json is no file of a sensible size");
	if (mode)
		*mode = st.st_mode & 07777;
	int rc = jag_read_on(fd, text, (size_t)st.st_size);
	if (rc)
		return jag_error_set(err, rc, path, 0, "cannot read its meta.json: %s", strerror(-rc));
	struct jag_error why = { 0 };
	rc = jag_meta_parse(text->data, text->nbytes, meta, &why);
	return rc ? jag_error_set(err, rc, path, why.offset, "its meta.json: %s", why.message) : 0;
}

int jag_meta_insert(const struct jag_buffer *old, const struct jag_buffer *entries, struct jag_buffer *out)
{
	size_t end = old->nbytes;
	while (end && old->data[end - 1] != '}')
		end--;
	if (!end)
		return -EINVAL;
	size_t last = --end; /* of the brace; what was before it, without white space: */
	while (last && strchr(" \t\r\n", old->data[last - 1]))
		last--;
	if (!last)
		return -EINVAL;
	int rc = jag_buffer_append(out, old->data, last);
	if (!rc && entries->nbytes && old->data[last - 1] != '{')
		rc = jag_buffer_append(out, ",", 1);
	if (!rc)
		rc = jag_buffer_append(out, entries->data, entries->nbytes);
	return rc ? rc : jag_buffer_append(out, old->data + last, old->nbytes - last);
}
