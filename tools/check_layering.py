#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a source file includes what its folder may not.

    formats <- collector      formats <- analyzer <- gui

The injected library sees the layouts in formats and nothing of the recorder. sqlite3.h and generated protobuf code stay in
formats, CUDA headers in collector and samples, Qt in gui. Product code knows neither tests nor samples.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("formats", "collector", "analyzer", "gui", "samples", "tests")
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cu"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# The folders that each folder may include from; the longest matching prefix of a file's path decides.
MAY_INCLUDE = {
    "formats": ("formats",),
    "collector": ("collector", "formats"),
    "collector/inject": ("collector/inject", "collector/unwind", "collector/device", "formats"),
    "collector/unwind": ("collector/unwind",),
    "analyzer": ("analyzer", "formats"),
    "gui": ("gui", "analyzer", "formats"),
    "samples": ("samples",),
    "tests": FOLDERS,
    "tests/formats": ("tests", "formats"),
    "tests/collector": ("tests", "collector", "formats"),
    "tests/analyzer": ("tests", "analyzer", "formats"),
    "tests/gui": ("tests", "gui", "analyzer", "formats"),
    "tests/sim": ("tests", "samples"),
}

# (what it is, which headers, the only folders that may include them)
EXTERNAL = (
    ("SQLite", re.compile(r"sqlite3(ext)?\.h$"), ("formats",)),
    ("generated protobuf code", re.compile(r"(\.pb\.h$|google/protobuf/)"), ("formats",)),
    ("CUDA, CUPTI and NVML",
     re.compile(r"(^|/)(cuda\w*|cupti\w*|generated_\w+_meta|driver_types|nvml|nvtx3?/.*|nvToolsExt\w*|sanitizer\w*)\.h$"),
     ("collector", "samples", "tests/collector", "tests/sim", "tests/integration", "tests/nvtx")),
    ("Qt", re.compile(r"^(Q[A-Z]\w*|Qt\w+/\w+)$"), ("gui", "tests/gui")),
)


def is_under(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def allowed_folders(path):
    matching = [folder for folder in MAY_INCLUDE if is_under(path, (folder,))]
    return MAY_INCLUDE[max(matching, key=len)] if matching else FOLDERS


def problem_with(path, mark, header):
    """Why the file at `path` (from the root) must not include `header`, or None."""
    for what, pattern, folders in EXTERNAL:
        if pattern.search(header) and not is_under(header, FOLDERS) and not is_under(path, folders):
            return f"{what} may be included only in {', '.join(folders)}"
    if ".." in header.split("/"):
        return "includes are written from the root of the repository, without .."
    if is_under(header, FOLDERS):
        allowed = allowed_folders(path)
        return None if is_under(header, allowed) else f"files here may include only from {', '.join(allowed)}"
    if mark == '"' and not header.endswith(".inc") and not is_under(path, ("tests",)):
        return "our own headers are included from the root of the repository; others with <>"
    return None


def problems_in(path, text):
    """Every forbidden include of one file, as FILE:LINE: sentences."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match and (why := problem_with(path, *match.groups())):
            yield f"{path}:{number}: {match.group(2)}: {why}"


def source_files(root):
    for folder in FOLDERS:
        yield from sorted(file for file in (root / folder).rglob("*") if file.suffix in SOURCES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to check")
    root = parser.parse_args().root
    files = list(source_files(root))
    problems = [problem for file in files
                for problem in problems_in(file.relative_to(root).as_posix(), file.read_text(errors="replace"))]
    print("\n".join(problems + [f"layering: {len(files)} files, {len(problems)} forbidden includes"]))
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
