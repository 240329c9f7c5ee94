#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# pictures.bats - writers and readers of whole pictures on the same elements. WRITERS_SECONDS=60 for a long run.
load stress

setup() { WRITERS_SECONDS=${WRITERS_SECONDS:-4}; }
teardown() { write_end; }

@test "8 writers and 8 readers: each picture is whole, each size exact, nobody dies, the counters add up" {
  write_begin
  # shellcheck disable=SC2046
  writers $(seed) -t "$WRITERS_SECONDS" -a 20 "$M/image%s/00" "$M/image%s/01" "$M/image%s/02" > "$T/out"
  cat "$T/out"
  wait_until settled
  [ "$(counter commits)" = "$(awk '$1 == "commits" { print $2 }' "$T/out")" ]
  [ "$(($(counter refusals) + $(counter abandoned)))" = "$(awk '$1 == "abandoned" { print $2 }' "$T/out")" ]
}

@test "the same on one element, png and jpg alone" {
  write_begin
  # shellcheck disable=SC2046
  writers $(seed) -t "$WRITERS_SECONDS" -f png,jpg "$M/image%s/07"
  wait_until settled
}
