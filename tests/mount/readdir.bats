#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# readdir.bats - listings: positions, repetition, big directories.

load ../lib/common

setup() { require_fuse; }
teardown() { teardown_mount; }

@test "every position of a directory leads to its name again, in any order" {
  make_store 3000 8 8
  mount_store
  equals "$("$FSCHECK" seek "$MNT/image")" 3002
  equals "$("$FSCHECK" seek "$MNT")" 7
  equals "$("$FSCHECK" seek "$MNT/.jagfs")" 4
  unmount_clean
}

@test "a listing of many names has each once, in order" {
  make_store 20000 6 8
  mount_store
  ls -f "$MNT/image" | tail -n +3 >"$BATS_TEST_TMPDIR/names"
  seq -f '%05.0f.png' 0 19999 | cmp - "$BATS_TEST_TMPDIR/names"
  unmount_clean
}

@test "find sees every file once, with and without attributes" {
  make_store 500 8 8
  mount_store
  equals "$(find "$MNT/image" -type f | sort -u | wc -l)" 500
  equals "$(find "$MNT/image" -size +0c -type f | wc -l)" 500
  unmount_clean
}

@test "dot and dot-dot have the numbers of the directories" {
  make_store
  mount_store
  root=$(stat -c %i "$MNT") obs=$(stat -c %i "$MNT/obs")
  equals "$(ls -aif "$MNT/obs" | awk '$2 == "." || $2 == ".." { print $1 }' | tr '\n' ' ')" "$obs $root "
  unmount_clean
}

@test "views=FMT lists the directory of that format" {
  make_store
  mount_store -o views=jpg:npy
  equals "$(cd "$MNT" && echo image@*)" "image@jpg image@npy"
  equals "$(ls "$MNT/image@jpg" | wc -l)" 12
  unmount_clean
}

@test "list=both lists the whole beside the elements" {
  make_store
  mount_store -o list=both
  [[ -d $MNT/obs/pixels && -f $MNT/obs/pixels.npy ]]
  equals "$(cd "$MNT/obs" && echo p*)" "pixels pixels.npy"
  unmount_clean
}

@test "a sub-tree can be the root of a mount" {
  make_store
  STORE=$STORE/image
  mount_store
  equals "$(ls "$MNT" | wc -l)" 12
  [[ -s $MNT/03.png ]]
  unmount_clean
}
