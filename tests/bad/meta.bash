# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# meta.bash - faults of meta.json, and of what it says about a leaf. Sourced by make.sh.
# -- meta.json --
bad meta-missing '' 'no meta.json'
size 4 x.memmap
bad meta-empty meta.json 'is empty (0 bytes)'
: > meta.json
bad meta-not-json meta.json 'broken JSON at byte 0'
echo hello > meta.json
bad meta-list meta.json 'broken JSON at byte 0'
echo '[1,2]' > meta.json
bad meta-cut meta.json 'broken JSON'
dense 4
size 40 meta.json
bad meta-trailing-text meta.json 'broken JSON'
dense 4
echo '{}' >> meta.json
bad meta-comment meta.json 'broken JSON'
echo '{"a": /* 1 */ 2}' > meta.json
bad meta-nul-byte meta.json 'broken JSON'
printf '{"a": 1\0}' > meta.json
bad meta-deep meta.json 'broken JSON'
{ printf '{"data":'; printf '%02000d' 0 | tr 0 '['; printf '%02000d' 0 | tr 0 ']'; printf '}'; } > meta.json
bad meta-random meta.json 'broken JSON'
printf '\xff\xfe\x00\x01\x80{{{{' > meta.json
bad meta-is-directory meta.json 'a directory stands in the place'
mkdir meta.json
bad meta-is-fifo meta.json 'not a regular file'
mkfifo meta.json
bad meta-link-out meta.json 'out of the store'
dense 4
mv meta.json ../meta-link-out.json
ln -s ../meta-link-out.json meta.json

# -- what meta.json says about a leaf --
bad dtype-unknown meta.json '"x": unknown dtype "torch.qint8"'
dense 4 torch.qint8
size 4 x.memmap
bad dtype-bare-name meta.json '"x": unknown dtype "uint8"'
dense 4 uint8
size 4 x.memmap
bad dtype-not-text meta.json '"x": its "dtype" is not a string'
meta '"x":{"shape":[4],"dtype":7}'
bad dtype-escape-codes meta.json 'unknown dtype "?[2Jtorch'
dense 4 '\u001b[2Jtorch'
bad shape-negative meta.json '"x": its "shape" holds a negative size'
dense 4,-1
size 4 x.memmap
bad shape-overflow meta.json 'more than 2^63-1 bytes'
dense 4294967296,4294967296,4
size 4 x.memmap
bad shape-bytes-overflow meta.json 'more than 2^63-1 bytes'
dense 2305843009213693952 torch.float32
size 4 x.memmap
bad shape-rows-overflow meta.json 'more than 2^63-1 bytes'
dense 0,4611686018427387904,4611686018427387904
bad shape-beyond-64-bits meta.json 'a size beyond 63 bits'
dense 123456789012345678901234567890
size 4 x.memmap
bad shape-fraction meta.json 'something that is no integer'
dense 4.5
bad shape-not-list meta.json 'its "shape" is not a list'
meta '"x":{"shape":"4","dtype":"torch.uint8"}'
bad shape-rank-65 meta.json 'more than 64 dimensions'
dense "$(printf '1,%.0s' {1..64})1"
