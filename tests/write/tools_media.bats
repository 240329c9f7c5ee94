#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools_media.bats - image programs that save onto elements.
load write

setup() { write_begin; }
teardown() { write_end; }

@test "convert saves a png onto an element" {
  need convert
  convert "$(picture 5 32x24 jpg)" "$T/expected.png"
  convert "$T/picture-5-32x24.jpg" "$(path image 3 png)"
  convert "$T/expected.png" -depth 8 -interlace plane rgb:"$T/expected"
  cmp "$T/expected" <(backing image 3)
}

@test "convert saves jpg and ppm where they are listed" {
  need convert
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files have no views"
  convert "$(picture 5 32x24 png)" -quality 97 "$M/image@jpg/03.jpg"
  backing image 3 > "$T/now.bin"
  [ "$(picfile number 32x24 "$T/now.bin")" = 5 ]
  convert "$(picture 6 32x24 png)" "$M/image@pnm/03.ppm"
  holds image 3 6 32x24
}

@test "mogrify edits an element" {
  need mogrify
  cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  mogrify -flip "$(path image 3 png)"
  convert "$T/picture-5-32x24.png" -flip -depth 8 -interlace plane rgb:"$T/expected"
  cmp "$T/expected" <(backing image 3)
}

@test "mogrify to another size fails and leaves the element" {
  need mogrify
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files have no shape"
  keep image 3
  run mogrify -resize 10x10 "$(path image 3 png)"
  unchanged image 3
  errors_say image/03.png
}

@test "ffmpeg writes an image sequence onto the elements" {
  need ffmpeg
  local i
  for i in 0 1 2 3 4 5 6 7; do picfile make $((i + 10)) 32x24 "$T/in$i.png"; done
  ffmpeg -nostdin -v error -y -i "$T/in%d.png" -start_number 0 -pix_fmt rgb24 "$M/image/%02d.png"
  for i in 0 1 2 3 4 5 6 7; do holds image $i $((i + 10)) 32x24; done
}

@test "ffmpeg with atomic writing does the same through temporary names" {
  need ffmpeg
  local i
  for i in 0 1 2 3 4 5 6 7; do picfile make $((i + 10)) 32x24 "$T/in$i.png"; done
  ffmpeg -nostdin -v error -y -i "$T/in%d.png" -start_number 0 -pix_fmt rgb24 -atomic_writing 1 "$M/image/%02d.png"
  for i in 0 1 2 3 4 5 6 7; do holds image $i $((i + 10)) 32x24; done
}

@test "pngtopnm and pnmtopng through redirections" {
  need pngtopnm pnmtopng pnmflip
  cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  pngtopnm "$(path image 3 png)" | pnmflip -tb | pnmtopng 2> "$T/messages" > "$T/new.png"
  cat "$T/new.png" > "$(path image 4 png)"
  convert "$T/picture-5-32x24.png" -flip -depth 8 -interlace plane rgb:"$T/expected"
  cmp "$T/expected" <(backing image 4)
}
