# SPDX-License-Identifier: Apache-2.0
"""Two worker processes that train side by side on one GPU, as a parent that never touches CUDA starts them.

Prints one JSON line: the checksum of each worker's losses.
"""
import json

import torch
import torch.multiprocessing

from torch_small_step import build, train_step


def work(rank, results):
    model = build(128, 6, seed=rank)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=False)
    generator = torch.Generator(device="cuda").manual_seed(rank)
    inputs = torch.randn(64, 128, device="cuda", generator=generator)
    targets = torch.randn(64, 128, device="cuda", generator=generator)
    losses = [train_step(model, optimizer, inputs, targets).item() for _ in range(50)]
    results[rank] = sum(losses).hex()


def main():
    results = torch.multiprocessing.get_context("spawn").Manager().dict()
    torch.multiprocessing.spawn(work, args=(results,), nprocs=2)
    print(json.dumps({"loss_sums": [results[rank] for rank in (0, 1)]}))


if __name__ == "__main__":
    main()
