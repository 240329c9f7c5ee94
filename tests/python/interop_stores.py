# SPDX-License-Identifier: MIT
"""Random stores that tensordict writes: every element through the mount, bit for bit.

JAG_SEED is the seed (printed), JAG_STORES the number of stores; JAG_STORE=I takes the I-th alone.
"""
import io
import json
import math
import os

import numpy
import torch
from PIL import Image

import interop_random
import jagtest
from interop_random import Dict, Nested, Stack, Value
from jagtest import file_name, read, tensor_bytes

SEED = int(os.environ.get("JAG_SEED", "20"))
COUNT = int(os.environ.get("JAG_STORES", "240"))
ONLY = os.environ.get("JAG_STORE")
NUMPY = {dtype: torch.empty(0, dtype=dtype).numpy().dtype for dtype in interop_random.NESTABLE + [
    torch.uint16, torch.uint32, torch.uint64] if dtype != torch.bfloat16}


def state(folder):
    """Sizes and times of all files: what reading must not change."""
    paths = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]
    stats = [os.stat(path) for path in paths]
    return {path: (stat.st_size, stat.st_mtime_ns) for path, stat in zip(paths, stats)}


class Stores(jagtest.TestCase):
    elements = leaves = 0
    bits = False  # mounted so that what NumPy lacks is shown as unsigned integers

    def check_file(self, stem, tensor):
        """The two forms that nearly every tensor has; sizes are exact."""
        data = tensor_bytes(tensor)
        self.assertEqual(os.stat(stem + ".bin").st_size, len(data), stem)
        self.assertEqual(read(stem + ".bin"), data, stem)
        dtype = NUMPY.get(tensor.dtype) or (self.bits and numpy.dtype(f"<u{tensor.element_size()}"))
        if dtype:
            array = numpy.load(stem + ".npy")
            self.assertEqual((array.dtype, array.shape), (dtype, tuple(tensor.shape)), stem)
            self.assertEqual(array.tobytes(), data, stem)
        else:
            self.assertFalse(os.path.exists(stem + ".npy"), stem)

    def check_listed(self, path, name, row):
        """What ls shows is of the element, too: the pixels of a picture, each frame of a clip."""
        stem, suffix = os.path.splitext(name)
        if os.path.isdir(os.path.join(path, name)):
            for frame in os.listdir(os.path.join(path, name)):
                self.check_pixels(os.path.join(path, name, frame),
                                  row.flatten(0, row.dim() - 4)[int(os.path.splitext(frame)[0])])
        elif suffix == ".png":
            self.check_pixels(os.path.join(path, name), row)
        else:
            self.assertIn(suffix, (".npy", ".bin", ".txt"), path)
        return stem

    def check_pixels(self, path, row):
        if row.dtype != torch.uint8:
            return
        pixels = numpy.asarray(Image.open(io.BytesIO(read(path))))
        planes = row.numpy() if row.dim() == 3 else row.numpy()[None]
        forms = [form[:, :, 0] if form.shape[2] == 1 else form for form in (planes.transpose(1, 2, 0), planes)]
        self.assertTrue(any(form.shape == pixels.shape and (form == pixels).all() for form in forms), path)

    def check_elements(self, path, rows):
        width = len(str(max(len(rows) - 1, 0)))
        names = sorted(os.listdir(path))
        self.assertEqual(len(names), len(rows), path)
        for i, row in enumerate(rows):
            self.assertEqual(self.check_listed(path, names[i], row), f"{i:0{width}d}", path)
            self.check_file(os.path.join(path, f"{i:0{width}d}"), row)
        self.elements += len(rows)

    def check_dense(self, path, tensor, batch):
        self.check_file(path, tensor)
        if tensor.dim() > 0:
            count = math.prod(tensor.shape[:max(len(batch), 1)])
            rows = tensor.reshape(count, *tensor.shape[max(len(batch), 1):])
            self.check_elements(path, [rows[i] for i in range(count)])

    def check_nested(self, path, rows):
        self.check_elements(path, rows)
        shapes = numpy.load(path + ".shape.npy")
        self.assertEqual(shapes.tolist(), [list(row.shape) for row in rows], path)

    def check_stack(self, path, stack):
        for i, child in enumerate(stack.children):
            self.check(os.path.join(path, str(i)), child)
        if any(child.batch for child in stack.children):
            return
        for key in {key for child in stack.children for key in child.items}:
            self.check_elements(os.path.join(path, file_name(key)),
                                [child.items[key] for child in stack.children if key in child.items])

    def check(self, path, collection):
        if isinstance(collection, Stack):
            self.check_stack(path, collection)
            return
        listed = set(os.listdir(path)) - {"meta.json"}
        for key, value in collection.items.items():
            name = os.path.join(path, file_name(key))
            self.leaves += 1
            if isinstance(value, torch.Tensor):
                self.check_dense(name, value, collection.batch)
            elif isinstance(value, Nested):
                self.check_nested(name, value.rows)
            elif isinstance(value, Value):
                self.assertEqual(json.loads(read(name + ".json")), value.data, name)
            else:
                self.check(name, value)
            ours = {n for n in listed if n == file_name(key) or os.path.splitext(n)[0] == file_name(key)}
            self.assertEqual(len(ours), 1, (name, listed))
            listed -= ours
        self.assertEqual(listed, set(), path)

    def compare(self, part, parts):
        """The part-th of `parts` equal shares"""
        indices = [i for i in range(part, COUNT, parts) if ONLY is None or i == int(ONLY)]
        version = interop_random.tensordict.__version__
        for index in indices:
            try:
                self.bits = index % 3 == 0
                self.compare_store(self.path(f"store{index}"), interop_random.Maker(f"{SEED}.{index}").collection())
            except BaseException as error:
                error.add_note(f"JAG_SEED={SEED} JAG_STORE={index} with tensordict {version}")
                raise
        print(f"# seed {SEED}: {len(indices)} stores of tensordict {version}, {self.leaves} values, "
              f"{self.elements} elements", flush=True)

    def compare_store(self, folder, collection):
        interop_random.write(collection, folder)
        before = state(folder)
        jagtest.jagfs("info", folder)
        with jagtest.mounted(folder, *(["bits"] if self.bits else [])) as point:
            self.check(point, collection)
        self.assertEqual(state(folder), before)


def add_tests(parts=8):
    for part in range(parts):
        def test(self, part=part):
            self.compare(part, parts)
        test.__doc__ = f"random stores, {part + 1}/{parts}: every element of the mount equals what Python stored"
        setattr(Stores, f"test_part{part}", test)


add_tests()
if __name__ == "__main__":
    jagtest.main()
