# SPDX-License-Identifier: MIT
"""What jagfs resize makes of images, against torch: torchvision's Resize on uint8 tensors is its interpolate()."""
import io
import os

import numpy
import torch
from PIL import Image
from tensordict import TensorDict

import jagtest


def interpolate(image, height, width, antialias=True):
    """[C,H,W] of any dtype; other types than uint8 and float32 in float32 and rounded, as torchvision does."""
    dtype = image.dtype
    source = image if dtype in (torch.uint8, torch.float32) else image.float()
    out = torch.nn.functional.interpolate(source.unsqueeze(0).contiguous(), size=(height, width), mode="bilinear",
                                          antialias=antialias)[0]
    return out if out.dtype == dtype else out.round().to(dtype)


def short(image, side):
    """Resize(side) of torchvision"""
    height, width = image.shape[1:]
    longer = int(side * max(height, width) / min(height, width))
    return interpolate(image, *((side, longer) if height <= width else (longer, side)))


def cover(image, side):
    """Resize(side) and CenterCrop(side) of torchvision"""
    scaled = short(image, side)
    top, left = (int(round((length - side) / 2.0)) for length in scaled.shape[1:])
    return scaled[:, top:top + side, left:left + side]


def longest(image, side):
    """Resize(None, max_size=side) of torchvision, which here never enlarges"""
    height, width = image.shape[1:]
    if max(height, width) <= side:
        return image
    shorter = max(1, int(side * min(height, width) / max(height, width)))
    return interpolate(image, *((shorter, side) if height <= width else (side, shorter)))


def nested(tensors):
    return torch.nested.as_nested_tensor(tensors, layout=torch.strided)


