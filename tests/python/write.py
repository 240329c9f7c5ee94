# SPDX-License-Identifier: MIT
"""Python's ways of replacing a file, on the elements of a real mount: Pillow, numpy.save, memory maps, os.replace."""
import os
import tempfile

import numpy
from PIL import Image
from tensordict import TensorDict
import torch

import jagtest
from jagtest import read


class Write(jagtest.TestCase):
    def setUp(self):
        super().setUp()
        generator = torch.Generator().manual_seed(11)
        self.images = [torch.randint(0, 256, (3, h, w), dtype=torch.uint8, generator=generator)
                       for h, w in ((5, 7), (40, 64), (40, 64), (17, 16))]
        self.floats = [torch.rand((h, 6), generator=generator) for h in (3, 4, 4, 5)]
        TensorDict({"image": torch.nested.nested_tensor(self.images), "feat": torch.nested.nested_tensor(self.floats),
                    "label": torch.arange(4)}, [4]).memmap(self.path("store"))

    def stored(self, key, i):
        return TensorDict.load_memmap(self.path("store"))[key].unbind(0)[i].numpy()

    def picture(self, i=1):
        """Other pixels of element i's size."""
        return 255 - self.images[i].permute(1, 2, 0).numpy()

    def assert_image(self, i, hwc):
        numpy.testing.assert_array_equal(self.stored("image", i), hwc.transpose(2, 0, 1))

    def test_pillow_saves(self):
        """Image.save onto a .png element: the store has its pixels, and the file is what Pillow wrote"""
        with jagtest.mounted(self.path("store")) as point:
            Image.fromarray(self.picture()).save(f"{point}/image/1.png")
            Image.fromarray(self.picture()).save(self.path("same.png"))
            self.assertEqual(read(point, "image/1.png"), read(self.path("same.png")))
        self.assert_image(1, self.picture())

    def test_pillow_saves_jpg_and_ppm(self):
        """Image.save onto the views of jpg and pnm"""
        with jagtest.mounted(self.path("store")) as point:
            Image.fromarray(self.picture()).save(f"{point}/image@jpg/1.jpg", quality=90)
            Image.fromarray(self.picture()).save(self.path("same.jpg"), quality=90)
            self.assert_image(1, numpy.asarray(Image.open(self.path("same.jpg"))))
            Image.fromarray(self.picture()).save(f"{point}/image@pnm/2.ppm")
        self.assert_image(2, self.picture())

    def test_pillow_wrong_size(self):
        """Image.save of another size raises and changes nothing"""
        with jagtest.mounted(self.path("store")) as point:
            with self.assertRaises(OSError):
                Image.fromarray(self.picture(3)).save(f"{point}/image/1.png")
        self.assert_image(1, self.images[1].permute(1, 2, 0).numpy())

    def test_numpy_save(self):
        """numpy.save, also of a Fortran-ordered and a big-endian array; another dtype raises and changes nothing"""
        with jagtest.mounted(self.path("store")) as point:
            for array in (numpy.arange(24, dtype="<f4").reshape(4, 6), numpy.asfortranarray(numpy.random.rand(4, 6).astype("<f4")),
                          numpy.random.rand(4, 6).astype(">f4")):
                numpy.save(f"{point}/feat/1.npy", array)
                numpy.testing.assert_array_equal(self.stored("feat", 1), array)
            with self.assertRaises(OSError):
                numpy.save(f"{point}/feat/1.npy", array.astype("f8"))
            numpy.testing.assert_array_equal(self.stored("feat", 1), array)

    def test_numpy_savetxt(self):
        """numpy.savetxt onto a txt view, with all digits"""
        array = numpy.random.rand(4, 6).astype("f4")
        with jagtest.mounted(self.path("store")) as point:
            numpy.savetxt(f"{point}/feat@txt/1.txt", array, fmt="%.9g")
            numpy.testing.assert_array_equal(self.stored("feat", 1), array)
            numpy.testing.assert_array_equal(numpy.loadtxt(f"{point}/feat/1.txt", dtype="f4"), array)

    def test_memmap_r_plus(self):
        """numpy.memmap(mode="r+"): stored at flush"""
        with jagtest.mounted(self.path("store")) as point:
            array = numpy.memmap(f"{point}/feat/1.bin", dtype="f4", mode="r+", shape=(4, 6))
            array[2] = 7
            array.flush()
            self.assertTrue((self.stored("feat", 1)[2] == 7).all())
            numpy.testing.assert_array_equal(self.stored("feat", 1)[0], self.floats[1][0].numpy())
            del array  # the mapping keeps the mount busy

    def test_memmap_w_plus(self):
        """numpy.memmap(mode="w+"): the whole element is committed when the map is gone"""
        with jagtest.mounted(self.path("store")) as point:
            array = numpy.memmap(f"{point}/feat@raw/1.bin", dtype="f4", mode="w+", shape=(4, 6))
            array[:] = 3
            array.flush()
            del array
        self.assertTrue((self.stored("feat", 1) == 3).all())

    def test_replace(self):
        """tempfile in the element's folder, fsync, os.replace: what atomic writers do"""
        with jagtest.mounted(self.path("store")) as point:
            with tempfile.NamedTemporaryFile(dir=f"{point}/image", delete=False) as file:
                Image.fromarray(self.picture()).save(file, format="png")
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, f"{point}/image/1.png")
            self.assert_image(1, self.picture())
            self.assertEqual(sorted(os.listdir(f"{point}/image")), [f"{i}.png" for i in range(4)])
            self.assertEqual(numpy.asarray(Image.open(f"{point}/image/1.png")).tolist(), self.picture().tolist())

    def test_replace_wrong(self):
        """os.replace of something else raises, leaves the element and the temporary file"""
        with jagtest.mounted(self.path("store")) as point:
            with open(f"{point}/image/.tmp1", "wb") as file:
                file.write(b"no image")
            with self.assertRaises(OSError):
                os.replace(file.name, f"{point}/image/1.png")
            os.unlink(file.name)
        self.assert_image(1, self.images[1].permute(1, 2, 0).numpy())

    def test_suffix_of_temporary(self):
        """a temporary file that ends in .png looks like an element that is none: PermissionError"""
        with jagtest.mounted(self.path("store")) as point:
            with self.assertRaises(PermissionError):
                tempfile.NamedTemporaryFile(dir=f"{point}/image", suffix=".png")

    def test_label_text(self):
        """pathlib's write_text onto a label"""
        with jagtest.mounted(self.path("store")) as point:
            with open(f"{point}/label/2.txt", "w", encoding="ascii") as file:
                file.write("77")
        self.assertEqual(TensorDict.load_memmap(self.path("store"))["label"].tolist(), [0, 1, 77, 3])


if __name__ == "__main__":
    jagtest.main()
