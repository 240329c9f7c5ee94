#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# lookup.bats - names, numbers, modes and exact sizes, as LOOKUP, GETATTR and READDIRPLUS give them.

load ../lib/common

setup() {
  require_fuse
  make_store
}
teardown() { teardown_mount; }

# sizes_agree DIR: stat, fstat and reading to the end give one size for each file; nothing was opened before the stat.
sizes_agree() {
  local file
  for file in "$1"/*; do
    read -r by_name by_fd by_read < <("$FSCHECK" sizes "$file")
    equals "$by_name $by_fd" "$by_read $by_read"
    [[ $by_read -gt 0 ]]
  done
}

# listed_sizes_agree DIR: what ls -l shows of a fresh mount is what reading finds.
listed_sizes_agree() {
  LC_ALL=C ls -l "$1" | awk 'NF >= 9 { print $9, $5 }' >"$BATS_TEST_TMPDIR/listed"
  for file in "$1"/*; do echo "${file##*/} $(wc -c <"$file")"; done >"$BATS_TEST_TMPDIR/read"
  diff "$BATS_TEST_TMPDIR/listed" "$BATS_TEST_TMPDIR/read"
  [[ -s $BATS_TEST_TMPDIR/read ]]
}

@test "the root lists the keys, each once" {
  mount_store
  equals "$(ls "$MNT" | sort | tr '\n' ' ')" "image label.npy meta.json obs signal "
  unmount_clean
}

@test "elements are numbered with leading zeros and the listed format's suffix" {
  mount_store
  equals "$(ls "$MNT/image" | head -n 2 | tr '\n' ' ')" "00.png 01.png "
  equals "$(ls "$MNT/image" | wc -l)" 12
  unmount_clean
}

@test "every format that fits can be opened by name although one is listed" {
  mount_store
  for suffix in bin npy ppm png jpg; do [[ -s $MNT/image/03.$suffix ]]; done
  equals "$(try stat "$MNT/image/03.txt")" ENOENT
  unmount_clean
}

@test "other forms of a leaf and views resolve without being listed" {
  mount_store
  [[ -s $MNT/image.shape.npy && -s $MNT/label/03.txt && -s $MNT/image@jpg/03.jpg && -s $MNT/obs/pixels.npy ]]
  equals "$(ls "$MNT/image@jpg" | head -n 1)" 00.jpg
  unmount_clean
}

@test "names that are not there are ENOENT, again and again" {
  mount_store
  for name in image/12.png image/3.png image/003.png image/03.gif nothing image/03.png~; do
    equals "$(try stat "$MNT/$name")" ENOENT
    equals "$(try stat "$MNT/$name")" ENOENT
  done
  equals "$(try stat "$MNT/image/03.png/x")" ENOTDIR
  equals "$(try stat "$MNT/image/$(printf 'x%.0s' {1..300})")" ENAMETOOLONG
  unmount_clean
}

@test "sizes are exact before the first open, png" {
  mount_store
  sizes_agree "$MNT/image"
  unmount_clean
}

@test "sizes are exact before the first open, png level 6" {
  mount_store -o png_level=6
  sizes_agree "$MNT/image"
  unmount_clean
}

@test "sizes are exact before the first open, jpg" {
  mount_store -o format=image=jpg
  sizes_agree "$MNT/image"
  unmount_clean
}

@test "sizes are exact before the first open, npy, raw, txt" {
  mount_store
  for view in image@npy image@raw image@pnm label@txt signal obs/pixels; do sizes_agree "$MNT/$view"; done
  unmount_clean
}

@test "ls -l shows exact sizes, stored and encoded formats" {
  for format in png jpg npy raw pnm; do
    mount_store -o "format=image=$format"
    listed_sizes_agree "$MNT/image"
    unmount_clean
  done
}

@test "inode numbers are the same after a remount, in stat and in readdir" {
  mount_store
  (cd "$MNT" && find . -printf '%i %p\n' | sort -k 2) >"$BATS_TEST_TMPDIR/first"
  unmount_clean
  mount_store
  (cd "$MNT" && find . | sort | xargs -d '\n' stat -c '%i %n') >"$BATS_TEST_TMPDIR/second"
  unmount_clean
  sort -k 2 "$BATS_TEST_TMPDIR/second" | diff "$BATS_TEST_TMPDIR/first" -
  [[ -z $(cut -d' ' -f1 "$BATS_TEST_TMPDIR/first" | sort | uniq -d) ]]
}

@test "files have the owner, mode and time of the data file, directories x where r" {
  chmod 0640 "$STORE/image.memmap"
  chown 12:34 "$STORE/image.memmap"
  touch -d @1000000000 "$STORE/image.memmap"
  mount_store
  equals "$(stat -c '%a %u %g %Y %Z %h' "$MNT/image/03.png")" "640 12 34 1000000000 1000000000 1"
  equals "$(stat -c '%a %u %g' "$MNT/image")" "750 12 34"
  unmount_clean
}

@test "uid, gid and umask override owner and modes" {
  mount_store -o uid=12,gid=34,umask=027
  equals "$(stat -c '%a %u %g' "$MNT/image/03.png")" "640 12 34"
  equals "$(stat -c '%a %u %g' "$MNT/image")" "750 12 34"
  unmount_clean
}

@test "statfs tells the volume of the store" {
  mount_store
  equals "$(stat -f -c '%b %S %l' "$MNT")" "$(stat -f -c '%b %S' "$STORE") 255"
  unmount_clean
}

@test "status and errors of .jagfs can be read whole and are not listed" {
  mount_store
  [[ $(ls -a "$MNT") != *jagfs* ]]
  equals "$(ls "$MNT/.jagfs" | tr '\n' ' ')" "errors status "
  read -r by_name by_fd by_read < <("$FSCHECK" sizes "$MNT/.jagfs/status")
  [[ $by_fd -eq $by_read && $by_name -gt 100 ]]
  "$FSCHECK" mapread "$MNT/.jagfs/status"
  grep -q '"store":"'"$STORE"'"' <(tr -d ' ' <"$MNT/.jagfs/status")
  equals "$(try stat "$MNT/.jagfs/other")" ENOENT
  equals "$(try open "$MNT/.jagfs/status" w)" EPERM
  unmount_clean
}

@test "status says when the store has newer keys" {
  mount_store
  grep -q '"store_changed":false' <(tr -d ' ' <"$MNT/.jagfs/status")
  touch "$STORE/meta.json"
  grep -q '"store_changed":true' <(tr -d ' ' <"$MNT/.jagfs/status")
  unmount_clean
}
