#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# coherence.bats - other processes store into the data files: what an open shows; and what they see of our writes.
load write

setup() { write_begin; }
teardown() { write_end; }

offset_of() { awk -v key="$1" -v i="$2" '$1 == key && $2 == i { print $3 }' "$S.map"; }

# Store FILE into the data of an element through a mapping of another process: a dirty page, no msync.
foreign() { # KEY I BYTE N
  run sysdo "$S/$1.memmap" open:rw "keep:$(offset_of "$1" "$2"):$4:$3"
  [ "${lines[1]}" = "keep 0" ]
}

@test "a foreign store into the mapping is shown by the next open, raw and re-encoded" {
  local suffix
  for suffix in png jpg npy ppm bin; do cat "$(path image 3 $suffix)" > "$T/before.$suffix"; done
  foreign image 3 77 2304
  cmp <(head -c 2304 /dev/zero | tr '\0' M) "$(path image 3 bin)"
  cmp <(head -c 2304 /dev/zero | tr '\0' M) <(tail -c 2304 "$(path image 3 npy)")
  cmp <(head -c 2304 /dev/zero | tr '\0' M) <(tail -c 2304 "$(path image 3 ppm)")
  for suffix in png jpg; do
    run cmp -s "$T/before.$suffix" "$(path image 3 $suffix)"
    [ "$status" -eq 1 ]
    [ "$(cat "$(path image 3 $suffix)" | wc -c)" = "$(stat -c %s "$(path image 3 $suffix)")" ]
  done
}

@test "a foreign store is shown although the old pages are cached" {
  local byte
  for byte in 65 66 67 68; do
    foreign blob 3 "$byte" 5000
    [ "$(od -An -tu1 -w1 -v "$(path blob 3 bin)" | sort -u | tr -d ' ')" = "$byte" ]
    foreign label 3 "$byte" 1
    [ "$(($(cat "$M/label/03.txt") & 255))" = "$byte" ]
  done
}

@test "a write through the mount is seen at once by a process that had the data file mapped" {
  printf Z > "$T/z"
  run sysdo "$S/blob.memmap" open:ro "hold:$(offset_of blob 3):5000" \
    "sh:dd if='$T/z' of='$(path blob 3 bin)' bs=1 seek=4000 conv=notrunc status=none" look:4000
  [ "${lines[2]}" = "sh 0" ]
  [ "${lines[3]}" = "look 90" ]
}

@test "a commit through the mount is seen at once by a process that had the data file mapped" {
  head -c 5000 /dev/zero | tr '\0' Z > "$T/new"
  run sysdo "$S/blob.memmap" open:ro "hold:$(offset_of blob 3):5000" "sh:cp '$T/new' '$(path blob 3 bin)'" look:4999
  [ "${lines[2]}" = "sh 0" ]
  [ "${lines[3]}" = "look 90" ]
}

@test "a store through a mapping of the mount is in the data file after msync" {
  run sysdo "$(path blob 3 bin)" open:rw map:4000:500:90 close
  [ "$output" = $'open 0\nmap 0\nclose 0' ]
  [ "$(backing blob 3 | tail -c +4001 | head -c 500 | tr -d Z | wc -c)" = 0 ]
}

@test "in-place writes through one format are shown by every other" {
  cat "$(path image 3 png)" "$(path image 3 ppm)" > /dev/null
  printf '\001\002' | dd of="$(path image 3 bin)" bs=1 seek=100 conv=notrunc status=none
  cmp <(backing image 3) "$(path image 3 bin)"
  cmp <(backing image 3) <(tail -c 2304 "$(path image 3 npy)")
  cmp <(backing image 3) <(picfile planes 32x24 "$(path image 3 ppm)")
  need convert
  convert "$(path image 3 png)" -interlace plane "rgb:$T/planes"
  cmp "$T/planes" <(backing image 3)
}

@test "what was written is read back byte for byte, until somebody changes the element" {
  cp "$(picture 5 32x24 jpg)" "$M/image@jpg/03.jpg"
  cmp "$T/picture-5-32x24.jpg" "$M/image@jpg/03.jpg"
  cp "$(picture 6 32x24 png)" "$(path image 3 png)"
  cmp "$T/picture-6-32x24.png" "$(path image 3 png)"
  [ "$(stat -c %s "$(path image 3 png)")" = "$(stat -c %s "$T/picture-6-32x24.png")" ]
  foreign image 3 77 2304
  run cmp -s "$T/picture-6-32x24.png" "$(path image 3 png)"
  [ "$status" -eq 1 ]
  [ "$(picfile number 32x24 "$(path image 3 png)")" = -3 ]
}

@test "without room for it the read-back is jagfs's own encoding of the same pixels" {
  remount readback_mb=0
  cp "$(picture 6 32x24 png)" "$(path image 3 png)"
  holds image 3 6 32x24
  cp "$(path image 3 png)" "$T/back.png"
  [ "$(picfile number 32x24 "$T/back.png")" = 6 ]
  [ "$(stat -c %s "$T/back.png")" = "$(stat -c %s "$(path image 3 png)")" ]
}

@test "a size that was asked for before a foreign store does not cut a copy" {
  cp "$(picture 0 971x900 jpg)" "$M/big@jpg/0.jpg"
  remount readback_mb=0
  stat -c %s "$M/big/0.jpg" > /dev/null
  head -c 2000000 /dev/urandom | dd of="$S/big.memmap" conv=notrunc status=none
  cp "$M/big/0.jpg" "$T/copy.jpg"
  [ "$(stat -c %s "$T/copy.jpg")" -gt 500000 ]
  [ "$(picfile number 971x900 "$T/copy.jpg")" = -3 ]
}

# A look at the old size while the file is open for writing made the kernel believe it for a second after the commit.
@test "the size is the new one at once after a write anew, though somebody has asked for it meanwhile" {
  remount png_level=6,attr_timeout=600,entry_timeout=600
  file=$(path image 3 png)
  cp "$file" "$T/old.png"
  cp "$(picture 5 32x24 png)" "$T/new.png"
  old=$(stat -c %s "$T/old.png") new=$(stat -c %s "$T/new.png")
  [ "$old" -ne "$new" ]
  exec 5> "$file"
  cat "$T/new.png" >&5
  [ "$(stat -c %s "$file")" -eq "$old" ]
  exec 5>&-
  [ "$(stat -c %s "$file")" -eq "$new" ]
  cmp "$file" "$T/new.png"
}
