#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that a call of the job costs inside libvramscope.so: tools/count_instructions.py BUILD_FOLDER

Runs BUILD_FOLDER/bin/call_bench on the simulated device under valgrind's callgrind, twice for each kind of call with
different numbers of calls, and divides what the second run had more. Instructions, unlike times, do not depend on who
else uses the machine. Needs valgrind."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

KINDS = ["launch-0", "launch-4", "launch-16", "alloc-free"]
FEW, MANY = 500, 2500
LIBRARY = "libvramscope.so"


def instructions(profile, library):
    """Instructions executed in functions of `library`, from a callgrind profile."""
    names = {}
    ours = False
    total = 0
    skip = False
    with open(profile, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("ob="):
                number, name = re.match(r"ob=(\(\d+\))(?: (.*))?", line.rstrip("\n")).groups()
                names.setdefault(number, name or "")
                ours = os.path.basename(names[number]) == library
            elif line.startswith("cob="):  # of a callee; names are defined wherever they come first
                number, name = re.match(r"cob=(\(\d+\))(?: (.*))?", line.rstrip("\n")).groups()
                names.setdefault(number, name or "")
            elif line.startswith("calls="):
                skip = True  # the next line is what the callee cost
            elif line[:1] in "0123456789+-*" and line.strip():
                if not skip and ours:
                    total += int(line.split()[1])
                skip = False
    return total


def run(build, kind, count, folder):
    profile = os.path.join(folder, f"{kind}.{count}")
    session = tempfile.mkdtemp(dir=folder)
    environment = dict(
        os.environ,
        LD_LIBRARY_PATH=os.path.join(build, "lib/sim"),
        CUDA_INJECTION64_PATH=os.path.join(build, "lib", LIBRARY),
        VRAMSCOPE_SESSION=session,
        VRAMSCOPE_CLOCK="counter",
        VRAMSCOPE_SIM_DEVICE=os.path.join(folder, "device"))
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}",
               os.path.join(build, "bin/call_bench"), "--loop", kind, str(count)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"call_bench failed under valgrind:\n{result.stderr}")
    for name in os.listdir(session):
        os.unlink(os.path.join(session, name))
    return instructions(profile, LIBRARY)


def main():
    parser = argparse.ArgumentParser(description="Counts instructions per call inside the injected library.")
    parser.add_argument("build", help="build folder, with bin/call_bench and lib/libvramscope.so")
    parser.add_argument("--most", action="append", default=[], metavar="KIND=N",
                        help="fail if a kind of call costs more than N instructions")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    most = dict(limit.split("=", 1) for limit in arguments.most)
    failed = False
    print(f"instructions in {LIBRARY} per call")
    shared_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shared_memory) as folder:
        for kind in KINDS:
            more = run(build, kind, MANY, folder) - run(build, kind, FEW, folder)
            each = more / (MANY - FEW)
            failed = failed or (kind in most and each > float(most[kind]))
            print(f"  {kind:<12} {each:8.1f}" + (f"   at most {most[kind]}" if kind in most else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
