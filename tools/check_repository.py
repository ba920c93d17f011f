#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if the repository holds what it must not: a path of someone's machine, a registry's host, an unfinished mark, a
source without its licence line, a source that has grown too long to read, or a large file outside samples/captures.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCE = "SPDX-License-Identifier: Apache-2.0"
MAX_LINES = 500
MAX_BYTES = 1 << 20

SOURCE_SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".cu", ".in", ".py", ".cmake", ".sh", ".sql", ".proto"}
SOURCE_NAMES = {"CMakeLists.txt", "test", "demo", "run"}
LICENCE_TEXT = {"LICENSE"}

# The patterns are cut so that this file does not match itself.
FORBIDDEN = (
    ("a path of one machine", re.compile(r"(?<![\w.])/(?:work|root)/|/opt/wheel[s]|\bbuild/(?:h-|lead\b)")),
    ("the host of a package registry", re.compile(r"\bpypi[.]|pythonhosted[.]|\bdeb[.]debian[.]|archive[.]ubuntu[.]")),
    ("an unfinished mark", re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b")),
)


def files_of(root):
    """The files that are committed or would be, from git."""
    listing = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             check=True, capture_output=True).stdout.decode()
    return [name for name in listing.split("\0") if name and (root / name).is_file()]


def is_source(name):
    path = Path(name)
    return path.suffix in SOURCE_SUFFIXES or path.name in SOURCE_NAMES


def problems_of(name, data):
    """What is wrong with the file `name` (from the root) of the contents `data`, as sentences."""
    if len(data) > MAX_BYTES and not name.startswith("samples/captures/"):
        yield f"{name}: {len(data)} bytes; large files belong outside the repository"
    if b"\0" in data or Path(name).name in LICENCE_TEXT:
        return
    lines = data.decode(errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        for what, pattern in FORBIDDEN:
            if match := pattern.search(line):
                yield f"{name}:{number}: {what}: {match.group()}"
    if is_source(name):
        if not any(LICENCE in line for line in lines[:2]):
            yield f"{name}:1: the first line must be the licence line: {LICENCE}"
        if len(lines) > MAX_LINES:
            yield f"{name}: {len(lines)} lines; split it before {MAX_LINES}"


def main():
    files = files_of(ROOT)
    problems = [problem for name in files for problem in problems_of(name, (ROOT / name).read_bytes())]
    print("\n".join(problems + [f"repository: {len(files)} files, {len(problems)} problems"]))
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
