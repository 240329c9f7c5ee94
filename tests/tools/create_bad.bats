#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# create_bad.bats - what `jagfs create` refuses: one clear line, and nothing half made.

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  printf '3,4,5\n3,2,7\n1,1,1\n' >shapes.csv
}

create() { run "$JAGFS" create "$@"; }

# make ARGS: it has to work
make() { create "$@"; [[ $status -eq 0 && -z $output ]] || { echo "$status: $output"; return 1; }; }

@test "refusals are one line, and change nothing" {
  make store a --shapes shapes.csv --dtype uint8
  before=$(find store -printf '%p %s %T@\n' | sort)
  create store a --shape 3 --dtype uint8; refused 'a: there is a key of this name'
  create store a.shape --shape 3 --dtype uint8; refused 'a.shape.memmap, which is taken'
  for key in shape device _type _class meta.json/x; do
    create store $key --shape 3 --dtype uint8
    [[ $key == meta.json/x ]] && refused 'needs the file name meta.json, which is taken' && continue
    refused "$key: is a name that the format keeps for itself"
  done
  create store b --shape 3,-1 --dtype uint8; refused '\[3, -1\]'
  create store b --shape 4000000000,4000000000,9 --dtype uint8; refused 'no tensor can have the shape'
  create store b --shape 1000000000000000 --dtype uint8; refused 'are free on its volume'
  create store b --shapes shapes.csv --dtype uint8 --chunk-elements 60; refused 'chunks can only be made in a new store'
  create new b --shapes shapes.csv --dtype uint8 --chunk-elements 59
  refused 'row 0 has 60 scalars, more than the 59 that a chunk may have'
  create store b --shapes nowhere.csv --dtype uint8; refused 'nowhere.csv: cannot read'
  create store b --like store/none; refused 'is no leaf'
  create store/a.memmap b --shape 3 --dtype uint8; [[ $status -eq 1 ]]
  [[ $(find store -printf '%p %s %T@\n' | sort) == "$before" ]]
}

@test "a nested leaf beside a key that has its shape file's name" {
  make store a.shape --shape 3 --dtype uint8
  before=$(<store/meta.json)
  create store a --shapes shapes.csv --dtype uint8
  refused 'a: needs the file name a.shape.memmap, which is taken'
  [[ $(<store/meta.json) == "$before" ]]
  nothing_left store a.shape.memmap meta.json
}

@test "what is there and no store is not added to" {
  mkdir full
  echo precious >full/file
  create full a --shape 3 --dtype uint8; refused '^jagfs: full: exists and is not empty'
  create full/file a --shape 3 --dtype uint8; refused '^jagfs: full/file: '
  create none/store a --shape 3 --dtype uint8; refused '^jagfs: none/store: .*No such file or directory'
  [[ $(<full/file) == precious ]]
  nothing_left . shapes.csv full
  nothing_left full file
}

@test "no space: refused before anything is written, also when a key is added" {
  mkdir small
  own_mounts 'mount -t tmpfs -o size=64k none small && "$JAGFS" create small/store a --shape 100000 --dtype uint8
    rc=$?; ls -A small >left; exit $rc'
  refused '^jagfs: small/store: the store needs 100000 bytes, but [0-9]+ are free on its volume'
  [[ ! -s left ]]
  own_mounts 'mount -t tmpfs -o size=64k none small && "$JAGFS" create small/store a --shape 10 --dtype uint8 &&
    { "$JAGFS" create small/store b --shape 100000 --dtype uint8; rc=$?; ls -A small/store >left; exit $rc; }'
  refused '^jagfs: small/store: the store needs 100000 bytes, but [0-9]+ are free on its volume'
  [[ $(<left) == $'a.memmap\nmeta.json' ]]
}

@test "a file size limit is an error, not a death" {
  run bash -c 'ulimit -f 1; "$JAGFS" create store a --shape 100000 --dtype uint8'
  refused 'File too large'
  nothing_left . shapes.csv
}

@test "broken shape files are refused by row" {
  printf '3,4\n3,x\n' >bad.csv
  create store a --shapes bad.csv --dtype uint8
  refused 'bad.csv: row 2 is no list of sizes: 3,x'
  printf '3,4\n3\n' >bad.csv
  create store a --shapes bad.csv --dtype uint8
  refused 'bad.csv: row 2 has another length'
  printf '# h,w\n\n3,4\n\n\n3,x\n' >bad.csv
  create store a --shapes bad.csv --dtype uint8
  refused 'bad.csv: row 6 is no list of sizes: 3,x'
  printf '3,4\n3,-2\n' >bad.csv
  create store a --shapes bad.csv --dtype uint8
  refused 'a: row 1 of the shapes has the negative size -2'
  printf '%s\n' 3000000000,3000000000 3000000000,3000000000 >bad.csv
  create store a --shapes bad.csv --dtype uint8
  refused '2\^63'
  nothing_left . shapes.csv bad.csv
}

# The collections were made, one in another, deeper than a store is read, and the leaf could not be found again.
@test "a key deeper than a store is read is refused" {
  deep=$(printf 'd/%.0s' {1..256})
  create store "${deep}a" --shape 3 --dtype uint8
  [[ $status -eq 0 ]]
  "$JAGFS" info store >/dev/null
  create deeper "d//${deep}a" --shape 3 --dtype uint8
  refused '^jagfs: deeper: the key lies deeper than 256 collections'
  create store "d/${deep}a" --shape 3 --dtype uint8
  refused '^jagfs: store: the key lies deeper than 256 collections'
  "$JAGFS" info store >/dev/null
  nothing_left . shapes.csv store
}

@test "wrong values are named, with what is wanted" {
  create store a --shape 3 --dtype uint8 --fill 300
  [[ $status -eq 2 && ${lines[0]} == "jagfs: create: --fill 300: torch.uint8 cannot hold this value" ]]
  create store a --shape 3 --dtype int99
  [[ $status -eq 2 && ${lines[0]} == *"--dtype int99: unknown dtype; want the name of one of torch, as uint8 or float32" ]]
  create store a --shape 3 --shapes shapes.csv --dtype uint8
  [[ $status -eq 2 && ${lines[0]} == *"want exactly one of --shapes, --shape and --like" ]]
}

@test "wrong usage ends with 2" {
  for args in "store" "store a" "store a --shape 3" "store a --dtype uint8" "store a --shape 3 --dtype qint8" "store a --shape x --dtype uint8" \
    "store a --shape 3 --dtype uint8 --fill 300" "store a --shape 3 --dtype uint8 --fill x" "store a --shape 3 --shapes s --dtype uint8" \
    "store a --shape 3 --dtype uint8 --frobnicate" "store a --dtype"; do
    # shellcheck disable=SC2086
    create $args
    [[ $status -eq 2 && ${lines[0]} =~ ^jagfs:\ create:\  && ${#lines[@]} -eq 2 ]] || { echo "$args: $status $output"; return 1; }
  done
  nothing_left . shapes.csv
}