class Resize(jagtest.TestCase):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(11)
        torch.manual_seed(11)

    def sides(self, count, largest=200):
        return self.random.integers(1, largest, (count, 2)).tolist()

    def resize(self, key, *options, source="store"):
        name = f"out{len(os.listdir(self.tmp))}"
        jagtest.jagfs("resize", "-q", *options, self.path(source, key), self.path(name))
        return TensorDict.load_memmap(self.path(name))

    def check(self, got, expected):
        """Within 1 of 255 on every value, equal on 99 % of all"""
        self.assertEqual(len(got), len(expected))
        values = unequal = 0
        for index, (ours, theirs) in enumerate(zip(got, expected)):
            self.assertEqual((ours.shape, ours.dtype), (theirs.shape, theirs.dtype), index)
            difference = (ours.to(torch.int64) - theirs.to(torch.int64)).abs()
            self.assertLessEqual(int(difference.max()), 1, (index, ours.shape))
            values += difference.numel()
            unequal += int((difference > 0).sum())
        self.assertLessEqual(unequal, values // 100)

    def store_of(self, images, **more):
        TensorDict({"image": nested(images), **more}, batch_size=[len(images)]).memmap(self.path("store"))
        return images

    def test_up_and_down(self):
        """resize: up and down, odd sizes, one to four channels equal torch on uint8"""
        for channels in (1, 3, 4):
            images = [torch.randint(0, 256, (channels, h, w), dtype=torch.uint8) for h, w in self.sides(24)]
            store = f"store{channels}"
            TensorDict({"image": nested(images)}, batch_size=[24]).memmap(self.path(store))
            for height, width in ((32, 32), (7, 151), (211, 13), (2, 301)):
                with self.subTest((channels, height, width)):
                    got = self.resize("image", "--size", f"{height}x{width}", source=store)
                    self.assertFalse(got["image"].is_nested)
                    self.check(got["image"], [interpolate(image, height, width) for image in images])

    def test_no_antialias(self):
        """resize --no-antialias equals torch's antialias=False"""
        images = self.store_of([torch.randint(0, 256, (3, h + 1, w + 1), dtype=torch.uint8) for h, w in self.sides(24)])
        for height, width in ((32, 30), (250, 7)):
            got = self.resize("image", "--no-antialias", "--size", f"{height}x{width}")["image"]
            self.check(got, [interpolate(image, height, width, False) for image in images])

    def test_rules(self):
        """resize short:, max: and --fit cover have torchvision's sizes and pixels"""
        images = self.store_of([torch.randint(0, 256, (3, h, w), dtype=torch.uint8)
                                for h, w in self.sides(30) if max(h, w) / min(h, w) < 30])
        self.check(self.resize("image", "--size", "short:29")["image"].unbind(0), [short(i, 29) for i in images])
        self.check(self.resize("image", "--size", "max:50")["image"].unbind(0), [longest(i, 50) for i in images])
        self.check(self.resize("image", "--size", "31x31", "--fit", "cover")["image"], [cover(i, 31) for i in images])

    def test_layouts(self):
        """resize: interleaved and planar images, clips, masks and 16 bits keep their layout and dtype"""
        sides = self.sides(10, 60)
        hwc = [torch.randint(0, 256, (h, w, 3), dtype=torch.uint8) for h, w in sides]
        gray = [image[:, :, 0].contiguous() for image in hwc]
        clip = torch.randint(0, 256, (10, 4, 3, 20, 24), dtype=torch.uint8)
        deep = torch.randint(0, 65536, (10, 3, 20, 24), dtype=torch.int32).to(torch.uint16)
        TensorDict({"hwc": nested(hwc), "gray": nested(gray), "clip": clip, "deep": deep,
                    "real": deep.float() / 65535}, batch_size=[10]).memmap(self.path("store"))
        size = ("--size", "9x14")
        self.check(self.resize("hwc", *size)["hwc"],
                   [interpolate(i.permute(2, 0, 1), 9, 14).permute(1, 2, 0) for i in hwc])
        self.check(self.resize("gray", *size)["gray"], [interpolate(i[None], 9, 14)[0] for i in gray])
        self.check(self.resize("clip", *size)["clip"],
                   [torch.stack([interpolate(f, 9, 14) for f in c]) for c in clip])
        self.check(self.resize("deep", *size)["deep"].unbind(0), [interpolate(i, 9, 14) for i in deep.unbind(0)])
        real = self.resize("real", *size, "--layout", "chw")["real"]
        torch.testing.assert_close(real, torch.stack([interpolate(i / 65535, 9, 14) for i in deep.float()]))

    def test_kept(self):
        """resize keeps leaves of the same length and values; what it cannot keep is left out"""
        images = [torch.randint(0, 256, (3, h, w), dtype=torch.uint8) for h, w in self.sides(12)]
        words = nested([torch.arange(i % 5 + 1, dtype=torch.int16) for i in range(12)])
        self.store_of(images, label=torch.arange(12), words=words, half=torch.randn(12, 2, 3).bfloat16(),
                      below=TensorDict({"x": torch.zeros(12)}, batch_size=[12]))
        got = self.resize("image", "--size", "short:20")
        self.assertEqual(sorted(got.keys()), ["half", "image", "jagfs", "label", "words"])
        source = TensorDict.load_memmap(self.path("store"))
        for key in ("label", "half"):
            self.assertTrue(torch.equal(got[key], source[key]), key)
        for ours, theirs in zip(got["words"].unbind(0), source["words"].unbind(0)):
            self.assertTrue(torch.equal(ours, theirs))
        self.assertEqual(got.batch_size, torch.Size([12]))

    def test_files(self):
        """resize decodes elements that are image files; their headers give the shapes"""
        files, images = [], []
        for index, (height, width) in enumerate(self.sides(12, 90)):
            pixels = self.random.integers(0, 256, (height, width, 3), dtype=numpy.uint8)
            buffer = io.BytesIO()
            Image.fromarray(pixels).save(buffer, "PNG" if index % 2 else "JPEG", quality=90)
            files.append(torch.frombuffer(bytearray(buffer.getvalue()), dtype=torch.uint8))
            images.append(torch.from_numpy(numpy.asarray(Image.open(buffer).convert("RGB")).copy()).permute(2, 0, 1))
        TensorDict({"file": nested(files)}, batch_size=[12]).memmap(self.path("store"))
        self.check(self.resize("file", "--size", "20x30")["file"], [interpolate(i, 20, 30) for i in images])
        self.check(self.resize("file", "--size", "max:40")["file"].unbind(0), [longest(i, 40) for i in images])

    def test_chunks(self):
        """resize --chunk-elements: every chunk loads in Python, and the chunks in order are all images"""
        images = self.store_of([torch.randint(0, 256, (3, h, w), dtype=torch.uint8) for h, w in self.sides(30, 40)])
        name = self.path("many")
        jagtest.jagfs("resize", "-q", "--size", "max:30", "--chunk-elements", 9000, self.path("store", "image"), name)
        chunks = sorted((d for d in os.listdir(name) if d.isdigit()), key=int)
        self.assertGreater(len(chunks), 2)
        joined = [i for chunk in chunks for i in TensorDict.load_memmap(os.path.join(name, chunk))["image"].unbind(0)]
        self.check(joined, [longest(image, 30) for image in images])

    def test_mount(self):
        """a mount of a dense result: a file for each image, the whole tensor, both written through"""
        self.store_of([torch.randint(0, 256, (3, h, w), dtype=torch.uint8) for h, w in self.sides(12)])
        small = self.resize("image", "--size", "32x32")["image"]
        store = self.path(next(n for n in os.listdir(self.tmp) if n.startswith("out")))
        with jagtest.mounted(store) as mount:
            self.assertEqual(len(os.listdir(os.path.join(mount, "image"))), 12)
            whole = numpy.load(os.path.join(mount, "image.npy"))
            numpy.testing.assert_array_equal(whole, small.numpy())
            with Image.open(os.path.join(mount, "image", "07.png")) as file:
                numpy.testing.assert_array_equal(numpy.asarray(file), small[7].permute(1, 2, 0).numpy())
            for name, index in (("image/07.npy", Ellipsis), ("image.npy", 3)):
                mapped = numpy.load(os.path.join(mount, name), mmap_mode="r+")
                mapped[index] = 255 - mapped[index]
                mapped.flush()
            del mapped
        again = TensorDict.load_memmap(store)["image"].numpy()
        for index in range(12):
            expected = 255 - whole[index] if index in (3, 7) else whole[index]
            numpy.testing.assert_array_equal(again[index], expected)


if __name__ == "__main__":
    jagtest.main()
