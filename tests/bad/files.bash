# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# files.bash - faults of data files, keys and collections. Sourced by make.sh.
# -- data files --
bad data-short x.memmap '24 bytes expected for torch.uint8 [2, 3, 4], 23 there'
dense 2,3,4
size 23 x.memmap
bad data-empty x.memmap '24 bytes expected for torch.uint8 [2, 3, 4], 0 there'
dense 2,3,4
size 0 x.memmap
bad data-missing x.memmap 'missing; 24 bytes expected for torch.uint8 [2, 3, 4]'
dense 2,3,4
bad data-is-directory x.memmap 'a directory stands in the place'
dense 4
mkdir x.memmap
bad data-is-fifo x.memmap 'not a regular file'
dense 4
mkfifo x.memmap
bad data-link-out x.memmap 'out of the store'
dense 4
size 4 ../data-link-out.memmap
ln -s ../data-link-out.memmap x.memmap
bad data-link-absolute x.memmap 'out of the store'
dense 4
ln -s /etc/passwd x.memmap
bad data-link-proc x.memmap 'out of the store'
dense 4
ln -s /proc/self/exe x.memmap
bad data-link-loop x.memmap 'loop'
dense 4
ln -s x.memmap x.memmap

# -- keys --
bad key-escapes '..%2Fkey-escapes.memmap' missing
meta '"../key-escapes":{"shape":[4],"dtype":"torch.uint8"}'
size 4 ../key-escapes.memmap
bad key-absolute '%2Fetc%2Fpasswd.memmap' missing
meta '"/etc/passwd":{"shape":[4],"dtype":"torch.uint8"}'
bad key-dotdot '%2E%2E' missing
meta '"..":{"type":"TensorDict"}'
bad key-nul meta.json 'a key with a NUL byte'
meta '"x\u0000y":{"shape":[4],"dtype":"torch.uint8"}'
size 4 x.memmap
bad key-too-long meta.json 'longer than 255 bytes'
meta "\"$(printf '%0300d' 0)\":{\"shape\":[4],\"dtype\":\"torch.uint8\"}"
bad key-collection-too-long meta.json 'longer than 255 bytes'
meta "\"$(printf '%0300d' 0)\":{\"type\":\"TensorDict\"}"

# -- collections --
bad sub-missing s 'missing; meta.json names a collection there'
meta '"s":{"type":"TensorDict"}'
bad sub-is-file s 'missing; meta.json names a collection there'
meta '"s":{"type":"TensorDict"}'
size 4 s
bad sub-without-meta s/meta.json missing
meta '"s":{"type":"TensorDict"}'
mkdir s
bad sub-meta-empty s/meta.json 'is empty (0 bytes)'
meta '"s":{"type":"TensorDict"}'
mkdir s
: > s/meta.json
bad sub-link-out s 'out of the store'
meta '"s":{"type":"TensorDict"}'
mkdir ../sub-link-out-target
ln -s ../sub-link-out-target s
bad sub-link-to-itself '' 'too many'
meta '"s":{"type":"TensorDict"}'
ln -s . s
bad sub-links-double '' 'deeper than 256 levels'
meta '"a":{"type":"TensorDict"},"b":{"type":"TensorDict"}'
mkdir a
cp meta.json a/
for d in a a/a a/a/a a/a/a/a a/a/a/a/a a/a/a/a/a/a a/a/a/a/a/a/a a/a/a/a/a/a/a/a; do
  mkdir "$d/a"
  cp meta.json "$d/a/"
  ln -s a "$d/b"
done
ln -s a b
ln -s ../../../../../../../.. "$d/a/a"
ln -s ../../../../../../../.. "$d/a/b"
bad sub-too-deep '' 'deeper than 256 levels'
meta '"s":{"type":"TensorDict"}'
deep=$(printf 's/%.0s' {1..300})
mkdir -p "$deep"
for ((k = 1; k <= 300; k++)); do cp meta.json "${deep:0:2*k}"; done
bad stack-child-broken 1/meta.json 'is empty (0 bytes)'
printf '{"_type":"<class '"'tensordict._lazy.LazyStackedTensorDict'"'>","stack_dim":0}' > meta.json
mkdir 0 1
(cd 0 && dense 4 && size 4 x.memmap)
: > 1/meta.json
