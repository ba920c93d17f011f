// SPDX-License-Identifier: Apache-2.0
#include "formats/capture_file.h"

#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/event_writer.h"
#include "formats/schema.h"
#include "tests/formats/temporary_folder.h"
#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

namespace fs = std::filesystem;

Status addNotes(Connection& connection, int count) {
    VRAMSCOPE_ASSIGN_OR_RETURN(Transaction transaction, Transaction::begin(connection));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        Statement insert, connection.prepare("INSERT INTO notes VALUES(?1, NULL, 'info', 'test', 'text')"));
    for (int i = 0; i < count; ++i)
        VRAMSCOPE_RETURN_IF_ERROR(insert.runWith(i));
    return transaction.commit();
}

/// Records `count` notes in a process that is then killed, as a recorder may be.
void recordAndGetKilled(const fs::path& path, int count) {
    const pid_t child = ::fork();
    if (child == 0) {
        StatusOr<Connection> connection = createCaptureForWriting(path, false);
        if (!connection.isOk() || !addNotes(*connection, count).isOk()) ::_exit(1);
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
}

std::int64_t countNotes(StatusOr<Connection>& connection) {
    EXPECT_TRUE(connection.isOk()) << connection.status().message();
    return connection.isOk() ? connection->queryInt("SELECT count(*) FROM notes")->value_or(-1) : -1;
}

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CaptureFile, FinishedCaptureIsOnePrivateFile) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    StatusOr<Connection> connection = createCaptureForWriting(path, false);
    ASSERT_TRUE(connection.isOk()) << connection.status().message();
    EXPECT_EQ(sideFilesOf(path), SideFiles::Wal);
    ASSERT_TRUE(addNotes(*connection, 10).isOk());
    const Status finished = finishCapture(*connection);
    ASSERT_TRUE(finished.isOk()) << finished.message();

    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
    EXPECT_EQ(sideFilesOf(path), SideFiles::None);
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
    StatusOr<Connection> reader = openCaptureForReading(path);
    EXPECT_EQ(countNotes(reader), 10);
    EXPECT_FALSE(reader->exec("DELETE FROM notes").isOk());
}

TEST(CaptureFile, ReadableWhileItIsRecorded) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    StatusOr<Connection> writer = createCaptureForWriting(path, false);
    ASSERT_TRUE(addNotes(*writer, 5).isOk());
    StatusOr<Connection> reader = openCaptureForReading(path);
    EXPECT_EQ(countNotes(reader), 5);
    ASSERT_TRUE(addNotes(*writer, 5).isOk());
    EXPECT_EQ(countNotes(reader), 10);
    // A reader that keeps the file open must not cost data, only the tidy end.
    writer->setBusyTimeout(10);
    const Status finished = finishCapture(*writer);
    EXPECT_FALSE(finished.isOk());
    EXPECT_NE(finished.message().find("another program has it open"), std::string::npos)
        << finished.message();
    ASSERT_TRUE(reader->close().isOk());
    EXPECT_TRUE(finishCapture(*writer).isOk());
}

TEST(CaptureFile, KilledRecorderLosesNoCommit) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    recordAndGetKilled(path, 1000);
    ASSERT_EQ(sideFilesOf(path), SideFiles::Wal);
    const std::string before = contentOf(path);
    const std::string walBefore = contentOf(folder / "a.vramscope-wal");
    {
        StatusOr<Connection> reader = openCaptureForReading(path);
        EXPECT_EQ(countNotes(reader), 1000);
    }
    EXPECT_EQ(contentOf(path), before) << "reading must not change the file";
    EXPECT_EQ(contentOf(folder / "a.vramscope-wal"), walBefore);

    StatusOr<Connection> recovery = openCaptureForRecovery(path);
    ASSERT_TRUE(recovery.isOk()) << recovery.status().message();
    ASSERT_TRUE(addNotes(*recovery, 1).isOk());
    ASSERT_TRUE(finishCapture(*recovery).isOk());
    EXPECT_EQ(sideFilesOf(path), SideFiles::None);
    StatusOr<Connection> reader = openCaptureForReading(path);
    EXPECT_EQ(countNotes(reader), 1001);
}

