#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-layers.sh - include/jag <- core <- fs, and nothing points back.
#
# usage: scripts/check-layers.sh ROOT LIBJAG.a
#
#   include/jag  includes system headers and jag/ only
#   core         no FUSE; includes jag/ and its own headers; prints nothing, exits nowhere (told by its undefined symbols)
#   fs           includes jag/ and its own headers, never a private one of core
#   libjag.a     every global symbol starts with jag_
set -euo pipefail
[[ $# -eq 2 ]] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$1 library=$2 faults=0

fault() { printf '%s\n' "$*"; faults=$((faults + 1)); }

# includes DIR: "FILE HEADER" for each #include, HEADER as written with its quotes or angles.
includes() {
  find "$root/$1" -name '*.[ch]' -exec grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"][^>"]*[>"]' {} + |
    sed -E 's/^([^:]*):[^<"]*/\1 /'
}

# own ROOM FILE HEADER: true if the quoted HEADER is found beside FILE or below ROOM, and inside it.
own() {
  local candidate real
  for candidate in "${2%/*}/$3" "$root/$1/$3"; do
    [[ -f $candidate ]] || continue
    real=$(realpath "$candidate")
    [[ $real == "$(realpath "$root/$1")"/* ]] && return 0
  done
  return 1
}

check_room() {
  local room=$1 file header name
  while read -r file header; do
    name=${header:1:-1}
    case $header in
      *fuse*) [[ $room == fs ]] || fault "$file: $header: only fs may know FUSE" ;;
    esac
    case $header in
      '"jag/'*) [[ -f $root/include/$name ]] || fault "$file: $header: no such public header" ;;
      '<jag/'*) fault "$file: $header: write it with quotes" ;;
      '"'*) { [[ $room != include ]] && own "$room" "$file" "$name"; } || fault "$file: $header: not of this room" ;;
      '<core/'* | '<fs/'*) fault "$file: $header: not of this room" ;;
    esac
  done < <(includes "$room")
}
for room in include core fs; do
  check_room "$room"
done

while read -r symbol; do
  fault "libjag exports $symbol: not jag_"
done < <(nm -g --defined-only "$library" | awk 'NF == 3 { print $3 }' | grep -vE '^jag_|^__(asan|tsan|ubsan|odr_asan|sanitizer|gcov)' || true)

forbidden='^(stdout|stderr|_?_?v?(f?printf|dprintf)(_chk)?|puts|putchar|perror|_*v?syslog(_chk)?|v?(errx?|warnx?)|exit|_exit|signal|sigaction|fuse_.*)$'
# fprintf to a file is not printing, but a FILE is easily stderr: allowed only where neither stream is referred to.
while read -r object symbol; do
  [[ $symbol =~ ^_*v?fprintf ]] && ! nm -u "$library" 2>/dev/null | grep -qwE 'stdout|stderr' && continue
  fault "${object##*/}: core refers to $symbol"
done < <(nm -A -u "$library" | awk '{ print $1, $NF }' | sed -E 's/@.*//' | awk -v f="$forbidden" '$2 ~ f' | sort -u)

[[ $faults -eq 0 ]] || { printf '%d faults in the layers\n' "$faults"; exit 1; }
printf 'layers: ok\n'
