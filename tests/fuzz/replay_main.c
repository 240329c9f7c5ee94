/* SPDX-License-Identifier: MIT */
/* replay_main.c - runs a fuzz target over the files of directories: the corpus as an ordinary test, where there is no
 * fuzzer. Each input ends at an unmapped page, so that a step beyond it is noticed without a sanitizer too.
 *
 * usage: fuzz_X DIR... */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

/* The file's bytes against a guard page; *area and *area_size are for munmap. */
static const uint8_t *load(FILE *file, size_t size, uint8_t **area, size_t *area_size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t room = (size + page - 1) / page * page;
	*area_size = room + page;
	*area = mmap(NULL, *area_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*area == MAP_FAILED || mprotect(*area + room, page, PROT_NONE) < 0)
		return NULL;
	uint8_t *bytes = *area + room - size;
	return fread(bytes, 1, size, file) == size ? bytes : NULL;
}

static int replay(const char *path)
{
	struct stat st;
	uint8_t *area;
	size_t area_size;
	FILE *file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &st) < 0 || !S_ISREG(st.st_mode)) {
		if (file)
			fclose(file);
		return 0;
	}
	const uint8_t *bytes = load(file, (size_t)st.st_size, &area, &area_size);
	fclose(file);
	if (!bytes)
		return -1;
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(bytes, (size_t)st.st_size);
	munmap(area, area_size);
	return 1;
}

static int replay_dir(const char *name)
{
	char path[4096];
	int count = 0;
	DIR *dir = opendir(name);
	if (!dir)
		return -1;
	for (struct dirent *entry; (entry = readdir(dir));) {
		snprintf(path, sizeof(path), "%s/%s", name, entry->d_name);
		int rc = replay(path);
		if (rc < 0) {
			closedir(dir);
			return rc;
		}
		count += rc;
	}
	closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	int count = 0;
	for (int i = 1; i < argc; i++) {
		int rc = replay_dir(argv[i]);
		if (rc < 0) {
			fprintf(stderr, "cannot read %s\n", argv[i]);
			return 1;
		}
		count += rc;
	}
	printf("%d inputs\n", count);
	/* an empty corpus is a mistake in the call */
	return count > 0 ? 0 : 1;
}
