# SPDX-License-Identifier: Apache-2.0
"""Two tasks in one process, a generator and a discriminator, each with its own model, optimizer and backward passes.

For the question whose work a launch was: the threads of PyTorch's autograd work for the task that called backward(). Run it with
lib/python of the installed folder on PYTHONPATH. Prints the sum of the losses, which is the same with and without a tool.
"""
import torch
import vramscope


def build(seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)).cuda()


def main():
    torch.use_deterministic_algorithms(True)
    tasks = {}
    for seed, name in enumerate(("generator", "discriminator")):
        with vramscope.task(name):
            model = build(seed)
            tasks[name] = (model, torch.optim.Adam(model.parameters()))
    inputs = torch.ones(64, 256, device="cuda")
    total = 0.0
    for _ in range(20):
        for name, (model, optimizer) in tasks.items():
            with vramscope.task(name):
                optimizer.zero_grad()
                loss = model(inputs).square().mean()
                loss.backward()
                optimizer.step()
                total += loss.item()
    print("loss sum", total.hex())


if __name__ == "__main__":
    main()
