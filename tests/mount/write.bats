#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# write.bats - writing in place, and the loud refusal of everything else.

load ../lib/common

setup() {
  require_fuse
  make_store
}
teardown() { teardown_mount; }

# store_bytes AT N: of the data file.
store_bytes() { "$FSCHECK" bytes "$STORE/image.memmap" "$1" "$2"; }

@test "pwrite into a raw file is in the store when it returns" {
  mount_store
  image 4
  printf 'abcdef' | dd of="$MNT/image/04.bin" bs=1 seek=100 conv=notrunc status=none
  equals "$(store_bytes $((OFFSET + 100)) 6)" 616263646566
  equals "$("$FSCHECK" bytes "$MNT/image/04.bin" 100 6)" 616263646566
  unmount_clean
}

@test "pwrite into a npy file lands behind its header" {
  mount_store
  image 4
  header=$(($(stat -c %s "$MNT/image/04.npy") - NBYTES))
  printf 'abcdef' | dd of="$MNT/image/04.npy" bs=1 seek=$((header + 10)) conv=notrunc status=none
  equals "$(store_bytes $((OFFSET + 10)) 6)" 616263646566
  unmount_clean
}

@test "a npy header takes the bytes that are there and no others" {
  mount_store
  cp "$MNT/image/04.npy" "$BATS_TEST_TMPDIR/same.npy"
  dd if="$BATS_TEST_TMPDIR/same.npy" of="$MNT/image/04.npy" conv=notrunc status=none
  equals "$(try pwrite "$MNT/image/04.npy" 8 4)" EINVAL
  cmp "$BATS_TEST_TMPDIR/same.npy" "$MNT/image/04.npy"
  expect_refusal 'image/04.npy: .*header'
  unmount_clean
}

@test "a store through a shared mapping is in the store after close" {
  mount_store
  image 4
  for suffix in bin npy; do
    header=$(($(stat -c %s "$MNT/image/04.$suffix") - NBYTES))
    "$FSCHECK" poke "$MNT/image/04.$suffix" $((header + 20)) 717273
    equals "$(store_bytes $((OFFSET + 20)) 3)" 717273
    "$FSCHECK" poke "$STORE/image.memmap" $((OFFSET + 20)) 000000
  done
  unmount_clean
}

@test "what is written in one format is read in all others" {
  mount_store
  image 4
  before=$(md5sum <"$MNT/image/04.png")
  printf 'zzzzzzzz' | dd of="$MNT/image/04.bin" bs=1 seek=16 conv=notrunc status=none
  [[ $(md5sum <"$MNT/image/04.png") != "$before" ]]
  equals "$(tail -c "$NBYTES" "$MNT/image/04.npy" | md5sum)" "$(md5sum <"$MNT/image/04.bin")"
  unmount_clean
}

@test "a write across the end is EFBIG and stores nothing" {
  mount_store
  image 4
  before=$(md5sum <"$STORE/image.memmap")
  equals "$(try pwrite "$MNT/image/04.bin" $((NBYTES - 2)) 3)" EFBIG
  equals "$(try pwrite "$MNT/image/04.bin" $((NBYTES + 5)) 1)" EFBIG
  equals "$(try pwrite "$MNT/image/04.bin" $((NBYTES - 2)) 2)" OK
  "$FSCHECK" poke "$STORE/image.memmap" 0 "$(store_bytes 0 1)"
  equals "$(stat -c %s "$STORE/image.memmap")" "$(tail -n 1 "$STORE.images" | awk '{ print $2 + $3 }')"
  expect_refusal 'image/04.bin: .*end of the element'
  unmount_clean
}

@test "truncating to the own size succeeds, larger is EFBIG, smaller EINVAL, also 0" {
  mount_store
  for suffix in bin npy png; do
    size=$(stat -c %s "$MNT/image/04.$suffix")
    equals "$(try truncate "$MNT/image/04.$suffix" "$size")" OK
    equals "$(try truncate "$MNT/image/04.$suffix" $((size + 1)))" EFBIG
    equals "$(try truncate "$MNT/image/04.$suffix" $((size - 1)))" EINVAL
    equals "$(try truncate "$MNT/image/04.$suffix" 0)" EINVAL
    equals "$(stat -c %s "$MNT/image/04.$suffix")" "$size"
  done
  expect_refusal 'image/04.npy: .*its size is'
  unmount_clean
}

@test "what is written anew and is not right is refused loudly and changes nothing" {
  mount_store
  before=$(md5sum <"$STORE/image.memmap")
  for suffix in bin npy; do equals "$(try open "$MNT/image/04.$suffix" wt)" EACCES; done
  run cp "$STORE/meta.json" "$MNT/image/04.png"
  [[ $status -eq 1 ]]
  equals "$(md5sum <"$STORE/image.memmap")" "$before"
  expect_refusal 'image/04.png: '
  unmount_clean
}

