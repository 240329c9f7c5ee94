# SPDX-License-Identifier: MIT
"""What jagfs pack writes, against Pillow's decoding and tensordict's loading; what the mount encodes, against Pillow."""
import io
import os
import subprocess

import numpy
from PIL import Image
from tensordict import TensorDict

import jagtest
from jagtest import read


def photo(width, height, seed=1):
    """Smooth colours with some noise, so that JPEG has something to do."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[0:height, 0:width]
    waves = [128 + 90 * numpy.sin(x / (7 + c) + seed) * numpy.cos(y / (11 - c)) for c in range(3)]
    return numpy.clip(numpy.stack(waves, 2) + random.normal(0, 12, (height, width, 3)), 0, 255).astype(numpy.uint8)


def write_kinds(folder):
    """One file for each kind of JPEG and PNG that Pillow can write."""
    os.makedirs(folder)
    rgb = Image.fromarray(photo(61, 47))
    for name, image, options in (
            ("rgb444.jpg", rgb, {"subsampling": "4:4:4", "quality": 90}),
            ("rgb422.jpg", rgb, {"subsampling": "4:2:2"}),
            ("rgb420.jpg", rgb, {"subsampling": "4:2:0", "quality": 60}),
            ("progressive.jpg", rgb, {"progressive": True}),
            ("optimized.jpg", rgb, {"optimize": True}),
            ("restart.jpg", rgb, {"restart_marker_rows": 1}),
            ("gray.jpg", rgb.convert("L"), {}),
            ("cmyk.jpg", rgb.convert("CMYK"), {"quality": 92}),
            ("exif.jpg", rgb, {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"}),
            ("one.jpg", rgb.resize((1, 1)), {}),
            ("wide.jpg", rgb.resize((300, 1)), {}),
            ("rgb.png", rgb, {}),
            ("level0.png", rgb, {"compress_level": 0}),
            ("rgba.png", Image.merge("RGBA", (*rgb.split(), rgb.convert("L"))), {}),
            ("gray.png", rgb.convert("L"), {}),
            ("grayalpha.png", Image.merge("LA", (rgb.convert("L"), rgb.split()[0])), {}),
            ("bits1.png", rgb.convert("1"), {}),
            ("palette.png", rgb.quantize(200), {}),
            ("palette4.png", rgb.quantize(9), {"bits": 4}),
            ("palette1.png", rgb.quantize(2), {"bits": 1}),
            ("palettetrns.png", rgb.quantize(50), {"transparency": bytes(range(0, 250, 5))}),
            ("rgbtrns.png", rgb, {"transparency": (10, 20, 30)}),
            ("graytrns.png", rgb.convert("L"), {"transparency": 77}),
    ):
        image.save(os.path.join(folder, name), **options)


class Pack(jagtest.TestCase):
    def load(self, store):
        """[(source path, array [C,H,W])] of a store, as tensordict loads it."""
        loaded = TensorDict.load_memmap(store)
        paths = [bytes(p.tolist()).decode() for p in loaded["path"].unbind(0)]
        return list(zip(paths, [t.numpy() for t in loaded["image"].unbind(0)]))

    def check_mode(self, mode, pillow_mode):
        write_kinds(self.path("src"))
        jagfs_mode = () if mode == "rgb" else ("--mode", mode)
        jagtest.jagfs("pack", "-q", *jagfs_mode, self.path("src"), self.path("store"))
        elements = self.load(self.path("store"))
        self.assertEqual(sorted(p for p, _ in elements), sorted(os.listdir(self.path("src"))))
        for path, array in elements:
            with self.subTest(path):
                expected = numpy.asarray(Image.open(self.path("src", path)).convert(pillow_mode))
                expected = expected[:, :, None] if expected.ndim == 2 else expected
                numpy.testing.assert_array_equal(array.transpose(1, 2, 0), expected, path)

    def test_rgb(self):
        """pack: every kind of JPEG and PNG equals Pillow's convert("RGB")"""
        self.check_mode("rgb", "RGB")

    def test_gray(self):
        """pack --mode gray: every kind equals Pillow's convert("L")"""
        self.check_mode("gray", "L")

    def test_rgba(self):
        """pack --mode rgba: every kind equals Pillow's convert("RGBA")"""
        self.check_mode("rgba", "RGBA")

    def write_classes(self, count=21):
        for i in range(count):
            folder = self.path("src", ("zebra", "ant", "Bee")[i % 3])
            os.makedirs(folder, exist_ok=True)
            Image.fromarray(photo(20 + i, 50 - i, i)).save(os.path.join(folder, f"{i:02d}.png"))

    def test_labels(self):
        """pack of class folders: label and classes as torchvision's ImageFolder orders them"""
        self.write_classes()
        jagtest.jagfs("pack", "-q", self.path("src"), self.path("store"))
        loaded = TensorDict.load_memmap(self.path("store"))
        classes = loaded["classes"] if isinstance(loaded["classes"], list) else loaded.get("classes").tolist()
        self.assertEqual(classes, ["Bee", "ant", "zebra"])
        for (path, _), label in zip(self.load(self.path("store")), loaded["label"].tolist()):
            self.assertEqual(path.split("/")[-2], classes[label])

    def test_chunks(self):
        """pack --chunk-elements: every chunk loads in Python, and the chunks in order are the unchunked store"""
        self.write_classes()
        jagtest.jagfs("pack", "-q", self.path("src"), self.path("one"))
        total = sum(array.size for _, array in self.load(self.path("one")))
        jagtest.jagfs("pack", "-q", "--chunk-elements", total // 6, self.path("src"), self.path("many"))
        chunks = sorted((d for d in os.listdir(self.path("many")) if d.isdigit()), key=int)
        self.assertGreaterEqual(len(chunks), 6)
        joined = [element for chunk in chunks for element in self.load(self.path("many", chunk))]
        for (path, array), (expected_path, expected) in zip(joined, self.load(self.path("one")), strict=True):
            self.assertEqual(path, expected_path)
            numpy.testing.assert_array_equal(array, expected)
        with jagtest.mounted(self.path("one")) as one, jagtest.mounted(self.path("many")) as many:
            subprocess.run(["diff", "-r", f"{one}/image", f"{many}/image"], check=True, timeout=120)

    def encoded(self, array, **options):
        out = io.BytesIO()
        Image.fromarray(array).save(out, "JPEG", **options)
        return out.getvalue()

    def test_jpg_bytes(self):
        """a .jpg of the mount has the bytes that Pillow writes with the same settings"""
        os.makedirs(self.path("src"))
        pixels = [photo(64, 48, 1), photo(33, 17, 2), photo(1, 9, 3)]
        for i, array in enumerate(pixels):
            Image.fromarray(array).save(self.path("src", f"{i}.png"))
        jagtest.jagfs("pack", "-q", self.path("src"), self.path("store"))
        for options, settings in (((), {"quality": 95, "subsampling": "4:2:0"}),
                                  (("quality=80", "subsampling=444"), {"quality": 80, "subsampling": "4:4:4"}),
                                  (("quality=30", "subsampling=422"), {"quality": 30, "subsampling": "4:2:2"})):
            with jagtest.mounted(self.path("store"), *options) as point:
                for i, array in enumerate(pixels):
                    self.assertEqual(read(point, "image", f"{i}.jpg"), self.encoded(array, **settings), (i, settings))


if __name__ == "__main__":
    jagtest.main()
