#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# refuse.bats - what a mount refuses, with which errno, and that the element is what it was.
load write

setup() { write_begin; }
teardown() { write_end; }

# The result of an open with these flags: "0" or the errno.
open_says() { # PATH FLAGS
  run sysdo "$1" "open:$2"
  printf '%s' "${output#open }"
}

@test "names that look like elements and are none cannot be created" {
  local name
  for name in 12.png 99.png 003.png 3.png new.png new.jpg x.npy x.bin x.ppm x.txt x.wav; do
    [ "$(open_says "$M/image/$name" wo+creat)" = EPERM ] || { echo "$name: $(open_says "$M/image/$name" wo+creat)"; false; }
  done
  [ "$(open_says "$M/new.png" wo+creat)" = EPERM ]
  fails cp "$(picture 5 32x24 png)" "$M/image/new.png"
  [[ $output == *"Operation not permitted"* ]]
}

@test "a temporary file cannot be renamed to a name that looks like an element" {
  echo text > "$M/image/.t"
  run sysdo "$M/image/.t" "to:$M/image/new.png" "to:$M/image/99.png"
  [ "$output" = $'to EPERM\nto EPERM' ]
  rm "$M/image/.t"
}

@test "a truncating write to a format that is not listed is refused, and the log names the place where it works" {
  keep image 3
  [ "$(open_says "$(path image 3 jpg)" wo+trunc)" = EACCES ]
  [ "$(open_says "$(path image 3 npy)" wo+trunc)" = EACCES ]
  [ "$(open_says "$(path blob 3 npy)" wo+trunc)" = EACCES ]
  unchanged image 3
  errors_say image@jpg/03.jpg
  errors_say image@npy/03.npy
}

@test "renaming onto a format that is not listed is refused" {
  keep image 3
  cp "$(picture 5 32x24 jpg)" "$M/image/.t.Ab3dEf"
  run sysdo "$M/image/.t.Ab3dEf" "to:$(path image 3 jpg)"
  [ "$output" = "to EACCES" ]
  unchanged image 3
  errors_say image@jpg/03.jpg
  rm "$M/image/.t.Ab3dEf"
}

@test "the view of a format takes truncating writes and renames" {
  cp "$(picture 5 32x24 jpg)" "$M/image@jpg/03.jpg"
  backing image 3 > "$T/now.bin"
  [ "$(picfile number 32x24 "$T/now.bin")" = 5 ]
  cp "$(picture 6 32x24 bin)" "$M/image@raw/03.bin"
  holds image 3 6 32x24
  rsync -I "$(picture 7 32x24 ppm)" "$M/image@pnm/03.ppm"
  holds image 3 7 32x24
}

@test "writing in place is open to live formats that are not listed" {
  printf 'abc' | dd of="$(path image 3 bin)" bs=1 seek=100 conv=notrunc status=none
  [ "$(backing image 3 | tail -c +101 | head -c 3)" = abc ]
}

@test "raw bytes of a wrong size are refused at close, with both sizes in the log" {
  keep blob 3
  run sysdo "$(path blob 3 bin)" open:wo+trunc write:4999:65 close
  [ "${lines[2]}" = "close EINVAL" ]
  errors_say 4999
  errors_say 5000
  run sysdo "$(path blob 3 bin)" open:wo+trunc write:5001:65 close
  [[ "$output" == *EINVAL* || "$output" == *EFBIG* ]]
  unchanged blob 3
}

@test "an image of a wrong shape is refused at close, with both shapes in the log" {
  keep image 3
  fails cp "$(picture 5 30x20 png)" "$(path image 3 png)"
  [[ $output == *"Invalid argument"* ]]
  unchanged image 3
  errors_say "expected an image 32 wide and 24 high, got 30 wide and 20 high"
}

@test "an npy file of a wrong dtype or shape is refused, with both in the log" {
  keep feat 3
  fails cp "$(path dbl 3 npy)" "$(path feat 3 npy)"
  errors_say float64
  errors_say float32
  fails cp "$(path feat 9 npy)" "$(path feat 3 npy)"
  errors_say "[4, 5]"
  errors_say "[3, 7]"
  unchanged feat 3
}

@test "what does not decode is refused" {
  keep image 3
  fails bash -c 'echo no image > "$1"' - "$(path image 3 png)" || true # bash does not look at close
  fails cp "$S/meta.json" "$(path image 3 png)"
  head -c -20 "$(picture 5 32x24 png)" > "$T/cut.png"
  fails cp "$T/cut.png" "$(path image 3 png)"
  unchanged image 3
}

@test "text that does not parse, or does not fit the dtype, is refused" {
  keep label 3
  local text
  for text in x 1.5 '1 2' 9223372036854775808 ''; do
    printf '%s\n' "$text" > "$T/text"
    fails cp "$T/text" "$M/label/03.txt"
  done
  errors_say "expected one value, got another number of values (line 1)"
  errors_say "expected one value, got 0 values"
  unchanged label 3
}

@test "a header in place accepts only the bytes that are there" {
  keep feat 3
  head -c 64 "$(path feat 3 npy)" | dd of="$(path feat 3 npy)" conv=notrunc status=none
  fails dd if="$T/kept.feat.3" of="$(path feat 3 npy)" bs=10 count=1 conv=notrunc
  [[ $output == *"Invalid argument"* ]]
  unchanged feat 3
}

@test "generated files are read-only" {
  local file
  for file in meta.json image.shape.npy .jagfs/status .jagfs/errors; do
    [[ "$(open_says "$M/$file" wo)" =~ EACCES|EPERM|EROFS ]] || { echo "$file: $(open_says "$M/$file" wo)"; false; }
  done
}
