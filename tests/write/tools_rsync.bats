#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools_rsync.bats - rsync onto elements: temporary names, renames, attributes, in place. -I where the same size in the
# same second would look like the same file to it.
load write

setup() {
  need rsync
  write_begin
}
teardown() { write_end; }

@test "rsync replaces an image and raw bytes" {
  rsync -I "$(picture 5 32x24 png)" "$(path image 3 png)"
  holds image 3 5 32x24
  head -c 5000 /dev/urandom > "$T/new"
  rsync -I "$T/new" "$(path blob 3 bin)"
  cmp "$T/new" <(backing blob 3)
}

@test "after rsync the element can be opened, read and written again under its name" {
  local i
  for i in 1 2 3 4 5 6 7 8; do
    rsync -I "$(picture "$i" 32x24 png)" "$(path image 3 png)"
    cmp "$T/picture-$i-32x24.png" "$(path image 3 png)"
    [ "$(stat -c %s "$(path image 3 png)")" = "$(stat -c %s "$T/picture-$i-32x24.png")" ]
    cp "$(picture $((i + 10)) 32x24 png)" "$(path image 3 png)"
    holds image 3 $((i + 10)) 32x24
  done
}

@test "rsync -a keeps the times, and a second run has nothing to do" {
  local i
  mkdir "$T/new"
  for i in 0 1 2 3; do mv "$(picture $((i + 10)) 32x24 png)" "$T/new/0$i.png"; done
  touch -d '2001-02-03 04:05:06' "$T"/new/*.png
  chmod "$(stat -c %a "$(path image 0 png)")" "$T"/new/*.png
  rsync -a --omit-dir-times "$T"/new/*.png "$M/image/"
  for i in 0 1 2 3; do holds image $i $((i + 10)) 32x24; done
  [ "$(stat -c %Y "$(path image 3 png)")" = "$(date -d '2001-02-03 04:05:06' +%s)" ]
  run rsync -ain "$T"/new/*.png "$M/image/"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "rsync -a from files of another mode commits, and --no-perms is quiet" {
  local file
  file=$(picture 5 32x24 png)
  chmod 600 "$file"
  rsync -aI "$file" "$(path image 3 png)"
  holds image 3 5 32x24
  [ -n "${JAG_WRITE_PLAIN:-}" ] || [ "$(stat -c %a "$(path image 3 png)")" = "$(stat -c %a "$S/image.memmap")" ]
  rsync -a --no-perms --checksum "$file" "$(path image 3 png)"
}

@test "rsync --inplace writes raw bytes" {
  head -c 5000 /dev/urandom > "$T/new"
  rsync -I --inplace "$T/new" "$(path blob 3 bin)"
  cmp "$T/new" <(backing blob 3)
  printf 'abc' | dd of="$T/new" bs=1 seek=2000 conv=notrunc status=none
  rsync --inplace --no-whole-file --checksum "$T/new" "$(path blob 3 bin)"
  cmp "$T/new" <(backing blob 3)
}

@test "rsync --inplace replaces an image" {
  rsync -I --inplace "$(picture 5 32x24 png)" "$(path image 3 png)"
  holds image 3 5 32x24
}

@test "rsync -a --inplace of a picture that is longer, then of one that is shorter" {
  local long short
  long=$(picture 23 32x24 jpg) short=$(picture 0 32x24 png)
  rsync -aI --no-perms --inplace "$long" "$(path image 3 png)"
  rsync -aI --no-perms --inplace "$short" "$(path image 3 png)"
  holds image 3 0 32x24
}

@test "rsync of a directory leaves no temporary file and changes every element" {
  local i
  mkdir "$T/new"
  for i in 0 1 2 3 4 5 6 7; do mv "$(picture $((i + 10)) 32x24 png)" "$T/new/0$i.png"; done
  rsync -rI "$T/new/" "$M/image/"
  for i in 0 1 2 3 4 5 6 7; do holds image $i $((i + 10)) 32x24; done
  [ -z "$(find "$M/image" -name '.*' ! -path "$M/image")" ]
}

@test "rsync of a picture of another shape fails and leaves the element" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files have no shape"
  keep image 3
  fails rsync -I "$(picture 5 30x20 png)" "$(path image 3 png)"
  unchanged image 3
  errors_say 30
}

@test "rsync, and a rename by hand, replace the file of a whole leaf" {
  # BYTE: the first of the last label
  relabel() { printf %b "$1" | dd of="$T/label.npy" bs=1 seek=$(($(stat -c %s "$T/label.npy") - 8)) conv=notrunc status=none; }
  stored() { cmp <(tail -c 96 "$T/label.npy") "$S/label.memmap" && cmp "$T/label.npy" "$M/label.npy"; }
  cp "$M/label.npy" "$T/label.npy"
  relabel '\052'
  rsync -I "$T/label.npy" "$M/label.npy"
  stored
  head -c -8 "$T/label.npy" > "$T/short.npy"
  fails rsync -I "$T/short.npy" "$M/label.npy"
  errors_say label.npy
  stored
  relabel '\053'
  cp "$T/label.npy" "$M/label.npy.tmp1234"
  mv "$M/label.npy.tmp1234" "$M/label.npy"
  stored
}
