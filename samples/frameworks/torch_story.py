# SPDX-License-Identifier: Apache-2.0
"""Training dies in backward(), and the line that it names is right. A second task wrote the weights, long before.

Both tasks use one storage: the weights of the training task lie at its front, the scratch memory of the serving task should begin
behind them and begins a little too early. Serving writes once; training goes on for hundreds of launches with its graph of the first
forward pass still open, and ends with RuntimeError: "one of the variables needed for gradient computation has been modified by an
inplace operation". Run it with lib/python of the installed folder on PYTHONPATH.

    python3 torch_story.py [--steps N]
"""
import argparse
import time

import torch
import vramscope

WIDTH = 512
SCRATCH = 4096
OVERLAP = 256  # floats by which serving begins too early


def build_shared():
    """The storage, the weights in it, and where serving thinks that its own part begins."""
    storage = torch.zeros(WIDTH * WIDTH + SCRATCH, device="cuda")
    weights = storage[: WIDTH * WIDTH].view(WIDTH, WIDTH)
    weights.copy_(torch.randn(WIDTH, WIDTH, device="cuda") * 0.05)
    scratch = storage[WIDTH * WIDTH - OVERLAP :][:SCRATCH]
    return weights, scratch


def serve(scratch, answers):
    with vramscope.task("serving"):
        scratch.copy_(answers)


def train_step(first, weights, inputs):
    hidden = torch.relu(inputs @ first)
    return (hidden @ weights).square().mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=300)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    with vramscope.task("serving"):
        answers = torch.randn(SCRATCH, device="cuda")
    with vramscope.task("training"):
        weights, scratch = build_shared()
        vramscope.own(weights, "training.fc2.weight")
        second = weights.detach().requires_grad_()
        first = (torch.randn(WIDTH, WIDTH, device="cuda") * 0.05).requires_grad_()
        inputs = torch.randn(64, WIDTH, device="cuda")
        loss = train_step(first, second, inputs)
        torch.cuda.synchronize()
        serve(scratch, answers)
        for _ in range(arguments.steps):
            with torch.no_grad():
                train_step(first, second, inputs)
            time.sleep(0.002)
        loss.backward()


if __name__ == "__main__":
    main()
