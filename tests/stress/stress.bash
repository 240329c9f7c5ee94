# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# stress.bash - the store and the counters of the stress tests. SEED=N repeats a run; each program prints its own.
load ../write/write

# shellcheck disable=SC2034 # write_begin makes it
STORE_SPEC=(image:uint8:'3x80x96*12' raw:uint8:'150528,70001,4095,4097,1,13*7' page:uint8:'1000*8' many:uint8:'300001*24')

# "FILE=DATA:OFFSET" of element NAME of leaf KEY, for fsx.
element() { # KEY NAME
  printf '%s=%s:%d' "$M/$1/$2" "$S/$1.memmap" \
    "$(awk -v key="$1" -v i="$((10#${2%.*}))" '$1 == key && $2 == i { print $3 }' "$S.map")"
}

seed() { [[ -z ${SEED:-} ]] || printf -- '-s %s' "$SEED"; }
