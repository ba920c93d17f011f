#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tools/check_layering.py forbids and what it lets pass."""

import unittest

import tool_path  # noqa: F401
import check_layering


def problems(path, *lines):
    return list(check_layering.problems_in(path, "\n".join(lines)))


class Layering(unittest.TestCase):
    def assert_forbidden(self, path, line):
        self.assertEqual(len(problems(path, line)), 1, f"{path} may have {line}")

    def assert_allowed(self, path, line):
        self.assertEqual(problems(path, line), [])

    def test_collector_and_analyzer_do_not_meet(self):
        self.assert_forbidden("analyzer/model/a.cpp", '#include "collector/recorder/recorder.h"')
        self.assert_forbidden("collector/recorder/a.cpp", '#include "analyzer/model/capture.h"')
        self.assert_allowed("analyzer/model/a.cpp", '#include "formats/sqlite.h"')
        self.assert_allowed("collector/recorder/a.cpp", '#include "formats/sqlite.h"')

    def test_formats_stands_alone(self):
        self.assert_forbidden("formats/a.h", '#include "collector/inject/clock.h"')
        self.assert_forbidden("formats/a.h", '#include "analyzer/model/ids.h"')
        self.assert_allowed("formats/a.h", '#include "formats/status.h"')

    def test_the_injected_library_knows_no_recorder(self):
        self.assert_forbidden("collector/inject/a.cpp", '#include "collector/recorder/recorder.h"')
        self.assert_forbidden("collector/unwind/a.cpp", '#include "collector/symbols/symbolizer.h"')
        self.assert_allowed("collector/inject/a.cpp", '#include "collector/unwind/unwinder.h"')

    def test_product_code_knows_neither_tests_nor_samples(self):
        for folder in ("formats", "collector/recorder", "analyzer/report", "gui/views"):
            self.assert_forbidden(f"{folder}/a.cpp", '#include "tests/support/capture_builder.h"')
            self.assert_forbidden(f"{folder}/a.cpp", '#include "samples/sim/machine.h"')

    def test_outside_libraries_have_their_places(self):
        self.assert_forbidden("analyzer/model/a.cpp", "#include <sqlite3.h>")
        self.assert_allowed("formats/sqlite.cpp", "#include <sqlite3.h>")
        self.assert_forbidden("analyzer/export/a.cpp", "#include <session.pb.h>")
        self.assert_forbidden("formats/a.cpp", "#include <cuda.h>")
        self.assert_forbidden("analyzer/a.cpp", "#include <generated_cuda_meta.h>")
        self.assert_allowed("collector/inject/a.cpp", "#include <cupti.h>")
        self.assert_allowed("samples/programs/a.cpp", "#include <cuda_runtime.h>")
        self.assert_forbidden("analyzer/report/a.cpp", "#include <QString>")
        self.assert_forbidden("analyzer/report/a.cpp", "#include <QtCore/QString>")
        self.assert_allowed("gui/views/a.cpp", "#include <QWidget>")

    def test_includes_are_written_from_the_root(self):
        self.assert_forbidden("formats/a.cpp", '#include "../collector/a.h"')
        self.assert_forbidden("formats/a.cpp", '#include "status.h"')
        self.assert_allowed("collector/api_names/a.cpp", '#include "driver_calls.inc"')

    def test_other_spellings_are_seen(self):
        self.assert_forbidden("analyzer/a.cpp", '  #  include   "collector/recorder/recorder.h" // why')
        self.assert_forbidden("analyzer/a.cpp", "#include<collector/recorder/recorder.h>")

    def test_the_line_is_named(self):
        found = problems("analyzer/a.cpp", "// first", '#include "collector/inject/clock.h"')
        self.assertTrue(found[0].startswith("analyzer/a.cpp:2: "), found)


if __name__ == "__main__":
    unittest.main()
