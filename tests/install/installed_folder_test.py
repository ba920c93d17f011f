#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build, moves the folder away, and records, reports and checks a leaking program from there.

    installed_folder_test.py BUILD     a build folder in which everything is built
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
PROGRAMS = ("bin/vramscope", "bin/vramscope-capture", "lib/libvramscope.so")
# What every Linux with glibc has. Anything else would have to be installed where the folder is copied to.
SYSTEM_LIBRARY = re.compile(r"^(linux-vdso|libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+)\.so(\.\d+)?$")


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=60, **options)


class InstalledFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="vramscope-install-"))
        first = cls.work / "first place"
        result = run("cmake", "--install", BUILD, "--prefix", first, "--strip") # as README.md says
        if result.returncode != 0:
            raise RuntimeError(f"cmake --install failed: {result.stdout}{result.stderr}")
        # A space in the name, too: people have them.
        cls.folder = cls.work / "second place" / "vramscope"
        cls.folder.parent.mkdir()
        first.rename(cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def vramscope(self, *arguments):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.work), "LD_LIBRARY_PATH": str(self.folder / "lib" / "sim"),
                       "VRAMSCOPE_SIM_DEVICE": str(self.work / "device")}
        return run(self.folder / "bin" / "vramscope", *arguments, cwd=self.work, env=environment)

    def record(self, name):
        capture = self.work / name
        result = self.vramscope("run", "-o", capture, "--", self.folder / "libexec" / "vramscope" / "leak_growth")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(capture.exists(), result.stderr)
        return capture

    def test_holds_what_it_should(self):
        for name in PROGRAMS + ("share/doc/vramscope/LICENSE", "share/doc/vramscope/README.md",
                                "share/doc/vramscope/docs/guide.md"):
            self.assertTrue((self.folder / name).is_file(), name)
        strays = [path for path in self.folder.rglob("*") if path.suffix in (".a", ".cmake") or "test" in path.name.lower()
                  and path.suffix != ".md"]
        self.assertEqual(strays, [])

    def test_needs_only_the_c_library(self):
        for name in PROGRAMS:
            result = run("ldd", self.folder / name)
            self.assertEqual(result.returncode, 0, f"{name}: {result.stderr}")
            needed = {Path(line.split()[0]).name for line in result.stdout.splitlines() if line.strip()}
            self.assertEqual([library for library in needed if not SYSTEM_LIBRARY.match(library)], [], name)

    def test_names_no_folder_of_the_build(self):
        for name in PROGRAMS + ("libexec/vramscope/leak_growth",):
            dynamic = run("readelf", "-d", "-W", self.folder / name).stdout
            for path in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic):
                for part in path.split(":"):
                    self.assertTrue(part.startswith("$ORIGIN"), f"{name} looks for libraries in {part}")

    def test_records_and_reports_from_another_place(self):
        capture = self.record("leak.vramscope")
        report = self.vramscope("report", "--json", capture)
        self.assertEqual(report.returncode, 0, report.stderr)
        rules = [finding["rule"] for finding in json.loads(report.stdout)["findings"]]
        self.assertIn("leak.growth", rules)

    def test_demo_finds_its_program_and_the_simulation(self):
        result = self.vramscope("demo", "--simulated", "-o", self.work / "demo.vramscope")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("leak.growth", result.stdout)
        self.assertIn("SIMULATED", result.stderr)
        # Stripped it would show offsets, and nobody could read what the demo is there to show.
        self.assertRegex(result.stdout, r"leak_growth\.cpp:\d+")

    def test_check_fails_on_the_leak_and_passes_with_a_baseline(self):
        capture = self.record("gate.vramscope")
        self.assertEqual(self.vramscope("check", capture).returncode, 1)
        baseline = self.work / "known.txt"
        self.vramscope("check", capture, "--write-baseline", baseline)
        known = self.vramscope("check", capture, "--baseline", baseline)
        self.assertEqual(known.returncode, 0, known.stdout + known.stderr)

    def test_says_what_is_missing_when_a_part_is(self):
        part = self.folder / "lib" / "libvramscope.so"
        hidden = part.with_suffix(".away")
        os.rename(part, hidden)
        try:
            result = self.vramscope("run", "--require", "-o", self.work / "none.vramscope", "--", "true")
        finally:
            os.rename(hidden, part)
        self.assertEqual(result.returncode, 125)
        self.assertIn("libvramscope.so", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
