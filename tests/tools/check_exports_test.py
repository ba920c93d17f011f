#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools/check_exports.py finds in a library, in a made-up list of symbols and in a real one."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import tool_path  # noqa: F401
import check_exports

MAP = "{\n    global:\n        InitializeInjection;\n        vramscope_mark;\n    local:\n        *;\n};\n"
LISTED = {"InitializeInjection", "vramscope_mark"}


def problems(defined=LISTED, undefined=("malloc",), needed=("libc.so.6",)):
    return check_exports.problems_of(LISTED, set(defined), set(undefined), needed)


class Exports(unittest.TestCase):
    def test_the_map_is_read(self):
        self.assertEqual(check_exports.exported_names(MAP), LISTED)
        real = check_exports.exported_names(check_exports.EXPORTS.read_text())
        self.assertIn("InitializeInjection", real)

    def test_what_is_right_passes(self):
        self.assertEqual(problems(), [])
        self.assertEqual(problems(undefined=["__cxa_finalize", "dlopen"], needed=["libm.so.6", "ld-linux-x86-64.so.2"]), [])

    def test_a_stray_or_lost_symbol_is_found(self):
        self.assertEqual(len(problems(defined=LISTED | {"helper"})), 1)
        self.assertEqual(len(problems(defined=["InitializeInjection"])), 1)

    def test_what_is_asked_of_the_job_is_found(self):
        for name in ("_Znwm", "__cxa_throw", "__gxx_personality_v0", "_Unwind_Backtrace", "sqlite3_open_v2", "cuMemAlloc_v2",
                     "cuptiSubscribe", "unw_step"):
            self.assertEqual(len(problems(undefined=[name])), 1, name)

    def test_a_needed_library_is_found(self):
        for name in ("libstdc++.so.6", "libcupti.so.13", "libcuda.so.1", "libgcc_s.so.1", "libprotobuf.so.32"):
            self.assertEqual(len(problems(needed=["libc.so.6", name])), 1, name)

    def test_symbols_of_a_real_library_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "a.c")
            source.write_text("#include <stdlib.h>\nvoid *shown(void) { return malloc(1); }\n"
                              "__attribute__((visibility(\"hidden\"))) int hidden;\n")
            library = Path(folder, "liba.so")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
            defined, undefined = check_exports.dynamic_symbols(library)
        self.assertIn("shown", defined)
        self.assertNotIn("hidden", defined)
        self.assertIn("malloc", undefined)


if __name__ == "__main__":
    unittest.main()
