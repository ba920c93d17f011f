// SPDX-License-Identifier: Apache-2.0
#include "formats/table_pages.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "tests/formats/temporary_folder.h"

namespace vramscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kColumns{"id", "number", "word"};

struct PageRow {
    std::int64_t id = 0;
    std::int64_t number = 0;
    bool isNull = false;
    std::string word;
    bool operator==(const PageRow&) const = default;
};

class TablePagesTest : public testing::Test {
protected:
    void run(const std::string& sql) {
        auto connection = Connection::open(m_path, OpenMode::Create);
        ASSERT_TRUE(connection.isOk());
        const Status done = connection->exec(sql);
        ASSERT_TRUE(done.isOk()) << done.message();
    }
    /// 20,000 rows with numbers of every width, in and out of order.
    void writeRows() {
        run("CREATE TABLE things (id INTEGER PRIMARY KEY, gone INTEGER, word TEXT, number INTEGER);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
            " INSERT INTO things SELECT i * 3, NULL, iif(i % 7, substr('some words', i % 11), NULL),"
            " iif(i % 5, ((1 << (i % 63)) - (i % 3)) * iif(i % 2, 1, -1), NULL) FROM n");
    }
    static std::vector<PageRow> byStatement(Connection& connection) {
        std::vector<PageRow> rows;
        auto row = connection.prepare("SELECT id, number, word FROM things ORDER BY id");
        while (row.isOk() && *row->step())
            rows.push_back(
                {row->columnInt(0), row->columnInt(1), row->isNull(1), std::string(row->columnText(2))});
        return rows;
    }
    /// Of `parts` cursors; nothing when one of them is odd.
    static std::vector<PageRow> byPages(Connection& connection, const TablePages& pages, std::size_t parts) {
        std::vector<PageRow> rows;
        const std::size_t leaves = pages.leaves().size();
        for (std::size_t part = 0; part < parts; ++part) {
            PageCursor row(connection, pages, leaves * part / parts, leaves * (part + 1) / parts);
            while (row.step())
                rows.push_back(
                    {row.columnInt(0), row.columnInt(1), row.isNull(1), std::string(row.columnText(2))});
            if (row.isOdd()) return {};
        }
        return rows;
    }
    Connection opened() {
        auto connection = Connection::open(m_path, OpenMode::Untrusted);
        EXPECT_TRUE(connection.isOk());
        return std::move(*connection);
    }
    bool isPlain(const char* table = "things") {
        Connection connection = opened();
        return TablePages::find(connection, table, kColumns).has_value();
    }
    bool isOdd() {
        Connection connection = opened();
        const auto pages = TablePages::find(connection, "things", kColumns);
        EXPECT_TRUE(pages.has_value());
        return pages && byPages(connection, *pages, 1).empty();
    }

    TemporaryFolder m_folder;
    fs::path m_path = m_folder / "things.db";
};

