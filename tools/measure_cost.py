#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What vramscope costs on this machine's GPU, beside compute-sanitizer: one table from one run.

    tools/measure_cost.py BIN LOOPS [--rounds N] [--restarts N] [--pin CORES] [--without-sanitizer]
                          [--control] [--other NAME=OPTIONS]

BIN holds vramscope-capture, LOOPS is samples/cost/cost_loops.cu as a program; with --only kernels it is five_kernels.cu. For each workload one process runs bare, one under
`vramscope run` and one under compute-sanitizer memcheck, all at once, and a conductor lets one of them work at a time, block by
block in a new order each round. So drift of the machine meets all alike, and start-up costs nothing. What the layout of one process
happens to bring is averaged over restarts. A cost is the median of the paired ratios (or differences), with its 95 % interval
from the order statistics.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Workload, operations a block, and under memcheck, which is up to 30 times slower.
LOOPS = [("launch", 2000, 500), ("malloc", 100, 100), ("async", 2000, 500)]
TORCH = [("loop", 4, 1), ("foreach", 4, 1)]
KERNELS = [("copy", 200, 20), ("product", 100, 10), ("reduction", 200, 20), ("stencil", 200, 20), ("histogram", 100, 10)]


class Worker:
    """One process that works when told to."""

    def __init__(self, command, pin):
        if pin:
            command = ["taskset", "-c", pin] + command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

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


def measure(program, workloads, options, samples):
    with tempfile.TemporaryDirectory() as folder:
        record = [f"{options.binaries}/vramscope-capture", "run", "-q", "-f"]
        tools = {"bare": program, "vramscope": record + ["-o", f"{folder}/cost.vramscope", "--"] + program}
        for name, words in options.others.items():
            tools[name] = record + words.split() + ["-o", f"{folder}/{name}.vramscope", "--"] + program
        if options.control:
            tools["control"] = program
        if not options.without_sanitizer:
            tools["memcheck"] = [options.sanitizer, "--tool", "memcheck"] + program
        workers = {name: Worker(command, options.pin) for name, command in tools.items()}
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
                samples.setdefault(kind, []).append(times)
        for worker in workers.values():
            worker.close()


def print_table(samples):
    print("| | pairs | bare | vramscope, ratio | vramscope, difference | memcheck, ratio |\n|---|---|---|---|---|---|")
    for kind, rounds in samples.items():
        bare = statistics.median(times["bare"] for times in rounds) / 1000
        ratio = interval([times["vramscope"] / times["bare"] for times in rounds])
        difference = interval([(times["vramscope"] - times["bare"]) / 1000 for times in rounds])
        slow = "not run"
        if "memcheck" in rounds[0]:
            slow = "{1:.1f} [{0:.1f}, {2:.1f}]".format(*interval([times["memcheck"] / times["bare"] for times in rounds]))
        for name in rounds[0]:
            if name not in ("bare", "vramscope", "memcheck"):
                print(f"| {kind}, {name} | | | " + "{1:.3f} [{0:.3f}, {2:.3f}]".format(*interval([times[name] / times["bare"] for times in rounds]))
                      + " | " + "{1:.2f} us [{0:.2f}, {2:.2f}]".format(*interval([(times[name] - times["bare"]) / 1000 for times in rounds])) + " | |")
        print(f"| {kind} | {len(rounds)} | {bare:.2f} us | " + "{1:.3f} [{0:.3f}, {2:.3f}]".format(*ratio)
              + " | " + "{1:.2f} us [{0:.2f}, {2:.2f}]".format(*difference) + f" | {slow} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("loops")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--restarts", type=int, default=3)
    parser.add_argument("--pin", help="cores for every process, such as 0,1")
    parser.add_argument("--without-sanitizer", action="store_true")
    parser.add_argument("--control", action="store_true", help="a second bare process, whose cost is the noise of the method")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=OPTIONS", help="vramscope with these options of run, beside it")
    parser.add_argument("--only", choices=["torch", "loops", "kernels"])
    options = parser.parse_args()
    options.others = dict(other.split("=", 1) for other in options.other)
    options.sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    samples = {}
    for _ in range(options.restarts):
        if options.only == "kernels":
            measure([os.path.abspath(options.loops)], KERNELS, options, samples)
            continue
        if options.only != "loops":
            measure([sys.executable, str(ROOT / "samples/cost/torch_steps.py")], TORCH, options, samples)
        if options.only != "torch":
            measure([os.path.abspath(options.loops)], LOOPS, options, samples)
    print_table(samples)


if __name__ == "__main__":
    main()
