# SPDX-License-Identifier: MIT
"""Every element of a packed folder of photographs, in every format, against Pillow's decoding of its source.

$JAG_PHOTOS is the folder; without it the drawn kinds of pack.py are taken.
"""
import io
import os

import numpy
from PIL import Image
from tensordict import TensorDict

import jagtest
import pack
from jagtest import read


class Photos(jagtest.TestCase):
    def setUp(self):
        super().setUp()
        self.photos = os.environ.get("JAG_PHOTOS")
        if not self.photos:
            self.photos = self.path("photos")
            pack.write_kinds(self.photos)
        jagtest.jagfs("pack", "-q", self.photos, self.path("store"))
        loaded = TensorDict.load_memmap(self.path("store"))
        self.sources = [bytes(p.tolist()).decode() for p in loaded["path"].unbind(0)]
        self.width = len(str(len(self.sources) - 1))

    def test_pixels(self):
        """.png, .ppm and .npy of every element are the pixels that Pillow decodes; .jpg the bytes that it encodes"""
        with jagtest.mounted(self.path("store")) as point:
            self.assertEqual(len(os.listdir(f"{point}/image")), len(self.sources))
            for i, source in enumerate(self.sources):
                with Image.open(os.path.join(self.photos, source)) as file:
                    expected = numpy.asarray(file.convert("RGB"))
                name = f"{point}/image/{i:0{self.width}d}"
                for suffix in (".png", ".ppm"):
                    with Image.open(name + suffix) as file:
                        numpy.testing.assert_array_equal(numpy.asarray(file), expected, source)
                array = numpy.array(numpy.load(name + ".npy", mmap_mode="r"))
                numpy.testing.assert_array_equal(array.transpose(1, 2, 0), expected, source)
                out = io.BytesIO()
                Image.fromarray(expected).save(out, "JPEG", quality=95, subsampling="4:2:0")
                self.assertEqual(read(name + ".jpg"), out.getvalue(), source)


if __name__ == "__main__":
    jagtest.main()
