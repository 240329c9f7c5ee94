/* SPDX-License-Identifier: MIT */
/* session.c - open the store, check the mount point, mount, go into the background, serve, tear down. In this order, so
 * that whatever can fail does so while the shell still listens. Threads start after the fork only. */
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../ui.h"
#include "ahead.h"
#include "channel.h"
#include "control.h"
#include "daemon.h"
#include "handle.h"
#include "mountpoint.h"
#include "scratch.h"

#define STAGE_NBYTES_DEFAULT (UINT64_C(1) << 30)

/* Every data file of the store stays open. */
static void raise_file_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void close_fs(struct jag_fs *fs)
{
	jag_ahead_destroy(fs->ahead);
	jag_handles_finish(fs);
	pthread_mutex_destroy(&fs->handles_lock);
	jag_pending_finish(&fs->pending);
	if (jag_stage_names_finish(&fs->stage_names))
		jag_log_add(&fs->log, fs->control_name, "temporary files were left at the end; they are gone");
	jag_nodes_finish(&fs->nodes);
	jag_versions_destroy(fs->versions);
	jag_times_destroy(fs->times);
	jag_content_destroy(fs->content);
	jag_tree_close(fs->tree);
	jag_store_close(fs->store);
	jag_scratch_finish(fs->scratch);
	jag_log_finish(&fs->log);
}

static bool volume_is_read_only(const struct jag_store *store)
{
	struct statvfs volume;
	return jag_store_statvfs(store, &volume) == 0 && (volume.f_flag & ST_RDONLY);
}

/* Store, tree, content and the driver's own state. On failure the reason has been printed; close_fs() in any case. */
static int open_fs(struct jag_fs *fs, const struct jag_mount_options *options)
{
	struct jag_error err = { 0 };
	const char *rest;
	struct jag_content_options content = { .cache_nbytes = options->cache_nbytes,
					       .readback_nbytes = options->readback_nbytes,
					       .immutable = options->immutable };
	fs->options = options;
	fs->ready_fd = -1;
	clock_gettime(CLOCK_REALTIME, &fs->mounted);
	jag_log_init(&fs->log);
	pthread_mutex_init(&fs->handles_lock, NULL);
	jag_nodes_init(&fs->nodes);
	jag_pending_init(&fs->pending, &fs->nodes);
	jag_stage_names_init(&fs->stage_names, &fs->nodes);
	fs->stagings.limit = options->stage_nbytes ? options->stage_nbytes : STAGE_NBYTES_DEFAULT;
	fs->stagings.commit_flags = options->fit ? JAG_COMMIT_FIT : 0;
	int rc = jag_scratch_init(&fs->scratch);
	if (rc == 0)
		rc = jag_target_open(options->store, options->read_only ? 0 : JAG_STORE_WRITE, &fs->store, &rest, &err);
	fs->read_only = options->read_only || (rc == 0 && volume_is_read_only(fs->store));
	if (rc == 0)
		rc = jag_tree_open(fs->store, rest, &options->tree.options, &fs->tree, &err);
	if (rc == 0)
		rc = jag_content_create(fs->tree, &content, &fs->content);
	if (rc == 0)
		rc = jag_versions_create(fs->content, &fs->nodes, options->immutable, &fs->versions);
	if (rc == 0)
		rc = jag_times_create(&fs->times);
	if (rc)
		jag_ui_failure(options->store, rc, &err);
	else
		jag_control_init(fs);
	return rc;
}

/* "-o default_permissions,..." for libfuse. Its list has commas of its own, so the store's path is escaped. */
static int session_arguments(const struct jag_fs *fs, struct fuse_args *args)
{
	const struct jag_mount_options *options = fs->options;
	char *list = NULL, *fsname = NULL;
	int rc = fuse_opt_add_arg(args, "jagfs");
	if (asprintf(&fsname, "fsname=%s", options->fsname ? options->fsname : jag_store_path(fs->store)) < 0)
		fsname = NULL;
	rc = rc || !fsname || fuse_opt_add_opt(&list, "default_permissions,subtype=jagfs");
	rc = rc || fuse_opt_add_opt_escaped(&list, fsname);
	rc = rc || (fs->read_only && fuse_opt_add_opt(&list, "ro"));
	rc = rc || (options->allow_other && fuse_opt_add_opt(&list, "allow_other"));
	rc = rc || (options->allow_root && fuse_opt_add_opt(&list, "allow_root"));
	rc = rc || (options->kernel && fuse_opt_add_opt(&list, options->kernel));
	rc = rc || fuse_opt_add_arg(args, "-o") || fuse_opt_add_arg(args, list);
	rc = rc || (options->debug && fuse_opt_add_arg(args, "-d"));
	free(list);
	free(fsname);
	return rc ? -ENOMEM : 0;
}

