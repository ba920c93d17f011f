// SPDX-License-Identifier: Apache-2.0
#include "formats/older_formats.h"

#include <gtest/gtest.h>

#include "formats/capture_file.h"
#include "formats/schema.h"
#include "tests/formats/temporary_folder.h"

namespace vramscope::formats {
namespace {

/// What brings a capture of the present format back to format 1, and says that it is of `version`.
std::string statementsBack(Connection& connection, int version) {
    std::string sql;
    StatusOr<Statement> columns = connection.prepare(
        "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c WHERE t.schema = "
        "'main'");
    while (columns.isOk() && *columns->step()) {
        const std::string table(columns->columnText(0));
        const std::string column(columns->columnText(1));
        if (isColumnNewerThan(table, column, 1) && !isTableNewerThan(table, 1))
            sql += "ALTER TABLE " + table + " DROP COLUMN " + column + ";";
        if (isTableNewerThan(table, 1)) sql += "DROP TABLE IF EXISTS " + table + ";";
    }
    return sql + "PRAGMA user_version=" + std::to_string(version);
}

void makeOldCapture(const std::filesystem::path& path, int version) {
    StatusOr<Connection> connection = createCaptureForWriting(path, false);
    ASSERT_TRUE(connection.isOk()) << connection.status().message();
    const std::string back = statementsBack(*connection, version);
    EXPECT_NE(back.find("job_exceptions"), std::string::npos);
    const Status changed = connection->exec(
        "INSERT INTO phases(process_id, name, kind, start_ns) VALUES(1, 'kept', 'range', 5);" + back);
    ASSERT_TRUE(changed.isOk()) << changed.message();
    ASSERT_TRUE(finishCapture(*connection).isOk());
}

std::int64_t number(Connection& connection, const char* sql) {
    const StatusOr<std::optional<std::int64_t>> value = connection.queryInt(sql);
    EXPECT_TRUE(value.isOk()) << value.status().message();
    return value.isOk() ? value->value_or(-1) : -1;
}

TEST(OlderFormats, AreReadAsIfTheirNewTablesWereEmpty) {
    TemporaryFolder folder;
    const auto path = folder / "old.vramscope";
    makeOldCapture(path, 1);
    const auto bytes = std::filesystem::file_size(path);
    StatusOr<Connection> reader = openCaptureForReading(path);
    ASSERT_TRUE(reader.isOk()) << reader.status().message();
    for (const char* table :
         {"job_exceptions", "pool_trims", "vmm_accesses", "primary_context_calls", "gpu_modules"}) {
        EXPECT_EQ(number(*reader, (std::string("SELECT count(*) FROM ") + table).c_str()), 0) << table;
    }
    EXPECT_EQ(number(*reader, "SELECT start_ns FROM phases WHERE name = 'kept'"), 5);
    EXPECT_EQ(number(*reader, "PRAGMA user_version"), 1);
    EXPECT_FALSE(reader->exec("DELETE FROM phases").isOk()) << "still for reading only";
    EXPECT_FALSE(reader->exec("DELETE FROM job_exceptions").isOk());
    EXPECT_EQ(std::filesystem::file_size(path), bytes);
}

TEST(OlderFormats, AreFinishedInThePresentFormat) {
    TemporaryFolder folder;
    const auto path = folder / "old.vramscope";
    makeOldCapture(path, 1);
    StatusOr<Connection> writer = openCaptureForRecovery(path);
    ASSERT_TRUE(writer.isOk()) << writer.status().message();
    EXPECT_EQ(number(*writer, "PRAGMA user_version"), kFormatVersion);
    EXPECT_TRUE(writer->exec("UPDATE phases SET level=0, nvtx_id=0, lost='end'").isOk());
    EXPECT_EQ(number(*writer, "SELECT count(*) FROM job_exceptions"), 0);
    const Status same = checkSchema(*writer);
    EXPECT_TRUE(same.isOk()) << same.message();
    ASSERT_TRUE(finishCapture(*writer).isOk());
    EXPECT_TRUE(openCaptureForReading(path).isOk());
}

TEST(OlderFormats, ExcuseNothingInALaterOne) {
    TemporaryFolder folder;
    const auto path = folder / "damaged.vramscope";
    makeOldCapture(path, static_cast<int>(kFormatVersion));
    EXPECT_EQ(openCaptureForReading(path).status().kind(), ErrorKind::Unreadable);
    EXPECT_FALSE(isTableNewerThan("job_exceptions", 2));
    EXPECT_TRUE(isTableNewerThan("gpu_modules", 2));
    EXPECT_FALSE(isTableNewerThan("gpu_modules", 3));
    EXPECT_FALSE(isTableNewerThan("buffers", 1));
    EXPECT_TRUE(isColumnNewerThan("phases", "lost", 1));
    EXPECT_FALSE(isColumnNewerThan("phases", "lost", 2));
}

}  // namespace
}  // namespace vramscope::formats
