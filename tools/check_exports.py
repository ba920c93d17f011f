#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if libvramscope.so shows or needs more than it may.

The library is loaded into other people's processes. It defines the symbols of collector/inject/exports.map and no others,
needs only the C library, and brings or asks for no C++ runtime, protobuf, SQLite or unwinder.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXPORTS = ROOT / "collector" / "inject" / "exports.map"

ALLOWED_NEEDED = re.compile(r"^(libc|libm|libdl|libpthread|librt)\.so\.\d+$|^ld-linux-[\w-]+\.so\.\d+$")
FOREIGN_SYMBOL = re.compile(r"^(_Z|_Unwind_|__cxa_(?!finalize$|atexit$|thread_atexit_impl$)|__gxx_|sqlite3_|unw_|_U|dwarf_|"
                            r"elf_|cu[A-Z]|cupti|cuda|ZSTD_|google)")


def exported_names(text):
    """The names between `global:` and `local:` of a version script."""
    match = re.search(r"global:(.*?)local:", text, re.DOTALL)
    return set(re.findall(r"(\w+)\s*;", match.group(1))) if match else set()


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def dynamic_symbols(library):
    """(defined, undefined) names of the dynamic symbol table, without their versions."""
    defined, undefined = set(), set()
    for line in run("nm", "-D", library).splitlines():
        *_, kind, name = line.split()
        (undefined if kind in "Uwv" else defined).add(name.split("@")[0])
    return defined, undefined


def problems_of(expected, defined, undefined, needed):
    problems = [f"{name} is exported, but exports.map does not list it" for name in sorted(defined - expected)]
    problems += [f"{name} is listed in exports.map, but not exported" for name in sorted(expected - defined)]
    problems += [f"{name} is needed from outside" for name in sorted(undefined) if FOREIGN_SYMBOL.match(name)]
    problems += [f"the library {name} is needed" for name in needed if not ALLOWED_NEEDED.match(name)]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?", default="build/release/lib/libvramscope.so")
    library = parser.parse_args().library
    if not Path(library).exists():
        print(f"{library}: no such file; build it first", file=sys.stderr)
        return 2
    expected = exported_names(EXPORTS.read_text())
    defined, undefined = dynamic_symbols(library)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", "-W", library))
    problems = problems_of(expected, defined, undefined, needed)
    print("\n".join(problems + [f"exports: {len(defined)} defined, {len(undefined)} undefined, needs {' '.join(needed)}: "
                                f"{len(problems)} problems"]))
    return 1 if problems or not expected else 0


if __name__ == "__main__":
    sys.exit(main())
