#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# killed.bats - the temporary directories of processes that were killed: the next run removes what is known to be dead,
# and only that.

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  photos src 12
  boot=$(head -c 13 /proc/sys/kernel/random/boot_id | tr -d -)
}

# A pack into `store` that has made its directory and does not go on.
start_stopped_pack() {
  local sources=()
  for ((i = 0; i < 2000; i++)); do sources+=(src); done
  "$JAGFS" pack -q -j2 "${sources[@]}" store >log 2>&1 3>&- &
  PACK=$!
  until compgen -G 'store.jagfs-*.tmp/image.memmap' >/dev/null; do
    kill -0 "$PACK" || return 1
    read -rt 0.005 <> <(:) || true
  done
  kill -STOP "$PACK"
  temp=$(compgen -G 'store.jagfs-*.tmp')
}

@test "what a killed pack left goes with the next run, which says so" {
  start_stopped_pack
  kill -KILL "$PACK"
  ended 137 '' "$PACK"
  [[ -d $temp ]]
  run "$JAGFS" pack -q -n src store
  [[ -d $temp ]] # a dry run changes nothing
  run "$JAGFS" pack -q src store
  [[ $status -eq 0 && $output == "jagfs: $PWD/$temp: removed: a process that was killed had left it" ]]
  nothing_left . src store log
}

@test "what a live process works in stays, whoever runs" {
  start_stopped_pack
  run "$JAGFS" pack -q src store
  [[ $status -eq 0 && -z $output && -e $temp/image.memmap ]]
  run "$JAGFS" pack -q --force src store
  [[ $status -eq 0 && -z $output && -e $temp/image.memmap ]]
  kill -CONT "$PACK"
  ended 1 '^jagfs: store: ' "$PACK" # it came too late, and tells
  nothing_left . src store log
}

@test "resize and create remove it, too, also inside a store" {
  "$JAGFS" pack -q src store
  for dir in "small.jagfs-$boot-aBcD09.tmp" "new.jagfs-$boot-aBcD09.tmp" "store/.jagfs-$boot-aBcD09.tmp"; do
    mkdir -p "$dir/deep"
    touch "$dir/deep/image.memmap"
  done
  "$JAGFS" resize -q --size 8x8 store/image small 2>log
  "$JAGFS" create -q --shape 3 --dtype uint8 new key 2>>log
  "$JAGFS" create -q --shape 12 --dtype uint8 store key 2>>log
  [[ $(grep -c 'tmp: removed: a process that was killed had left it$' log) -eq 3 && $(wc -l <log) -eq 3 ]]
  nothing_left . src store small new log
  [[ -z $(find store -name '*.tmp') ]]
}

@test "what may be another machine's, or is from before a reboot, is told and stays" {
  for dir in store.jagfs-0123456789ab-aBcD09.tmp store.jagfs-aBcD09.tmp; do
    mkdir $dir
    run "$JAGFS" pack -q --force src store
    [[ $status -eq 0 && ${#lines[@]} -eq 1 ]]
    [[ $output == "jagfs: $PWD/$dir: is there from a run that did not end, or goes on elsewhere; if none does, remove it" ]]
    rmdir $dir
  done
}

@test "what only looks alike is neither removed nor told" {
  mkdir outside "other.jagfs-$boot-aBcD09.tmp" "store.jagfs-$boot-aBcD0.tmp" "store.jagfs-$boot-aBcD09.tmp2" store.jagfs-x
  touch outside/file
  run "$JAGFS" pack -q src store
  [[ $status -eq 0 && -z $output ]]
  ln -s outside "store.jagfs-$boot-aBcD08.tmp"
  run "$JAGFS" pack -q --force src store
  [[ $status -eq 0 && -e outside/file && -L store.jagfs-$boot-aBcD08.tmp ]]
  [[ $(find . -maxdepth 1 -name '*.jagfs-*' | wc -l) -eq 5 ]]
}

@test "its space counts as free for the next run" {
  mkdir small
  temp=small/store.jagfs-$boot-aBcD09.tmp
  export temp
  own_mounts 'mount -t tmpfs -o size=200k none small && mkdir "$temp" && head -c 190k /dev/zero >"$temp/image.memmap" &&
    "$JAGFS" pack -q src small/store'
  [[ $status -eq 0 && $output =~ removed ]] || { echo "$status $output"; return 1; }
}
