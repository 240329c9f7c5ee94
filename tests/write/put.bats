#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# put.bats - `jagfs put` stores a file as an element without a mount, with the rules of the mount.
load write

setup() {
  names
  makestore -m "$S.map" "$S" "${STORE_SPEC[@]}"
}
teardown() { write_end; }

@test "put stores a png, a jpg by content, a text and raw bytes" {
  run "$JAGFS" put "$S/image/03.png" < "$(picture 5 32x24 png)"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
  holds image 3 5 32x24
  "$JAGFS" put "$S/image/04.png" < "$(picture 6 32x24 jpg)"
  backing image 4 > "$T/now.bin"
  [ "$(picfile number 32x24 "$T/now.bin")" = 6 ]
  echo 77 | "$JAGFS" put "$S/label/03.txt"
  [ "$(backing label 3 | od -An -td8 | tr -d ' ')" = 77 ]
  head -c 5000 /dev/urandom > "$T/new"
  "$JAGFS" put "$S/blob/03.bin" < "$T/new"
  cmp "$T/new" <(backing blob 3)
}

@test "put through the view of another format" {
  "$JAGFS" put "$S/image@raw/03.bin" < "$(picture 5 32x24 bin)"
  holds image 3 5 32x24
  "$JAGFS" put "$S/image/04.jpg" -o format=jpg < "$(picture 6 32x24 jpg)"
  backing image 4 > "$T/now.bin"
  [ "$(picfile number 32x24 "$T/now.bin")" = 6 ]
}

@test "put of another shape exits 1, names both and changes nothing" {
  keep image 3
  run "$JAGFS" put "$S/image/03.png" < "$(picture 5 30x20 png)"
  [ "$status" -eq 1 ]
  [[ $output == *"03.png: expected an image 32 wide and 24 high, got 30 wide and 20 high"* ]]
  [ "${#lines[@]}" -eq 1 ]
  [[ $output != *"Invalid argument"* ]]
  unchanged image 3
}

@test "put to a format that is not listed exits 1 and names the view" {
  keep image 3
  run "$JAGFS" put "$S/image/03.jpg" < "$(picture 5 32x24 jpg)"
  [ "$status" -eq 1 ]
  [[ $output == *"image@jpg/03.jpg"* ]]
  unchanged image 3
}

@test "put of nothing, to nothing, and without arguments" {
  keep image 3
  run "$JAGFS" put "$S/image/03.png" < /dev/null
  [ "$status" -eq 1 ]
  run "$JAGFS" put "$S/image/99.png" < "$(picture 5 32x24 png)"
  [ "$status" -eq 1 ]
  run "$JAGFS" put "$S/meta.json" < /dev/null
  [ "$status" -eq 1 ]
  run "$JAGFS" put < /dev/null
  [ "$status" -eq 2 ]
  unchanged image 3
}

@test "put to data that may not be written exits 1" {
  [ "$(id -u)" = 0 ] || skip "needs root"
  need setpriv chmod
  chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$BATS_TEST_TMPDIR"
  keep image 3
  picture 5 32x24 png > /dev/null
  run setpriv --reuid=65534 --regid=65534 --clear-groups "$JAGFS" put "$S/image/03.png" < "$T/picture-5-32x24.png"
  [ "$status" -eq 1 ]
  [[ $output == *": Permission denied" && $output != *"Permission denied: "* ]]
  unchanged image 3
}

# The store's file got the number of standard error, and the refusal was written into the element.
@test "put with closed standard streams does not write messages into the store" {
  cp -r "$S" "$T/before"
  for closed in '2>&-' '>&- 2>&-' '0<&- >&- 2>&-'; do
    for file in image/03.png label/03.txt blob/03.bin; do
      status=0
      echo bad | eval "\"\$JAGFS\" put \"$S/$file\" $closed" || status=$?
      [ "$status" -eq 1 ]
      diff -r "$T/before" "$S"
    done
  done
}
