#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# status.bats - the counters of /.jagfs/status add up, and /.jagfs/errors tells what happened.
load write

setup() { write_begin; }
teardown() { write_end; }

@test "opens are releases after everything is closed" {
  cat "$M"/image/* "$M"/blob/* > /dev/null
  printf x | dd of="$(path blob 3 bin)" conv=notrunc status=none
  wait_until settled
  [ "$(counter opens)" -ge 25 ]
}

@test "commits, refusals and abandoned writers are counted, once each" {
  local commits refusals abandoned
  commits=$(counter commits) refusals=$(counter refusals) abandoned=$(counter abandoned)
  cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  rsync -I "$T/picture-5-32x24.png" "$(path image 4 png)"
  cat "$T/picture-5-32x24.png" > "$(path image 5 png)"
  fails cp "$S/meta.json" "$(path image 3 png)"
  echo text > "$M/image/.t"
  rm "$M/image/.t"
  wait_until settled
  [ "$(counter commits)" = $((commits + 3)) ]
  [ "$(counter refusals)" = $((refusals + 1)) ]
  [ "$(counter abandoned)" = $((abandoned + 1)) ]
}

@test "the bytes committed are counted" {
  local before
  before=$(counter committed_nbytes)
  cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  [ "$(counter committed_nbytes)" = $((before + 2304)) ]
}

@test "status is JSON with an exact size" {
  cat "$M/.jagfs/status" > "$T/status"
  [ "$(wc -c < "$T/status")" -gt 50 ]
  perl -MJSON::PP -e 'local $/; decode_json(<STDIN>)' < "$T/status"
}

@test "errors has one line for each refusal, with time, path and reason" {
  local before
  before=$(wc -l < "$M/.jagfs/errors")
  fails cp "$S/meta.json" "$(path image 3 png)"
  [ "$(wc -l < "$M/.jagfs/errors")" = $((before + 1)) ]
  tail -1 "$M/.jagfs/errors" | grep -qE '^[0-9]{4}-[0-9]{2}-[0-9]{2}.*image/03\.png.*'
}

@test "errors does not grow without end" {
  local i
  for ((i = 0; i < 300; i++)); do
    sysdo "$M/image/new.png" open:wo+creat > /dev/null
  done
  [ "$(wc -c < "$M/.jagfs/errors")" -lt 1000000 ]
  errors_say new.png
  errors_say " (and 299 more)"
}

@test "a process that was killed with an open writer leaves the counters settled" {
  local writer opens
  keep blob 3
  opens=$(counter opens)
  mkfifo "$T/pipe"
  bash -c 'exec 8> "$1"; head -c 1000 /dev/zero >&8; read -r < "$2"' - "$(path blob 3 bin)" "$T/pipe" 3>&- &
  writer=$!
  wait_until eval '[ "$(counter writes)" != 0 ]' || { kill "$writer"; false; }
  kill -9 "$writer"
  wait "$writer" || true
  wait_until settled
  [ "$(counter opens)" -gt "$opens" ]
  unchanged blob 3
}
