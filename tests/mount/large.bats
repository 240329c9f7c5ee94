#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# large.bats - elements larger than one READ of the kernel, whose bytes go from the store's page cache to the reader without
# a copy in between; and which of them go past the page cache of the mount.

load ../lib/common

setup_file() {
  export STORE=$BATS_FILE_TMPDIR/store
  "$MKSTORE" "$STORE" 6 1100 1003 >"$STORE.images"
}

setup() {
  require_fuse
  T=$BATS_TEST_TMPDIR
}
teardown() { teardown_mount; }

element() {
  image "$1"
  tail -c "+$((OFFSET + 1))" "$STORE/image.memmap" | head -c "$NBYTES"
}

reads() { grep -o '"reads": [0-9]*' "$MNT/.jagfs/status" | cut -d' ' -f2; }

# Whole, in requests of every size, from odd places, through a mapping.
reads_well() {
  for i in 0 3 5; do
    element "$i" >"$T/raw"
    cp "$MNT/image/$i.bin" "$T/copy"
    cmp "$T/raw" "$T/copy"
    cp "$MNT/image/$i.npy" "$T/copy"
    tail -c "$NBYTES" "$T/copy" | cmp - "$T/raw"
    for bs in 32768 99999 1048576 2000003 4M; do
      dd if="$MNT/image/$i.bin" bs="$bs" status=none | cmp - "$T/raw"
      dd if="$MNT/image/$i.npy" bs="$bs" status=none | cmp - "$T/copy"
    done
    equals "$("$FSCHECK" bytes "$MNT/image/$i.npy" 100 1200000 | sha256sum)" \
      "$("$FSCHECK" bytes "$T/copy" 100 1200000 | sha256sum)"
    equals "$("$FSCHECK" mapread "$MNT/image/$i.bin")" "$("$FSCHECK" mapread "$T/raw")"
    convert "$MNT/image/$i.ppm" -interlace plane rgb:- | cmp - "$T/raw"
  done
}

@test "elements of several megabytes, in the default mode" {
  mount_store
  reads_well
  unmount_clean
}

@test "elements of several megabytes, direct" {
  mount_store -o direct
  image 3
  cp "$MNT/image/3.bin" "$T/copy"
  cmp "$T/copy" <(element 3)
  dd if="$MNT/image/3.npy" bs=700001 status=none | tail -c "$NBYTES" | cmp - "$T/copy"
  unmount_clean
}

# mount_store with a daemon that is started through COMMAND ARGS.
mount_through() {
  local plain=$JAGFS
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$*" "$JAGFS" >"$T/jagfs"
  chmod +x "$T/jagfs"
  JAGFS=$T/jagfs
  mount_store
  JAGFS=$plain
}

@test "without the privilege of large pipes" {
  # only root has it, and only root can drop it
  if [[ $(id -u) -eq 0 ]]; then mount_through setpriv --bounding-set=-sys_resource; else mount_store; fi
  reads_well
  unmount_clean
}

# The reply was lost, and the reader waited for ever: the kernel needs memory to take one out of a pipe.
@test "a reply that the kernel does not take out of the pipe is sent again" {
  mount_through "'$REFUSE_SPLICE'" from 12 # ENOMEM
  timeout -s KILL 20 cmp "$MNT/image/3.bin" <(element 3)
  unmount_clean
}

@test "what cannot be spliced is read: no support, no memory" {
  for error in 22 12; do
    mount_through "'$REFUSE_SPLICE'" to "$error"
    timeout -s KILL 20 cmp "$MNT/image/3.bin" <(element 3)
    unmount_clean
  done
}

@test "eight readers at a time" {
  mount_store
  md5sum "$MNT"/image@raw/* "$MNT"/image@npy/* >"$T/sums"
  for _ in 1 2 3 4 5 6 7 8; do md5sum --quiet -c "$T/sums" & done
  for job in $(jobs -p); do [[ $job == "$DAEMON" ]] || wait "$job"; done
  unmount_clean
}

@test "a program that reads in small pieces gets the kernel's read-ahead from its second file on" {
  mount_store
  md5sum "$MNT"/image/{0,1,2,3,4,5}.bin >"$T/sums" # 32 KiB at a time: 101 READs a file; read ahead: 26
  n=$(reads)
  echo "reads: $n"
  [[ $n -lt 300 ]]
  unmount_clean
}

@test "a file that is cut while it is open gives EIO, not a short read, and the daemon lives" {
  cp -r "$STORE" "$T/store"
  cp "$STORE.images" "$T/store.images"
  STORE=$T/store
  mount_store
  image 5
  exec 5<"$MNT/image/5.bin" 6<"$MNT/image/5.npy"
  truncate -s $((OFFSET + 500000)) "$STORE/image.memmap"
  run head -c 2000000 <&5
  equals "$status" 1
  run bash -c 'dd bs=4M of="$1" <&6 2>&1' - "$T/part"
  [[ $output == *"Input/output error"* ]]
  exec 5<&- 6<&-
  cp "$MNT/image/4.bin" "$T/copy"
  cmp "$T/copy" <(element 4)
  expect_refusal 'image/5.bin: cannot be read'
  unmount_clean
}
