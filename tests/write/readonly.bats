#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# readonly.bats - mounts and users that may not write: nothing is created, staged or stored.
load write

setup() { :; }
teardown() {
  write_end
  if mountpoint -q "$S"; then umount "$S"; fi
}

refuses_all() { # ERRNO
  run sysdo "$(path blob 3 bin)" open:rw open:wo open:wo+trunc
  [ "$output" = "open $1"$'\n'"open $1"$'\n'"open $1" ]
  run sysdo "$M/image/.t.Ab3dEf" open:wo+creat
  [ "$output" = "open $1" ]
  fails cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  fails truncate -s 5000 "$(path blob 3 bin)"
}

# Every way of writing FILE is EACCES to the user nobody.
refuses_nobody() { # FILE
  local nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env PATH="$PATH")
  run "${nobody[@]}" sysdo "$1" open:ro open:wo open:rw open:wo+trunc
  [ "$output" = $'open 0\nopen EACCES\nopen EACCES\nopen EACCES' ]
  run "${nobody[@]}" sysdo "$(dirname "$1")/.t.Ab3dEf" open:wo+creat
  [ "$output" = "open EACCES" ]
  run "${nobody[@]}" truncate -s 0 "$1"
  [ "$status" -eq 1 ]
  run "${nobody[@]}" touch -d 2001-02-03 "$1"
  [ "$status" -eq 1 ]
}

@test "a read-only mount answers EROFS" {
  local option
  for option in ro immutable; do
    write_begin "$option"
    keep image 3
    keep blob 3
    refuses_all EROFS
    fails touch "$(path image 3 png)"
    fails rm "$(path image 3 png)"
    [[ $output == *"Read-only"* ]]
    fails mkdir "$M/new"
    [[ $output == *"Read-only"* ]]
    unchanged image 3
    unchanged blob 3
    write_end
  done
}

@test "a store on a read-only file system is mounted read-only" {
  [ "$(id -u)" = 0 ] || skip "needs root"
  names
  makestore -m "$S.map" "$T/real" "${STORE_SPEC[@]}"
  mkdir "$S"
  mount --bind "$T/real" "$S"
  mount -o remount,bind,ro "$S"
  daemon_start
  grep -q " $M fuse.jagfs ro," /proc/self/mounts
  [ ! -w "$(path blob 3 bin)" ] # nor for root
  keep blob 3
  run sysdo "$(path blob 3 bin)" open:rw open:wo+trunc
  [[ "${lines[0]}" =~ EROFS|EACCES ]]
  [[ "${lines[1]}" =~ EROFS|EACCES ]]
  fails cp "$(picture 5 32x24 png)" "$(path image 3 png)"
  unchanged blob 3
  [ "$(picfile number 32x24 "$(path image 3 png)")" = -3 ]
}

@test "data files without write permission cannot be written by those who are not root" {
  [ "$(id -u)" = 0 ] || skip "needs root"
  need setpriv
  open_path
  write_begin allow_other
  write_end
  chmod 444 "$S"/*.memmap
  daemon_start allow_other
  keep blob 3
  refuses_nobody "$(path blob 3 bin)"
  unchanged blob 3
}

@test "another user can neither write, create nor rename where the data file does not let them" {
  [ "$(id -u)" = 0 ] || skip "needs root"
  need setpriv
  open_path
  write_begin allow_other
  keep blob 3
  keep image 3
  refuses_nobody "$(path blob 3 bin)"
  refuses_nobody "$(path image 3 png)"
  unchanged blob 3
  unchanged image 3
}

@test "a temporary file of root's cannot be renamed onto an element by another user" {
  [ "$(id -u)" = 0 ] || skip "needs root"
  need setpriv
  open_path
  write_begin allow_other
  keep blob 3
  head -c 5000 /dev/urandom > "$M/blob/.t.Ab3dEf"
  run setpriv --reuid=65534 --regid=65534 --clear-groups env PATH="$PATH" sysdo "$M/blob/.t.Ab3dEf" "to:$(path blob 3 bin)"
  [ "$output" = "to EACCES" ]
  unchanged blob 3
  rm "$M/blob/.t.Ab3dEf"
}

@test "a user whom the data file lets may write" {
  [ "$(id -u)" = 0 ] || skip "needs root"
  need setpriv
  open_path
  write_begin allow_other
  write_end
  chown 65534:65534 "$S"/image.memmap
  daemon_start allow_other
  picture 5 32x24 png > /dev/null
  chmod a+r "$T"/picture*
  setpriv --reuid=65534 --regid=65534 --clear-groups cp "$T/picture-5-32x24.png" "$(path image 3 png)"
  holds image 3 5 32x24
  setpriv --reuid=65534 --regid=65534 --clear-groups rsync -I --no-perms "$T/picture-5-32x24.png" "$(path image 4 png)"
  holds image 4 5 32x24
}

@test "without allow_other another user sees nothing" {
  [ "$(id -u)" = 0 ] || skip "needs root"
  need setpriv
  open_path
  write_begin
  run setpriv --reuid=65534 --regid=65534 --clear-groups env PATH="$PATH" sysdo "$(path blob 3 bin)" open:ro
  [ "$output" = "open EACCES" ]
}
