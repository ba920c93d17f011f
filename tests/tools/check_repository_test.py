#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools/check_repository.py finds. The words are put together here, so that this file passes the check itself."""

import unittest

import tool_path  # noqa: F401
import check_repository

FIRST = b"// SPDX-License-Identifier: Apache-2.0\n"


def problems(name, data):
    return list(check_repository.problems_of(name, data))


class Repository(unittest.TestCase):
    def test_a_good_file_passes(self):
        self.assertEqual(problems("formats/a.h", FIRST + b"#pragma once\n"), [])
        self.assertEqual(problems("docs/a.md", b"# A page\n\nSee `/usr/local/cuda` and docs/work/a.md.\n"), [])

    def test_the_licence_line_is_wanted(self):
        for name in ("formats/a.h", "tools/a.py", "CMakeLists.txt", "test", ".ci/run", "formats/a.sql", "samples/k.cu"):
            self.assertEqual(len(problems(name, b"x\ny\n")), 1, name)
        self.assertEqual(problems("tools/a.py", b"#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n"), [])

    def test_a_long_source_is_named_and_a_long_page_is_not(self):
        self.assertEqual(len(problems("formats/a.cpp", FIRST + b"\n" * check_repository.MAX_LINES)), 1)
        self.assertEqual(problems("formats/a.cpp", FIRST + b"\n" * (check_repository.MAX_LINES - 1)), [])
        self.assertEqual(problems("docs/a.md", b"\n" * 2000), [])

    def test_paths_hosts_and_unfinished_marks_are_found(self):
        for words in ("see /wor" + "k/main", "/roo" + "t/.cache", "pypi" + ".org", "http://deb" + ".debian.org", "TO" + "DO: more",
                      "FIX" + "ME", "build/le" + "ad/bin"):
            found = problems("docs/a.md", f"# A page\n{words}\n".encode())
            self.assertEqual(len(found), 1, words)
            self.assertTrue(found[0].startswith("docs/a.md:2: "), found)

    def test_a_large_file_is_found_outside_the_captures(self):
        large = b"\0" * (check_repository.MAX_BYTES + 1)
        self.assertEqual(len(problems("docs/a.png", large)), 1)
        self.assertEqual(problems("samples/captures/a.vramscope", large), [])


if __name__ == "__main__":
    unittest.main()
