#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# disk_full.bats - a store with holes on a full disk, and data files that are cut or replaced under the mount: one
# request fails, the daemon and the other elements live.
load write

setup() {
  names
  SMALL=$BATS_TEST_TMPDIR/small
}
teardown() {
  write_end
  if mountpoint -q "$SMALL"; then umount "$SMALL"; fi
}

# A store of which only the images take room, on a disk that is full: 2.6 MiB of holes, room for 128 KiB.
full_disk() {
  [ "$(id -u)" = 0 ] || skip "needs root"
  mkdir "$SMALL"
  mount -t tmpfs -o size=8m tmpfs "$SMALL"
  S=$SMALL/store
  makestore -s -m "$T/sparse.map" "$S" big:uint8:3x900x971*3
  makestore -m "$T/map" "$T/images" image:uint8:'3x24x32*12'
  cp "$T/images/"image.* "$S/"
  sed -e 's/^{//' "$T/images/meta.json" | grep -o '^"image":{[^}]*},' > "$T/entry"
  sed -i "s|^{|{$(cat "$T/entry")|" "$S/meta.json"
  cat "$T/sparse.map" "$T/map" > "$S.map"
  head -c 16m /dev/zero > "$SMALL/filler" 2> /dev/null || true
  truncate -s -131072 "$SMALL/filler"
  daemon_start
}

others_live() {
  kill -0 "$DAEMON"
  cat "$M"/image/*.png > /dev/null
  cp "$(picture 5 32x24 png)" "$(path image 4 png)"
  holds image 4 5 32x24
}

@test "a commit onto a full disk is ENOSPC and changes nothing" {
  full_disk
  keep big 1
  fails cp "$(picture 5 971x900 png)" "$(path big 1 png)"
  [[ $output == *"No space left"* ]]
  unchanged big 1
  errors_say big/1.png
  others_live
}

@test "a rename onto an element on a full disk is ENOSPC" {
  full_disk
  keep big 1
  fails rsync -I "$(picture 5 971x900 png)" "$(path big 1 png)"
  [[ $output == *"No space left"* ]]
  unchanged big 1
  others_live
}

@test "writing in place on a full disk is ENOSPC at the write" {
  full_disk
  fails dd if=/dev/urandom of="$(path big 1 bin)" bs=1M count=2 iflag=fullblock conv=notrunc
  [[ $output == *"No space left"* ]]
  others_live
}

@test "fallocate of an element on a full disk is ENOSPC, and takes the space once there is room" {
  full_disk
  run sysdo "$(path big 1 bin)" open:rw fallocate:0:0:100
  [ "${lines[1]}" = "fallocate ENOSPC" ]
  rm "$SMALL/filler"
  run sysdo "$(path big 1 bin)" open:rw fallocate:0:0:100
  [ "${lines[1]}" = "fallocate 0" ]
  head -c 16m /dev/zero > "$SMALL/filler" 2> /dev/null || true
  cp "$(picture 5 971x900 png)" "$(path big 1 png)"
  others_live
}

@test "a store through a mapping on a full disk is an error of msync, and nobody dies" {
  full_disk
  run sysdo "$(path big 1 bin)" open:rw map:0:2000000:65 close
  [[ "${lines[1]}" =~ ENOSPC|EIO ]]
  others_live
}

@test "reading holes on a full disk works" {
  full_disk
  cmp -n 2621700 "$(path big 1 bin)" /dev/zero
  cat "$(path big 2 png)" > /dev/null
  others_live
}

@test "after room was made the same commit succeeds" {
  full_disk
  fails cp "$(picture 5 971x900 png)" "$(path big 1 png)"
  rm "$SMALL/filler"
  cp "$T/picture-5-971x900.png" "$(path big 1 png)"
  holds big 1 5 971x900
}

# Opens or reads and writes of an element that is gone fail with this, whatever the call.
broken() { # FILE
  fails cat "$1"
  [[ $output == *"Input/output error"* || $output == *"Stale file handle"* ]]
}

@test "an element that a shorter data file has lost is EIO, and is not written" {
  write_begin
  truncate -s 100 "$S/blob.memmap"
  broken "$(path blob 3 bin)"
  fails dd if=/dev/urandom of="$(path blob 3 bin)" bs=5000 count=1 conv=notrunc
  head -c 5000 /dev/urandom > "$T/new"
  fails cp "$T/new" "$(path blob 3 bin)"
  fails rsync -I "$T/new" "$(path blob 3 bin)"
  [ "$(stat -c %s "$S/blob.memmap")" = 100 ]
  others_live
}

@test "a snapshot format of a lost element is EIO, not a picture" {
  write_begin
  truncate -s 100 "$S/image.memmap"
  broken "$(path image 3 png)"
  broken "$(path image 3 jpg)"
  kill -0 "$DAEMON"
  cat "$(path blob 3 bin)" > /dev/null
}

@test "a shape file that is cut under the mount kills nobody" {
  write_begin
  truncate -s 8 "$S/image.shape.memmap"
  run cat "$(path image 3 png)"
  run ls -l "$M/image"
  run cat "$M/image.shape.npy"
  kill -0 "$DAEMON"
  cat "$(path blob 3 bin)" > /dev/null
}

@test "a data file that was replaced under the mount is not read or written as if it were the old one" {
  write_begin
  head -c "$(stat -c %s "$S/blob.memmap")" /dev/urandom > "$S/.new"
  mv "$S/.new" "$S/blob.memmap"
  broken "$(path blob 3 bin)"
  head -c 5000 /dev/urandom > "$T/new"
  fails cp "$T/new" "$(path blob 3 bin)"
  fails dd if="$T/new" of="$(path blob 3 bin)" bs=5000 conv=notrunc
  others_live
}

@test "a data file that is cut while a reader has it open and mapped kills no daemon" {
  write_begin
  run sysdo "$(path big 0 bin)" open:ro pread:0:100 "sh:truncate -s 100 '$S/big.memmap'" pread:2000000:100 pread:0:100
  [[ "${lines[3]}" =~ EIO|ESTALE ]]
  others_live
}
