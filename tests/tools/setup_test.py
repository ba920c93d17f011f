#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which toolkits tools/setup.sh takes, and what it says when packages are missing."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def call(script, **environment):
    """Runs lines of bash with the functions of setup.sh, with no variable of the caller's but PATH."""
    return subprocess.run(["bash", "-uc", f". '{ROOT}/tools/setup.sh'\n{script}"], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], **environment})


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def toolkit(self, version, cupti="include"):
        root = self.folder / f"cuda-{version}-{cupti.replace('/', '-')}"
        (root / "include").mkdir(parents=True)
        (root / cupti).mkdir(parents=True, exist_ok=True)
        (root / "include" / "cuda.h").write_text(f"/* text */\n#define CUDA_VERSION {version}\n")
        (root / cupti / "cupti.h").write_text("")
        return root

    def is_usable(self, root):
        return call(f"is_usable_toolkit '{root}'").returncode == 0

    def test_takes_both_layouts_of_a_toolkit(self):
        self.assertTrue(self.is_usable(self.toolkit(13000)))
        self.assertTrue(self.is_usable(self.toolkit(13010, "extras/CUPTI/include")))

    def test_refuses_old_and_half_toolkits(self):
        self.assertFalse(self.is_usable(self.toolkit(12090)))
        half = self.toolkit(13020)
        (half / "include" / "cupti.h").unlink()
        self.assertFalse(self.is_usable(half))
        self.assertFalse(self.is_usable(self.folder / "nothing"))

    def test_cuda_home_comes_before_the_usual_places(self):
        root = self.toolkit(13000)
        self.assertEqual(call("find_toolkit", CUDA_HOME=str(root)).stdout.strip(), str(root))

    def test_an_old_cuda_home_is_passed_over(self):
        old, new = self.toolkit(12000), self.toolkit(13000)
        self.assertEqual(call("find_toolkit", CUDA_HOME=str(old), CUDA_PATH=str(new)).stdout.strip(), str(new))

    def test_the_user_decides(self):
        result = call("choose_toolkit; echo \"$VRAMSCOPE_TOOLKIT\"", VRAMSCOPE_CUDA_ROOT="/some/where")
        self.assertEqual(result.stdout.splitlines()[-1], "/some/where")

    @unittest.skipUnless(shutil.which("dpkg-query"), "not a Debian")
    def test_missing_packages_are_named_and_present_ones_are_not(self):
        self.assertEqual(call("missing_packages dpkg no-such-package-1 bash no-such-package-2").stdout.split(),
                         ["no-such-package-1", "no-such-package-2"])
        self.assertEqual(call("require_packages dpkg bash").stdout, "")

    @unittest.skipUnless(shutil.which("dpkg-query"), "not a Debian")
    def test_without_root_and_sudo_the_command_is_told(self):
        # A PATH that holds what is needed and no sudo; `id` says that we are somebody.
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        for name in ("dpkg-query", "bash"):
            (bin_folder / name).symlink_to(shutil.which(name))
        (bin_folder / "id").write_text("#!/bin/bash\necho 1000\n")
        (bin_folder / "id").chmod(0o755)
        result = call("require_packages no-such-package", PATH=str(bin_folder))
        self.assertEqual(result.returncode, 1)
        self.assertIn("apt-get install no-such-package", result.stderr)


if __name__ == "__main__":
    unittest.main()