@test "an encoded file can be written where it is listed, a generated one nowhere" {
  mount_store
  equals "$(try open "$MNT/image/04.png" rw)" OK
  equals "$(try open "$MNT/image/04.jpg" w)" EACCES
  equals "$(try open "$MNT/image@jpg/04.jpg" w)" OK
  equals "$(try open "$MNT/meta.json" w)" EPERM
  equals "$(try open "$MNT/image.shape.npy" w)" EPERM
  expect_refusal 'meta.json: '
  unmount_clean
}

@test "the namespace is fixed: EPERM for whatever would change it" {
  mount_store
  elem=$MNT/image/04.png
  equals "$(try open "$MNT/image/new.png" wc)" EPERM
  equals "$(try open "$MNT/new.npy" wc)" EPERM
  equals "$(try mkdir "$MNT/image/dir")" EPERM
  equals "$(try mknod "$MNT/image/fifo")" EPERM
  equals "$(try unlink "$elem")" EPERM
  equals "$(try rmdir "$MNT/image")" EPERM
  equals "$(try rename "$elem" "$MNT/image/05.png")" EPERM
  equals "$(try link "$elem" "$MNT/image/hard")" EPERM
  equals "$(try symlink "$MNT/image/soft" target)" EPERM
  expect_refusal 'image/new.png: '
  unmount_clean
}

@test "touch is kept, for all formats of the element and no other" {
  mount_store
  equals "$(try utimens "$MNT/image/04.png" 1234567890)" OK
  equals "$(stat -c '%Y %Z' "$MNT/image/04.jpg")" "1234567890 1234567890"
  [[ $(stat -c %Y "$MNT/image/05.png") -ne 1234567890 ]]
  [[ $(stat -c %Y "$STORE/image.memmap") -ne 1234567890 ]]
  unmount_clean
}

@test "a write in place moves the element's time and nobody else's" {
  touch -d @1000000000 "$STORE/image.memmap"
  mount_store
  equals "$(try pwrite "$MNT/image/04.bin" 0 5)" OK
  [[ $(stat -c %Y "$MNT/image/04.bin") -gt 1000000000 ]]
  equals "$(stat -c %Y "$MNT/image/05.bin")" 1000000000
  unmount_clean
}

@test "mode and owner can be set to what they are, and to nothing else" {
  mount_store
  mode=$(stat -c %a "$MNT/image/04.bin")
  equals "$(try chmod "$MNT/image/04.bin" "$mode")" OK
  equals "$(try chown "$MNT/image/04.bin" "$(stat -c %u "$MNT/image/04.bin")")" OK
  equals "$(try chmod "$MNT/image/04.bin" 0777)" EPERM
  equals "$(try chown "$MNT/image/04.bin" 4321)" EPERM
  expect_refusal 'image/04.bin: mode and owner'
  unmount_clean
}

@test "fsync of what was written succeeds" {
  mount_store
  equals "$(try fsync "$MNT/image/04.bin")" OK
  dd if=/dev/zero of="$MNT/image/04.npy" bs=64 seek=4 count=1 conv=notrunc,fsync status=none
  unmount_clean
}

@test "extended attributes are not supported, and asking does no harm" {
  mount_store
  equals "$(try getxattr "$MNT/image/04.bin" user.x)" EOPNOTSUPP
  equals "$(try getxattr "$MNT/image/04.bin" security.capability)" EOPNOTSUPP
  unmount_clean
}

@test "ro and immutable mounts answer EROFS and the store does not change" {
  before=$(md5sum <"$STORE/image.memmap")
  for option in ro immutable; do
    mount_store -o $option
    for flags in w rw wt; do equals "$(try open "$MNT/image/04.bin" $flags)" EROFS; done
    equals "$(try open "$MNT/image/new" wc)" EROFS
    equals "$(try unlink "$MNT/image/04.bin")" EROFS
    equals "$(try truncate "$MNT/image/04.bin" 0)" EROFS
    equals "$(try utimens "$MNT/image/04.bin" 1)" EROFS
    cmp <(md5sum <"$MNT/image/04.bin") <(md5sum <"$MNT/image/04.bin")
    unmount_clean
  done
  equals "$(md5sum <"$STORE/image.memmap")" "$before"
}

@test "an immutable mount serves every format without open requests" {
  mount_store -o immutable
  image 4
  for _ in 1 2; do
    tail -c "+$((OFFSET + 1))" "$STORE/image.memmap" | head -c "$NBYTES" | cmp - "$MNT/image/04.bin"
    for suffix in npy ppm png jpg; do
      read -r a b c < <("$FSCHECK" sizes "$MNT/image/04.$suffix")
      equals "$a $b" "$c $c"
    done
  done
  [[ -s $MNT/.jagfs/status ]]
  unmount_clean
}
