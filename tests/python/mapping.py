# SPDX-License-Identifier: MIT
"""Readers and writers in Python on a real mount: Pillow, NumPy's maps, and a process that stores into the mapping."""
import io
import mmap
import os
import subprocess
import sys

import numpy
from PIL import Image
from tensordict import TensorDict
import torch

import jagtest
from jagtest import read

DIRTY = """
import sys, time
from tensordict import TensorDict
td = TensorDict.load_memmap(sys.argv[1])
td["image"].unbind(0)[1].fill_(int(sys.argv[2]))
print("stored", flush=True)
sys.stdin.read()  # the page stays dirty and mapped until the parent closes the pipe
"""


class Mapping(jagtest.TestCase):
    def setUp(self):
        super().setUp()
        generator = torch.Generator().manual_seed(7)
        self.images = [torch.randint(0, 256, (3, h, w), dtype=torch.uint8, generator=generator)
                       for h, w in ((5, 7), (40, 64), (9, 3), (17, 16))]
        TensorDict({"image": torch.nested.nested_tensor(self.images), "label": torch.arange(4)}, [4]).memmap(self.path("store"))

    def hwc(self, i):
        return self.images[i].permute(1, 2, 0).numpy()

    def test_pillow_opens_png(self):
        """Image.open of each listed file gives the tensor's pixels"""
        with jagtest.mounted(self.path("store")) as point:
            self.assertEqual(sorted(os.listdir(f"{point}/image")), [f"{i}.png" for i in range(4)])
            for i in range(4):
                numpy.testing.assert_array_equal(numpy.asarray(Image.open(f"{point}/image/{i}.png")), self.hwc(i))
                numpy.testing.assert_array_equal(numpy.asarray(Image.open(f"{point}/image/{i}.ppm")), self.hwc(i))

    def test_numpy_maps_for_reading(self):
        """numpy.load(mmap_mode="r") maps an element"""
        with jagtest.mounted(self.path("store")) as point:
            for i in range(4):
                numpy.testing.assert_array_equal(numpy.load(f"{point}/image/{i}.npy", mmap_mode="r"), self.images[i].numpy())
            numpy.testing.assert_array_equal(numpy.load(f"{point}/label.npy", mmap_mode="r"), numpy.arange(4))

    def test_numpy_maps_for_writing(self):
        """numpy.load(mmap_mode="r+"): a store and flush are in the store's mapping"""
        with jagtest.mounted(self.path("store")) as point:
            array = numpy.load(f"{point}/image/2.npy", mmap_mode="r+")
            array[1] = 200
            array.flush()
            del array
            loaded = TensorDict.load_memmap(self.path("store"))["image"].unbind(0)[2]
            self.assertTrue((loaded[1] == 200).all())
            self.assertTrue((loaded[0] == self.images[2][0]).all())

    def test_write_in_place(self):
        """open("r+b") and write: the bytes are in another process's mapping when write returns"""
        mapped = TensorDict.load_memmap(self.path("store"))["image"].unbind(0)[0]
        with jagtest.mounted(self.path("store")) as point:
            with open(f"{point}/image/0.bin", "r+b", buffering=0) as file:
                file.seek(3)
                file.write(b"\x01\x02\x03")
                self.assertEqual(mapped.flatten()[3:6].tolist(), [1, 2, 3])

    def test_shared_mapping_of_raw(self):
        """a shared mmap of a raw element: msync stores it"""
        with jagtest.mounted(self.path("store")) as point:
            with open(f"{point}/image/3.bin", "r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
                pages[0:2] = b"\x0a\x0b"
                pages.flush()
                loaded = TensorDict.load_memmap(self.path("store"))["image"].unbind(0)[3]
                self.assertEqual(loaded.flatten()[:2].tolist(), [10, 11])

    def test_dirty_page_is_seen_by_a_fresh_open(self):
        """a process stores into the mapping without msync: the next open sees it, raw and re-encoded"""
        with jagtest.mounted(self.path("store")) as point:
            for name in ("1.png", "1.bin", "1.npy", "1.jpg"):  # what the kernel and jagfs remember must not be shown again
                read(point, "image", name)
            for value in (200, 31):
                with subprocess.Popen([sys.executable, "-c", DIRTY, self.path("store"), str(value)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE) as child:
                    self.assertEqual(child.stdout.readline(), b"stored\n")
                    self.assertEqual(set(read(point, "image", "1.bin")), {value})
                    self.assertEqual(set(numpy.load(f"{point}/image/1.npy").flatten()), {value})
                    for name in ("1.png", "1.ppm", "1.jpg"):
                        pixels = numpy.asarray(Image.open(io.BytesIO(read(point, "image", name)))).astype(int)
                        self.assertLessEqual(abs(pixels - value).max(), 1 if name == "1.jpg" else 0, name)
                    child.stdin.close()

    def test_without_batch_size(self):
        """TensorDict(...).memmap() without a batch size still shows image/ with a file a row"""
        images = torch.stack([self.images[1], self.images[1].flip(0)])
        TensorDict({"image": images, "label": torch.tensor([3, 4])}).memmap(self.path("plain"))
        with jagtest.mounted(self.path("plain")) as point:
            self.assertEqual(sorted(os.listdir(f"{point}/image")), ["0.png", "1.png"])
            self.assertIn("label.npy", os.listdir(point))
            numpy.testing.assert_array_equal(numpy.asarray(Image.open(f"{point}/image/1.png")), images[1].permute(1, 2, 0).numpy())
            numpy.testing.assert_array_equal(numpy.load(f"{point}/image.npy"), images.numpy())


if __name__ == "__main__":
    jagtest.main()
