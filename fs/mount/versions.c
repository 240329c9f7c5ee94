/* SPDX-License-Identifier: MIT */
/* versions.c - the rules of versions.h: which version a LOOKUP answers, what GETATTR says of one, and which opens are
 * outdated. The records are in vfile.c. */
#include "versions.h"

#include <errno.h>
#include <stdlib.h>

#include "stale.h"
#include "vfile.h"

struct jag_versions {
	struct jag_content *content;
	bool immutable; /* the content cannot change: any size that was ever told is right */
	struct jag_vfiles files;
	struct jag_stale stale;
	uint64_t private_count; /* atomic */
};

int jag_versions_create(struct jag_content *content, struct jag_nodes *nodes, bool immutable, struct jag_versions **out)
{
	struct jag_versions *versions = calloc(1, sizeof(*versions));
	if (!versions)
		return -ENOMEM;
	versions->content = content;
	versions->immutable = immutable;
	jag_vfiles_init(&versions->files, nodes);
	jag_stale_init(&versions->stale);
	*out = versions;
	return 0;
}

void jag_versions_destroy(struct jag_versions *versions)
{
	if (!versions)
		return;
	jag_vfiles_finish(&versions->files);
	jag_stale_finish(&versions->stale);
	free(versions);
}

/* Does an open handle pin the present content? 1: *version, and *blob is a reference to it; 0: no; -errno. */
static int find_pinned(struct jag_versions *versions, struct jag_vfile *file, const struct jag_place *place,
		       struct jag_version **version, struct jag_blob **blob)
{
	uint64_t hash;
	/* Without a pin there is nothing to tell apart: no hash, and for closed-form sizes no look at the bytes. */
	if (jag_vfile_is_plain(file))
		return 0;
	int rc = jag_content_hash(versions->content, place, &hash);
	if (rc)
		return rc;
	*version = jag_vfile_find_pinned(&versions->files, file, hash, blob);
	return *version != NULL;
}

/* The size of the present content, or of that of a moment ago. */
static int find_size(struct jag_versions *versions, struct jag_vfile *file, const struct jag_place *place,
		     double max_age, struct jag_found *out)
{
	jag_node base = file->link.key;
	if (jag_vfile_is_plain(file) && !jag_content_size_fixed(versions->content, place) &&
	    jag_content_fresh_size(versions->content, base, max_age, &out->size, &out->age))
		return 0;
	out->age = 0;
	return jag_content_size(versions->content, base, place, &out->size, NULL);
}

/* LOOKUP, with the turn. *blob, where it is set, is a reference to the content that was found. */
static int lookup(struct jag_versions *versions, struct jag_vfile *file, const struct jag_place *place, double max_age,
		  bool offer, struct jag_blob **blob, struct jag_found *out)
{
	struct jag_version *version = NULL;
	bool fixed = jag_content_size_fixed(versions->content, place);
	int rc = find_pinned(versions, file, place, &version, blob);
	if (rc == 0 && offer)
		rc = jag_content_snapshot(versions->content, file->link.key, place, blob);
	else if (rc == 0)
		rc = find_size(versions, file, place, max_age, out);
	if (rc < 0)
		return rc;
	if (*blob)
		out->size = (*blob)->nbytes;
	if (rc == 0)
		rc = jag_vfile_find_free(&versions->files, file, out->size, fixed, &version);
	if (rc < 0)
		return rc;
	out->id = jag_version_id(file, version);
	return 0;
}

int jag_versions_lookup(struct jag_versions *versions, jag_node base, const struct jag_place *place, double max_age,
			struct jag_found *out)
{
	struct jag_vfile *file = jag_vfile_enter(&versions->files, base);
	struct jag_blob *blob = NULL;
	if (!file)
		return -ENOMEM;
	*out = (struct jag_found){ 0 };
	bool offer = jag_stale_wants_offer(&versions->stale, base);
	int rc = lookup(versions, file, place, max_age, offer, &blob, out);
	if (rc == 0 && offer)
		jag_stale_offer(&versions->stale, out->id, blob);
	jag_vfile_leave(file);
	jag_blob_unref(blob);
	return rc;
}

/* The size of a version that nobody has open is that of the present content, if it may be told. */
static int present_size(struct jag_versions *versions, struct jag_vfile *file, struct jag_version *version,
			const struct jag_place *place, uint64_t *size)
{
	bool fixed = jag_content_size_fixed(versions->content, place);
	int rc = jag_content_size(versions->content, file->link.key, place, size, NULL);
	if (rc || fixed)
		return rc;
	return jag_version_tell(file, version, *size) ? 0 : -ESTALE;
}

