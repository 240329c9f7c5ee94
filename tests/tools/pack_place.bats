#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pack_place.bats - where the store goes: what is there already, no space, no permission, interruption.

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  photos src 12
}

@test "an existing store is refused; --force replaces it" {
  "$JAGFS" pack -q src store
  photos other 3
  pack -q other store
  refused '^jagfs: store: holds a store already'
  [[ $(paths store | wc -l) -eq 12 ]]
  "$JAGFS" pack -q --force other store
  [[ $(paths store | wc -l) -eq 3 ]]
  nothing_left . src store other
}

@test "a failing --force leaves the old store" {
  "$JAGFS" pack -q src store
  cp -r store before
  head -c 600 src/noise/00001.jpg >src/noise/bad.jpg
  pack -q --force src store
  refused 'bad.jpg'
  diff -r store before
  nothing_left . src store before
}

@test "a full folder and a file are refused, also with --force" {
  mkdir full
  echo precious >full/file
  pack -q --force src full
  refused '^jagfs: full: '
  pack -q --force src full/file
  refused '^jagfs: full/file: '
  [[ $(cat full/file) == precious ]]
}

@test "--force does not replace a store that holds the sources" {
  "$JAGFS" pack -q src store
  mv src store/src
  for source in store/src store store/src/noise/00001.jpg; do
    pack -q --force "$source" store
    refused 'lies in the store that --force would remove'
  done
  [[ -e store/src/noise/00001.jpg ]]
}

# The new store was found in place of the leaf, by every verb.
@test "a store is not made under the name of a leaf of another one" {
  "$JAGFS" pack -q src store
  for verb in "create -d uint8 --shape 3 store/image k" "resize --size 2x2 store/image store/image" "pack src store/image/"; do
    # shellcheck disable=SC2086
    run "$JAGFS" $verb
    refused '^jagfs: store/image: is a leaf of the store that it lies in'
  done
  [[ $("$JAGFS" ls store/image | wc -l) -eq 12 ]]
}

@test "an empty folder becomes the store" {
  mkdir store
  "$JAGFS" pack -q src store/
  [[ -e store/meta.json ]]
}

@test "a missing parent folder is named" {
  pack -q src no/store
  refused '^jagfs: no/store: .*No such file or directory'
}

@test "a store inside its source folder is no source" {
  "$JAGFS" pack -q src src/store
  [[ $(paths src/store | wc -l) -eq 12 ]]
}

@test "no space: refused before anything is written" {
  mkdir small
  own_mounts 'mount -t tmpfs -o size=16k none small && "$JAGFS" pack -q src small/store; rc=$?; ls -A small >left; exit $rc'
  refused '^jagfs: small/store: the store needs [0-9]+ bytes, but [0-9]+ are free'
  [[ ! -s left ]]
}

@test "a read-only volume is refused at once" {
  mkdir small
  own_mounts 'mount -t tmpfs -o ro none small && "$JAGFS" pack -q nowhere small/store'
  refused '^jagfs: small/store: .*Read-only file system'
}

@test "a mount point is refused as a store" {
  mkdir small
  own_mounts 'mount -t tmpfs none small && "$JAGFS" pack -q src small'
  refused '^jagfs: small: is a mount point'
}

@test "a file size limit is an error, not a death" {
  run bash -c 'ulimit -f 1; "$JAGFS" pack -q src store'
  refused 'File too large'
  nothing_left . src
}

# Long enough to be interrupted: the same folder many times over.
start_long_pack() {
  local sources=()
  photos many 60
  for ((i = 0; i < 200; i++)); do sources+=(many); done
  env --default-signal=INT "$JAGFS" pack -q -j2 "${sources[@]}" store >log 2>&1 3>&- &
  PACK=$!
  until compgen -G 'store.jagfs-*.tmp/image.memmap' >/dev/null; do
    kill -0 "$PACK" || return 1
    read -rt 0.02 <> <(:) || true
  done
}

@test "Ctrl-C leaves nothing" {
  start_long_pack
  kill -INT "$PACK"
  ended 130 interrupted "$PACK"
  nothing_left . src many log
}

@test "SIGTERM leaves nothing" {
  start_long_pack
  kill -TERM "$PACK"
  ended 143 interrupted "$PACK"
  nothing_left . src many log
}

# A message to a pipe that nobody reads killed the process, and what it had made stayed behind.
@test "a reader of the messages that goes away does not end the work" {
  printf 'no image' >src/00000.jpg
  exec 5> >(:)
  wait $!
  env --default-signal=PIPE "$JAGFS" pack --on-error skip src store >&5 2>&5
  exec 5>&-
  [[ $(paths store | wc -l) -eq 12 ]]
  nothing_left . src store
}

@test "kill -9 leaves no store under the name" {
  start_long_pack
  kill -KILL "$PACK"
  ended 137 '' "$PACK"
  [[ ! -e store ]]
}

@test "--dry-run tells too little space, and how much is needed" {
  mkdir small
  own_mounts 'mount -t tmpfs -o size=16k none small && "$JAGFS" pack -n src small/store'
  [[ $status -eq 1 && $output =~ "are free on its volume" && $output =~ "would pack" ]]
}

@test "many chunks need few open files" {
  photos many 60
  run bash -c 'ulimit -n 16; "$JAGFS" pack -q -j2 --chunk-elements 4800 many store'
  [[ $status -eq 0 && -d store/40 ]]
}
