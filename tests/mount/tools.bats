#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools.bats - the tools that people use on folders of images, on the mount of a packed store.
# $JAG_PHOTOS is a folder of photographs to take instead of 40 drawn ones (scripts/accept gives 2,000 real ones).

load ../lib/common

setup_file() {
  export PHOTOS=${JAG_PHOTOS:-$BATS_FILE_TMPDIR/photos}
  export STORE=$BATS_FILE_TMPDIR/store MNT=$BATS_FILE_TMPDIR/mnt COUNT WIDTH
  [[ -n ${JAG_PHOTOS:-} ]] || "$MAKE_PHOTOS" "$PHOTOS" 40
  "$JAGFS" pack -q "$PHOTOS" "$STORE"
  COUNT=$(find -L "$PHOTOS" -type f | wc -l)
  WIDTH=$((COUNT - 1)) WIDTH=${#WIDTH}
  mkdir "$MNT"
  # Without FUSE setup() skips or fails, by name.
  "$JAGFS" mount "$STORE" "$MNT" || true
}

teardown_file() { mountpoint -q "$MNT" && "$JAGFS" umount "$MNT"; }

setup() {
  require_fuse
  mountpoint -q "$MNT"
}

# A tool that exists, or a failure: these tests are about the tools.
tool() { command -v "$1" >/dev/null || { echo "$1 is not installed"; return 1; }; }

# remount OPTIONS: what the kernel knows of names and sizes is gone.
remount() {
  "$JAGFS" umount "$MNT"
  "$JAGFS" mount "$STORE" "$MNT" ${1:+-o "$1"}
}

# "NAME SIZE" of each image by reading the whole file.
read_sizes() { (cd "$MNT/image" && for file in *; do echo "$file $(wc -c <"$file")"; done); }

# The same from LOOKUP, by name only, and from READDIRPLUS; each on a fresh mount, nothing opened before.
same_sizes() {
  remount "$1"
  seq -f "%0${WIDTH}.0f$2" 0 $((COUNT - 1)) | (cd "$MNT/image" && xargs stat -c '%n %s') >"$BATS_TEST_TMPDIR/lookup"
  remount "$1"
  LC_ALL=C ls -l "$MNT/image" | awk 'NF >= 9 { print $9, $5 }' >"$BATS_TEST_TMPDIR/readdir"
  read_sizes >"$BATS_TEST_TMPDIR/read"
  [[ $(wc -l <"$BATS_TEST_TMPDIR/read") -eq $COUNT ]]
  diff "$BATS_TEST_TMPDIR/lookup" "$BATS_TEST_TMPDIR/read"
  diff "$BATS_TEST_TMPDIR/readdir" "$BATS_TEST_TMPDIR/read"
  remount ""
}

@test "a packed folder shows a file for each photo" {
  [[ $(ls "$MNT/image" | wc -l) -eq $COUNT ]]
  [[ $COUNT -ge 40 ]]
}

@test "stat by name and ls -l give the sizes that reading finds, png" { same_sizes "" .png; }
@test "stat by name and ls -l give the sizes that reading finds, png level 6" { same_sizes png_level=6 .png; }
@test "stat by name and ls -l give the sizes that reading finds, jpg" { same_sizes format=jpg .jpg; }
@test "stat by name and ls -l give the sizes that reading finds, npy" { same_sizes format=npy .npy; }

@test "find -size and du add up to the bytes" {
  bytes=$(cat "$MNT"/image/* | wc -c)
  [[ $(find "$MNT/image" -type f -size +0c -printf '%s\n' | awk '{ n += $1 } END { print n }') -eq $bytes ]]
  largest=$(read_sizes | awk '$2 > max { max = $2 } END { print max }')
  find "$MNT/image" -type f -size "${largest}c" | grep -q .
  [[ -z $(find "$MNT/image" -type f -size "+${largest}c") ]]
  directory=$(stat -c %s "$MNT/image")
  [[ $(du -bs "$MNT/image" | cut -f1) -eq $((bytes + directory)) ]]
}

@test "cp -r makes the image files and at most 8 others, all equal" {
  cp -r "$MNT" "$BATS_TEST_TMPDIR/copy"
  [[ $(find "$BATS_TEST_TMPDIR/copy/image" -type f | wc -l) -eq $COUNT ]]
  [[ $(find "$BATS_TEST_TMPDIR/copy" -type f | wc -l) -le $((COUNT + 8)) ]]
  diff -r "$MNT" "$BATS_TEST_TMPDIR/copy"
}

@test "tar reads the mount, and what it unpacks is equal" {
  mkdir "$BATS_TEST_TMPDIR/out"
  tar -C "$MNT" -cf "$BATS_TEST_TMPDIR/mnt.tar" .
  tar -C "$BATS_TEST_TMPDIR/out" -xf "$BATS_TEST_TMPDIR/mnt.tar"
  diff -r "$MNT" "$BATS_TEST_TMPDIR/out"
}

@test "rsync -a copies the mount, and a second run copies nothing" {
  tool rsync
  rsync -a "$MNT/" "$BATS_TEST_TMPDIR/copy"
  diff -r "$MNT" "$BATS_TEST_TMPDIR/copy"
  remount ""
  [[ -z $(rsync -a --out-format=%n "$MNT/" "$BATS_TEST_TMPDIR/copy") ]]
}

@test "zip packs the mount" {
  tool zip
  (cd "$MNT" && zip -q -0 -r "$BATS_TEST_TMPDIR/mnt.zip" .)
  python3 -m zipfile -e "$BATS_TEST_TMPDIR/mnt.zip" "$BATS_TEST_TMPDIR/out"
  diff -r "$MNT" "$BATS_TEST_TMPDIR/out"
}

@test "file tells png, jpg, ppm and npy by their content" {
  tool file
  [[ $(file -b "$MNT"/image/*.png | grep -c '^PNG image data') -eq $COUNT ]]
  first=$(printf "%0${WIDTH}d" 0)
  [[ $(file -b "$MNT/image/$first.jpg") == JPEG\ image\ data* ]]
  [[ $(file -b "$MNT/image/$first.ppm") == Netpbm* ]]
  [[ $(file -b "$MNT/image/$first.npy") == NumPy\ * ]]
}

@test "identify reads every image" {
  tool identify
  [[ $(identify -format '%m\n' "$MNT"/image/*.png | grep -c '^PNG$') -eq $COUNT ]]
}

@test "pngcheck finds nothing wrong, stored and compressed" {
  tool pngcheck
  pngcheck -q "$MNT"/image/*.png
  remount png_level=6
  pngcheck -q "$MNT"/image/*.png
  remount ""
}

@test "djpeg decodes every .jpg to the size of the .ppm" {
  tool djpeg
  for file in "$MNT"/image@jpg/*.jpg; do
    name=${file##*/}
    djpeg -pnm "$file" >"$BATS_TEST_TMPDIR/out.ppm"
    [[ $(wc -c <"$BATS_TEST_TMPDIR/out.ppm") -eq $(stat -c %s "$MNT/image/${name%.jpg}.ppm") ]]
  done
}

@test "a .jpg has the bytes that cjpeg writes from the .ppm" {
  tool cjpeg
  for file in "$MNT"/image@jpg/*.jpg; do
    name=${file##*/}
    cjpeg -quality 95 "$MNT/image/${name%.jpg}.ppm" | cmp - "$file"
  done
}

