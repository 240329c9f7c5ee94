#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# interrupt.bats - long work as its user sees it: progress on a terminal and elsewhere, Ctrl-C. (pack_place.bats and
# resize.bats interrupt pack and resize by a signal.)

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
}

# Minutes of work that needs next to no space: `sources` is a folder 1,000 times.
long_pack() {
  "$MAKE_PHOTOS" src 12 1 200 300
  sources=()
  for ((i = 0; i < 1000; i++)); do sources+=(src); done
}

# Wait until FILE has a line like REGEX, as long as process PID runs.
until_line() {
  local deadline=$((SECONDS + 60))
  until tr '\r' '\n' <"$1" 2>/dev/null | grep -qE "$2"; do
    kill -0 "$3" && [[ $SECONDS -lt $deadline ]] || { cat "$1"; return 1; }
    read -rt 0.05 <> <(:) || true
  done
}

@test "a terminal gets a bar with done, total, rate and time left; the key Ctrl-C leaves nothing" {
  long_pack
  mkfifo keys
  exec 4<>keys
  env --default-signal=INT script -qefc "exec $(printf '%q ' "$JAGFS" pack -j1 --size 8x8 "${sources[@]}" store)" log <keys >/dev/null 3>&- &
  pid=$!
  until_line log '^pack \[#*\.+\] [0-9]+/12000 images, [0-9]+/s, [0-9:]+ left' $pid
  printf '\003' >&4
  ended 130 'jagfs: pack: interrupted; nothing was left behind' $pid
  exec 4>&-
  nothing_left . src keys log
}

@test "a log file gets a line every few seconds" {
  long_pack
  env --default-signal=INT "$JAGFS" pack -j1 --size 8x8 "${sources[@]}" store >out 2>log 3>&- &
  pid=$!
  until_line log '^jagfs: pack: [0-9]+/12000 images, [0-9]+/s, [0-9:]+ left$' $pid
  kill -INT $pid
  ended 130 'jagfs: pack: interrupted; nothing was left behind$' $pid
  [[ ! -s out ]]
  nothing_left . src out log
}

# Add a leaf to `store` (which becomes what `before` is, or nothing, each time), until it took long enough to be
# interrupted.
interrupt_create() {
  local size
  for size in 100 400 1600; do
    rm -rf store
    [[ ! -d before ]] || cp -r before store
    # nice: the loop below must see the file before the work is done, on a loaded machine too
    env --default-signal=INT nice -n 19 "$JAGFS" create -q -j1 --no-sync --shape "$size,1000,1000" --dtype uint8 --fill 7 store big \
      >log 2>&1 3>&- &
    pid=$!
    until find . -path '*.jagfs-*.tmp/big.memmap' | grep -q . || ! kill -0 $pid 2>/dev/null; do
      read -rt 0.002 <> <(:) || true
    done
    kill -INT $pid 2>/dev/null || true
    status=0
    wait $pid || status=$?
    [[ $status -eq 0 ]] || break
  done
  [[ $status -eq 130 && $(<log) == "jagfs: store: interrupted; nothing was left behind" ]] ||
    { echo "$size: status $status: $(<log)"; return 1; }
}

@test "an interrupted create leaves no new store" {
  interrupt_create
  nothing_left . log
}

@test "an interrupted create leaves the store that it adds to as it was" {
  "$JAGFS" create before small --shape 3 --dtype uint8
  interrupt_create
  diff -r store before
}
