/* SPDX-License-Identifier: MIT */
/* name_list.c - names from the command line and from NUL-separated lists. */
#include "name_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_NBYTES (size_t)(64 << 10)

int jag_name_list_add(struct jag_name_list *list, const char *name)
{
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? list->capacity * 2 : 64;
		const char **names = realloc(list->names, capacity * sizeof(*names));
		if (!names)
			return -ENOMEM;
		list->names = names;
		list->capacity = capacity;
	}
	list->names[list->count++] = name;
	return 0;
}

static int read_all(int fd, struct jag_buffer *text)
{
	for (;;) {
		size_t room = text->nbytes + READ_NBYTES + 1;
		int rc = room > text->capacity ? jag_buffer_reserve(text, room + room / 2) : 0;
		if (rc)
			return rc;
		ssize_t n = read(fd, text->data + text->nbytes, READ_NBYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		text->nbytes += (size_t)n;
	}
}

int jag_name_list_read(struct jag_name_list *list, const char *path)
{
	if (list->text_count == sizeof(list->texts) / sizeof(list->texts[0]))
		return -EBUSY;
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	struct jag_buffer *text = &list->texts[list->text_count++];
	int rc = read_all(fd, text);
	if (!standard)
		close(fd);
	if (rc)
		return rc;
	/* read_all() leaves room for this. */
	text->data[text->nbytes] = '\0';
	const char *name = (const char *)text->data, *end = name + text->nbytes;
	for (; name < end && !rc; name += strlen(name) + 1)
		rc = jag_name_list_add(list, name);
	return rc;
}

void jag_name_list_free(struct jag_name_list *list)
{
	free(list->names);
	for (unsigned i = 0; i < list->text_count; i++)
		jag_buffer_free(&list->texts[i]);
	*list = (struct jag_name_list){ 0 };
}