@test "ffmpeg reads the numbered images in order" {
  tool ffmpeg
  ffmpeg -v error -nostdin -start_number 0 -i "$MNT/image/%0${WIDTH}d.png" -fps_mode passthrough -f framecrc - >"$BATS_TEST_TMPDIR/frames" ||
    ffmpeg -v error -nostdin -start_number 0 -i "$MNT/image/%0${WIDTH}d.png" -vsync 0 -f framecrc - >"$BATS_TEST_TMPDIR/frames"
  [[ $(grep -vc '^#' "$BATS_TEST_TMPDIR/frames") -eq $COUNT ]]
}

@test "seven chunks show the same image folder, file for file" {
  total=$(stat -c %s "$STORE/image.memmap")
  mkdir "$BATS_TEST_TMPDIR/mnt"
  for extra in $(seq 0 5 200); do
    "$JAGFS" pack -q --force --chunk-elements $((total / 7 + total * extra / 7000)) "$PHOTOS" "$BATS_TEST_TMPDIR/seven" || continue
    [[ -d $BATS_TEST_TMPDIR/seven/6 && ! -d $BATS_TEST_TMPDIR/seven/7 ]] && break
  done
  [[ -d $BATS_TEST_TMPDIR/seven/6 && ! -d $BATS_TEST_TMPDIR/seven/7 ]]
  "$JAGFS" mount "$BATS_TEST_TMPDIR/seven" "$BATS_TEST_TMPDIR/mnt"
  rc=0
  diff -r "$MNT/image" "$BATS_TEST_TMPDIR/mnt/image" || rc=1
  [[ $(ls "$BATS_TEST_TMPDIR/mnt/image" | wc -l) -eq $COUNT ]] || rc=1
  "$JAGFS" umount "$BATS_TEST_TMPDIR/mnt"
  return $rc
}
