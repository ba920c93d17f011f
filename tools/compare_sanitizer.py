#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who finds what in the samples, and in which time: vramscope's modes beside compute-sanitizer's tools, as one table.

    tools/compare_sanitizer.py BIN [--jobs N] NAME ...

BIN is a folder with vramscope, vramscope-capture and samples/. A cell of vramscope names the rules it found, with "?" where the finding
is possible and not proven; a cell of compute-sanitizer the errors that the tool counted and the words of the first. Times are of the
whole process, the least of two runs.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

MODES = {"default": [], "guard": ["--guard"], "watch": ["--watch=all"], "exact": ["--engine", "exact"]}
TOOLS = {"memcheck": ["--leak-check", "full", "--track-stream-ordered-races", "all"], "initcheck": ["--track-unused-memory"], "racecheck": []}
LIMIT_S = 60


def timed(command, folder):
    start = time.monotonic()
    try:
        result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, text=True)
    except subprocess.TimeoutExpired:
        return None, LIMIT_S
    return result.stdout, time.monotonic() - start


def best_of_two(command, folder):
    first, second = timed(command, folder), timed(command, folder)
    return first[0], min(first[1], second[1])


def vramscope(binaries, program, words):
    with tempfile.TemporaryDirectory() as folder:
        capture = f"{folder}/c.vramscope"
        _, seconds = best_of_two([f"{binaries}/vramscope-capture", "run", "-q", "-f", *words, "-o", capture, "--", program], folder)
        check = subprocess.run([f"{binaries}/vramscope", "check", "--json", capture], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            findings = json.loads(check.stdout)["captures"][0]["findings"]
        except (ValueError, KeyError, IndexError):
            return "no capture", seconds
        rules = sorted({f["rule"] + ("" if f["confidence"] == "proven" else "?") for f in findings if f["verdict"] != "note"})
        return ", ".join(rules) or "nothing", seconds


def sanitizer(tool, words, program):
    path = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    with tempfile.TemporaryDirectory() as folder:
        output, seconds = best_of_two([path, "--tool", tool, *words, program], folder)
    if output is None:
        return f"over {LIMIT_S} s", seconds
    count = re.search(r"SUMMARY: (\d+) (?:error|hazard)", output)
    said = [line.lstrip("= ").strip() for line in output.splitlines() if line.startswith("========= ") and not line.startswith("=========     ")]
    said = [line for line in said if not re.match(r"COMPUTE-SANITIZER|.*SUMMARY|Target application|$", line)]
    number = int(count.group(1)) if count else 0
    return (f"{number}: {said[0][:60]}" if number and said else "nothing" if not number else str(number)), seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--jobs", type=int, default=1, help="samples at once")
    arguments = parser.parse_args()
    binaries = os.path.abspath(arguments.binaries)

    def row(name):
        program = f"{binaries}/samples/{name}"
        with tempfile.TemporaryDirectory() as folder:
            cells = [f"{best_of_two([program], folder)[1]:.1f} s"]
        results = [vramscope(binaries, program, words) for words in MODES.values()]
        results += [sanitizer(tool, words, program) for tool, words in TOOLS.items()]
        return [name] + cells + [f"{found} ({seconds:.1f} s)" for found, seconds in results]

    print("| sample | bare | " + " | ".join(MODES) + " | " + " | ".join(TOOLS) + " |\n" + "|---" * (2 + len(MODES) + len(TOOLS)) + "|")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for cells in pool.map(row, arguments.names):
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
