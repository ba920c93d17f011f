// SPDX-License-Identifier: Apache-2.0
#include "formats/sqlite.h"

#include <gtest/gtest.h>
#include <limits>
#include <sys/stat.h>

#include "tests/formats/temporary_folder.h"

namespace vramscope::formats {
namespace {

Connection memoryWithTable() {
    StatusOr<Connection> connection = Connection::openInMemory();
    EXPECT_TRUE(connection.isOk());
    EXPECT_TRUE(connection->exec("CREATE TABLE t(i INTEGER, r REAL, s TEXT, b BLOB)").isOk());
    return std::move(connection.value());
}

TEST(Sqlite, ValuesComeBackAsTheyWentIn) {
    Connection connection = memoryWithTable();
    const std::byte blob[] = {std::byte{0}, std::byte{255}, std::byte{7}};
    StatusOr<Statement> insert = connection.prepare("INSERT INTO t VALUES(?1, ?2, ?3, ?4)");
    ASSERT_TRUE(insert.isOk()) << insert.status().message();
    ASSERT_TRUE(insert
                    ->runWith(std::numeric_limits<std::int64_t>::min(), 0.5, std::string_view("a\0b", 3),
                              std::span<const std::byte>(blob))
                    .isOk());
    EXPECT_EQ(connection.lastInsertId(), 1);
    ASSERT_TRUE(insert->runWith(std::optional<std::int64_t>(), std::nullopt, "", std::span<const std::byte>())
                    .isOk());

    StatusOr<Statement> select = connection.prepare("SELECT i, r, s, b FROM t ORDER BY rowid");
    ASSERT_TRUE(*select->step());
    EXPECT_EQ(select->columnInt(0), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(select->columnDouble(1), 0.5);
    EXPECT_EQ(select->columnText(2), std::string_view("a\0b", 3));
    ASSERT_EQ(select->columnBlob(3).size(), 3U);
    EXPECT_EQ(select->columnBlob(3)[1], std::byte{255});
    ASSERT_TRUE(*select->step());
    EXPECT_TRUE(select->isNull(0));
    EXPECT_EQ(select->columnOptionalInt(0), std::nullopt);
    EXPECT_TRUE(select->isNull(1));
    EXPECT_EQ(select->columnType(2), Statement::ColumnType::Text);
    EXPECT_EQ(select->columnType(3), Statement::ColumnType::Blob);
    EXPECT_FALSE(*select->step());
}

TEST(Sqlite, BorrowedTextsAreNeitherCopiedNorKept) {
    Connection connection = memoryWithTable();
    Statement insert = std::move(*connection.prepare("INSERT INTO t(i, s) VALUES(?1, ?2), (?3, ?4)"));
    std::string text = "first";
    insert.bindBorrowed(1, 1, std::string_view(text));
    insert.bindBorrowed(3, 2, std::optional<std::string_view>(text));
    text = "later";
    ASSERT_TRUE(insert.runBorrowed().isOk());
    text = "never";
    ASSERT_TRUE(insert.run().isOk());
    EXPECT_EQ(
        connection.queryText("SELECT group_concat(coalesce(s, '-')) FROM (SELECT s FROM t ORDER BY rowid)")
            .value()
            .value_or(""),
        "later,later,-,-");
}

TEST(Sqlite, AddressesAboveTheSignBitSurvive) {
    Connection connection = memoryWithTable();
    const std::uint64_t address = 0xFFFF'8000'0000'1234;
    ASSERT_TRUE(connection.prepare("INSERT INTO t(i) VALUES(?1)")->runWith(address).isOk());
    StatusOr<Statement> select = connection.prepare("SELECT i FROM t");
    ASSERT_TRUE(*select->step());
    EXPECT_EQ(select->columnAddress(0), address);
}

TEST(Sqlite, BindToAMissingParameterIsReportedByStep) {
    Connection connection = memoryWithTable();
    StatusOr<Statement> statement = connection.prepare("INSERT INTO t(i) VALUES(?1)");
    statement->bind(2, 5);
    EXPECT_EQ(statement->run().kind(), ErrorKind::Internal);
    EXPECT_TRUE(statement->runWith(5).isOk()) << "the error must not stick";
}

TEST(Sqlite, TransactionRollsBackUnlessCommitted) {
    Connection connection = memoryWithTable();
    {
        StatusOr<Transaction> transaction = Transaction::begin(connection);
        ASSERT_TRUE(transaction.isOk());
        ASSERT_TRUE(connection.exec("INSERT INTO t(i) VALUES(1)").isOk());
        EXPECT_TRUE(connection.inTransaction());
    }
    EXPECT_FALSE(connection.inTransaction());
    EXPECT_EQ(**connection.queryInt("SELECT count(*) FROM t"), 0);
    {
        StatusOr<Transaction> transaction = Transaction::begin(connection);
        ASSERT_TRUE(connection.exec("INSERT INTO t(i) VALUES(1)").isOk());
        ASSERT_TRUE(transaction->commit().isOk());
    }
    EXPECT_EQ(**connection.queryInt("SELECT count(*) FROM t"), 1);
}

TEST(Sqlite, ErrorNamesTheFileAndSqlsOwnWords) {
    TemporaryFolder folder;
    StatusOr<Connection> connection = Connection::open(folder / "a.db", OpenMode::Create);
    ASSERT_TRUE(connection.isOk());
    const StatusOr<Statement> statement = connection->prepare("SELECT x FROM nowhere");
    ASSERT_FALSE(statement.isOk());
    EXPECT_EQ(statement.status().kind(), ErrorKind::Usage);
    EXPECT_NE(statement.status().message().find("a.db: no such table: nowhere"), std::string::npos)
        << statement.status().message();
}

TEST(Sqlite, CreatedFileIsPrivate) {
    TemporaryFolder folder;
    StatusOr<Connection> connection = Connection::open(folder / "a.db", OpenMode::Create);
    ASSERT_TRUE(connection.isOk());
    struct stat info {};
    ASSERT_EQ(::stat((folder / "a.db").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST(Sqlite, OddFileNamesAreJustNames) {
    TemporaryFolder folder;
    for (const char* name : {"a?immutable=0#x%41.db", "file:b.db", ":memory:"}) {
        {
            StatusOr<Connection> connection = Connection::open(folder / name, OpenMode::Create);
            ASSERT_TRUE(connection.isOk()) << connection.status().message();
            ASSERT_TRUE(connection->exec("CREATE TABLE t(i)").isOk());
        }
        EXPECT_GT(std::filesystem::file_size(folder / name), 0U) << name;
        for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::Untrusted, OpenMode::UntrustedImmutable}) {
            StatusOr<Connection> connection = Connection::open(folder / name, mode);
            ASSERT_TRUE(connection.isOk()) << connection.status().message();
            EXPECT_TRUE(connection->prepare("SELECT i FROM t").isOk()) << name;
            EXPECT_FALSE(connection->exec("INSERT INTO t VALUES(1)").isOk()) << name;
        }
    }
}

TEST(Sqlite, InterruptCheckStopsARunawayQuery) {
    Connection connection = memoryWithTable();
    int asked = 0;
    connection.setInterruptCheck([&] { return ++asked == 3; });
    const auto result = connection.queryInt(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n");
    ASSERT_FALSE(result.isOk());
    EXPECT_EQ(result.status().kind(), ErrorKind::Incomplete);
    EXPECT_EQ(connection.lastCondition(), DatabaseCondition::Interrupted);
    EXPECT_EQ(asked, 3);
    connection.setInterruptCheck({});
    EXPECT_TRUE(connection.queryInt("SELECT 1").isOk());
}

TEST(Sqlite, LockHeldElsewhereIsBusy) {
    TemporaryFolder folder;
    StatusOr<Connection> first = Connection::open(folder / "a.db", OpenMode::Create);
    StatusOr<Connection> second = Connection::open(folder / "a.db", OpenMode::ReadWrite);
    ASSERT_TRUE(second.isOk());
    const StatusOr<Transaction> held = Transaction::begin(*first);
    ASSERT_TRUE(held.isOk());
    EXPECT_FALSE(Transaction::begin(*second).isOk());
    EXPECT_EQ(second->lastCondition(), DatabaseCondition::Busy);
}

TEST(Sqlite, FullDiskIsToldApart) {
    TemporaryFolder folder;
    StatusOr<Connection> connection = Connection::open(folder / "a.db", OpenMode::Create);
    ASSERT_TRUE(connection->exec("CREATE TABLE t(b); PRAGMA max_page_count=4").isOk());
    EXPECT_FALSE(connection->exec("INSERT INTO t VALUES(zeroblob(100000))").isOk());
    EXPECT_EQ(connection->lastCondition(), DatabaseCondition::DiskFull);
    EXPECT_EQ(connection->lastError().kind(), ErrorKind::System);
}

TEST(Sqlite, UntrustedFilesRunNothingOfTheirOwn) {
    TemporaryFolder folder;
    {
        StatusOr<Connection> connection = Connection::open(folder / "a.db", OpenMode::Create);
        ASSERT_TRUE(connection->exec("CREATE TABLE t(i); CREATE VIEW v AS SELECT i FROM t").isOk());
    }
    StatusOr<Connection> connection = Connection::open(folder / "a.db", OpenMode::Untrusted);
    ASSERT_TRUE(connection.isOk());
    EXPECT_FALSE(connection->prepare("SELECT * FROM v").isOk());
    EXPECT_FALSE(connection->exec("ATTACH 'other.db' AS other").isOk());
    EXPECT_FALSE(connection->exec("SELECT load_extension('x')").isOk());
    EXPECT_TRUE(connection->prepare("SELECT * FROM t").isOk());
}

}  // namespace
}  // namespace vramscope::formats