int jag_versions_size(struct jag_versions *versions, uint64_t id, jag_node base, const struct jag_place *place,
		      pid_t tid, uint64_t *size)
{
	struct jag_vfile *file = jag_vfile_enter(&versions->files, base);
	if (!file)
		return -ENOMEM;
	struct jag_version *version = jag_vfile_find(file, id);
	struct jag_blob *blob = version ? jag_version_pinned(file, version) : NULL;
	int rc = version ? 0 : -ESTALE;
	if (blob)
		*size = blob->nbytes;
	else if (version)
		rc = present_size(versions, file, version, place, size);
	/* fstat of a handle with a snapshot of its own comes here too, and is not repeated after ESTALE. */
	if (rc == -ESTALE && version && (jag_vfile_has_private(file) || jag_stale_again(&versions->stale, tid, base))) {
		*size = jag_version_told(file, version).size; /* of a moment ago: better than an error */
		rc = 0;
	}
	if (rc == -ESTALE)
		jag_content_outdated(versions->content, base);
	jag_vfile_leave(file);
	jag_blob_unref(blob);
	return rc;
}

/* Is this what the kernel believes of the version? Not knowing counts as no: the kernel asks again, and knows then. */
static bool is_told(struct jag_versions *versions, struct jag_vfile *file, const struct jag_version *version,
		    const struct jag_place *place, uint64_t size)
{
	if (jag_content_size_fixed(versions->content, place) || versions->immutable)
		return true;
	struct jag_told_size told = jag_version_told(file, version);
	return told.ms != 0 && told.size == size;
}

/* OPEN, with the turn. On success *blob is a reference to what the version now pins, one handle more. `offer`: what
 * may be pinned instead of the present content, or NULL. */
static int open_version(struct jag_versions *versions, struct jag_vfile *file, struct jag_version *version,
			const struct jag_place *place, struct jag_blob *offer, struct jag_blob **blob)
{
	int rc = 0;
	uint64_t hash = 0;
	struct jag_blob *pinned = jag_version_pinned(file, version);
	if (offer) {
		*blob = jag_blob_ref(offer);
		hash = offer->hash;
	} else if (pinned) { /* comparing needs no encoding */
		rc = jag_content_hash(versions->content, place, &hash);
	} else {
		rc = jag_content_snapshot(versions->content, file->link.key, place, blob);
	}
	if (rc == 0 && (pinned ? hash != pinned->hash : !is_told(versions, file, version, place, (*blob)->nbytes)))
		rc = -ESTALE;
	if (rc == 0) {
		if (!*blob)
			*blob = jag_blob_ref(pinned);
		/* If all other handles have been released meanwhile, it is this content that stays pinned. */
		jag_version_pin(&versions->files, file, version, *blob);
	} else {
		jag_blob_unref(*blob);
		*blob = NULL;
	}
	jag_blob_unref(pinned);
	return rc;
}

/* A second ESTALE in a row would be an error of the program's open(). */
static int open_again(struct jag_versions *versions, struct jag_vfile *file, struct jag_version *version,
		      const struct jag_place *place, struct jag_pin *pin)
{
	struct jag_blob *offer = jag_stale_take(&versions->stale, pin->id);
	int rc = version && offer ? open_version(versions, file, version, place, offer, &pin->blob) : -ESTALE;
	if (rc) {
		pin->id = 0;
		rc = jag_content_snapshot(versions->content, pin->base, place, &pin->blob);
		if (rc == 0) {
			jag_vfile_add_private(file);
			__atomic_fetch_add(&versions->private_count, 1, __ATOMIC_RELAXED);
		}
	}
	jag_blob_unref(offer);
	return rc;
}

int jag_versions_open(struct jag_versions *versions, uint64_t id, jag_node base, const struct jag_place *place,
		      pid_t tid, struct jag_pin *pin)
{
	struct jag_vfile *file = jag_vfile_enter(&versions->files, base);
	if (!file)
		return -ENOMEM;
	*pin = (struct jag_pin){ .base = base, .id = id };
	struct jag_version *version = jag_vfile_find(file, id);
	int rc = version ? open_version(versions, file, version, place, NULL, &pin->blob) : -ESTALE;
	if (rc == -ESTALE) /* the lookup that follows must look at the element */
		jag_content_outdated(versions->content, base);
	if (rc == -ESTALE && jag_stale_again(&versions->stale, tid, base))
		rc = open_again(versions, file, version, place, pin);
	if (rc == 0)
		jag_stale_clear(&versions->stale, tid, base);
	jag_vfile_leave(file);
	return rc;
}

void jag_versions_settle(struct jag_versions *versions, jag_node base, pid_t tid)
{
	jag_stale_clear(&versions->stale, tid, base);
}

void jag_versions_release(struct jag_versions *versions, struct jag_pin *pin)
{
	if (pin->id)
		jag_version_unpin(&versions->files, pin->base, pin->id);
	else
		jag_vfile_drop_private(&versions->files, pin->base);
	jag_blob_unref(pin->blob);
	pin->blob = NULL;
}

void jag_versions_forget(struct jag_versions *versions, struct jag_dynamic *node, uint64_t lookups)
{
	jag_version_drop(&versions->files, jag_record(node, struct jag_version, node), lookups, 1);
}

void jag_versions_stats(const struct jag_versions *versions, uint64_t *stale, uint64_t *private_handles)
{
	*stale = __atomic_load_n(&versions->stale.total, __ATOMIC_RELAXED);
	*private_handles = __atomic_load_n(&versions->private_count, __ATOMIC_RELAXED);
}
