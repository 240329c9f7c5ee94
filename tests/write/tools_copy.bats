#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools_copy.bats - tools that copy a whole file onto an element, and what they must leave there.
load write

setup() { write_begin; }
teardown() { write_end; }

@test "cp replaces an image" {
  cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  holds image 3 5 32x24
}

@test "cp replaces raw bytes" {
  head -c 5000 /dev/urandom > "$T/new"
  cp "$T/new" "$(path blob 3 bin)"
  cmp "$T/new" <(backing blob 3)
}

@test "cp replaces an image of several megabytes" {
  cp "$(picture 6 971x900 png)" "$(path big 0 png)"
  holds big 0 6 971x900
}

@test "cp -p keeps the time" {
  touch -d '2001-02-03 04:05:06' "$(picture 5 32x24 png)"
  cp -p "$T/picture-5-32x24.png" "$(path image 3 png)"
  holds image 3 5 32x24
  [ "$(stat -c %Y "$(path image 3 png)")" = "$(date -d '2001-02-03 04:05:06' +%s)" ]
}

@test "cat > replaces an image although the shell flushes first" {
  cat "$(picture 7 32x24 png)" > "$(path image 3 png)"
  holds image 3 7 32x24
}

@test "cat > replaces raw bytes" {
  head -c 5000 /dev/urandom > "$T/new"
  cat "$T/new" > "$(path blob 3 bin)"
  cmp "$T/new" <(backing blob 3)
}

@test "two writers in a row in one redirection make one image, without messages" {
  local file
  file=$(picture 7 32x24 png)
  run bash -c '{ head -c 100 "$1"; tail -c +101 "$1"; } > "$2"' - "$file" "$(path image 3 png)"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
  holds image 3 7 32x24
}

@test "dd with odd block sizes replaces an image" {
  local block
  for block in 1 7 511 4097 1000003; do
    dd if="$(picture 8 32x24 png)" of="$(path image 3 png)" bs="$block" status=none
    holds image 3 8 32x24
    dd if="$(picture 9 32x24 png)" of="$(path image 3 png)" obs="$block" status=none
    holds image 3 9 32x24
  done
}

@test "dd conv=notrunc with odd block sizes writes raw bytes in place" {
  local block
  for block in 1 7 511 4097 1000003; do
    head -c 5000 /dev/urandom > "$T/new"
    dd if="$T/new" of="$(path blob 3 bin)" bs="$block" conv=notrunc status=none
    cmp "$T/new" <(backing blob 3)
  done
}

@test "dd conv=notrunc writes a part in place" {
  backing blob 3 > "$T/expected"
  printf 'abcdefg' | dd of="$T/expected" bs=1 seek=4090 conv=notrunc status=none
  printf 'abcdefg' | dd of="$(path blob 3 bin)" bs=1 seek=4090 conv=notrunc status=none
  backing_is blob 3 "$T/expected"
}

@test "dd conv=notrunc,fsync across the end of a raw element fails, nothing of that request is stored" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files grow"
  keep blob 3
  head -c 200 /dev/urandom > "$T/new"
  fails dd if="$T/new" of="$(path blob 3 bin)" bs=200 seek=4900 oflag=seek_bytes conv=notrunc,fsync
  [[ $output == *"File too large"* ]]
  unchanged blob 3
}

@test "dd conv=notrunc onto an image stores it or fails, never half" {
  keep image 3
  run dd if="$(picture 8 32x24 png)" of="$(path image 3 png)" conv=notrunc status=none
  if [ "$status" -eq 0 ]; then holds image 3 8 32x24; else unchanged image 3; fi
}

@test "dd oflag=direct and iflag=direct work" {
  head -c 5000 /dev/urandom > "$T/new"
  dd if="$T/new" of="$(path blob 3 bin)" bs=5000 oflag=direct status=none || [ -n "${JAG_WRITE_PLAIN:-}" ]
  [ -n "${JAG_WRITE_PLAIN:-}" ] || cmp "$T/new" <(backing blob 3)
  dd if="$(path blob 3 bin)" of="$T/read" bs=8192 iflag=direct status=none
  cmp "$T/read" <(backing blob 3)
}

@test "cp from one element to another of the same shape" {
  cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  cp "$(path image 3 png)" "$(path image 4 png)"
  holds image 4 5 32x24
  cp "$(path blob 3 bin)" "$(path blob 4 bin)"
  cmp <(backing blob 3) <(backing blob 4)
}

@test "cp from one element to another of another shape fails, the target intact" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files have no shape"
  keep image 9
  keep blob 9
  fails cp "$(path image 3 png)" "$(path image 9 png)"
  fails cp "$(path blob 3 bin)" "$(path blob 9 bin)"
  unchanged image 9
  unchanged blob 9
}

@test "cp of a directory of images onto the elements" {
  local i
  mkdir "$T/new"
  for i in 0 1 2 3 4 5 6 7; do mv "$(picture $((i + 10)) 32x24 png)" "$T/new/0$i.png"; done
  cp "$T"/new/*.png "$M/image/"
  for i in 0 1 2 3 4 5 6 7; do holds image $i $((i + 10)) 32x24; done
}

@test "install and mv from outside fail loudly, element and source intact" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files can be unlinked"
  local file
  file=$(picture 5 32x24 png)
  keep image 3
  fails mv "$file" "$(path image 3 png)"
  [ -f "$file" ]
  unchanged image 3
  fails install "$file" "$(path image 3 png)"
  unchanged image 3
}
