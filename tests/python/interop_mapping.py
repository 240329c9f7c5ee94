# SPDX-License-Identifier: MIT
"""Python holds the mapping while jagfs writes through the mount, and the other way round: each sees the other at once.

JAG_SEED is the seed, JAG_WRITES the number of writes for each dtype.
"""
import io
import os
import subprocess
import sys

import numpy
import torch
from PIL import Image
from tensordict import LazyStackedTensorDict, MemoryMappedTensor, TensorDict

import interop_random
import jagtest
from interop_random import LOADABLE, random_bits
from jagtest import read, tensor_bytes

SEED = int(os.environ.get("JAG_SEED", "20"))
WRITES = int(os.environ.get("JAG_WRITES", "12"))  # for each dtype and way

# Prints a digest of a leaf's bytes for every line that it reads: a process that maps the store once, and never again.
HOLDER = """
import sys, zlib
import jagtest
from tensordict import TensorDict
leaf = TensorDict.load_memmap(sys.argv[1])["image"]
for line in sys.stdin:
    print(zlib.crc32(b"".join(jagtest.tensor_bytes(row) for row in leaf.unbind(0))), flush=True)
"""


def write_in_place(path, offset, data):
    with open(path, "r+b", buffering=0) as file:
        file.seek(offset)
        if file.write(data) != len(data):
            raise AssertionError(f"{path}: short write")


