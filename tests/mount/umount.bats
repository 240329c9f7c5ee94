#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# umount.bats - the ways in which the mount point of a dead mount may be written.

load ../lib/common

setup() {
  require_fuse
  make_store
  MNT=$BATS_TEST_TMPDIR/mnt
  cd "$BATS_TEST_TMPDIR" || return 1
  mkdir mnt sub
  ln -s mnt link
  ln -s "$MNT" absolute
  ln -s link twice
  ln -s .. sub/up
}
teardown() { teardown_mount; }

is_mounted() { grep -qF " $MNT fuse.jagfs " /proc/self/mounts; }

# No attribute is remembered, so that only what asks no daemon can work.
dead_mount() {
  mount_store -o attr_timeout=0,entry_timeout=0
  kill -9 "$DAEMON"
  wait "$DAEMON" || true
  DAEMON=
  is_mounted
}

@test "a dead mount is unmounted by links to it, relative paths, and with slashes and dots at the end" {
  for path in mnt mnt/ mnt// mnt/. ./mnt/./ "$MNT" "$MNT/" sub/../mnt sub/up/mnt link link/ link/. twice twice/ \
    absolute absolute/ sub/up/link; do
    dead_mount
    run "$JAGFS" umount "$path"
    [[ $status -eq 0 && -z $output ]] || { echo "$path: $output"; return 1; }
    ! is_mounted || { echo "$path: still mounted"; return 1; }
  done
}

@test "a link to a live mount unmounts it" {
  mount_store
  "$JAGFS" umount link/
  daemon_ends
}

@test "a path inside of a mount, alive or dead, is refused and the mount point named" {
  mount_store
  for path in mnt/image link/image/ mnt/image/00.png; do
    run "$JAGFS" umount "$path"
    [[ $status -eq 1 && $output == *"nothing is mounted here; the mount point is $MNT" ]] || { echo "$output"; return 1; }
  done
  unmount_clean
  dead_mount
  run "$JAGFS" umount mnt/image
  [[ $status -eq 1 && $output == *"the mount point is $MNT" ]] || { echo "$output"; return 1; }
  "$JAGFS" umount mnt
}

# It was said to be busy, as nothing else is known of a fusermount3 that failed.
@test "somebody else's mount is refused, and whose it is is said" {
  [[ $(id -u) -eq 0 ]] || skip "needs root"
  open_path
  mount_store -o allow_other
  for args in "" -z; do
    # shellcheck disable=SC2086
    run setpriv --reuid=65534 --regid=65534 --clear-groups "$JAGFS" umount $args "$MNT"
    [[ $status -eq 1 && $output == *"$MNT: mounted by user 0; only that user and root may unmount it (you are user 65534)" ]] \
      || { echo "$output"; return 1; }
  done
  is_mounted
  unmount_clean
}

@test "an unknown option of umount is named" {
  run "$JAGFS" umount -x mnt
  [[ $status -eq 2 && ${lines[0]} == "jagfs: umount: unknown option: -x" && ${#lines[@]} -eq 2 ]]
}
