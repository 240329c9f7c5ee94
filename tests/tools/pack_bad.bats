#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pack_bad.bats - images that are corrupt, cut, too large or not what their name says.

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  photos src 24
}

# What every refusal must leave: the sources.
untouched() { nothing_left . src; }

# The header is whole, the pixels are not.
cut_jpeg() { head -c 700 src/noise/00001.jpg >"$1"; }
cut_png() { head -c 2000 src/noise/00010.png >"$1"; }

@test "a cut JPEG is refused by name" {
  cut_jpeg src/noise/bad.jpg
  pack -q src store
  refused '^jagfs: src/noise/bad.jpg: '
  untouched
}

@test "a cut PNG is refused by name" {
  cut_png src/noise/bad.png
  pack -q src store
  refused '^jagfs: src/noise/bad.png: '
  untouched
}

@test "a file that ends in its header, and an empty one" {
  head -c 20 src/noise/00001.jpg >src/noise/bad.jpg
  pack -q src store
  refused '^jagfs: src/noise/bad.jpg: '
  : >src/noise/bad.jpg
  pack -q src store
  refused '^jagfs: src/noise/bad.jpg: is empty'
  untouched
}

@test "a PNG with a flipped bit in its pixels is refused" {
  cp src/noise/00010.png src/noise/bad.png
  printf '\xff\x00\xff' | dd of=src/noise/bad.png bs=1 seek=1000 conv=notrunc status=none
  pack -q src store
  refused '^jagfs: src/noise/bad.png: '
  untouched
}

@test "a text that is called .jpg is refused, not passed over" {
  echo text >src/noise/bad.jpg
  pack -q src store
  refused 'bad.jpg: its name is that of an image'
  untouched
}

@test "a decompression bomb is refused before anything is allocated" {
  # 50000 x 50000 pixels in 74 bytes.
  printf '%b' '\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\xc3\x50\x00\x00\xc3\x50\x08\x02\x00\x00\x00\xc4\xcd\xaa\x9d\x00\x00\x00\x11' \
    '\x49\x44\x41\x54\x78\x9c\x63\x60\x18\x05\xa3\x60\x14\x0c\x77\x00\x00\x03\xe8\x00\x01\xb3\xa6\xd3\x46\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82' >src/noise/bomb.png
  pack -q src store
  refused 'src/noise/bomb.png: '
  [[ $output =~ pixels ]]
  untouched
}

@test "--max-pixels sets the limit" {
  pack -q --max-pixels 100 src store
  refused 'src/gradients/00000.jpg: .*pixels'
}

@test "an image larger than a chunk is refused by name" {
  pack -q --chunk-elements 1000 src store
  refused 'src/gradients/00000.jpg: 3 x .* is more than the 1000 scalars'
  untouched
}

@test "--on-error skip leaves bad files out, names them and leaves no hole" {
  mkdir clean
  cp -r src/. clean
  cut_jpeg src/noise/00000bad.jpg
  cut_png src/text/99999bad.png
  cut_jpeg src/gradients/00005bad.jpg
  echo text >src/text/bad.jpg
  pack --on-error skip src store
  [[ $status -eq 0 && $output =~ "left out"\ +4 ]]
  for bad in noise/00000bad.jpg text/99999bad.png gradients/00005bad.jpg text/bad.jpg; do [[ $output == *"src/$bad: left out: "* ]]; done
  "$JAGFS" pack -q clean expected
  diff -r store expected
}

@test "--on-error skip closes holes in chunks, too" {
  mkdir clean
  cp -r src/. clean
  for i in 00000 00008 00014 00020; do cut_jpeg src/noise/${i}bad.jpg; done
  "$JAGFS" pack -q --on-error skip --chunk-elements 9000 src store
  "$JAGFS" pack -q clean expected
  for leaf in image image.shape label path path.shape; do
    for ((i = 0; i < 100; i++)); do [[ ! -d store/$i ]] || cat "store/$i/$leaf.memmap"; done | cmp - expected/$leaf.memmap
  done
}

@test "--on-error skip: a chunk of which nothing is left does not exist" {
  mkdir only
  cp src/gradients/00000.jpg only/a.jpg
  cut_jpeg only/b.jpg
  cp src/gradients/00000.jpg only/c.jpg
  pack -q --on-error skip --chunk-elements 4800 only store
  [[ $status -eq 0 ]]
  [[ $(paths store) == $(printf '%s\n' a.jpg c.jpg) ]]
}

@test "--on-error skip with nothing left is refused" {
  mkdir only
  cut_jpeg only/bad.jpg
  pack -q --on-error skip only store
  [[ $status -eq 1 && ${lines[0]} =~ "left out" && ${lines[1]} =~ "no image" ]]
  nothing_left . only src
}

@test "the first bad file is named, whatever the number of threads" {
  for i in 00002 00010 00020; do cut_jpeg src/noise/${i}bad.jpg; done
  for jobs in 1 2 7; do
    pack -q -j$jobs src store
    refused 'src/noise/00002bad.jpg'
  done
}

@test "a file that cannot be read is refused by name" {
  chmod 0 src/noise/00001.jpg
  # Root, too, without the capability to read everything.
  local drop=()
  [[ $(id -u) -ne 0 ]] || drop=(setpriv '--bounding-set=-dac_override,-dac_read_search' --inh-caps=-all)
  run "${drop[@]}" "$JAGFS" pack -q src store
  refused 'src/noise/00001.jpg: cannot open'
}

@test "a file that is far too large for its image is refused, not read" {
  cp src/noise/00001.jpg src/noise/bad.jpg
  truncate -s 1T src/noise/bad.jpg
  pack -q src store
  refused 'src/noise/bad.jpg: .* bytes are too many for an image of'
}

@test "--on-error skip names a class of which nothing is left" {
  rm src/text/*
  cut_jpeg src/text/bad.jpg
  pack -q --on-error skip src store
  [[ $status -eq 0 && $output =~ "text: no image of this class is left" ]]
  [[ $("$JAGFS" cat store/classes.json) == '["gradients","noise","text"]' ]]
}
