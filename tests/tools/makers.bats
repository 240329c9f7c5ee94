#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# makers.bats - several processes that make, add to and replace one store at once: each ends with its work there, or
# with a line that says why not, and nothing of another's is lost.

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  boot=$(head -c 13 /proc/sys/kernel/random/boot_id | tr -d -)
  leaf store first
}

leaf() { "$JAGFS" create -q --no-sync "$1" "$2" --shape 3 --dtype uint8 --fill 1 3>&-; }

@test "a stopped process that has locked a store does not stop others for long" {
  flock -F store sleep 1000 3>&- &
  holder=$!
  until [[ $(</proc/locks) == *" $holder "* ]]; do read -rt 0.005 <> <(:) || true; done
  kill -STOP $holder
  run timeout 60 "$JAGFS" create -q --no-sync store b --shape 3 --dtype uint8
  kill -KILL $holder
  [[ $status -eq 1 && $output == "jagfs: store: another process has locked it, and is stopped; nothing was added" ]]
  nothing_left store first.memmap meta.json
}

@test "a store is not replaced while another process adds to it" {
  photos src 4
  exec 9<store
  flock 9
  before=$(stat -c %i store)
  "$JAGFS" pack -q --force src store >said 2>&1 3>&- 9>&- &
  pid=$!
  waits_for "$PWD/store" $pid
  [[ $(stat -c %i store) -eq $before ]]
  exec 9>&-
  wait $pid
  [[ ! -s said && $(stat -c %i store) -ne $before ]]
  nothing_left . src said store
}

@test "--force does not replace what has come to the name and is no store" {
  photos src 12
  for ((i = 0; i < 2000; i++)); do sources+=(src); done
  "$JAGFS" pack -q -j2 --force "${sources[@]}" store >said 2>&1 3>&- &
  pid=$!
  until compgen -G 'store.jagfs-*.tmp/image.memmap' >/dev/null; do
    kill -0 $pid || return 1
    read -rt 0.005 <> <(:) || true
  done
  kill -STOP $pid
  rm -r store
  mkdir store
  echo mine >store/file
  kill -CONT $pid
  wait $pid || status=$?
  [[ $status -eq 1 && $(<said) == "jagfs: store: another process has made something there meanwhile" ]]
  [[ $(<store/file) == mine ]]
  nothing_left . said src store
}

@test "a key that was added to a store that is being removed is not said to be there" {
  leaf other second
  exec 9<store
  flock 9
  "$JAGFS" create -q --no-sync store b --shape 3 --dtype uint8 >said 2>&1 3>&- 9>&- &
  pid=$!
  waits_for "$PWD/store" $pid
  mv store "store.jagfs-$boot-aBcD09.tmp"
  mv other store
  exec 9>&-
  wait $pid || status=$?
  [[ $status -eq 1 ]]
  [[ $(<said) == "jagfs: store: has been replaced or removed meanwhile, and what was made with it" ]]
  [[ $("$JAGFS" ls store) != *b.npy* ]]
}

@test "a file that another process is adopting is not adopted" {
  printf abc >data
  exec 9<data
  flock 9
  run "$JAGFS" create -q --no-sync new a --shape 3 --dtype uint8 --adopt data
  [[ $status -eq 1 && $output == "jagfs: data: cannot be adopted: another process has locked it" ]]
  [[ $(<data) == abc ]]
  exec 9>&-
  nothing_left . data store
}

@test "readers of a store that is replaced again and again see a whole one" {
  photos src 2
  "$JAGFS" pack -q --force --no-sync src store
  for ((i = 0; i < 60; i++)); do "$JAGFS" pack -q --force --no-sync src store 3>&- || exit; done >said 2>&1 &
  pid=$!
  while kill -0 $pid 2>/dev/null; do
    "$JAGFS" ls store >list 2>&1 || { cat list; return 1; }
    [[ $(<list) == image* ]] || { cat list; return 1; }
  done
  wait $pid
  [[ ! -s said ]] || { cat said; return 1; }
}

@test "processes that each add one level deeper: all leaves are there" {
  for i in {1..5}; do
    pids=()
    path=
    for key in a b c d e f g h; do
      path+=$key/
      leaf "store$i" "${path}x" >>said 2>&1 3>&- &
      pids+=($!)
    done
    for key in "${pids[@]}"; do wait "$key" || { cat said; return 1; }; done
    [[ ! -s said && $(find "store$i" -name x.memmap | wc -l) -eq 8 ]] || { cat said; return 1; }
  done
}

@test "a folder that a user has named like a temporary one is none" {
  mkdir "my.jagfs-images.tmp"
  leaf my.jagfs-images.tmp/store a
  leaf my.jagfs-images.tmp/store b
  [[ $("$JAGFS" ls my.jagfs-images.tmp/store | sort) == $'a.npy\nb.npy\nmeta.json' ]]
}
