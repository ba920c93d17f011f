#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What vramscope costs on this machine's GPU, beside compute-sanitizer: one table from one run.

    tools/measure_cost.py BIN LOOPS [--rounds N] [--restarts N] [--pin CORES] [--sanitizer-restarts N]
                          [--torch-steps N] [--control] [--other NAME=OPTIONS] [--build NAME=BIN]

BIN holds vramscope-capture, LOOPS is samples/cost/cost_loops.cu as a program; with --only kernels it is five_kernels.cu. For each
workload one process runs bare, one under `vramscope run` and one under compute-sanitizer memcheck, all at once, and a conductor lets
one of them work at a time, block by block in a new order each round. So drift of the machine meets all alike, and start-up costs
nothing.

What the addresses and the hash seed of one process happen to bring stays with it for its life and can be as large as what is
measured, so the restart is the unit: its value is the median over its rounds, and a cost is the median over restarts with its 95 %
interval from the order statistics. An interval over all pairs would be narrower and wrong.
"""
import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Workload, operations a block, and under memcheck, which is up to 30 times slower.
LOOPS = [("launch", 2000, 500), ("malloc", 100, 100), ("async", 2000, 500)]
KERNELS = [("copy", 200, 20), ("product", 100, 10), ("reduction", 200, 20), ("stencil", 200, 20), ("histogram", 100, 10)]


class Worker:
    """One process that works when told to."""

    def __init__(self, command, pin, environment):
        if pin:
            command = ["taskset", "-c", pin] + command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=environment)

    def block(self, kind, count):
        self.process.stdin.write(f"{kind} {count}\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("cost "):
                return float(line.split()[1])
        sys.exit(f"error: a worker ended with status {self.process.wait()}")

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait(timeout=120)


def interval(values):
    ordered = sorted(values)
    reach = 0.98 * len(ordered) ** 0.5
    low, high = int(len(ordered) / 2 - reach), int(len(ordered) / 2 + reach)
    return ordered[max(low, 0)], statistics.median(ordered), ordered[min(high, len(ordered) - 1)]


def commands(program, options, with_sanitizer, folder):
    """The command of each tool."""
    def recorded(name, binaries, words):
        return [f"{binaries}/vramscope-capture", "run", "-q", "-f"] + words + ["-o", f"{folder}/{name}.vramscope", "--"] + program

    tools = {"bare": program, "vramscope": recorded("vramscope", options.binaries, [])}
    for name, words in options.others.items():
        tools[name] = recorded(name, options.binaries, words.split())
    for name, binaries in options.builds.items():
        tools[name] = recorded(name, binaries, [])
    if options.control:
        tools["control"] = program
    if with_sanitizer:
        tools["memcheck"] = [options.sanitizer, "--tool", "memcheck"] + program
    return tools


def measure(program, workloads, options, with_sanitizer, samples):
    """One restart: adds a list of rounds, each the time by tool, to `samples` for each workload."""
    with tempfile.TemporaryDirectory() as folder:
        # Python's dictionaries lie otherwise for each seed; here all of a restart have one.
        environment = dict(os.environ, PYTHONHASHSEED=str(random.randrange(1, 2**32)))
        tools = commands(program, options, with_sanitizer, folder)
        workers = {name: Worker(command, options.pin, environment) for name, command in tools.items()}
        for kind, _, _ in workloads:
            samples.setdefault(kind, []).append([])
        for kind, count, slow_count in workloads:
            for name, worker in workers.items():
                worker.block(kind, 2 * (slow_count if name == "memcheck" else count))
        for _ in range(options.rounds):
            for kind, count, slow_count in workloads:
                times = {}
                for name in random.sample(list(workers), len(workers)):
                    block = slow_count if name == "memcheck" else count
                    # A worker that slept finds cold caches, whatever its tool.
                    workers[name].block(kind, max(1, block // 4))
                    times[name] = workers[name].block(kind, block)
                samples[kind][-1].append(times)
        for worker in workers.values():
            worker.close()


def over_restarts(restarts, value):
    """The interval of `value` of a round's times, restart by restart; those without it are left out."""
    return interval([statistics.median(map(value, rounds)) for rounds in restarts if rounds])


def print_table(samples):
    print("| | tool | restarts, rounds | time | ratio to bare | difference |\n|---|---|---|---|---|---|")
    for kind, restarts in samples.items():
        for name in dict.fromkeys(name for rounds in restarts for name in rounds[0]):
            has = [rounds for rounds in restarts if name in rounds[0]]
            times = over_restarts(has, lambda t: t[name] / 1000)
            ratio = over_restarts(has, lambda t: t[name] / t["bare"])
            difference = over_restarts(has, lambda t: (t[name] - t["bare"]) / 1000)
            print(f"| {kind} | {name} | {len(has)}, {len(has[0])} | {times[1]:.2f} us | {ratio[1]:.3f} [{ratio[0]:.3f}, {ratio[2]:.3f}]"
                  f" | {difference[1]:.2f} us [{difference[0]:.2f}, {difference[2]:.2f}] |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("loops")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--restarts", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3600, help="no restart begins later than this")
    parser.add_argument("--pin", help="cores for every process, such as 0,1")
    parser.add_argument("--sanitizer-restarts", type=int, default=1, help="how many restarts have memcheck beside them")
    parser.add_argument("--torch-steps", type=int, default=24, help="training steps a block; short ones measure how a process wakes up")
    parser.add_argument("--control", action="store_true", help="a second bare process, whose cost is the noise of the method")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=OPTIONS", help="vramscope with these options of run, beside it")
    parser.add_argument("--build", action="append", default=[], metavar="NAME=BIN", help="another build of vramscope-capture, beside it")
    parser.add_argument("--only", choices=["torch", "loops", "kernels"])
    options = parser.parse_args()
    options.others = dict(other.split("=", 1) for other in options.other)
    options.builds = dict(build.split("=", 1) for build in options.build)
    options.sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    samples = {}
    torch = [(kind, options.torch_steps, 1) for kind in ("loop", "foreach")]
    start = time.monotonic()
    for restart in range(options.restarts):
        if time.monotonic() - start > options.seconds:
            break
        with_sanitizer = restart < options.sanitizer_restarts
        if options.only == "kernels":
            measure([os.path.abspath(options.loops)], KERNELS, options, with_sanitizer, samples)
            continue
        if options.only != "loops":
            measure([sys.executable, str(ROOT / "samples/cost/torch_steps.py")], torch, options, with_sanitizer, samples)
        if options.only != "torch":
            measure([os.path.abspath(options.loops)], LOOPS, options, with_sanitizer, samples)
    print_table(samples)


if __name__ == "__main__":
    main()
