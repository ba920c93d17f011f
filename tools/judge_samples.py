#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records each sample on the machine's own GPU and compares what `vramscope check` finds with NAME.expected.

    tools/judge_samples.py BIN SAMPLES [--runtime] [--mode MODE ...] [--repeat N] [--jobs N] [NAME ...]

BIN is a folder with vramscope, vramscope-capture and samples/; SAMPLES is samples/programs. Prints a line for each sample and mode
with how many of its runs were judged as expected, and exits with 1 if one was not. CI does the same on the simulated device
(tests/integration).
"""
import argparse
import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time


# What each mode adds to `vramscope run`, and the lines of the .expected files that it is held to.
MODES = {
    "default": ([], "default"),
    "guard": (["--guard"], "guard"),
    "guard-every-launch": (["--guard-every-launch"], "guard"),
    "perturb": (["--perturb=7"], "guard"),
    "watch": (["--watch=all"], "watch"),
    "exact": (["--engine", "exact"], "exact"),
}

# They fill the card, so nothing else runs beside them.
WHOLE_CARD = ("gaps_between_allocations", "stranded_pages")


def read_expected(path, is_runtime, mode):
    """The findings that the mode must lead to on a GPU, None if it says nothing; the most particular of the file's keys counts."""
    findings_of = {}
    for line in path.read_text().splitlines():
        key, _, value = line.split("#")[0].partition(":")
        if key.strip().split(".")[0] == mode:
            findings_of.setdefault(key.strip(), []).append(value.strip())
    keys = ([f"{mode}.runtime"] if is_runtime else []) + [f"{mode}.gpu", mode]
    findings = next((findings_of[key] for key in keys if key in findings_of), None)
    return findings and sorted(finding for finding in findings if finding != "nothing")


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=90, text=True, **options)


@functools.cache
def bare_code(program):
    with tempfile.TemporaryDirectory() as folder:
        return run([program], cwd=folder).returncode


def judge(binaries, program, mode, expected, folder):
    capture = os.path.join(folder, "sample.vramscope")
    bare = bare_code(program)
    recorded = run([f"{binaries}/vramscope-capture", "run", "-q", "-f"] + MODES[mode][0] + ["-o", capture, "--", program], cwd=folder)
    wanted_code = bare if bare >= 0 else 128 - bare
    problems = []
    if recorded.returncode != wanted_code:
        problems.append(f"exit {recorded.returncode}, bare {wanted_code}: {recorded.stderr.strip()[-200:]}")
    check = run([f"{binaries}/vramscope", "check", "--json", capture])
    try:
        findings = json.loads(check.stdout)["captures"][0]["findings"]
    except (ValueError, KeyError, IndexError):
        return problems + [f"check: {check.stderr.strip()[:300]}"]
    found = sorted(f"{f['rule']} {f['confidence']} {f['verdict']} {f['class']}" for f in findings)
    if found != expected:
        problems.append(f"found {found}, expected {expected}")
    lost = run([f"{binaries}/vramscope", "query", "--csv", capture, "SELECT coalesce(sum(lost_count), 0) FROM drops"])
    if lost.stdout.split()[-1:] != ["0"]:
        problems.append(f"lost {lost.stdout.split()[-1:]}")
    return problems


def judge_once(binaries, program, mode, expected, keep, end):
    """What was wrong with a run, "" if nothing, None if it was too late to begin one."""
    if time.monotonic() > end:
        return None
    with tempfile.TemporaryDirectory() as folder:
        try:
            problems = judge(binaries, str(program), mode, expected, folder)
        except subprocess.TimeoutExpired:
            problems = ["took more than 90 s"]
        capture = os.path.join(folder, "sample.vramscope")
        if keep and os.path.exists(capture):
            shutil.move(capture, os.path.join(keep, f"{program.name}.{mode}.vramscope"))
        return "; ".join(problems)


def read_cases(arguments):
    """The program, mode and expectation of everything that is to run."""
    programs = pathlib.Path(os.path.abspath(arguments.binaries), "samples", "runtime" if arguments.runtime else ".")
    for expected_path in sorted(pathlib.Path(arguments.samples).glob("*.expected")):
        program = programs / expected_path.stem
        if (arguments.names and program.name not in arguments.names) or not program.is_file():
            continue
        for mode in arguments.mode or ["default"]:
            expected = read_expected(expected_path, arguments.runtime, MODES[mode][1])
            if expected is not None:
                yield program, mode, expected


def run_all(cases, arguments):
    """What was wrong with each run of each case, by program and mode."""
    binaries = os.path.abspath(arguments.binaries)
    found = collections.defaultdict(list)
    end = time.monotonic() + arguments.seconds
    for whole_card, jobs in ((False, arguments.jobs), (True, 1)):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            runs = [(program.name, mode, pool.submit(judge_once, binaries, program, mode, expected, arguments.keep, end))
                    for _ in range(arguments.repeat) for program, mode, expected in cases if (program.name in WHOLE_CARD) == whole_card]
            for name, mode, outcome in runs:
                if outcome.result() is not None:
                    found[name, mode].append(outcome.result())
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries")
    parser.add_argument("samples")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runtime", action="store_true", help="the versions on the CUDA runtime")
    parser.add_argument("--mode", choices=MODES, nargs="+", action="extend")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many run at once")
    parser.add_argument("--seconds", type=float, default=1e9, help="no run begins later; each sample has about as many by then")
    parser.add_argument("--keep", help="folder to keep the captures in")
    arguments = parser.parse_args()
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
    failures = 0
    for (name, mode), outcomes in sorted(run_all(list(read_cases(arguments)), arguments).items()):
        wrong = [outcome for outcome in outcomes if outcome]
        failures += len(wrong)
        print(f"{'FAIL' if wrong else 'ok  '} {len(outcomes) - len(wrong)}/{len(outcomes)} {mode:18} {name}  {' | '.join(sorted(set(wrong)))}",
              flush=True)
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
