#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generator of docs/capture-format.md notices what it is there to notice, and the page in the tree is current."""

import subprocess
import sys
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent.parent / "tools"
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS))
import generate_schema_docs as generator  # noqa: E402

GOOD = """\
-- Things that are there.
CREATE TABLE things (
    thing_id INTEGER NOT NULL,     -- our number for it
    size_bytes INTEGER NOT NULL,   -- how large
    name TEXT,                     -- what it is called; 'a|b' too
    PRIMARY KEY (thing_id, name)
) STRICT;
"""


class GenerateSchemaDocs(unittest.TestCase):
    def test_complete_schema_has_no_problems(self):
        tables = generator.parse_schema(GOOD)
        self.assertEqual(generator.problems_of(GOOD, tables), [])
        section = generator.table_section(tables[0])
        self.assertIn("Things that are there.", section)
        self.assertIn("| `size_bytes` | integer | how large |", section)
        self.assertIn("| `name` | text, or NULL | what it is called; 'a\\|b' too |", section)

    def test_column_without_comment_is_named(self):
        text = GOOD.replace("   -- how large", "")
        problems = generator.problems_of(text, generator.parse_schema(text))
        self.assertEqual(problems, ["column things.size_bytes has no comment on its line"])

    def test_table_without_comment_is_named(self):
        text = GOOD.replace("-- Things that are there.\n", "")
        problems = generator.problems_of(text, generator.parse_schema(text))
        self.assertEqual(problems, ["table things has no comment above it"])

    def test_every_event_column_is_listed(self):
        sections = generator.event_sections(generator.COLUMNS.read_text())
        self.assertEqual(len(sections), 4)
        for section in sections:
            self.assertIn("`enter_ns`, `exit_ns`, `process_id` (id)", section)
            self.assertIn("`result`", section)

    def test_page_is_current(self):
        run = subprocess.run([sys.executable, TOOLS / "generate_schema_docs.py", "--check"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
