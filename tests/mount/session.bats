#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# session.bats - mounting and unmounting: the command line, the background, signals, bad mount points, dead mounts.

load ../lib/common

setup() {
  require_fuse
  make_store
  MNT=$BATS_TEST_TMPDIR/mnt
  mkdir "$MNT"
}
teardown() {
  teardown_mount
  [[ -z ${HOLDER:-} ]] || kill "$HOLDER" 2>/dev/null || true
}

daemon_pid() { sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' "$MNT/.jagfs/status"; }
is_gone() { ! kill -0 "$1" 2>/dev/null; }
is_unmounted() { ! mountpoint -q "$MNT" 2>/dev/null && [[ -d $MNT ]]; }

# refuses REGEX ARGS...: `jagfs ARGS` fails with status 1 and one line like REGEX, and mounts nothing.
refuses() {
  local regex=$1
  shift
  run "$JAGFS" "$@"
  [[ $status -eq 1 ]] || { echo "status $status: $output"; return 1; }
  [[ ${#lines[@]} -eq 1 && $output =~ ^jagfs:\ .*$regex ]] || { echo "not like $regex: $output"; return 1; }
}

@test "mount returns when the mount answers, and umount ends the daemon" {
  "$JAGFS" mount "$STORE" "$MNT"
  [[ -s $MNT/image/00.png ]]
  pid=$(daemon_pid)
  "$JAGFS" umount "$MNT"
  wait_until is_gone "$pid"
  is_unmounted
}

@test "without a verb it mounts; -u unmounts; a store named like a verb needs a path" {
  "$JAGFS" "$STORE" "$MNT"
  [[ -s $MNT/image/00.png ]]
  "$JAGFS" -u "$MNT"
  is_unmounted
  cp -r "$STORE" "$BATS_TEST_TMPDIR/umount"
  cd "$BATS_TEST_TMPDIR"
  "$JAGFS" ./umount mnt
  [[ -s mnt/image/00.png ]]
  "$JAGFS" umount mnt
}

@test "mount lets go of its standard output" {
  out=$("$JAGFS" mount "$STORE" "$MNT" 2>&1)
  equals "$out" ""
  "$JAGFS" umount "$MNT"
}

@test "the generic options of fstab are accepted" {
  "$JAGFS" "$STORE" "$MNT" -o rw,noauto,nofail,_netdev,user,defaults,x-systemd.automount,noatime,dev,suid,exec,relatime,comment=x
  grep -q " $MNT fuse.jagfs rw,.*noatime" /proc/self/mounts
  "$JAGFS" umount "$MNT"
}

# mount(8) looks for the program in the system's directories only: give it one there, in a namespace of our own.
@test "mount -t fuse.jagfs works, with source and type in the mount table" {
  [[ $EUID -eq 0 ]] || skip "not root"
  cat >"$BATS_TEST_TMPDIR/script" <<END
mount -t tmpfs none /usr/local/bin
ln -s "$(realpath "$JAGFS")" /usr/local/bin/jagfs
mount -t fuse.jagfs "$STORE" "$MNT" -o ro,allow_other,nofail
grep "^$STORE $MNT fuse.jagfs ro,.*default_permissions,allow_other" /proc/self/mounts
ls "$MNT/image" | wc -l
umount "$MNT"
END
  run unshare -m bash -e "$BATS_TEST_TMPDIR/script"
  [[ $status -eq 0 && ${lines[1]} -eq 12 ]] || { echo "$output"; return 1; }
}

@test "mount -t fuse with program and store in one word works, commas in the path too" {
  [[ $EUID -eq 0 ]] || skip "not root"
  mv "$STORE" "$STORE,a"
  mount -t fuse "$(realpath "$JAGFS")#$STORE,a" "$MNT" -o ro
  grep -q "^$STORE,a $MNT fuse.jagfs ro," /proc/self/mounts
  [[ -s $MNT/image/00.png ]]
  umount "$MNT"
}

@test "a wrong command line is status 2 and names what is wrong" {
  for args in "$STORE" "$STORE $MNT extra" "$STORE $MNT -o nonsense" "$STORE $MNT -o quality=0" "$STORE $MNT -o umask=9" \
    "$STORE $MNT -o attr_timeout=x" "$STORE $MNT -x" "$STORE $MNT -o writeback_cache"; do
    # shellcheck disable=SC2086
    run "$JAGFS" mount $args
    [[ $status -eq 2 && $output == "jagfs: mount: "* ]] || { echo "$args: $status $output"; return 1; }
  done
  run "$JAGFS" mount "$STORE" "$MNT" -o nonsense=1
  [[ $output == *nonsense=1* ]]
  is_unmounted
}

@test "bad values of tree options are refused by name" {
  refuses 'format.*nonsense' mount "$STORE" "$MNT" -o format=nonsense
  refuses 'layout.*nonsense' mount "$STORE" "$MNT" -o layout=nonsense
  is_unmounted
}

@test "what is no store is refused in one line" {
  refuses 'meta.json|has no' mount "$BATS_TEST_TMPDIR" "$MNT"
  refuses "$BATS_TEST_TMPDIR/nothing" mount "$BATS_TEST_TMPDIR/nothing" "$MNT"
  refuses 'nokey' mount "$STORE/nokey" "$MNT"
  : >"$STORE/meta.json"
  refuses 'meta.json' mount "$STORE" "$MNT"
}

# One refusal a line, from a /dev that has nothing at first; the user nobody finds store and program there.
@test "no /dev/null, no /dev/fuse, no right to it, no fusermount3: one line each" {
  [[ $EUID -eq 0 ]] || skip "not root"
  cat >"$BATS_TEST_TMPDIR/script" <<END
exec 0</dev/null
nobody() { env PATH=\$1 "$(command -v setpriv)" --reuid=65534 --regid=65534 --clear-groups /dev/jagfs mount /dev/store /dev/mnt; }
refused() { "\$@" 2>&1 && echo mounted; }
cd "$BATS_TEST_TMPDIR"
mount -t tmpfs none /dev
cp "$(realpath "$JAGFS")" /dev/jagfs
cp -r "$STORE" /dev/store
mkdir -m 777 /dev/mnt
refused /dev/jagfs mount /dev/store /dev/mnt
mknod -m 666 /dev/null c 1 3 || exit 77
refused /dev/jagfs mount /dev/store /dev/mnt
mknod -m 600 /dev/fuse c 10 229
refused nobody "$PATH"
chmod 666 /dev/fuse
mount --bind /dev/null "$(command -v fusermount3)"
refused nobody /nowhere
ls -A /dev/mnt
END
  run unshare -m bash "$BATS_TEST_TMPDIR/script"
  [[ $status -ne 77 ]] || skip "no device nodes"
  equals "$output" "jagfs: /dev/null: cannot be opened: No such file or directory
jagfs: /dev/fuse: missing: load the module (modprobe fuse), or give it to the container (--device /dev/fuse); ls, cat and put need no mount
jagfs: /dev/fuse: cannot be opened: Permission denied
jagfs: fusermount3: not found, and only root can mount without it (package fuse3)"
}

@test "bad mount points are refused in one line" {
  refuses 'does not exist' mount "$STORE" "$BATS_TEST_TMPDIR/nowhere"
  : >"$BATS_TEST_TMPDIR/file"
  refuses 'not a directory' mount "$STORE" "$BATS_TEST_TMPDIR/file"
  refuses 'inside of the store' mount "$STORE" "$STORE"
  refuses 'inside of the store' mount "$STORE" "$STORE/obs" -o nonempty
  mkdir "$BATS_TEST_TMPDIR/full"
  : >"$BATS_TEST_TMPDIR/full/file"
  refuses 'not empty.*file' mount "$STORE" "$BATS_TEST_TMPDIR/full"
  MNT=$BATS_TEST_TMPDIR/full
  mount_store -o nonempty
  [[ -d $MNT/image ]]
  unmount_clean
}

@test "SIGTERM and SIGINT unmount and end with 0, also with a file open" {
  for signal in TERM INT; do
    mount_store
    exec {held}<"$MNT/image/00.png"
    kill -$signal "$DAEMON"
    daemon_ends
    exec {held}<&-
    is_unmounted
    equals "$(cat "$LOG")" ""
  done
}

@test "umount of a busy mount is refused, and -z detaches it" {
  mount_store
  exec {held}<"$MNT/image/00.png"
  run "$JAGFS" umount "$MNT" {held}<&-
  [[ $status -eq 1 && $output == *busy* ]]
  "$JAGFS" umount -z "$MNT"
  is_unmounted
  cat <&$held >/dev/null
  exec {held}<&-
  daemon_ends
}

@test "a dead mount is named, umount removes it, and then it can be mounted again" {
  mount_store
  kill -9 "$DAEMON"
  wait "$DAEMON" || true
  refuses "dead mount.*jagfs umount $MNT" mount "$STORE" "$MNT"
  "$JAGFS" umount "$MNT"
  is_unmounted
  mount_store
  unmount_clean
}

@test "umount of what is not mounted, or not by jagfs, is refused" {
  refuses 'nothing is mounted' umount "$MNT"
  refuses 'No such file' umount "$BATS_TEST_TMPDIR/nowhere"
  refuses 'not of jagfs' umount /proc
}

@test "started without standard descriptors it still mounts and serves" {
  "$JAGFS" mount "$STORE" "$MNT" <&- >&- 2>&-
  image 0
  equals "$(stat -c %s "$MNT/image/00.bin")" "$NBYTES"
  "$JAGFS" umount "$MNT"
}

@test "relative paths of store and mount point survive going to the background" {
  cd "$BATS_TEST_TMPDIR"
  "$JAGFS" mount store mnt
  cd /
  [[ -s $MNT/image/00.png ]]
  "$JAGFS" umount "$MNT"
}

@test "values of mount options that make no sense are refused by name" {
  for option in max_threads=0 max_threads=-1 cache_mb=0 cache_mb=-1 cache_mb=4294967297 cache_mb stage_mb= ro=1 attr_timeout=1e300 \
    attr_timeout=nan attr_timeout=-1 attr_timeout=1e400 entry_timeout=-1 views= umask=999 fsname= uid=-1 \
    "fsname=$(printf '%2000s' '' | tr ' ' x)"; do
    run "$JAGFS" mount "$STORE" "$MNT" -o "$option"
    [[ $status -ne 0 && ${lines[0]} == "jagfs: "*"option ${option%%=*}"* ]] || { echo "$option: $status $output"; false; }
  done
}

@test "one thread and many threads serve the same" {
  mount_store -s
  sum=$(cat "$MNT"/image/* | md5sum)
  unmount_clean
  mount_store -o max_threads=3,clone_fd
  equals "$(cat "$MNT"/image/* | md5sum)" "$sum"
  unmount_clean
}

@test "the counters of status add up" {
  mount_store
  cat "$MNT"/image/*.png >/dev/null
  closed() { [[ $(tr -d ' \n' <"$MNT/.jagfs/status") =~ \"opens\":([0-9]+),\"releases\":([0-9]+) ]] &&
    ((BASH_REMATCH[1] == BASH_REMATCH[2] && BASH_REMATCH[1] >= 12)); }
  wait_until closed
  unmount_clean
}
