# SPDX-License-Identifier: MIT
"""What jagfs create makes, loaded by tensordict and compared bit for bit: every dtype, random trees, additions."""
import os

import numpy
import torch
from tensordict import MemoryMappedTensor, TensorDict

import interop_random
import jagtest
from interop_random import Dict, LOADABLE, Nested, VERSION, WRITABLE, random_bits
from jagtest import file_name, tensor_bytes

SEED = int(os.environ.get("JAG_SEED", "20"))
TREES = int(os.environ.get("JAG_STORES", "40"))
# jagfs encodes keys as the newer releases do; the older ones do not find such files.
SPECIAL = interop_random.SPECIAL if VERSION >= (0, 14) else ""
FLOATS = ["0.1", "-1.5", "3", "1e-3"]
VALUES = {torch.bool: ["true", "0"], torch.uint8: ["255", "7"], torch.int8: ["-128", "127"],
          torch.int16: ["-32768", "255"], torch.int32: ["-2147483648", "65537"], torch.uint16: ["65535"],
          torch.int64: ["-9223372036854775808", "9223372036854775807"], torch.uint32: ["4294967295"],
          torch.uint64: ["18446744073709551615", "1"], torch.float16: FLOATS + ["65504", "6e-8", "-inf"],
          torch.bfloat16: FLOATS + ["3e38", "nan"], torch.float32: FLOATS + ["16777217", "-0.0", "1e-45"],
          torch.float64: FLOATS + ["1e308", "inf"], torch.complex32: ["1+2j", "0.1", "-2j"],
          torch.complex64: ["0.1-0.3j", "5"], torch.complex128: ["0.1-1e-300j", "1e3"],
          torch.float8_e4m3fn: FLOATS + ["448"], torch.float8_e5m2: FLOATS, torch.float8_e4m3fnuz: FLOATS,
          torch.float8_e5m2fnuz: FLOATS, torch.float8_e8m0fnu: ["1", "0.3", "1e5"]}


def cast(text, dtype):
    """One value as torch casts it."""
    if dtype == torch.bool:
        return torch.tensor(text == "true")
    if dtype.is_complex:
        return torch.tensor(complex(text), dtype=torch.complex128).to(dtype)
    if dtype.is_floating_point:
        return torch.tensor(float(text), dtype=torch.float64).to(dtype)
    return torch.tensor(int(text), dtype=dtype)


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


