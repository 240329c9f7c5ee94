# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# helpers.bash - the words that the lists of bad stores are written in. Sourced by make.sh.

# bad NAME FILE TEXT: begin a store.
bad() {
  printf '%s\t%s\t%s\n' "$@" >> "${top:?}/expected"
  mkdir "$top/$1"
  cd "$top/$1" || exit 1
}

type="\"_type\":\"<class 'tensordict._td.TensorDict'>\""
# meta ENTRIES: meta.json of a TensorDict with these members.
meta() { printf '{%s,"shape":[],"device":"cpu",%s}' "$1" "$type" > meta.json; }
# dense SHAPE [DTYPE], nested N,D [DTYPE]: meta.json with one leaf "x".
dense() { meta "\"x\":{\"device\":\"cpu\",\"shape\":[$1],\"dtype\":\"${2-torch.uint8}\",\"is_nested\":false}"; }
nested() { meta "\"x\":{\"device\":\"cpu\",\"shape\":[$1],\"dtype\":\"${2-torch.uint8}\",\"is_nested\":true}"; }
# i64 V...: little-endian.
i64() {
  local v k text=
  for v; do
    for k in 0 8 16 24 32 40 48 56; do printf -v text '%s\\x%02x' "$text" $((v >> k & 255)); done
  done
  # shellcheck disable=SC2059  # the format is the data
  printf "$text"
}
size() { truncate -s "$1" "$2"; }
