# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# write.bash - verbs of the tests of writing: a small store with a leaf of each sort, mounted anew for each test.
#
#   write_begin [OPTIONS]   (setup) the store in $S, mounted on $M with -o OPTIONS
#   write_end               (teardown) unmount: the daemon must end with 0 and its log must be clean
#   remount [OPTIONS]       unmount as write_end, mount again
#   path KEY I SUFFIX       the file of an element: "$M/image/03.png"
#   backing KEY I           the element's bytes in the store, on standard output
#   keep KEY I              remember them ...
#   unchanged KEY I         ... and compare
#   picture N WxH SUFFIX    a new file with picture number N: prints its name
#   backing_is KEY I FILE   the element's bytes are those of FILE
#   holds KEY I N WxH       the element holds the pixels of picture N, exactly
#   errors_say TEXT         /.jagfs/errors has a line with TEXT
#   counter NAME            of /.jagfs/status
#   settled                 every open was released, and each staged writer ended in one way
#   fails CMD...            CMD exits with 1..125; $output holds its messages
#   does "OP RESULT|..." FILE OP...   sysdo prints just that, a line each
#   letters LETTER N        N times the letter
#   need CMD...             skip unless the programs are there
#
# JAG_WRITE_PLAIN=1 runs the same tests on plain files without a program: what holds there too must pass, and shows
# that the tests ask for nothing that only this mount does.
#
# wait_until and require_fuse are those of tests/lib/common.bash. $JAGFS is the program; makestore, sysdo, picfile and
# the others are on the PATH.

# shellcheck source=tests/lib/common.bash
source "${BASH_SOURCE[0]%/*}/../lib/common.bash"

# 12 elements: eight of one shape, four of another, so that there is always one that fits and one that does not.
STORE_SPEC=(image:uint8:'3x24x32*8,3x20x30*4' blob:uint8:'5000*8,4097*4' feat:float32:'4x5*8,3x7*4' label:int64=12
  wide:int64:'2x3*12' cplx:complex64:'2x2*12' dbl:float64:'3x4*12' deep:uint16:'1x24x32*12' big:uint8:3x900x971)

# The plain stand-in: each element as a file of its listed format.
plain_tree() {
  local key index offset nbytes
  while read -r key index offset nbytes; do
    mkdir -p "$M/$key"
    tail -c +$((offset + 1)) "$S/$key.memmap" | head -c "$nbytes" > "$(path "$key" "$index" bin)"
  done < <(grep -E '^(image|blob|big) ' "$S.map")
  picfile make 0 971x900 "$(path big 0 png)"
  for index in "$M"/image/*.bin; do
    picfile make $((10#$(basename "$index" .bin))) 32x24 "${index%.bin}.png"
  done
}

daemon_start() { # [OPTIONS]
  mkdir -p "$M"
  [[ -z ${JAG_WRITE_PLAIN:-} ]] || { plain_tree; return; }
  require_fuse
  "$JAGFS" mount "$S" "$M" -f ${1:+-o "$1"} 2> "$LOG" 3>&- &
  DAEMON=$!
  wait_until daemon_answers
}

daemon_answers() {
  mountpoint -q "$M" && return
  kill -0 "$DAEMON" 2> /dev/null || { echo "the mount failed: $(cat "$LOG")" >&2; exit 1; }
  return 1
}

# A process that has just closed a file can hold it for a moment.
unmounts() { ! grep -qF " $M " /proc/self/mounts || fusermount3 -u "$M" 2> /dev/null; }

daemon_stop() {
  local rc=0
  [[ -n ${DAEMON:-} ]] || return 0
  wait_until unmounts || { fusermount3 -u -z "$M"; rc=1; }
  wait "$DAEMON" || rc=$?
  DAEMON=
  [[ $rc -eq 0 ]] || echo "the daemon ended with $rc: $(cat "$LOG")" >&2
  ! grep -E 'Sanitizer|runtime error|Assertion' "$LOG" && return "$rc"
}

names() { T=$BATS_TEST_TMPDIR S=$BATS_TEST_TMPDIR/store M=$BATS_TEST_TMPDIR/mnt LOG=$BATS_TEST_TMPDIR/log; }
write_begin() {
  names
  makestore -m "$S.map" "$S" "${STORE_SPEC[@]}"
  daemon_start "$@"
}
write_end() { daemon_stop; }
remount() { daemon_stop && daemon_start "$@"; }

path() { # only a leaf of one element has other names than these
  printf '%s/%s/%0*d.%s' "$M" "$1" "$([[ $1 == big* ]] && echo 1 || echo 2)" "$2" "$3"
}

backing() {
  local key index offset nbytes
  read -r key index offset nbytes < <(grep -E "^$1 $2 " "$S.map")
  [[ $key == "$1" && $index == "$2" ]] || return
  if [[ -n ${JAG_WRITE_PLAIN:-} && $key == @(image|big) ]]; then
    convert "$(path "$key" "$2" png)" -interlace plane rgb:-
  elif [[ -n ${JAG_WRITE_PLAIN:-} ]]; then
    cat "$(path "$1" "$2" bin)"
  else
    tail -c +$((offset + 1)) "$S/$key.memmap" | head -c "$nbytes"
  fi
}
backing_is() { cmp "$3" <(backing "$1" "$2"); }
keep() { backing "$1" "$2" > "$T/kept.$1.$2"; }
unchanged() { backing_is "$1" "$2" "$T/kept.$1.$2"; }

picture() {
  picfile make "$1" "$2" "$T/picture-$1-$2.$3"
  printf '%s' "$T/picture-$1-$2.$3"
}
holds() { backing_is "$1" "$2" "$(picture "$3" "$4" bin)"; }

errors_say() {
  [[ -n ${JAG_WRITE_PLAIN:-} ]] || grep -F -- "$1" "$M/.jagfs/errors" > /dev/null ||
    { echo "no '$1' in errors:"; cat "$M/.jagfs/errors"; return 1; } >&2
}

# shellcheck disable=SC2154 # bats sets them
fails() {
  run "$@"
  [[ $status -ge 1 && $status -le 125 ]] || { echo "exit $status: $* ($output)" >&2; return 1; }
}

does() {
  local expected=${1//|/$'\n'}
  shift
  run sysdo "$@"
  [ "$output" = "$expected" ] || { printf 'expected:\n%s\ngot:\n%s\n' "$expected" "$output" >&2; return 1; }
}
letters() { head -c "$2" /dev/zero | tr '\0' "$1"; } # LETTER N

need() {
  local program
  for program; do
    command -v "$program" > /dev/null || skip "no $program"
  done
}

counter() { grep -o "\"$1\": *[0-9]*" "$M/.jagfs/status" | grep -o '[0-9]*$'; } # NAME

settled() {
  [ "$(counter opens)" = "$(counter releases)" ] &&
    [ "$(counter staged)" = "$(($(counter commits) + $(counter refusals) + $(counter abandoned)))" ]
}
