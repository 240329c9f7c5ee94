# SPDX-License-Identifier: MIT
"""The use that jagfs grew from: random JPEGs decoded into one nested mapping, then resized into a dense one. By Python
(workers that map over a tensordict), and by jagfs; each reads what the other made.

JAG_JPEGS is the number of images (1,000; with an old tensordict 200).
"""
import filecmp
import functools
import io
import os
import shutil
import subprocess
import tempfile

import numpy
import torch
from PIL import Image
from tensordict import TensorDict

import interop_random
import jagtest
from jagtest import read

SEED = int(os.environ.get("JAG_SEED", "20"))
COUNT = int(os.environ.get("JAG_JPEGS", "1000" if interop_random.VERSION >= (0, 14) else "200"))
WIDTH = len(str(COUNT - 1))


def decode(files, item):
    with Image.open(files[item["index"]]) as image:
        item["image"].copy_(torch.from_numpy(numpy.asarray(image).copy()).permute(2, 0, 1))


def resize(item):
    image = torch.nn.functional.interpolate(item["image"].clone()[None], size=(32, 32), mode="bilinear", antialias=True)
    return TensorDict({"image": image[0]}, [])


def parallel(source, function, out=None):
    """Element by element, in two workers"""
    source.map(function, dim=0, num_workers=2, chunksize=0, out=out, mp_start_method="fork")


class Seed(jagtest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The JPEGs, Python's nested store of them, and jagfs's"""
        cls.folder = tempfile.mkdtemp(prefix="py.")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        random = numpy.random.default_rng(SEED)
        os.mkdir(cls.at("jpegs"))
        for i in range(COUNT):
            pixels = random.integers(0, 256, (*random.integers(200, 301, 2), 3), dtype=numpy.uint8)
            Image.fromarray(pixels).save(cls.at("jpegs", f"{i:0{WIDTH}d}.jpg"))
        cls.decode_in_python()
        jagtest.jagfs("pack", "-q", cls.at("jpegs"), cls.at("packed"))

    @classmethod
    def at(cls, *parts):
        return os.path.join(cls.folder, *parts)

    @classmethod
    def decode_in_python(cls):
        files = [cls.at("jpegs", name) for name in sorted(os.listdir(cls.at("jpegs")))]
        sizes = [Image.open(name).size for name in files]
        store = TensorDict({"index": torch.arange(COUNT)}, [COUNT]).memmap(cls.at("python"))
        store.make_memmap("image", torch.tensor([[3, height, width] for width, height in sizes]), dtype=torch.uint8)
        parallel(TensorDict.load_memmap(cls.at("python")), functools.partial(decode, files))

    def pixels(self, i):
        """[H,W,3] as Pillow decodes the i-th file"""
        with Image.open(self.at("jpegs", f"{i:0{WIDTH}d}.jpg")) as image:
            return numpy.asarray(image)

    def resize_in_python(self):
        """The dense store of 32x32 that Python makes of its own nested one"""
        store = TensorDict({}, [COUNT]).memmap(self.path("small"))
        store.make_memmap("image", torch.Size([COUNT, 3, 32, 32]), dtype=torch.uint8)
        parallel(TensorDict.load_memmap(self.at("python")), resize, TensorDict.load_memmap(self.path("small")))
        return TensorDict.load_memmap(self.path("small"))["image"]

    def test_python_to_mount(self):
        """Python decodes: each file of the mount has the pixels of its JPEG"""
        with jagtest.mounted(self.at("python")) as point:
            self.assertEqual(sorted(os.listdir(f"{point}/image")), [f"{i:0{WIDTH}d}.png" for i in range(COUNT)])
            for i in range(COUNT):
                name, expected = f"{point}/image/{i:0{WIDTH}d}", self.pixels(i)
                numpy.testing.assert_array_equal(numpy.asarray(Image.open(name + ".png")), expected)
                numpy.testing.assert_array_equal(numpy.load(name + ".npy").transpose(1, 2, 0), expected)
                self.assertEqual(read(name + ".bin"), expected.transpose(2, 0, 1).tobytes())

    def test_pack_to_python(self):
        """jagfs packs: Python loads the pixels of each JPEG, from files that are its own byte for byte"""
        loaded = TensorDict.load_memmap(self.at("packed"))
        self.assertEqual(loaded.batch_size, torch.Size([COUNT]))
        for i, (image, path) in enumerate(zip(loaded["image"].unbind(0), loaded["path"].unbind(0), strict=True)):
            self.assertEqual(bytes(path.tolist()).decode(), f"{i:0{WIDTH}d}.jpg")
            numpy.testing.assert_array_equal(image.permute(1, 2, 0).numpy(), self.pixels(i))
        for name in ("image.memmap", "image.shape.memmap"):
            self.assertTrue(filecmp.cmp(self.at("packed", name), self.at("python", name), shallow=False), name)

    def test_same_mount(self):
        """the mounts of both stores show the same files, also re-encoded"""
        with (jagtest.mounted(self.at("python"), "format=jpg") as one,
              jagtest.mounted(self.at("packed"), "format=jpg") as two):
            subprocess.run(["diff", "-r", f"{one}/image", f"{two}/image"], check=True, timeout=600)

    def test_resize(self):
        """resized by both: within 1 of 255, equal on 99 %; jagfs makes the same of both stores, and while it packs"""
        theirs = self.resize_in_python()
        for name in ("python", "packed"):
            jagtest.jagfs("resize", "-q", "--size", "32x32", self.at(name, "image"), self.path(name))
        jagtest.jagfs("pack", "-q", "--size", "32x32", self.at("jpegs"), self.path("direct"))
        ours = TensorDict.load_memmap(self.path("python"))["image"]
        self.assertEqual((ours.shape, ours.dtype), (theirs.shape, theirs.dtype))
        difference = (ours.short() - theirs.short()).abs()
        self.assertLessEqual(int(difference.max()), 1)
        self.assertLessEqual(int((difference > 0).sum()), difference.numel() // 100)
        for name in ("packed", "direct"):
            self.assertEqual(read(self.path(name, "image.memmap")), read(self.path("python", "image.memmap")), name)

    def test_dense_mount(self):
        """the dense store that Python resized into: a file for each image, written through, and the whole tensor"""
        small = self.resize_in_python()
        with jagtest.mounted(self.path("small")) as point:
            self.assertEqual(len(os.listdir(f"{point}/image")), COUNT)
            numpy.testing.assert_array_equal(numpy.load(f"{point}/image.npy"), small.numpy())
            for i in range(COUNT):
                name = f"{point}/image/{i:0{WIDTH}d}.png"
                pixels = numpy.asarray(Image.open(io.BytesIO(read(name))))
                numpy.testing.assert_array_equal(pixels, small[i].permute(1, 2, 0).numpy())
                Image.fromarray(255 - pixels).save(name)
                numpy.testing.assert_array_equal(small[i].permute(1, 2, 0).numpy(), 255 - pixels)


if __name__ == "__main__":
    jagtest.main()