class Create(jagtest.TestCase):
    def setUp(self):
        super().setUp()
        self.maker = interop_random.Maker(SEED)
        self.rng = self.maker.rng

    def create(self, store, key, dtype, *options):
        jagtest.jagfs("create", "-q", "--no-sync", "--dtype", name_of(dtype), *options, "--", self.path(store), key)

    def shapes(self, rows):
        """A shape matrix in a file"""
        path = self.path(f"shapes{len(os.listdir(self.tmp))}.npy")
        numpy.save(path, numpy.array(rows, dtype=numpy.int64).reshape(len(rows), -1))
        return path

    def bytes_file(self, tensors):
        path = self.path(f"bytes{len(os.listdir(self.tmp))}")
        with open(path, "wb") as file:
            file.write(b"".join(tensor_bytes(tensor) for tensor in tensors))
        return path

    def same(self, loaded, expected):
        """Dtype, shape and every bit"""
        self.assertEqual((loaded.dtype, loaded.shape), (expected.dtype, expected.shape))
        self.assertEqual(tensor_bytes(loaded), tensor_bytes(expected))

    def same_rows(self, loaded, rows):
        self.assertTrue(loaded.is_nested)
        for ours, expected in zip(loaded.unbind(0), rows, strict=True):
            self.same(ours, expected)

    def leaf(self, store, key, dtype, shape):
        """By tensordict's loader; where that lacks the dtype, as the memory-mapped tensor that it would make."""
        if dtype in LOADABLE:
            return TensorDict.load_memmap(self.path(store))[key]
        return MemoryMappedTensor.from_filename(self.path(store, key + ".memmap"), dtype, shape)

    def test_fill(self):
        """create --fill, every dtype, dense and nested: the bits of torch's cast"""
        rows = [[3, 5], [1, 2], [4, 4]]
        matrix = self.shapes(rows)
        for dtype, texts in VALUES.items():
            for i, text in enumerate(texts):
                with self.subTest((dtype, text)):
                    store = name_of(dtype)
                    self.create(store, f"d{i}", dtype, "--shape", "2,3", f"--fill={text}")
                    self.create(store, f"n{i}", dtype, "--shapes", matrix, f"--fill={text}")
                    value = cast(text, dtype)
                    self.same(self.leaf(store, f"d{i}", dtype, torch.Size([2, 3])), value.expand(2, 3).contiguous())
                    loaded = self.leaf(store, f"n{i}", dtype, torch.tensor(rows))
                    self.same_rows(loaded, [value.expand(row).contiguous() for row in rows])

    def test_zeros(self):
        """create without --fill, every dtype: zeros"""
        matrix = self.shapes([[2, 2], [0, 3], [1, 4]])
        for dtype in LOADABLE:
            self.create("store", "d" + name_of(dtype), dtype, "--shape", "7")
            self.create("store", "n" + name_of(dtype), dtype, "--shapes", matrix)
        loaded = TensorDict.load_memmap(self.path("store"))
        self.assertEqual(len(loaded.keys()), 2 * len(LOADABLE))
        for dtype in LOADABLE:
            self.same(loaded["d" + name_of(dtype)], torch.zeros(7, dtype=dtype))
            rows = [torch.zeros(shape, dtype=dtype) for shape in ((2, 2), (0, 3), (1, 4))]
            self.same_rows(loaded["n" + name_of(dtype)], rows)

    def test_adopt(self):
        """create --adopt, every dtype: random bit patterns, dense and nested"""
        for dtype in WRITABLE:
            with self.subTest(dtype):
                store = name_of(dtype)
                dense = random_bits(self.rng, [3, 2, 5], dtype)
                rows = [random_bits(self.rng, [3, height, 4], dtype) for height in (2, 1, 7)]
                matrix = [list(row.shape) for row in rows]
                self.create(store, "d", dtype, "--shape", "3,2,5", "--adopt", self.bytes_file([dense]))
                self.create(store, "n", dtype, "--shapes", self.shapes(matrix), "--adopt", self.bytes_file(rows))
                self.same(self.leaf(store, "d", dtype, dense.shape), dense)
                self.same_rows(self.leaf(store, "n", dtype, torch.tensor(matrix)), rows)

    def test_scalars_and_nothing(self):
        """create: scalars, nested scalars and leaves without elements load where tensordict has them"""
        self.create("store", "scalar", torch.float32, "--shape", "", "--fill", "2.5")
        self.create("store", "scalars", torch.int16, "--shapes", self.shapes([[], [], []]), "--fill", "9")
        self.create("store", "nothing", torch.int16, "--shape", "4,0")
        loaded = TensorDict.load_memmap(self.path("store"))
        self.same(loaded["scalar"], torch.tensor(2.5))
        self.assertEqual([int(row) for row in loaded["scalars"].unbind(0)], [9, 9, 9])
        if VERSION >= (0, 14):  # which restores them
            self.same(loaded["nothing"], torch.empty(4, 0, dtype=torch.int16))

    def test_like(self):
        """create --like a leaf that Python wrote: its shape, and its dtype or another"""
        rows = [random_bits(self.rng, [3, side, 2], torch.uint8) for side in (4, 2, 6)]
        TensorDict({"image": torch.nested.as_nested_tensor(rows, layout=torch.strided),
                    "dense": torch.zeros(3, 4, dtype=torch.bfloat16)}, [3]).memmap(self.path("python"))
        for like in ("image", "dense"):
            jagtest.jagfs("create", "-q", self.path("new"), like, "--like", self.path("python", like), "--fill", "1")
            self.create("python", like + "2", torch.float64, "--like", self.path("python", like), "--fill", "0.25")
        new, python = (TensorDict.load_memmap(self.path(name)) for name in ("new", "python"))
        self.same_rows(new["image"], [torch.ones_like(row) for row in rows])
        self.same(new["dense"], torch.ones(3, 4, dtype=torch.bfloat16))
        self.same_rows(python["image2"], [torch.full(row.shape, 0.25, dtype=torch.float64) for row in rows])
        self.same(python["dense2"], torch.full((3, 4), 0.25, dtype=torch.float64))
        self.same_rows(python["image"], rows)
        self.assertEqual(python.batch_size, torch.Size([3]))

    def test_taking_turns(self):
        """Python and jagfs add keys to one store in turn, and to collections below it: all are there"""
        mapped = TensorDict({"first": torch.arange(3), "sub": TensorDict({}, [3])}, [3]).memmap(self.path("store"))
        self.create("store", "second", torch.int32, "--shape", "3,2", "--fill", "2")
        self.create("store", "sub/deep/third", torch.int8, "--shapes", self.shapes([[1], [2], [3]]), "--fill", "3")
        mapped.make_memmap("fourth", torch.Size([3]), dtype=torch.float32).fill_(4)
        mapped.make_memmap(("sub", "fifth"), torch.tensor([[2, 1], [1, 1], [3, 1]]), dtype=torch.uint8).fill_(5)
        self.create("store", "sub/sixth", torch.uint8, "--shape", "3", "--fill", "6")
        loaded = TensorDict.load_memmap(self.path("store"))
        self.same(loaded["first"], torch.arange(3))
        self.same(loaded["second"], torch.full((3, 2), 2, dtype=torch.int32))
        self.same_rows(loaded["sub", "deep", "third"], [torch.full((n,), 3, dtype=torch.int8) for n in (1, 2, 3)])
        self.same(loaded["fourth"], torch.full((3,), 4.0))
        self.same_rows(loaded["sub", "fifth"], [torch.full((n, 1), 5, dtype=torch.uint8) for n in (2, 1, 3)])
        self.same(loaded["sub", "sixth"], torch.full((3,), 6, dtype=torch.uint8))
        with jagtest.mounted(self.path("store")) as point:
            self.assertEqual(numpy.load(f"{point}/sub/fifth/2.npy").tolist(), [[5], [5], [5]])

    def create_tree(self, store, collection, path, batch):
        """Leaf by leaf; [(key path, tensor or rows)]. A collection has its parent's batch size."""
        made = []
        for key, value in collection.items.items():
            where = "/".join([*map(file_name, path), file_name(key)])
            options = ["--batch", ",".join(map(str, batch))] if not os.path.exists(self.path(store)) else []
            if isinstance(value, torch.Tensor) and value.dtype in LOADABLE and value.numel() > 0:
                shape = ",".join(map(str, value.shape))
                self.create(store, where, value.dtype, "--shape", shape, "--adopt", self.bytes_file([value]), *options)
            elif isinstance(value, Nested) and value.rows[0].dtype in LOADABLE:
                options += ["--shapes", self.shapes([list(row.shape) for row in value.rows])]
                self.create(store, where, value.rows[0].dtype, "--adopt", self.bytes_file(value.rows), *options)
            elif isinstance(value, Dict) and value.batch == batch:
                made += self.create_tree(store, value, (*path, key), batch)
                continue
            else:
                continue
            made.append(((*path, key), value))
        return made

    def test_trees(self):
        """random trees, leaf by leaf: tensordict loads every leaf under its key, with every bit"""
        count = 0
        for index in range(TREES):
            collection = interop_random.Maker(f"{SEED}.tree.{index}", SPECIAL).collection()
            with self.subTest(seed=SEED, tree=index):
                made = self.create_tree(f"store{index}", collection, (), collection.batch)
                if not made:
                    continue
                loaded = TensorDict.load_memmap(self.path(f"store{index}"))
                self.assertEqual(loaded.batch_size, torch.Size(collection.batch))
                self.assertEqual({key for key in loaded.keys(True, True)},
                                 {path if len(path) > 1 else path[0] for path, _ in made})
                for path, value in made:
                    leaf = loaded.get(path)
                    if isinstance(value, Nested):
                        self.same_rows(leaf, value.rows)
                    else:
                        self.same(leaf, value)
                count += len(made)
        print(f"# seed {SEED}: {count} leaves", flush=True)


if __name__ == "__main__":
    jagtest.main()
