/* SPDX-License-Identifier: MIT */
/* names.c - index <-> zero-padded element name. */
#include "names.h"

#include <errno.h>
#include <string.h>

unsigned jag_index_width(uint64_t count)
{
	unsigned width = 1;
	for (uint64_t last = count ? count - 1 : 0; last >= 10; last /= 10)
		width++;
	return width;
}

int jag_index_name(uint64_t index, unsigned width, const char *suffix, char *name, size_t name_nbytes)
{
	size_t suffix_nbytes = strlen(suffix);
	if (width + suffix_nbytes + 1 > name_nbytes)
		return -ENAMETOOLONG;
	for (unsigned i = width; i-- > 0; index /= 10)
		name[i] = (char)('0' + index % 10);
	memcpy(name + width, suffix, suffix_nbytes + 1);
	return (int)(width + suffix_nbytes);
}

int jag_index_parse(const char *name, unsigned width, uint64_t count, uint64_t *index, const char **suffix)
{
	uint64_t value = 0;
	unsigned digits = 0;
	for (; name[digits] >= '0' && name[digits] <= '9'; digits++) {
		if (digits == width)
			return -ENOENT;
		/* width <= 20 digits of a number below 2^64 cannot overflow unless the name is out of range anyway */
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(name[digits] - '0'), &value))
			return -ENOENT;
	}
	if (digits != width || value >= count)
		return -ENOENT;
	*index = value;
	*suffix = name + digits;
	return 0;
}

bool jag_all_digits(const char *name)
{
	return *name && name[strspn(name, "0123456789")] == '\0';
}
