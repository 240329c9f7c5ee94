/* SPDX-License-Identifier: MIT */
/* vfile.c - file records, their versions, turns and pins. */
#include "vfile.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "versions.h"

void jag_vfiles_init(struct jag_vfiles *files, struct jag_nodes *nodes)
{
	files->nodes = nodes;
	for (size_t i = 0; i < JAG_VSHARD_COUNT; i++) {
		files->shards[i] = (struct jag_vshard){ 0 };
		pthread_mutex_init(&files->shards[i].lock, NULL);
		pthread_cond_init(&files->shards[i].turn, NULL);
	}
}

static void free_file(struct jag_link *link)
{
	struct jag_vfile *file = jag_record(link, struct jag_vfile, link);
	jag_blob_unref(file->first.blob);
	free(file);
}

void jag_vfiles_finish(struct jag_vfiles *files)
{
	for (size_t i = 0; i < JAG_VSHARD_COUNT; i++) {
		struct jag_vshard *shard = &files->shards[i];
		jag_table_finish(&shard->files, free_file);
		jag_told_finish(&shard->told);
		pthread_cond_destroy(&shard->turn);
		pthread_mutex_destroy(&shard->lock);
	}
}

static struct jag_vshard *shard_of(struct jag_vfiles *files, jag_node base)
{
	/* The high bits: the table in the shard uses the low ones. */
	return &files->shards[jag_table_mix(base) >> 58 & (JAG_VSHARD_COUNT - 1)];
}

static struct jag_vfile *find_file(struct jag_vshard *shard, jag_node base)
{
	struct jag_link *link = jag_table_find(&shard->files, base);
	return link ? jag_record(link, struct jag_vfile, link) : NULL;
}

static struct jag_vfile *add_file(struct jag_vshard *shard, jag_node base)
{
	struct jag_vfile *file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->link.key = base;
	file->shard = shard;
	file->first.base = base;
	if (jag_table_insert(&shard->files, &file->link)) {
		free(file);
		return NULL;
	}
	return file;
}

struct jag_vfile *jag_vfile_enter(struct jag_vfiles *files, jag_node base)
{
	struct jag_vshard *shard = shard_of(files, base);
	pthread_mutex_lock(&shard->lock);
	struct jag_vfile *file = find_file(shard, base);
	if (!file)
		file = add_file(shard, base);
	if (file) {
		file->waiting++;
		while (file->taken)
			pthread_cond_wait(&shard->turn, &shard->lock);
		file->waiting--;
		file->taken = true;
	}
	pthread_mutex_unlock(&shard->lock);
	return file;
}

/* Under the shard's lock. */
static void free_if_idle(struct jag_vfile *file)
{
	if (file->taken || file->waiting || file->privates || file->first.handles || file->further)
		return;
	jag_table_remove(&file->shard->files, &file->link);
	free(file);
}

void jag_vfile_leave(struct jag_vfile *file)
{
	struct jag_vshard *shard = file->shard;
	pthread_mutex_lock(&shard->lock);
	file->taken = false;
	if (file->waiting)
		pthread_cond_broadcast(&shard->turn);
	free_if_idle(file);
	pthread_mutex_unlock(&shard->lock);
}

uint64_t jag_version_id(const struct jag_vfile *file, const struct jag_version *version)
{
	return version == &file->first ? file->link.key : version->node.link.key;
}

/* Under the shard's lock. */
static struct jag_version *find_version(struct jag_vfile *file, uint64_t id)
{
	struct jag_version *version = id == file->link.key ? &file->first : file->further;
	while (version && jag_version_id(file, version) != id)
		version = version->next;
	return version;
}

struct jag_version *jag_vfile_find(struct jag_vfile *file, uint64_t id)
{
	pthread_mutex_lock(&file->shard->lock);
	struct jag_version *version = find_version(file, id);
	pthread_mutex_unlock(&file->shard->lock);
	return version;
}

bool jag_vfile_is_plain(struct jag_vfile *file)
{
	pthread_mutex_lock(&file->shard->lock);
	bool plain = !file->first.handles && !file->further;
	pthread_mutex_unlock(&file->shard->lock);
	return plain;
}

struct jag_version *jag_vfile_find_pinned(struct jag_vfiles *files, struct jag_vfile *file, uint64_t hash,
					  struct jag_blob **blob)
{
	struct jag_version *version;
	pthread_mutex_lock(&file->shard->lock);
	for (version = &file->first; version; version = version == &file->first ? file->further : version->next)
		if (version->blob && version->blob->hash == hash)
			break;
	if (version) {
		*blob = jag_blob_ref(version->blob);
		if (version != &file->first)
			jag_nodes_add_lookup(files->nodes, &version->node);
	}
	pthread_mutex_unlock(&file->shard->lock);
	return version;
}

/* Under the shard's lock. */
static struct jag_told_size told_of(struct jag_vfile *file, const struct jag_version *version)
{
	return version == &file->first ? jag_told_get(&file->shard->told, file->link.key) : version->told;
}

/* Under the shard's lock. A size that was told a moment ago may still be on its way to the kernel: then no other. */
static bool may_tell(struct jag_vfile *file, const struct jag_version *version, uint64_t size)
{
	struct jag_told_size told = told_of(file, version);
	return told.ms == 0 || told.size == size || jag_now_ms() - told.ms > JAG_TOLD_MS;
}

/* Under the shard's lock. */
static void set_told(struct jag_vfile *file, struct jag_version *version, uint64_t size)
{
	struct jag_told_size told = { size, jag_now_ms() };
	if (version == &file->first)
		jag_told_set(&file->shard->told, file->link.key, &told);
	else
		version->told = told;
}

