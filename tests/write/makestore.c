/* SPDX-License-Identifier: MIT */
/* makestore.c - a store for the tests of writing: leaves of given shapes, filled with bytes that are nobody's else.
 *
 *   makestore [-s] [-b BATCH] [-m MAP] DIR KEY:DTYPE:SHAPE[*TIMES],... KEY:DTYPE=SHAPE ...
 *
 * ":" makes a nested leaf ("image:uint8:3x24x32*5,3x20x30": six elements), "=" a dense one ("label:int64=6").
 * -s leaves the data files sparse; -b is the batch size (none: []). MAP gets a line "KEY INDEX OFFSET NBYTES" for each
 * element, a row for dense leaves. Written from the format's description alone, with nothing of the library.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANK_MAX 8

struct dtype {
	const char *name;
	unsigned size;
};
static const struct dtype dtypes[] = {
	{ "bool", 1 },    { "uint8", 1 },  { "int8", 1 },     { "uint16", 2 },    { "int16", 2 },
	{ "float16", 2 }, { "int32", 4 },  { "float32", 4 },  { "int64", 8 },     { "float64", 8 },
	{ "uint32", 4 },  { "uint64", 8 }, { "bfloat16", 2 }, { "complex64", 8 }, { "complex128", 16 },
};

struct maker {
	const char *dir, *key;
	const struct dtype *dtype;
	FILE *meta, *map, *data, *shapes; /* shapes: NULL for a dense leaf */
	uint64_t random, offset, count;
	int sparse;
};

struct shape {
	unsigned rank;
	uint64_t dims[RANK_MAX];
};

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "makestore: %s: %s\n", what, errno ? strerror(errno) : "cannot be read");
	exit(1);
}

static FILE *create(const char *dir, const char *key, const char *suffix)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%s", dir, key, suffix);
	file = fopen(path, "w");
	if (!file)
		die(path);
	return file;
}

static const char *parse_shape(const char *text, struct shape *shape)
{
	char *end;

	shape->rank = 0;
	for (;;) {
		shape->dims[shape->rank++] = strtoull(text, &end, 10);
		if (end == text || shape->rank == RANK_MAX)
			die(text);
		if (*end != 'x')
			return end;
		text = end + 1;
	}
}

/* xorshift: no value of it is what a test writes, but by chance. */
static uint8_t next_byte(struct maker *maker)
{
	maker->random ^= maker->random << 13;
	maker->random ^= maker->random >> 7;
	maker->random ^= maker->random << 17;
	return (uint8_t)(maker->random >> 24);
}

static void put_element(struct maker *maker, const struct shape *shape, unsigned first)
{
	uint64_t nbytes = maker->dtype->size;

	for (unsigned i = first; i < shape->rank; i++)
		nbytes *= shape->dims[i];
	if (maker->map)
		fprintf(maker->map, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", maker->key, maker->count, maker->offset,
			nbytes);
	for (unsigned i = first; maker->shapes && i < shape->rank; i++)
		fwrite(&shape->dims[i], 8, 1, maker->shapes);
	for (uint64_t i = 0; i < nbytes && !maker->sparse; i++)
		fputc(strcmp(maker->dtype->name, "bool") ? next_byte(maker) : next_byte(maker) & 1, maker->data);
	maker->offset += nbytes;
	maker->count++;
}

static unsigned put_nested(struct maker *maker, const char *text)
{
	struct shape shape = { 0 };

	maker->shapes = create(maker->dir, maker->key, ".shape.memmap");
	while (*text) {
		uint64_t times = 1;
		char *end;

		text = parse_shape(text, &shape);
		if (*text == '*') {
			times = strtoull(text + 1, &end, 10);
			text = end;
		}
		while (times--)
			put_element(maker, &shape, 0);
		if (*text && *text++ != ',')
			die(text);
	}
	if (fclose(maker->shapes))
		die(maker->key);
	maker->shapes = NULL;
	return shape.rank;
}

static void put_meta(const struct maker *maker, const char *shape, const char *nested)
{
	fprintf(maker->meta, "\"%s\":{\"device\":\"cpu\",\"shape\":[%s],\"dtype\":\"torch.%s\",\"is_nested\":%s},",
		maker->key, shape, maker->dtype->name, nested);
}

static void put_leaf(struct maker *maker, char *spec)
{
	char *dtype = strchr(spec, ':'), *shapes, text[256] = "", kind;

	shapes = dtype ? strpbrk(dtype + 1, ":=") : NULL;
	if (!shapes)
		die(spec);
	kind = *shapes;
	*dtype++ = *shapes++ = '\0';
	maker->key = spec;
	maker->dtype = NULL;
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		if (!strcmp(dtype, dtypes[i].name))
			maker->dtype = &dtypes[i];
	if (!maker->dtype)
		die(dtype);
	maker->data = create(maker->dir, spec, ".memmap");
	maker->offset = maker->count = 0;
	if (kind == ':') {
		unsigned rank = put_nested(maker, shapes);

		snprintf(text, sizeof(text), "%" PRIu64 ",%u", maker->count, rank);
		put_meta(maker, text, "true");
	} else {
		struct shape shape;
		size_t used = 0;

		parse_shape(shapes, &shape);
		for (uint64_t i = 0; i < shape.dims[0]; i++)
			put_element(maker, &shape, 1);
		for (unsigned i = 0; i < shape.rank; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIu64, i ? "," : "",
						 shape.dims[i]);
		put_meta(maker, text, "false");
	}
	if (fflush(maker->data) || ftruncate(fileno(maker->data), (off_t)maker->offset) || fclose(maker->data))
		die(spec);
}

int main(int argc, char **argv)
{
	struct maker maker = { .random = UINT64_C(0x2545f4914f6cdd1d) };
	const char *batch = "", *map = NULL;
	int option;

	while ((option = getopt(argc, argv, "sb:m:")) != -1) {
		switch (option) {
		case 's':
			maker.sparse = 1;
			break;
		case 'b':
			batch = optarg;
			break;
		case 'm':
			map = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind >= argc)
		return 2;
	maker.dir = argv[optind++];
	if (mkdir(maker.dir, 0755) && errno != EEXIST)
		die(maker.dir);
	maker.map = map ? fopen(map, "w") : NULL;
	if (map && !maker.map)
		die(map);
	maker.meta = create(maker.dir, "meta", ".json");
	fputc('{', maker.meta);
	while (optind < argc)
		put_leaf(&maker, argv[optind++]);
	fprintf(maker.meta, "\"shape\":[%s],\"device\":\"cpu\",\"_type\":\"<class 'tensordict._td.TensorDict'>\"}",
		batch);
	if (fclose(maker.meta) || (maker.map && fclose(maker.map)))
		die(maker.dir);
	return 0;
}
