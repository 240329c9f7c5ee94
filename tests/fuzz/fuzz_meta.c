/* SPDX-License-Identifier: MIT */
/* fuzz_meta.c - any bytes as meta.json: parsed or refused, and what is parsed keeps its promises. */
#include <stdlib.h>

#include "fuzz.h"
#include "store/meta.h"

/* A broken promise is a crash that the fuzzer keeps. */
static void check(bool good)
{
	if (!good)
		abort();
}

static void check_member(const struct jag_meta_member *member, const uint8_t *data, size_t size)
{
	struct jag_buffer strict = { 0 };
	struct json_object *value = NULL;
	size_t bad;
	const uint8_t *text = (const uint8_t *)member->value.text;
	check(text >= data && text + member->value.nbytes <= data + size);
	check(member->key && member->key[member->key_nbytes] == '\0');
	for (size_t k = 0; member->type == JAG_META_LEAF && member->problem == 0 && k < member->rank; k++)
		check(member->dims[k] >= 0);
	/* what we hand out as JSON is JSON */
	check(jag_json_strict(member->value, &strict) == 0);
	check(jag_json_parse((struct jag_json_slice){ (const char *)strict.data, strict.nbytes }, &value, &bad) == 0);
	json_object_put(value);
	jag_buffer_free(&strict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jag_meta meta;
	struct jag_error err = { 0 };
	if (jag_meta_parse(data, size, &meta, &err)) {
		check(err.code < 0 && err.message[0] != '\0' && err.offset <= size);
		return 0;
	}
	for (size_t i = 0; i < meta.count; i++)
		check_member(&meta.members[i], data, size);
	check(meta.batch_rank <= JAG_MAX_RANK);
	jag_meta_free(&meta);
	return 0;
}
