#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the sources of some folders, two at a time, and fails on its first word.

    tools/run_tidy.py --build build/release collector/inject formats

The build folder gives the compiler's options. A file that was clean is not looked at again until it, its compile command,
.clang-tidy or a header of the repository changes; the marks are in BUILD/tidy.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# How GCC is to lay code out says nothing to clang, which refuses to hear of it.
GCC_ONLY = ("-fno-tree-loop-distribute-patterns", "-fno-align-functions", "-fno-align-loops", "-fno-align-jumps")
HEADER_FOLDERS = ("formats", "collector", "analyzer", "gui", "samples")


def state_of_headers():
    """One digest over what any file may include: simpler than dependencies, and never wrong."""
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for folder in HEADER_FOLDERS:
        for header in sorted((ROOT / folder).rglob("*.h")):
            digest.update(header.read_bytes())
    return digest.digest()


def database_for_clang(build):
    """Writes BUILD/tidy/compile_commands.json, without what only GCC understands, and returns its entries."""
    entries = json.loads((build / "compile_commands.json").read_text())
    for entry in entries:
        entry["command"] = " ".join(word for word in entry["command"].split(" ") if word not in GCC_ONLY)
    (build / "tidy" / "compile_commands.json").write_text(json.dumps(entries))
    return entries


def entries_for(database, folders):
    """The compile commands of the sources under `folders`, each source once."""
    wanted = {}
    for entry in database:
        path = Path(entry["directory"], entry["file"]).resolve()
        if any(path.is_relative_to(ROOT / folder) for folder in folders):
            wanted.setdefault(path, entry)
    return wanted


def check(path, entry, headers, build, tool):
    """Returns clang-tidy's words about one file, empty if it is clean."""
    key = hashlib.sha256(headers + path.read_bytes() + entry.get("command", "").encode()).hexdigest()
    mark = build / "tidy" / key
    if mark.exists():
        return ""
    # GCC's own warning options are of no use to clang.
    result = subprocess.run([tool, "-quiet", "-p", build / "tidy", "--extra-arg=-Wno-unknown-warning-option", path],
                            capture_output=True, text=True, check=False)
    if result.returncode == 0:
        mark.touch()
        return ""
    return result.stdout + (result.stderr if not result.stdout else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--tool", default="clang-tidy-14")
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()
    database = options.build / "compile_commands.json"
    if not database.exists():
        print(f"{database}: no such file; configure first (./test does)", file=sys.stderr)
        return 2
    (options.build / "tidy").mkdir(exist_ok=True)
    entries = entries_for(database_for_clang(options.build), options.folders)
    headers = state_of_headers()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        words = list(pool.map(lambda item: check(*item, headers, options.build, options.tool), sorted(entries.items())))
    complaints = [text for text in words if text]
    print("\n".join(complaints + [f"clang-tidy: {len(entries)} files, {len(complaints)} with complaints"]))
    return 1 if complaints or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
