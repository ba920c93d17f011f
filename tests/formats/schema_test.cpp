// SPDX-License-Identifier: Apache-2.0
#include "formats/schema.h"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/formats/temporary_folder.h"

namespace vramscope::formats {
namespace {

void writeFile(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// Makes a capture and lets `change` spoil it.
Status checkAfter(const std::filesystem::path& path, const std::string& change) {
    StatusOr<Connection> connection = Connection::open(path, OpenMode::Create);
    EXPECT_TRUE(createSchema(*connection).isOk());
    EXPECT_TRUE(connection->exec(change).isOk());
    if (Status status = checkCaptureHeader(path); !status.isOk()) return status;
    return checkSchema(*connection);
}

TEST(Schema, NewCaptureIsAccepted) {
    TemporaryFolder folder;
    const Status status = checkAfter(folder / "a.vramscope", "SELECT 1");
    EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(Schema, EveryTableIsStrict) {
    StatusOr<Connection> connection = Connection::openInMemory();
    ASSERT_TRUE(createSchema(*connection).isOk());
    EXPECT_GT(
        **connection->queryInt("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict"),
        20);
    EXPECT_EQ(**connection->queryInt(
                  "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND "
                  "name NOT LIKE 'sqlite_%'"),
              0);
}

TEST(Schema, NewerVersionNamesBothVersions) {
    TemporaryFolder folder;
    const auto path = folder / "train.vramscope";
    const Status status = checkAfter(path, "PRAGMA user_version=70");
    EXPECT_EQ(status.kind(), ErrorKind::Unreadable);
    const std::string ours = std::to_string(kFormatVersion);
    EXPECT_EQ(status.message(),
              path.string() + " was written by a newer vramscope (format 70, this one reads up to " + ours +
                  ").\n  Update vramscope, or ask the other side for `vramscope export "
                  "--format " +
                  ours + "`.");
}

TEST(Schema, ForeignDatabaseIsNamedAsSuch) {
    TemporaryFolder folder;
    const Status status = checkAfter(folder / "a.db", "PRAGMA application_id=0");
    EXPECT_EQ(status.kind(), ErrorKind::Unreadable);
    EXPECT_NE(status.message().find("not a capture of vramscope"), std::string::npos);
}

TEST(Schema, VersionBelowOneIsDamage) {
    TemporaryFolder folder;
    EXPECT_NE(checkAfter(folder / "a", "PRAGMA user_version=-3").message().find("damaged"),
              std::string::npos);
}

TEST(Schema, FilesThatAreNoDatabase) {
    TemporaryFolder folder;
    EXPECT_NE(checkCaptureHeader(folder / "none").message().find("no such file"), std::string::npos);
    EXPECT_NE(checkCaptureHeader(folder.path()).message().find("folder"), std::string::npos);
    writeFile(folder / "empty", "");
    EXPECT_NE(checkCaptureHeader(folder / "empty").message().find("is empty"), std::string::npos);
    writeFile(folder / "text", "hello, this is no capture");
    EXPECT_NE(checkCaptureHeader(folder / "text").message().find("not a capture"), std::string::npos);
    writeFile(folder / "short", std::string_view("SQLite format 3\0abc", 19));
    EXPECT_NE(checkCaptureHeader(folder / "short").message().find("cut short"), std::string::npos);
    EXPECT_EQ(checkCaptureHeader("/dev/null").kind(), ErrorKind::Unreadable);
}

TEST(Schema, CutFileSaysHowMuchIsMissing) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    ASSERT_TRUE(checkAfter(path, "SELECT 1").isOk());
    const auto whole = std::filesystem::file_size(path);
    std::filesystem::resize_file(path, whole - 4096);
    EXPECT_NE(checkCaptureHeader(path).message().find("should have " + std::to_string(whole)),
              std::string::npos);
}

TEST(Schema, MissingTableOrColumnIsDamage) {
    TemporaryFolder folder;
    EXPECT_NE(checkAfter(folder / "a", "DROP TABLE buffers").message().find("no table 'buffers'"),
              std::string::npos);
    EXPECT_NE(
        checkAfter(folder / "b", "ALTER TABLE buffers DROP COLUMN flags").message().find("column 'flags'"),
        std::string::npos);
}

TEST(Schema, ViewInPlaceOfATableIsRefused) {
    TemporaryFolder folder;
    const Status status = checkAfter(
        folder / "a", "DROP TABLE notes; CREATE VIEW notes AS SELECT 1 AS time_ns, 2 AS process_id");
    EXPECT_NE(status.message().find("is refused: 'notes'"), std::string::npos) << status.message();
}

TEST(Schema, TableThatHidesTheEventsIsRefused) {
    TemporaryFolder folder;
    const Status status = checkAfter(folder / "a", "CREATE TABLE Launches(enter_ns)");
    EXPECT_NE(status.message().find("its own 'launches'"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace vramscope::formats
