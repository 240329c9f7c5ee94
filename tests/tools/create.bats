#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# create.bats - `jagfs create`: new leaves, additions, adopted files. What it refuses: create_bad.bats

load pack_helpers

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  printf '3,4,5\n3, 2, 7\n\n# a remark\n1,1,1\r\n' >shapes.csv
}

create() { run "$JAGFS" create "$@"; }

ok() { create "$@"; [[ $status -eq 0 && -z $output ]] || { echo "$status: $output"; return 1; }; }

hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }

# The int64 rows of a nested leaf.
rows() { od -An -v -td8 -w"$2" "$1" | tr -s ' ' | sed 's/^ //' | paste -sd';'; }

@test "a nested leaf from a .csv file" {
  ok store image --shapes shapes.csv --dtype uint8
  [[ $(rows store/image.shape.memmap 24) == "3 4 5;3 2 7;1 1 1" && $(stat -c %s store/image.memmap) -eq 103 ]]
  [[ $(<store/meta.json) == '{"image":{"device":"cpu","shape":[3,3],"dtype":"torch.uint8","is_nested":true},"shape":[],"device":"cpu","_type":"<class '"'tensordict._td.TensorDict'"'>"}' ]]
}

# npy DESCR SHAPE < data
npy() { printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"; cat; }

@test "a nested leaf from .npy files of several integer types" {
  printf '\3\0\0\0\4\0\0\0\1\0\0\0\2\0\0\0' | npy '<i4' '2, 2' >a.npy
  printf '\0\3\0\4\0\1\0\2' | npy '>u2' '2, 2' >b.npy
  printf '\3\4' | npy '|u1' '2,' >c.npy
  ok a n --shapes a.npy --dtype int16
  ok b n --shapes b.npy --dtype int16
  ok c n --shapes c.npy --dtype int16
  [[ $(rows a/n.shape.memmap 16) == "3 4;1 2" && $(rows b/n.shape.memmap 16) == "3 4;1 2" && $(rows c/n.shape.memmap 8) == "3;4" ]]
}

@test "--fill writes every element in the bytes of its type" {
  ok store a --shape 3 --dtype uint8 --fill 7
  ok store b --shape 2 --dtype float16 --fill 0.5
  ok store c --shape 2 --dtype bfloat16 --fill -1
  ok store d --shape 1 --dtype complex64 --fill 1+2j
  ok store e --shape 2 --dtype bool --fill true
  [[ $(hex store/a.memmap) == 070707 && $(hex store/b.memmap) == 00380038 && $(hex store/c.memmap) == 80bf80bf ]]
  [[ $(hex store/d.memmap) == 0000803f00000040 && $(hex store/e.memmap) == 0101 ]]
}

@test "a second key is added, the first stays as it is" {
  ok store a --shape 3 --dtype uint8 --fill 7
  inode=$(stat -c %i store/a.memmap)
  ok store b --shapes shapes.csv --dtype float32
  [[ $(stat -c %i store/a.memmap) == "$inode" && $("$JAGFS" ls store) == $(printf '%s\n' a.npy b/ meta.json) ]]
  nothing_left store a.memmap b.memmap b.shape.memmap meta.json
}

@test "SUB/KEY makes the collections that are missing" {
  ok store x/y/a --shape 3 --dtype uint8
  ok store x/y/b --shape 3 --dtype uint8
  ok store x/z/a --shape 3 --dtype uint8
  create store 'x/with%2Fslash' --shape 3 --dtype uint8
  [[ $status -eq 0 ]]
  [[ -e store/x/y/a.memmap && -e store/x/y/b.memmap && -e store/x/z/a.memmap && -e store/x/with%2Fslash.memmap ]]
  run "$JAGFS" info store
  [[ $status -eq 0 ]]
}

@test "--like takes shape and dtype of another leaf" {
  ok store image --shapes shapes.csv --dtype uint8
  ok store mask --like store/image --dtype bool --fill 1
  ok other image --like store/image
  cmp store/image.shape.memmap store/mask.shape.memmap
  [[ $(<store/meta.json) == *'"mask":{"device":"cpu","shape":[3,3],"dtype":"torch.bool","is_nested":true}}' ]]
  [[ $(<other/meta.json) == *'"dtype":"torch.uint8"'* ]]
}

@test "--adopt moves a bare file into a new store" {
  head -c 103 /dev/urandom >data.bin
  cp data.bin copy
  inode=$(stat -c %i data.bin)
  ok store image --shapes shapes.csv --dtype uint8 --adopt data.bin
  cmp store/image.memmap copy
  [[ $(stat -c %i store/image.memmap) == "$inode" && ! -e data.bin ]]
}

@test "--adopt completes a file that lies in its place" {
  mkdir store
  head -c 103 /dev/urandom >store/image.memmap
  cp store/image.memmap copy
  ok store image --shapes shapes.csv --dtype uint8 --adopt store/image.memmap
  cmp store/image.memmap copy
  nothing_left store image.memmap image.shape.memmap meta.json
}

@test "--adopt refuses a file of another size, and leaves it" {
  head -c 102 /dev/zero >data.bin
  create store image --shapes shapes.csv --dtype uint8 --adopt data.bin
  refused '^jagfs: data.bin: .*has 102 bytes, the shapes ask for 103'
  nothing_left . data.bin shapes.csv
}

@test "--batch sets the batch size, which later leaves must fit" {
  ok store image --shapes shapes.csv --dtype uint8 --batch 3
  [[ $(<store/meta.json) == *'"shape":[3],"device"'* ]]
  create store label --shape 4 --dtype int64
  refused 'label: the shape \[4\] does not start with the batch size'
  ok store label --shape 3 --dtype int64
}

@test "more than 2^31 elements: whole with a warning, or in chunks" {
  for i in 1 2 3; do echo 3,20000,20000; done >big.csv
  create whole image --shapes big.csv --dtype uint8 --sparse
  [[ $status -eq 0 && $output =~ "image: tensordict cannot load nested leaves of more than 2147483647 scalars" ]]
  [[ $(stat -c %s whole/image.memmap) -eq 3600000000 && $(stat -c %b whole/image.memmap) -eq 0 ]]
  ok split image --shapes big.csv --dtype uint8 --sparse --chunk-elements 2147483647
  [[ -d split/2 && ! -e split/3 && $(stat -c %s split/2/image.memmap) -eq 1200000000 ]]
  [[ $("$JAGFS" ls split/image) == $("$JAGFS" ls whole/image) ]]
}

@test "a key that old releases of tensordict would not find: a warning, also for a collection" {
  create store "a b" --shape 3 --dtype uint8
  [[ $status -eq 0 && $output == "jagfs: a b: tensordict finds a key with such characters from version 0.13 on" ]]
  create store "a: c/d" --shape 3 --dtype uint8
  [[ $status -eq 0 && $output == "jagfs: a%3A%20c/d: tensordict finds a key with such characters from version 0.14 on" ]]
  ok store "a,b.ä/c" --shape 3 --dtype uint8
}

@test "two processes that add different leaves: both are there, fifty times" {
  ok store first --shape 3 --dtype uint8
  for i in {1..50}; do
    "$JAGFS" create --no-sync store a$i --shape 3 --dtype uint8 --fill 1 3>&- &
    "$JAGFS" create --no-sync store b$i --shapes shapes.csv --dtype uint8 --fill 2 3>&- || return 1
    wait $! || return 1
  done
  [[ $("$JAGFS" ls store | sort) == $(printf '%s\n' first.npy meta.json a{1..50}.npy b{1..50}/ | sort) ]]
  for i in {1..50}; do [[ $(hex store/a$i.memmap) == 010101 && $(stat -c %s store/b$i.memmap) -eq 103 ]]; done
  nothing_left store first.memmap meta.json a{1..50}.memmap b{1..50}.memmap b{1..50}.shape.memmap
}

# all_at_once STORE [SUB/]: SUB/a to SUB/d are added by four processes; none is refused, none says anything
all_at_once() {
  local key pids=()
  set -- "$1" "${2:-}"
  for key in a b c d; do
    "$JAGFS" create --no-sync "$1" "$2$key" --shape 3 --dtype uint8 --fill 1 >>said 2>&1 3>&- &
    pids+=($!)
  done
  for key in "${pids[@]}"; do wait "$key" || { cat said; return 1; }; done
  [[ ! -s said ]] || { cat said; return 1; }
  for key in a b c d; do [[ $(hex "$1/$2$key.memmap") == 010101 ]] || return 1; done
  [[ $("$JAGFS" ls "$1/$2" | grep -v sub | sort) == $'a.npy\nb.npy\nc.npy\nd.npy\nmeta.json' ]]
}

@test "processes that make one store, or one collection, at the same time: all leaves are there" {
  for i in {1..20}; do
    all_at_once store$i
    all_at_once store$i sub/
    nothing_left store$i {a..d}.memmap sub meta.json
  done
  nothing_left . shapes.csv said store{1..20}
}

@test "a collection that another process is moving in is waited for, and added to" {
  ok store first --shape 3 --dtype uint8
  cp -r store later
  ok later sub/a --shape 3 --dtype uint8
  exec 9<store
  flock 9
  cp -r later/sub store/
  "$JAGFS" create store sub/b --shape 3 --dtype uint8 >said 2>&1 3>&- 9>&- &
  pid=$!
  waits_for "$PWD/store" $pid || { cat said; return 1; }
  cp later/meta.json store/new.json
  mv store/new.json store/meta.json
  exec 9>&-
  wait $pid || { cat said; return 1; }
  [[ ! -s said && $("$JAGFS" ls store/sub | sort) == $'a.npy\nb.npy\nmeta.json' ]]
}

@test "a dense leaf without elements: a warning, for older releases of tensordict drop it" {
  create store none --shape 4,0 --dtype int16
  [[ $status -eq 0 && $output == "jagfs: none: tensordict loads dense leaves without any element from version 0.14 on" ]]
  ok store one --shape 4,1 --dtype int16
}
