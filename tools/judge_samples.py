#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records each sample on the machine's own GPU and compares what `vramscope check` finds with NAME.expected.

    tools/judge_samples.py BIN SAMPLES [--runtime] [--mode MODE] [--repeat N] [NAME ...]

BIN is a folder with vramscope, vramscope-capture and samples/; SAMPLES is samples/programs. Prints a line a sample and run, and
exits with 1 if one was judged otherwise than expected. CI does the same on the simulated device (tests/integration).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


# What each mode adds to `vramscope run`, and the lines of the .expected files that it is held to.
MODES = {
    "default": ([], "default"),
    "guard": (["--guard"], "guard"),
    "guard-every-launch": (["--guard-every-launch"], "guard"),
    "perturb": (["--perturb=7"], "guard"),
    "watch": (["--watch=all"], "watch"),
    "exact": (["--engine", "exact"], "exact"),
}


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


def judge(binaries, program, mode, expected, folder):
    capture = os.path.join(folder, "sample.vramscope")
    bare = run([program], cwd=folder)
    recorded = run([f"{binaries}/vramscope-capture", "run", "-q", "-f"] + MODES[mode][0] + ["-o", capture, "--", program], cwd=folder)
    wanted_code = bare.returncode if bare.returncode >= 0 else 128 - bare.returncode
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries")
    parser.add_argument("samples")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runtime", action="store_true", help="the versions on the CUDA runtime")
    parser.add_argument("--mode", choices=MODES, default="default")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--keep", help="folder to keep the captures in")
    arguments = parser.parse_args()
    binaries = os.path.abspath(arguments.binaries)
    programs = pathlib.Path(binaries, "samples", "runtime" if arguments.runtime else ".")
    failures = 0
    for expected_path in sorted(pathlib.Path(arguments.samples).glob("*.expected")):
        name = expected_path.stem
        program = programs / name
        if (arguments.names and name not in arguments.names) or not program.is_file():
            continue
        expected = read_expected(expected_path, arguments.runtime, MODES[arguments.mode][1])
        if expected is None:
            continue
        for _ in range(arguments.repeat):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    problems = judge(binaries, str(program), arguments.mode, expected, folder)
                except subprocess.TimeoutExpired:
                    problems = ["took more than 90 s"]
                if arguments.keep:
                    os.makedirs(arguments.keep, exist_ok=True)
                    source = os.path.join(folder, "sample.vramscope")
                    if os.path.exists(source):
                        os.replace(source, os.path.join(arguments.keep, f"{name}.vramscope"))
            failures += bool(problems)
            print(f"{'ok  ' if not problems else 'FAIL'} {name}  {'; '.join(problems)}", flush=True)
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