class Mapping(jagtest.TestCase):
    def setUp(self):
        super().setUp()
        self.rng = interop_random.Maker(SEED).rng

    def make(self, dtype):
        """(dense, rows) of a store with d [5,4,3] and n of 5 rows, as this process maps it"""
        store = self.path(str(dtype))
        mapped = TensorDict({"d": random_bits(self.rng, [5, 4, 3], dtype)}, [5]).memmap(store)
        shapes = torch.tensor([[self.rng.randint(1, 9), 4] for _ in range(5)])
        leaf = mapped.make_memmap("n", shapes, dtype=dtype)
        for row in leaf.unbind(0):
            row.copy_(random_bits(self.rng, row.shape, dtype))
        loaded = TensorDict.load_memmap(store)
        return store, loaded["d"], loaded["n"].unbind(0)

    def change(self, point, dense, rows, dtype):
        """One write through the mount: the path, offset and bytes, and the tensor that must have them then."""
        rng, i = self.rng, self.rng.randrange(5)
        path, tensor = rng.choice([(f"{point}/n/{i}", rows[i]), (f"{point}/d/{i}", dense[i]), (f"{point}/d", dense)])
        nbytes, item = tensor.numel() * tensor.element_size(), tensor.element_size()
        first = rng.randrange(nbytes // item)
        data = tensor_bytes(random_bits(rng, [rng.randint(1, nbytes // item - first)], dtype))
        header, suffix = 0, ".bin"
        if os.path.exists(path + ".npy") and rng.random() < 0.5:
            header, suffix = os.stat(path + ".npy").st_size - nbytes, ".npy"
        return path + suffix, header, first * item, data, tensor

    def test_mount_to_mapping(self):
        """in-place writes into .bin and .npy, every dtype: the held mapping has the bytes when write returns"""
        for dtype in LOADABLE:
            store, dense, rows = self.make(dtype)
            with self.subTest(dtype, seed=SEED), jagtest.mounted(store) as point:
                for _ in range(WRITES):
                    path, header, offset, data, tensor = self.change(point, dense, rows, dtype)
                    others = [tensor_bytes(row) for row in rows if row is not tensor]
                    expected = bytearray(tensor_bytes(tensor))
                    expected[offset:offset + len(data)] = data
                    write_in_place(path, header + offset, data)
                    self.assertEqual(tensor_bytes(tensor), bytes(expected), path)
                    self.assertEqual([tensor_bytes(row) for row in rows if row is not tensor], others, path)
                    self.assertEqual(read(path)[header:], bytes(expected), path)

    def test_mapping_to_mount(self):
        """stores into the held mapping, every dtype: every file that is opened then has them"""
        for dtype in LOADABLE:
            store, dense, rows = self.make(dtype)
            with self.subTest(dtype, seed=SEED), jagtest.mounted(store) as point:
                for _ in range(WRITES):
                    i = self.rng.randrange(5)
                    read(f"{point}/n/{i}.bin"), read(f"{point}/d/{i}.bin"), read(f"{point}/d.bin")  # now in every cache
                    for tensor in (rows[i], dense[i]):
                        tensor.copy_(random_bits(self.rng, tensor.shape, dtype))
                    self.assertEqual(read(f"{point}/n/{i}.bin"), tensor_bytes(rows[i]))
                    self.assertEqual(read(f"{point}/d/{i}.bin"), tensor_bytes(dense[i]))
                    self.assertEqual(read(f"{point}/d.bin"), tensor_bytes(dense))
                    if os.path.exists(f"{point}/n/{i}.npy"):
                        self.assertEqual(numpy.load(f"{point}/n/{i}.npy").tobytes(), tensor_bytes(rows[i]))

    def images(self):
        sides = [(self.rng.randint(1, 40), self.rng.randint(1, 40)) for _ in range(6)]
        images = [random_bits(self.rng, [3, height, width], torch.uint8) for height, width in sides]
        nested = torch.nested.as_nested_tensor(images, layout=torch.strided)
        TensorDict({"image": nested}, [6]).memmap(self.path("store"))
        return TensorDict.load_memmap(self.path("store"))["image"].unbind(0)

    def test_whole_files(self):
        """numpy.save and Image.save over an element: the held mapping has the pixels when the file is closed"""
        held = self.images()
        with jagtest.mounted(self.path("store")) as point:
            for i, row in enumerate(held):
                new = random_bits(self.rng, row.shape, torch.uint8).numpy()
                numpy.save(f"{point}/image@npy/{i}.npy", new)
                numpy.testing.assert_array_equal(row.numpy(), new)
                new = 255 - new
                Image.fromarray(new.transpose(1, 2, 0)).save(f"{point}/image/{i}.png")
                numpy.testing.assert_array_equal(row.numpy(), new)

    def test_refused_files(self):
        """a file of another shape is refused when it is closed, and the held mapping is as it was"""
        held = self.images()
        before = [row.clone() for row in held]
        with jagtest.mounted(self.path("store")) as point:
            for i, row in enumerate(held):
                out = io.BytesIO()
                Image.fromarray(numpy.zeros((row.shape[1] + 1, row.shape[2], 3), numpy.uint8)).save(out, "PNG")
                with self.assertRaises(OSError):
                    with open(f"{point}/image/{i}.png", "wb") as file:
                        file.write(out.getvalue())
                self.assertTrue(torch.equal(row, before[i]))

    def test_another_process(self):
        """a process that has mapped the store before the mount sees each write in it"""
        held = self.images()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen([sys.executable, "-W", "ignore", "-c", HOLDER, self.path("store")], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, env=environment) as child:
            def digest():
                child.stdin.write(b"\n")
                child.stdin.flush()
                return int(child.stdout.readline())
            digests = {digest()}
            with jagtest.mounted(self.path("store")) as point:
                for i in range(6):
                    write_in_place(f"{point}/image/{i}.bin", 1, bytes([held[i].flatten()[1] ^ 0x55]))
                    digests.add(digest())
            self.assertEqual(len(digests), 7)
            child.stdin.close()

    def test_bare_tensor(self):
        """a MemoryMappedTensor made by from_filename, and one that is still held by the tensordict that made it"""
        rows = torch.tensor([[3, 4], [2, 5], [1, 1]])
        mapped = TensorDict({}, [3]).memmap_(self.path("store"))
        made = mapped.make_memmap("x", rows, dtype=torch.int32)
        bare = MemoryMappedTensor.from_filename(self.path("store", "x.memmap"), torch.int32, rows)
        with jagtest.mounted(self.path("store")) as point:
            write_in_place(f"{point}/x/1.bin", 4, numpy.array([7, 8], "<i4").tobytes())
            for tensor in (made, bare):
                self.assertEqual(tensor.unbind(0)[1].flatten().tolist(), [0, 7, 8, 0, 0, 0, 0, 0, 0, 0])
            made.unbind(0)[2].fill_(-5)
            self.assertEqual(numpy.load(f"{point}/x/2.npy").tolist(), [[-5]])

    def test_joined(self):
        """chunks of one leaf, and children of a lazy stack: an index of the whole lands in the right part"""
        numpy.save(self.path("shapes.npy"), numpy.array([[2, 3]] * 7))
        jagtest.jagfs("create", "-q", "--shapes", self.path("shapes.npy"), "--dtype", "int16", "--chunk-elements", 18,
                      self.path("chunks"), "x")
        chunks = [TensorDict.load_memmap(self.path("chunks", str(i)))["x"].unbind(0) for i in range(3)]
        held = [row for chunk in chunks for row in chunk]
        stack = LazyStackedTensorDict(*[TensorDict({"x": torch.zeros(2, i + 1)}, []) for i in range(7)], stack_dim=0)
        stack.memmap(self.path("stack"))
        stacked = [child["x"] for child in TensorDict.load_memmap(self.path("stack")).tensordicts]
        for name, rows in (("chunks", held), ("stack", stacked)):
            with jagtest.mounted(self.path(name)) as point:
                for i, row in enumerate(rows):
                    numpy.load(f"{point}/x/{i}.npy", mmap_mode="r+")[...] = i + 1
                    self.assertEqual(set(row.flatten().tolist()), {i + 1})
                    row.fill_(-i)
                    self.assertEqual(set(numpy.load(f"{point}/x/{i}.npy").flatten()), {-i})


if __name__ == "__main__":
    jagtest.main()
