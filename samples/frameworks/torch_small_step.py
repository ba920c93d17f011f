# SPDX-License-Identifier: Apache-2.0
"""A training job of many small kernels: 20 linear layers and Adam, some 460 launches a step with foreach=False.

It is the hard case for a tool that works once a launch. Prints one JSON line: median step time in microseconds, a checksum of
the losses (the same with and without a tool, since the job is deterministic), and the peak that torch reports.
"""
import argparse
import json
import statistics
import time

import torch


def build(width, layers, seed):
    torch.manual_seed(seed)
    blocks = []
    for _ in range(layers):
        blocks += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*blocks).cuda()


def train_step(model, optimizer, inputs, targets):
    optimizer.zero_grad(set_to_none=True)
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--warm-up", type=int, default=30)
    parser.add_argument("--foreach", choices=["on", "off"], default="off")
    parser.add_argument("--leak", action="store_true", help="keep one activation of each step")
    arguments = parser.parse_args()

    torch.use_deterministic_algorithms(True)
    model = build(256, 20, seed=1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, foreach=arguments.foreach == "on")
    generator = torch.Generator(device="cuda").manual_seed(2)
    inputs = torch.randn(64, 256, device="cuda", generator=generator)
    targets = torch.randn(64, 256, device="cuda", generator=generator)

    times, losses, history = [], [], []
    for step in range(arguments.warm_up + arguments.steps):
        torch.cuda.synchronize()
        start = time.perf_counter()
        loss = train_step(model, optimizer, inputs, targets)
        torch.cuda.synchronize()
        if step >= arguments.warm_up:
            times.append((time.perf_counter() - start) * 1e6)
        losses.append(loss.item())
        if arguments.leak:
            history.append(torch.empty(3 << 20, device="cuda"))
    print(json.dumps({
        "median_us": statistics.median(times),
        "loss_sum": sum(losses).hex(),
        "peak_bytes": torch.cuda.max_memory_reserved(),
    }))


if __name__ == "__main__":
    main()
