# SPDX-License-Identifier: MIT
"""Nested leaves of more than 2^31 elements, which tensordict can make but not load: whole, and in chunks that it loads.

The files are sparse: next to nothing is on the disk.
"""
import os
import subprocess

import numpy
import torch
from tensordict import TensorDict

import jagtest

LIMIT = 2**31 - 1
SHAPES = [[3, 20000, 12000 + i] for i in range(4)]  # 2.88e9 elements
NUMELS = [c * h * w for c, h, w in SHAPES]


def at(path, offset, nbytes=4):
    with open(path, "rb", buffering=0) as file:
        file.seek(offset)
        return file.read(nbytes)


def put(path, offset, data):
    with open(path, "r+b", buffering=0) as file:
        file.seek(offset)
        if file.write(data) != len(data):
            raise AssertionError(f"{path}: short write")


class Huge(jagtest.TestCase):
    def create(self, name, *options):
        """What the program says"""
        numpy.save(self.path("shapes.npy"), numpy.array(SHAPES))
        command = [jagtest.JAGFS, "create", "-q", "--sparse", "--shapes", self.path("shapes.npy"), "--dtype", "uint8"]
        done = subprocess.run([*command, *map(str, options), self.path(name), "image"], capture_output=True, timeout=120,
                              check=True)
        return done.stderr.decode()

    def write_and_read(self, name):
        """The first and the last bytes of every element, through a mount that shows them as one sequence"""
        with jagtest.mounted(self.path(name)) as point:
            for i, numel in enumerate(NUMELS):
                path = f"{point}/image/{i}.bin"
                self.assertEqual(os.stat(path).st_size, numel)
                put(path, 0, bytes([i + 1, 2]))
                put(path, numel - 2, bytes([7, i + 1]))
                self.assertEqual(at(path, numel - 2), bytes([7, i + 1]))
        with jagtest.mounted(self.path(name)) as point:
            for i, numel in enumerate(NUMELS):
                self.assertEqual(at(f"{point}/image/{i}.bin", 0), bytes([i + 1, 2, 0, 0]))
                mapped = numpy.load(f"{point}/image/{i}.npy", mmap_mode="r")
                self.assertEqual(mapped.shape, tuple(SHAPES[i]))
                self.assertEqual(mapped[-1, -1, -3:].tolist(), [0, 7, i + 1])
                del mapped

    def test_whole(self):
        """whole: create warns, tensordict refuses indeed, the mount reads and writes beyond 2^31"""
        self.assertIn("tensordict cannot load nested leaves of more than 2147483647 scalars", self.create("whole"))
        with self.assertRaisesRegex(RuntimeError, "mmap"):
            TensorDict.load_memmap(self.path("whole"))["image"].unbind(0)
        self.assertEqual(os.stat(self.path("whole", "image.memmap")).st_size, sum(NUMELS))
        self.write_and_read("whole")
        self.assertEqual(at(self.path("whole", "image.memmap"), sum(NUMELS) - 2), bytes([7, 4]))
        self.assertEqual(at(self.path("whole", "image.memmap"), sum(NUMELS[:3])), bytes([4, 2, 0, 0]))
        self.assertEqual(os.stat(self.path("whole", "image.memmap")).st_size, sum(NUMELS))

    def test_made_by_python(self):
        """one that make_memmap made: jagfs reads what Python cannot load again"""
        store = TensorDict({}, [4]).memmap(self.path("python"))
        store.make_memmap("image", torch.tensor(SHAPES), dtype=torch.uint8)
        with self.assertRaisesRegex(RuntimeError, "mmap"):
            TensorDict.load_memmap(self.path("python"))["image"].unbind(0)
        self.write_and_read("python")

    def test_chunks(self):
        """--chunk-elements: tensordict loads chunk by chunk and writes; the mount shows one sequence"""
        self.assertEqual(self.create("chunks", "--chunk-elements", LIMIT), "")
        chunks = sorted((name for name in os.listdir(self.path("chunks")) if name.isdigit()), key=int)
        self.assertEqual(chunks, ["0", "1"])
        self.write_and_read("chunks")
        loaded = [TensorDict.load_memmap(self.path("chunks", chunk))["image"] for chunk in chunks]
        rows = [row for leaf in loaded for row in leaf.unbind(0)]
        self.assertEqual([list(row.shape) for row in rows], SHAPES)
        for i, row in enumerate(rows):
            self.assertEqual(row[0, 0, :3].tolist(), [i + 1, 2, 0])
            row[1, 0, :2] = 9
        with jagtest.mounted(self.path("chunks")) as point:
            for i, (_, height, width) in enumerate(SHAPES):
                self.assertEqual(at(f"{point}/image/{i}.bin", height * width), bytes([9, 9, 0, 0]))


if __name__ == "__main__":
    jagtest.main()
