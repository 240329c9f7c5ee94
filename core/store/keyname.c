/* SPDX-License-Identifier: MIT */
/* keyname.c - percent-encoding of keys, and when a raw name may be tried. */
#include "keyname.h"

#include <errno.h>
#include <string.h>

static bool must_encode(unsigned char c)
{
	return c <= 0x20 || c == 0x7f || strchr("/<>:\"|?*\\%", c) != NULL;
}

int jag_keyname_encode(const char *key, size_t key_nbytes, char *name, size_t name_nbytes)
{
	static const char hex[] = "0123456789ABCDEF";
	bool dots = (key_nbytes == 1 || key_nbytes == 2) && memcmp(key, "..", key_nbytes) == 0;
	size_t used = 0;
	if (key_nbytes == 0) {
		/* no other key gives a lone percent sign */
		if (name_nbytes < 2)
			return -ENAMETOOLONG;
		name[used++] = '%';
	}
	for (size_t i = 0; i < key_nbytes; i++) {
		unsigned char c = (unsigned char)key[i];
		bool encode = dots || must_encode(c);
		if (name_nbytes - used < (encode ? 4U : 2U))
			return -ENAMETOOLONG;
		if (encode) {
			name[used++] = '%';
			name[used++] = hex[c >> 4];
			name[used++] = hex[c & 15];
		} else {
			name[used++] = (char)c;
		}
	}
	name[used] = '\0';
	return (int)used;
}

int jag_key_encode(const char *key, char *name, size_t name_nbytes)
{
	return jag_keyname_encode(key, strlen(key), name, name_nbytes);
}

bool jag_keyname_raw_allowed(const char *key, size_t key_nbytes, bool whole)
{
	if (memchr(key, '/', key_nbytes) || memchr(key, '\\', key_nbytes) || memchr(key, '\0', key_nbytes))
		return false;
	if (key_nbytes >= 2 && key[1] == ':')
		return false;
	bool special = key_nbytes == 0 || (key_nbytes <= 2 && memcmp(key, "..", key_nbytes) == 0);
	return !(whole && special);
}
