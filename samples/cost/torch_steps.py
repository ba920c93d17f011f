# SPDX-License-Identifier: Apache-2.0
"""The training step of torch_small_step.py, a block at a time, to measure what a tool adds to it.

Reads lines "KIND COUNT" and answers each with "cost NANOSECONDS", the mean of one step over COUNT. Kinds: foreach (torch's default
Adam) and loop (Adam(foreach=False), some 500 launches a step). Ends with its input. tools/measure_cost.py drives it.
"""
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "frameworks"))
from torch_small_step import build, train_step  # noqa: E402


class Training:
    def __init__(self, foreach):
        self.model = build(256, 20, seed=1)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3, foreach=foreach)
        generator = torch.Generator(device="cuda").manual_seed(2)
        self.inputs = torch.randn(64, 256, device="cuda", generator=generator)
        self.targets = torch.randn(64, 256, device="cuda", generator=generator)

    def block(self, count):
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        for _ in range(count):
            train_step(self.model, self.optimizer, self.inputs, self.targets)
        torch.cuda.synchronize()
        return (time.perf_counter_ns() - start) / count


def main():
    torch.use_deterministic_algorithms(True)
    kinds = {"loop": Training(foreach=False), "foreach": Training(foreach=True)}
    for line in sys.stdin:
        kind, count = line.split()
        print(f"cost {kinds[kind].block(int(count)):.2f}", flush=True)


if __name__ == "__main__":
    main()
