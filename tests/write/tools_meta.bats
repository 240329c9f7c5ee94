#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools_meta.bats - attributes, and the namespace that does not change.
load write

setup() { write_begin; }
teardown() { write_end; }

intact() { unchanged image 3 && unchanged blob 3 && [ "$(stat -c %s "$(path blob 3 bin)")" = 5000 ]; }

@test "touch sets the times of one element, by name or through a handle" {
  touch "$(path image 3 png)"
  touch -d '2001-02-03 04:05:06' "$(path image 3 png)"
  [ "$(stat -c %Y "$(path image 3 png)")" = "$(date -d '2001-02-03 04:05:06' +%s)" ]
  run sysdo "$(path blob 3 bin)" open:rw times:1000000000 close
  [ "${lines[1]}" = "times 0" ]
  [ "$(stat -c %Y "$(path blob 3 bin)")" = 1000000000 ]
  [ "$(stat -c %Y "$(path blob 4 bin)")" != 1000000000 ]
}

@test "times set through the mount do not touch the data file" {
  local before
  before=$(stat -c %Y "$S/image.memmap")
  touch -d '2001-02-03 04:05:06' "$(path image 3 png)"
  [ "$(stat -c %Y "$S/image.memmap")" = "$before" ]
}

@test "a commit moves the time of its element and of no other" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "about the mount's own times"
  local other
  other=$(stat -c %Y "$(path image 4 png)")
  touch -d '2001-02-03 04:05:06' "$(path image 3 png)"
  cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  [ "$(stat -c %Y "$(path image 3 png)")" -gt "$(date -d '2001-02-04' +%s)" ]
  [ "$(stat -c %Y "$(path image 4 png)")" = "$other" ]
}

@test "chmod to the mode that is there succeeds, to another one fails" {
  local mode
  mode=$(stat -c %a "$(path image 3 png)")
  chmod "$mode" "$(path image 3 png)"
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files change their mode"
  fails chmod 600 "$(path image 3 png)"
  [[ $output == *"Operation not permitted"* ]]
  [ "$(stat -c %a "$(path image 3 png)")" = "$mode" ]
  [ "$(stat -c %a "$S/image.memmap")" = "$mode" ]
}

@test "chown to the owner that is there succeeds, to another one fails" {
  local owner
  owner=$(stat -c %u:%g "$(path image 3 png)")
  chown "$owner" "$(path image 3 png)"
  [ "$(id -u)" = 0 ] && [ -z "${JAG_WRITE_PLAIN:-}" ] || return 0
  fails chown 1234:1234 "$(path image 3 png)"
  [[ $output == *"Operation not permitted"* ]]
  [ "$(stat -c %u:%g "$(path image 3 png)")" = "$owner" ]
}

@test "setfattr is refused, cp --preserve=xattr has nothing to keep" {
  need setfattr
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files have attributes"
  keep image 3
  fails setfattr -n user.note -v text "$(path image 3 png)"
  [[ $output == *"Operation not supported"* ]]
  unchanged image 3
  cp --preserve=timestamps,xattr "$(picture 5 32x24 png)" "$(path image 3 png)"
  holds image 3 5 32x24
}

@test "a coloured listing looks at every file and names each once" {
  [ "$(ls --color=always "$M/image" | wc -l)" = "$(ls "$M/image" | wc -l)" ]
  [ "$(ls -l --color=always "$M/image" | wc -l)" = 13 ] # a line of the total
}

@test "rm, ln, ln -s, mkdir, rmdir and renames of elements are refused" {
  [ -z "${JAG_WRITE_PLAIN:-}" ] || skip "plain files have a namespace that changes"
  keep image 3
  keep blob 3
  fails rm "$(path image 3 png)"
  [[ $output == *"Operation not permitted"* ]]
  fails rm -f "$(path image 3 png)"
  fails rm -r "$M/image"
  fails ln "$(path image 3 png)" "$M/image/link.x"
  fails ln -s 03.png "$M/image/link.x"
  fails mkdir "$M/image/new"
  fails mkdir "$M/new"
  fails rmdir "$M/image"
  fails mknod "$M/image/pipe" p
  fails mv "$(path image 3 png)" "$(path image 4 png)"
  fails mv "$(path image 3 png)" "$M/image/other.x"
  fails mv "$M/image" "$M/other"
  intact
  [ "$(ls "$M/image" | wc -l)" = 12 ]
}

@test "a temporary file can be made, changed, renamed, linked from nowhere, and removed" {
  local temporary=$M/image/.03.png.Ab3dEf
  echo text > "$temporary"
  [ "$(cat "$temporary")" = text ]
  chmod 640 "$temporary"
  touch -d '2001-02-03' "$temporary"
  chown "$(id -u):$(id -g)" "$temporary"
  echo more >> "$temporary"
  truncate -s 100000 "$temporary"
  [ "$(stat -c %s "$temporary")" = 100000 ]
  truncate -s 3 "$temporary"
  [ "$(cat "$temporary")" = tex ]
  mv "$temporary" "$M/image/4913"
  [ "$(cat "$M/image/4913")" = tex ]
  rm "$M/image/4913"
  [ ! -e "$M/image/4913" ]
}

@test "a temporary file can be removed while it is open" {
  exec 7> "$M/image/.x.tmp~"
  rm "$M/image/.x.tmp~"
  echo text >&7
  exec 7>&-
  [ ! -e "$M/image/.x.tmp~" ]
}

@test "a temporary file is mapped and read back" {
  run sysdo "$M/image/.x.tmp~" open:rw+creat+excl truncate:100000 map:5000:10000:65 pread:0:200000 fsync size close
  [ "$output" = $'open 0\ntruncate 0\nmap 0\npread 100000\nfsync 0\nsize 100000\nclose 0' ]
  cmp <(tail -c +5001 "$M/image/.x.tmp~" | head -c 10000) <(head -c 10000 /dev/zero | tr '\0' A)
  rm "$M/image/.x.tmp~"
}