/* Under the shard's lock. */
static int add_version(struct jag_vfiles *files, struct jag_vfile *file, struct jag_version **out)
{
	struct jag_version *version = calloc(1, sizeof(*version));
	int rc = version ? jag_nodes_add(files->nodes, &version->node, JAG_DYNAMIC_VERSION) : -ENOMEM;
	if (rc) {
		free(version);
		return rc;
	}
	version->base = file->link.key;
	version->next = file->further;
	file->further = version;
	*out = version;
	return 0;
}

int jag_vfile_find_free(struct jag_vfiles *files, struct jag_vfile *file, uint64_t size, bool fixed,
			struct jag_version **out)
{
	int rc = 0;
	pthread_mutex_lock(&file->shard->lock);
	struct jag_version *version = &file->first;
	while (version && (version->handles || !(fixed || may_tell(file, version, size))))
		version = version == &file->first ? file->further : version->next;
	if (!version)
		rc = add_version(files, file, &version);
	else if (version != &file->first)
		jag_nodes_add_lookup(files->nodes, &version->node);
	if (rc == 0 && !fixed)
		set_told(file, version, size);
	pthread_mutex_unlock(&file->shard->lock);
	*out = version;
	return rc;
}

struct jag_told_size jag_version_told(struct jag_vfile *file, const struct jag_version *version)
{
	pthread_mutex_lock(&file->shard->lock);
	struct jag_told_size told = told_of(file, version);
	pthread_mutex_unlock(&file->shard->lock);
	return told;
}

bool jag_version_tell(struct jag_vfile *file, struct jag_version *version, uint64_t size)
{
	pthread_mutex_lock(&file->shard->lock);
	bool may = may_tell(file, version, size);
	if (may)
		set_told(file, version, size);
	pthread_mutex_unlock(&file->shard->lock);
	return may;
}

struct jag_blob *jag_version_pinned(struct jag_vfile *file, const struct jag_version *version)
{
	pthread_mutex_lock(&file->shard->lock);
	struct jag_blob *blob = version->blob ? jag_blob_ref(version->blob) : NULL;
	pthread_mutex_unlock(&file->shard->lock);
	return blob;
}

void jag_version_pin(struct jag_vfiles *files, struct jag_vfile *file, struct jag_version *version,
		     struct jag_blob *blob)
{
	pthread_mutex_lock(&file->shard->lock);
	if (version->handles++ == 0)
		version->blob = jag_blob_ref(blob);
	if (version != &file->first)
		jag_nodes_hold(files->nodes, &version->node);
	pthread_mutex_unlock(&file->shard->lock);
}

void jag_vfile_add_private(struct jag_vfile *file)
{
	pthread_mutex_lock(&file->shard->lock);
	file->privates++;
	pthread_mutex_unlock(&file->shard->lock);
}

bool jag_vfile_has_private(struct jag_vfile *file)
{
	pthread_mutex_lock(&file->shard->lock);
	bool has = file->privates > 0;
	pthread_mutex_unlock(&file->shard->lock);
	return has;
}

void jag_vfile_drop_private(struct jag_vfiles *files, jag_node base)
{
	struct jag_vshard *shard = shard_of(files, base);
	pthread_mutex_lock(&shard->lock);
	struct jag_vfile *file = find_file(shard, base);
	if (file) {
		file->privates--;
		free_if_idle(file);
	}
	pthread_mutex_unlock(&shard->lock);
}

/* Take a version out of its file's list and free it. Under the shard's lock. */
static void unlink_version(struct jag_vfile *file, struct jag_version *version)
{
	struct jag_version **at = &file->further;
	while (*at != version)
		at = &(*at)->next;
	*at = version->next;
	jag_version_free(&version->node);
}

void jag_version_unpin(struct jag_vfiles *files, jag_node base, uint64_t id)
{
	struct jag_vshard *shard = shard_of(files, base);
	pthread_mutex_lock(&shard->lock);
	/* A handle keeps both alive; the checks are for compilers. */
	struct jag_vfile *file = find_file(shard, base);
	struct jag_version *version = file ? find_version(file, id) : NULL;
	if (!version) {
		pthread_mutex_unlock(&shard->lock);
		return;
	}
	if (--version->handles == 0) {
		jag_blob_unref(version->blob);
		version->blob = NULL;
	}
	if (version != &file->first && jag_nodes_drop(files->nodes, &version->node, 0, 1))
		unlink_version(file, version);
	free_if_idle(file);
	pthread_mutex_unlock(&shard->lock);
}

void jag_version_drop(struct jag_vfiles *files, struct jag_version *version, uint64_t lookups, uint64_t holds)
{
	struct jag_vshard *shard = shard_of(files, version->base);
	pthread_mutex_lock(&shard->lock);
	struct jag_vfile *file = find_file(shard, version->base);
	if (file && jag_nodes_drop(files->nodes, &version->node, lookups, holds)) {
		unlink_version(file, version);
		free_if_idle(file);
	}
	pthread_mutex_unlock(&shard->lock);
}

jag_node jag_version_base(const struct jag_dynamic *node)
{
	const struct jag_version *version = (const void *)((const char *)node - offsetof(struct jag_version, node));
	return version->base;
}

void jag_version_free(struct jag_dynamic *node)
{
	struct jag_version *version = jag_record(node, struct jag_version, node);
	jag_blob_unref(version->blob);
	free(version);
}