TEST(CaptureFile, CopyWithoutItsWalIsToldApart) {
    TemporaryFolder folder;
    recordAndGetKilled(folder / "a.vramscope", 10);
    fs::copy_file(folder / "a.vramscope", folder / "copy.vramscope");
    EXPECT_EQ(sideFilesOf(folder / "copy.vramscope"), SideFiles::WalMissing);
    StatusOr<Connection> reader = openCaptureForReading(folder / "copy.vramscope");
    EXPECT_EQ(countNotes(reader), 0);
    EXPECT_FALSE(fs::exists(folder / "copy.vramscope-wal")) << "reading must not leave files behind";
}

TEST(CaptureFile, UnfinishedCaptureInAReadOnlyFolderSaysWhatToDo) {
    TemporaryFolder folder;
    recordAndGetKilled(folder / "a.vramscope", 10);
    fs::remove(folder / "a.vramscope-shm");
    const uid_t user = ::geteuid();
    constexpr uid_t kNobody = 65534;
    // Root may write everywhere, so root looks with another user's eyes.
    if (user == 0) {
        for (const char* file : {"", "a.vramscope", "a.vramscope-wal"})
            ASSERT_EQ(::chown((folder / file).c_str(), kNobody, kNobody), 0);
    }
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    if (user == 0) {
        ASSERT_EQ(::seteuid(kNobody), 0);
    }
    const StatusOr<Connection> reader = openCaptureForReading(folder / "a.vramscope");
    ASSERT_EQ(::seteuid(user), 0);
    ASSERT_FALSE(reader.isOk());
    EXPECT_EQ(reader.status().kind(), ErrorKind::Unreadable);
    EXPECT_NE(reader.status().message().find("Copy the two files"), std::string::npos)
        << reader.status().message();
}

TEST(CaptureFile, ExistingFileIsKeptUnlessAskedFor) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    std::ofstream(path) << "precious";
    StatusOr<Connection> refused = createCaptureForWriting(path, false);
    ASSERT_FALSE(refused.isOk());
    EXPECT_EQ(refused.status().kind(), ErrorKind::Usage);
    EXPECT_EQ(contentOf(path), "precious");
    StatusOr<Connection> replaced = createCaptureForWriting(path, true);
    EXPECT_TRUE(replaced.isOk()) << replaced.status().message();
}

TEST(CaptureFile, CaptureBeingRecordedIsNeverReplaced) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    StatusOr<Connection> recording = createCaptureForWriting(path, false);
    ASSERT_TRUE(addNotes(*recording, 3).isOk());
    StatusOr<Connection> second = createCaptureForWriting(path, true);
    ASSERT_FALSE(second.isOk());
    EXPECT_NE(second.status().message().find("is being recorded"), std::string::npos)
        << second.status().message();
    ASSERT_TRUE(addNotes(*recording, 3).isOk());
    EXPECT_TRUE(finishCapture(*recording).isOk());
}

TEST(CaptureFile, OrphanOfAKilledRecorderCanBeReplaced) {
    TemporaryFolder folder;
    recordAndGetKilled(folder / "a.vramscope", 10);
    StatusOr<Connection> replaced = createCaptureForWriting(folder / "a.vramscope", true);
    EXPECT_EQ(countNotes(replaced), 0);
}

TEST(CaptureFile, LinkIsNotFollowed) {
    TemporaryFolder folder;
    fs::create_symlink(folder / "elsewhere", folder / "a.vramscope");
    EXPECT_FALSE(createCaptureForWriting(folder / "a.vramscope", false).isOk());
    EXPECT_FALSE(createCaptureForWriting(folder / "a.vramscope", true).isOk());
    EXPECT_FALSE(fs::exists(folder / "elsewhere"));
}

TEST(CaptureFile, EventsAreThereForReaders) {
    TemporaryFolder folder;
    const auto path = folder / "a.vramscope";
    {
        StatusOr<Connection> connection = createCaptureForWriting(path, false);
        ChunkEncoder encoder;
        StatusOr<ChunkRowWriter> rows = ChunkRowWriter::make(*connection);
        EventWriter<LaunchEvent> writer(encoder, *rows);
        for (const LaunchEvent& event : TrainingLoop().launches(20'000))
            ASSERT_TRUE(writer.add(event).isOk());
        ASSERT_TRUE(writer.finishChunk().isOk());
    }
    StatusOr<Connection> reader = openCaptureForReading(path);
    ASSERT_TRUE(reader.isOk()) << reader.status().message();
    EXPECT_EQ(**reader->queryInt("SELECT count(*) FROM launches"), 20'000);
}

}  // namespace
}  // namespace vramscope::formats
