#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/capture-format.md from formats/schema.sql and formats/event_columns.cpp.

With --check nothing is written: the exit status is 1 if a table or column lacks its comment, or if the page is not
what would be written.
"""

import argparse
import re
import sqlite3
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = [ROOT / "formats" / name for name in ("schema.sql", "schema_graphs.sql", "schema_exact.sql")]
SCHEMA_HEADER = ROOT / "formats" / "schema.h"
COLUMNS = ROOT / "formats" / "event_columns.cpp"
PAGE = ROOT / "docs" / "capture-format.md"

INTRODUCTION = """\
# The capture format

<!-- Made by tools/generate_schema_docs.py from formats/schema.sql and formats/event_columns.cpp. Change those. -->

A capture (`.vramscope`) is one SQLite database, readable with `vramscope query` and, apart from the packed events, with
any SQLite tool. Its `application_id` is 0x5652414D ("VRAM", bytes 68 to 71 of the file) and its `user_version` (bytes 60
to 63) is the format, {version} at present.

While a capture is recorded, `NAME-wal` beside it holds the latest part. A recorder that was killed leaves it there: keep
the two files together, or finish the capture with `vramscope recover`. A finished capture is one file.

## What is promised

- A vramscope reads its own format and every older one.
- A newer format is refused with a sentence that names both versions; nothing is guessed.
- Whatever a query can see is part of the format: a table or column comes, goes or changes its meaning only with a new
  format number. New columns go to the end; name the columns that you read and do not rely on `SELECT *`.
- New values of a text column (a new kind of buffer, say) may come without one.
- An id is the rowid of its table. Ids hold within one capture and mean nothing in another.
- A capture holds no contents of memory and no environment beyond an allow-list.

## Conventions

Times are nanoseconds since the session began (CLOCK_MONOTONIC) unless the name says otherwise. Addresses and handles are
the job's own values, stored as signed 64-bit integers. What is absent or unknown is NULL. Every table is STRICT.
"""

PACKED = """\
## Packed events

Launches, copies, sets and synchronisations come in millions. They are stored in `event_chunks` in columns (the layout is in
`formats/event_chunk.h`) and read through tables that vramscope adds to a capture it has open, so `vramscope query` sees
them and other SQLite tools do not. A condition on `enter_ns` reads only the chunks inside:

    SELECT count(*), kernel_id FROM launches WHERE enter_ns BETWEEN 1000000000 AND 2000000000 GROUP BY kernel_id

Columns are integers unless marked *text*. Those marked *id* are NULL where there is none. `result` is the call's CUresult.
"""

ARGUMENTS = """\
### launch_arguments

The pointers that launches were given, one row each, unpacked from `argument_chunks`; `argument_set_id = ?` reads one set.
Launches with the same pointers share a set as a rule, but equal sets may have several numbers. A capture that was recorded
or begun in format 1 has a table `argument_sets` with a row a set, which is read, too.

| column | type | what it is |
|---|---|---|
| `argument_set_id` | id | the set, as in `launches` |
| `parameter_offset` | integer | byte offset in the kernel's parameter block |
| `buffer_id` | id | buffer that the pointer points into |
| `offset` | integer | bytes into the buffer; without a buffer, the address itself |
"""

COLUMN = re.compile(r"^\s+(\w+)\s+(INTEGER|TEXT|BLOB|REAL)\b([^-]*?),?\s*(?:--\s*(.*))?$")
EVENT_ARRAY = re.compile(r"constexpr std::array k(\w+)Fields = \{(.*?)\n\};", re.DOTALL)
EVENT_COLUMN = re.compile(r'(field|site|named)<&\w+::\w+>\("(\w+)"(?:,\s*(\w+))?')
EVENT_TABLES = {"Launch": "launches", "Copy": "copies", "Set": "sets", "Sync": "syncs"}


@dataclass
class Table:
    name: str
    comment: str
    columns: list = field(default_factory=list)  # of (name, type, comment or None)


def parse_schema(text):
    """The tables in order, each with the comment right above it."""
    tables, comment, current = [], [], None
    for line in text.splitlines():
        if current is not None:
            if line.startswith(")"):
                current = None
            elif match := COLUMN.match(line):
                name, kind, rest, words = match.groups()
                nullable = "NOT NULL" not in rest and "PRIMARY KEY" not in rest
                current.columns.append((name, kind.lower() + (", or NULL" if nullable else ""), words))
        elif line.startswith("--"):
            comment.append(line[2:].strip())
        elif match := re.match(r"CREATE TABLE (\w+) \($", line):
            current = Table(match.group(1), " ".join(comment))
            tables.append(current)
            comment = []
        elif not line.strip():
            comment = []
    return tables


def problems_of(text, tables):
    """What the schema lacks, as sentences. SQLite itself says which columns there are, so none is overlooked."""
    problems = []
    database = sqlite3.connect(":memory:")
    database.executescript(text)
    parsed = {table.name: table for table in tables}
    for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"):
        if name not in parsed or not parsed[name].comment:
            problems.append(f"table {name} has no comment above it")
            continue
        words = {column: comment for column, _, comment in parsed[name].columns}
        for row in database.execute(f"SELECT name FROM pragma_table_info('{name}')"):
            if not words.get(row[0]):
                problems.append(f"column {name}.{row[0]} has no comment on its line")
    return problems


def escape(words):
    return words.replace("|", "\\|").replace("<", "&lt;")


def sentence(words):
    return escape(words) if words.endswith((".", ":")) else escape(words) + "."


def table_section(table):
    lines = [f"### {table.name}", "", sentence(table.comment), "", "| column | type | what it is |", "|---|---|---|"]
    lines += [f"| `{name}` | {kind} | {escape(words or '')} |" for name, kind, words in table.columns]
    return "\n".join(lines) + "\n"


def event_sections(text):
    sections = []
    for kind, body in EVENT_ARRAY.findall(text):
        columns = []
        for form, name, shape in EVENT_COLUMN.findall(body):
            mark = " (text)" if form == "named" or shape == "ApiName" else " (id)" if shape == "Id" else ""
            columns.append(f"`{name}`{mark}")
        sections.append(f"### {EVENT_TABLES[kind]}\n\n" + ", ".join(columns) + ".\n")
    return sections


def make_page(tables):
    version = re.search(r"kFormatVersion = (\d+)", SCHEMA_HEADER.read_text()).group(1)
    sections = [INTRODUCTION.format(version=version), "## Tables\n"]
    sections += [table_section(table) for table in tables]
    sections += [PACKED, *event_sections(COLUMNS.read_text()), ARGUMENTS]
    return "\n".join(sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something is missing or stale")
    arguments = parser.parse_args()

    text = "\n".join(part.read_text() for part in SCHEMA)
    tables = parse_schema(text)
    problems = problems_of(text, tables)
    page = make_page(tables)
    if arguments.check:
        if not PAGE.exists() or PAGE.read_text() != page:
            problems.append(f"{PAGE.relative_to(ROOT)} is stale: run tools/generate_schema_docs.py")
    elif not problems:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page)
    for problem in problems:
        print(f"generate_schema_docs: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