/* In the main thread: libfuse before 3.17 does not notice a signal otherwise. */
static int serve(struct jag_fs *fs, struct fuse_session *session)
{
	if (fs->options->single_thread)
		return fuse_session_loop(session);
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	if (!config)
		return -ENOMEM;
	unsigned threads = fs->options->max_threads;
	if (!threads) { /* readers that wait for an encoding hold a thread each */
		long cpus = sysconf(_SC_NPROCESSORS_ONLN);
		threads = cpus > 4 ? 2 * (unsigned)cpus : 10;
	}
	fuse_loop_cfg_set_max_threads(config, threads);
	fuse_loop_cfg_set_clone_fd(config, fs->options->clone_fd);
	int rc = fuse_session_loop_mt(session, config);
	fuse_loop_cfg_destroy(config);
	return rc;
}

/* Mounted. Into the background, serve, until unmounted or told to end. */
static int serve_mounted(struct jag_fs *fs, struct fuse_session *session, const char *mountpoint)
{
	if (!fs->options->foreground) {
		int status, rc = jag_daemon_fork(mountpoint, &fs->ready_fd, &status);
		if (rc > 0) {
			/* The session is the child's: no unmounting, no cleaning up here. */
			fflush(NULL);
			_exit(status);
		}
		if (rc < 0)
			return jag_ui_error(mountpoint, "no daemon could be started: %s", strerror(-rc));
		jag_log_detach(&fs->log);
	}
	int rc = serve(fs, session);
	/* The loop answers with the number of the signal that ended it: that is the regular end. */
	if (rc < 0) {
		jag_log_add(&fs->log, mountpoint, "the connection to the kernel broke: %s", strerror(-rc));
		return JAG_EXIT_FAILED;
	}
	return JAG_EXIT_OK;
}

static int run_session(struct jag_fs *fs, const char *mountpoint)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	int status = JAG_EXIT_FAILED;
	struct fuse_session *session = NULL;
	if (session_arguments(fs, &args) == 0)
		session = fuse_session_new(&args, &jag_ops, sizeof(jag_ops), fs);
	if (!session) {
		jag_ui_error(mountpoint, "no session could be made");
	} else if (fuse_set_signal_handlers(session) != 0) {
		jag_ui_error(mountpoint, "no signal handlers could be set");
	} else {
		if (fuse_session_mount(session, mountpoint) != 0) {
			jag_ui_error(mountpoint, "the mount failed: %s",
				     errno ? strerror(errno) : "see the message before this one");
		} else {
			int rc = jag_channel_install(session);
			status = rc ? jag_ui_error(mountpoint, "no session could be made: %s", strerror(-rc))
				    : serve_mounted(fs, session, mountpoint);
			fuse_session_unmount(session);
		}
		fuse_remove_signal_handlers(session);
	}
	if (session)
		fuse_session_destroy(session);
	fuse_opt_free_args(&args);
	return status;
}

int jag_session_run(const struct jag_mount_options *options)
{
	struct jag_error err = { 0 };
	char *mountpoint = NULL;
	int status = JAG_EXIT_FAILED;
	struct jag_fs *fs = calloc(1, sizeof(*fs));
	if (!fs)
		return jag_ui_error(options->store, "out of memory");
	raise_file_limit();
	if (open_fs(fs, options) == 0) {
		int rc = jag_mountpoint_check(options, jag_store_path(fs->store), &mountpoint, &err);
		if (rc == 0)
			rc = jag_mount_rights_check(options, jag_store_path(fs->store), &err);
		if (rc)
			jag_ui_failure(options->mountpoint, rc, &err);
		else
			status = run_session(fs, mountpoint);
	}
	close_fs(fs);
	free(fs);
	free(mountpoint);
	return status;
}
