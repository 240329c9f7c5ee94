# SPDX-License-Identifier: MIT
"""On PYTHONPATH beside the oldest tensordict only: 0.5 imports this name from where torch no longer has it."""
import multiprocessing.reduction

import torch.multiprocessing.reductions

torch.multiprocessing.reductions.ForkingPickler = multiprocessing.reduction.ForkingPickler