TEST_F(TablePagesTest, HoldWhatAStatementReads) {
    writeRows();
    Connection connection = opened();
    const auto pages = TablePages::find(connection, "things", kColumns);
    ASSERT_TRUE(pages);
    EXPECT_GT(pages->leaves().size(), 50U);
    const std::vector<PageRow> expected = byStatement(connection);
    ASSERT_EQ(expected.size(), 20'000U);
    for (const std::size_t parts : {1, 2, 7})
        EXPECT_EQ(byPages(connection, *pages, parts), expected) << parts;
}

TEST_F(TablePagesTest, OfEveryPageSizeAndAfterDeletions) {
    for (const char* pageBytes : {"512", "8192", "65536"}) {
        fs::remove(m_path);
        run(std::string("PRAGMA page_size = ") + pageBytes);
        writeRows();
        run("DELETE FROM things WHERE id % 4 = 0 OR id BETWEEN 9000 AND 30000");
        Connection connection = opened();
        const auto pages = TablePages::find(connection, "things", kColumns);
        ASSERT_TRUE(pages);
        EXPECT_EQ(byPages(connection, *pages, 3), byStatement(connection)) << pageBytes;
    }
}

TEST_F(TablePagesTest, AnEmptyTableHasNoRows) {
    run("CREATE TABLE things (id INTEGER PRIMARY KEY, word TEXT, number INTEGER)");
    Connection connection = opened();
    const auto pages = TablePages::find(connection, "things", kColumns);
    ASSERT_TRUE(pages);
    PageCursor row(connection, *pages, 0, pages->leaves().size());
    EXPECT_FALSE(row.step());
    EXPECT_FALSE(row.isOdd());
}

TEST_F(TablePagesTest, WhatIsNotPlainIsLeftToStatements) {
    run("CREATE TABLE things (id INTEGER PRIMARY KEY, word TEXT, number INTEGER);"
        "CREATE VIEW seen AS SELECT * FROM things;"
        "CREATE TABLE keyed (id INTEGER PRIMARY KEY, word TEXT, number INTEGER) WITHOUT ROWID;"
        "CREATE TABLE made (id INTEGER PRIMARY KEY, word TEXT, number INTEGER AS (id * 2) VIRTUAL);"
        "CREATE TABLE short (id INTEGER PRIMARY KEY, word TEXT)");
    EXPECT_TRUE(isPlain());
    EXPECT_FALSE(isPlain("seen"));
    EXPECT_FALSE(isPlain("made"));
    EXPECT_FALSE(isPlain("short"));
    EXPECT_FALSE(isPlain("nothing"));
    {
        Connection connection = opened();
        const auto pages = TablePages::find(connection, "keyed", kColumns);
        if (pages) {
            PageCursor row(connection, *pages, 0, pages->leaves().size());
            EXPECT_FALSE(row.step());
            EXPECT_TRUE(row.isOdd());
        }
    }
    auto writer = Connection::open(m_path, OpenMode::ReadWrite);
    ASSERT_TRUE(writer.isOk());
    ASSERT_TRUE(writer->exec("PRAGMA journal_mode=WAL; INSERT INTO things VALUES (1, '', 1)").isOk());
    EXPECT_FALSE(isPlain()) << "rows may be in the log";
}

TEST_F(TablePagesTest, ARowThatIsNotPlainIsSeen) {
    const char* table =
        "CREATE TABLE things (id INTEGER PRIMARY KEY, word TEXT, number INTEGER);"
        "INSERT INTO things VALUES (1, 'a', 1), (2, 'b', 2);";
    for (const char* change :
         {"UPDATE things SET word = hex(zeroblob(9000)) WHERE id = 2",
          "UPDATE things SET number = 1.5 WHERE id = 2", "UPDATE things SET number = 'many' WHERE id = 2",
          "UPDATE things SET word = x'00' WHERE id = 2",
          "ALTER TABLE things ADD COLUMN late INTEGER DEFAULT 7"}) {
        fs::remove(m_path);
        run(table);
        EXPECT_FALSE(isOdd());
        run(change);
        EXPECT_TRUE(isOdd()) << change;
    }
}

TEST_F(TablePagesTest, DamagedPagesGiveNoRowTwice) {
    writeRows();
    std::ifstream file(m_path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    std::mt19937 random(7);
    int oddCount = 0;
    for (int round = 0; round < 150; ++round) {
        std::string damaged = whole;
        // The first page says what SQLite refuses: it stays.
        for (int i = 0; i < 40; ++i)
            damaged[4096 + random() % (damaged.size() - 4096)] = static_cast<char>(random());
        // Inner pages are few: some of the damage is theirs.
        for (int i = 0; i < round % 3; ++i)
            damaged[4096 + random() % 400] = static_cast<char>(random());
        std::ofstream(m_path, std::ios::binary) << damaged;
        Connection connection = opened();
        const auto pages = TablePages::find(connection, "things", kColumns);
        if (!pages) {
            ++oddCount;
            continue;
        }
        std::int64_t lastId = std::numeric_limits<std::int64_t>::min();
        for (std::size_t leaf = 0; leaf < pages->leaves().size(); ++leaf) {
            PageCursor row(connection, *pages, leaf, leaf + 1);
            while (row.step()) {
                ASSERT_GT(row.columnInt(0), lastId);
                lastId = row.columnInt(0);
                (void)row.columnText(2).size();
            }
            oddCount += row.isOdd() ? 1 : 0;
        }
    }
    EXPECT_GT(oddCount, 20);
}

}  // namespace
}  // namespace vramscope::formats
