/* SPDX-License-Identifier: MIT */
/* recognise.c - containers that are known but not supported yet, told by their content, so that a refusal names what
 * the user has. Each becomes a kind of its own with an open() and leaves this file. */
#include <string.h>

#include "checked.h"
#include "file.h"
#include "kind.h"
#include "layout.h"

static uint64_t le64(const uint8_t *bytes)
{
	uint64_t value = 0;
	for (int i = 7; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

static bool bytes_at(const struct jag_probe *probe, uint64_t offset, void *dst, size_t n)
{
	return probe->file && jag_range_inside(offset, n, probe->nbytes) &&
	       jag_file_read(probe->file, dst, n, offset) == 0;
}

static bool ends_with(const char *text, const char *tail)
{
	size_t n = strlen(text), t = strlen(tail);
	return n >= t && strcmp(text + n - t, tail) == 0;
}

/* The name of a zip's first member, cut to fit; false if it is no zip. Local header: signature, 22 bytes of which
 * nothing is needed here, length of the name (u16) at 26, the name at 30. */
static bool first_zip_member(const struct jag_probe *probe, char *name, size_t name_nbytes)
{
	uint8_t head[30];
	if (!bytes_at(probe, 0, head, sizeof(head)) || memcmp(head, "PK\3\4", 4) != 0)
		return false;
	size_t n = (size_t)(head[26] | head[27] << 8);
	if (n >= name_nbytes || !bytes_at(probe, sizeof(head), name, n))
		return false;
	name[n] = '\0';
	return true;
}

/* tensordict writes meta.json first; other packers sort as they like. */
static bool probe_tdz(const struct jag_probe *probe)
{
	char name[1024];
	return first_zip_member(probe, name, sizeof(name)) &&
	       (strcmp(name, JAG_META_NAME) == 0 || ends_with(name, JAG_DATA_SUFFIX) ||
		ends_with(name, "/" JAG_META_NAME) || ends_with(probe->path, ".tdz"));
}

static bool probe_npz(const struct jag_probe *probe)
{
	char name[1024];
	return first_zip_member(probe, name, sizeof(name)) && ends_with(name, ".npy");
}

static bool probe_npy(const struct jag_probe *probe)
{
	uint8_t head[6];
	return bytes_at(probe, 0, head, sizeof(head)) && memcmp(head, "\x93NUMPY", 6) == 0;
}

/* Length of the JSON header (u64), at most 100 MB, then its opening brace. */
static bool probe_safetensors(const struct jag_probe *probe)
{
	uint8_t head[9];
	if (!bytes_at(probe, 0, head, sizeof(head)))
		return false;
	uint64_t n = le64(head);
	return head[8] == '{' && n <= 100000000 && jag_range_inside(8, n, probe->nbytes);
}

/* Data, JSON, length of the JSON (i64). No magic number: the object must begin with the "cls" of its level. */
static bool probe_consolidated(const struct jag_probe *probe)
{
	uint8_t tail[8];
	char json[64];
	if (probe->nbytes < sizeof(tail) || !bytes_at(probe, probe->nbytes - 8, tail, sizeof(tail)))
		return false;
	uint64_t n = le64(tail);
	if (n < sizeof(json) || n > probe->nbytes - 8 || !bytes_at(probe, probe->nbytes - 8 - n, json, sizeof(json)))
		return false;
	return json[0] == '{' && memmem(json, sizeof(json), "\"cls\"", 5) != NULL;
}

static int find_old_meta(void *context, const char *name)
{
	(void)context;
	return strcmp(name, "meta.pt") == 0 || ends_with(name, ".meta.pt");
}

static bool probe_before_0_3(const struct jag_probe *probe)
{
	return !probe->file && jag_root_list(probe->root, "", find_old_meta, NULL) == 1;
}

static const struct jag_store_kind tdz = { .name = "tensordict archive (.tdz)", .probe = probe_tdz };
static const struct jag_store_kind npz = { .name = "NumPy archive (.npz)", .probe = probe_npz };
static const struct jag_store_kind npy = { .name = "NumPy file (.npy)", .probe = probe_npy };
static const struct jag_store_kind safetensors = { .name = "safetensors file", .probe = probe_safetensors };
static const struct jag_store_kind consolidated = { .name = "consolidated tensordict file",
						    .probe = probe_consolidated };
static const struct jag_store_kind before_0_3 = { .name = "store of tensordict before 0.3 (*.meta.pt)",
						  .probe = probe_before_0_3 };

const struct jag_store_kind *const jag_kinds_unsupported[] = { &tdz,          &npz,        &npy, &safetensors,
							       &consolidated, &before_0_3, NULL };
