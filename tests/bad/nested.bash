# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# nested.bash - faults of nested leaves. Sourced by make.sh.
# -- nested leaves --
bad nested-shapes-short x.shape.memmap '48 bytes expected for the int64 shape matrix [2, 3], 47 there'
nested 2,3
size 24 x.memmap
size 47 x.shape.memmap
bad nested-shapes-missing x.shape.memmap 'missing; 48 bytes expected for the int64 shape matrix [2, 3]'
nested 2,3
size 24 x.memmap
bad nested-shapes-negative x.shape.memmap 'row 1 is [3, -1, 4]: a size is negative'
nested 2,3
size 24 x.memmap
i64 3 2 2 3 -1 4 > x.shape.memmap
bad nested-shapes-overflow x.shape.memmap 'row 0 is [4294967296, 4294967296, 4]: more than 2^63-1'
nested 1,3
size 24 x.memmap
i64 4294967296 4294967296 4 > x.shape.memmap
bad nested-sum-overflow x.shape.memmap 'row 1 is [4611686018427387904, 1]: more than 2^63-1'
nested 2,2
size 24 x.memmap
i64 4611686018427387904 1 4611686018427387904 1 > x.shape.memmap
bad nested-bytes-overflow meta.json 'more than 2^63-1 bytes'
nested 1,1 torch.float64
size 24 x.memmap
i64 2305843009213693952 > x.shape.memmap
bad nested-matrix-overflow meta.json 'its shape matrix is more than 2^63-1 bytes'
nested 4611686018427387904,3
size 24 x.memmap
bad nested-data-short x.memmap '24 bytes expected for 2 components (24 torch.uint8), 23 there'
nested 2,3
size 23 x.memmap
i64 3 2 2 3 1 4 > x.shape.memmap
bad nested-data-missing x.memmap 'missing; 24 bytes expected'
nested 2,3
i64 3 2 2 3 1 4 > x.shape.memmap
bad nested-rank-3 meta.json 'its "shape" is not [n, d]'
nested 2,3,4
bad nested-65-dims meta.json 'more than 64 dimensions'
nested 2,65
bad nested-shapes-link-out x.shape.memmap 'out of the store'
nested 1,1
size 24 x.memmap
ln -s /etc/passwd x.shape.memmap
bad nested-scalars-short x.memmap '4 bytes expected for 4 components (4 torch.uint8), 3 there'
nested 4,0
size 3 x.memmap
