// SPDX-License-Identifier: Apache-2.0
#include "formats/salvage.h"

#include <fstream>
#include <gtest/gtest.h>

#include "formats/capture_file.h"
#include "formats/schema.h"
#include "tests/formats/temporary_folder.h"

namespace vramscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNotes = 5000;

bool never() {
    return false;
}

/// A finished capture of some 60 pages of notes.
void writeNotes(const fs::path& path) {
    StatusOr<Connection> connection = createCaptureForWriting(path, false);
    ASSERT_TRUE(connection.isOk()) << connection.status().message();
    {
        StatusOr<Transaction> transaction = Transaction::begin(*connection);
        StatusOr<Statement> insert = connection->prepare(
            "INSERT INTO notes VALUES(?1, NULL, 'info', 'test', 'a sentence of some length')");
        for (std::int64_t i = 0; i < kNotes; ++i)
            ASSERT_TRUE(insert->runWith(i).isOk());
        ASSERT_TRUE(connection->exec("INSERT INTO meta VALUES('command', 'train')").isOk());
        ASSERT_TRUE(transaction->commit().isOk());
    }
    ASSERT_TRUE(finishCapture(*connection).isOk());
}

std::string bytesOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void damage(const fs::path& path, std::streamoff at, std::size_t bytes) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(at);
    file << std::string(bytes, '\xff');
}

TEST(Salvage, OfACutFileComesWhatWasBeforeTheCut) {
    TemporaryFolder folder;
    const fs::path path = folder / "cut.vramscope";
    writeNotes(path);
    fs::resize_file(path, fs::file_size(path) * 2 / 3);
    const std::string before = bytesOf(path);
    fs::create_directory(folder / "out");
    const auto salvage = salvageCapture(path, folder / "out", never);
    ASSERT_TRUE(salvage.isOk()) << salvage.status().message();
    EXPECT_EQ(bytesOf(path), before) << "the damaged file is only read";
    EXPECT_GT(salvage->rowsOf("notes"), kNotes / 4);
    EXPECT_LT(salvage->rowsOf("notes"), kNotes);
    EXPECT_EQ(salvage->rowsOf("meta"), 1);
    EXPECT_GT(salvage->wholeCount(), 20);
    EXPECT_LT(salvage->wholeCount(), static_cast<std::int64_t>(salvage->tables.size()));
    auto copy = openCaptureForReading(salvage->copy);
    ASSERT_TRUE(copy.isOk()) << copy.status().message();
    EXPECT_EQ(copy->queryInt("SELECT count(*) FROM notes")->value_or(-1), salvage->rowsOf("notes"));
    EXPECT_EQ(copy->queryInt("SELECT min(time_ns) FROM notes")->value_or(-1), 0);
    EXPECT_FALSE(fs::exists(folder / "out" / "damaged.vramscope"));
}

TEST(Salvage, WalksAroundADamagedPage) {
    TemporaryFolder folder;
    const fs::path path = folder / "damaged.vramscope";
    writeNotes(path);
    // Of a leaf in the middle of the notes.
    damage(path, static_cast<std::streamoff>(fs::file_size(path) * 3 / 4 / 4096 * 4096), 4096);
    fs::create_directory(folder / "out");
    const auto salvage = salvageCapture(path, folder / "out", never);
    ASSERT_TRUE(salvage.isOk()) << salvage.status().message();
    EXPECT_LT(salvage->rowsOf("notes"), kNotes);
    EXPECT_GT(salvage->rowsOf("notes"), kNotes * 9 / 10);
    auto copy = openCaptureForReading(salvage->copy);
    ASSERT_TRUE(copy.isOk()) << copy.status().message();
    EXPECT_EQ(copy->queryInt("SELECT max(time_ns) FROM notes")->value_or(-1), kNotes - 1);
}

TEST(Salvage, RefusesWhatIsNoneOfOurs) {
    TemporaryFolder folder;
    const auto expectRefusal = [&](const fs::path& path, const std::string& word) {
        fs::create_directory(folder / "out");
        const auto salvage = salvageCapture(path, folder / "out", never);
        EXPECT_FALSE(salvage.isOk());
        EXPECT_NE(salvage.status().message().find(word), std::string::npos) << salvage.status().message();
        fs::remove_all(folder / "out");
    };
    expectRefusal(folder / "missing", "no such file");
    std::ofstream(folder / "text") << std::string(5000, 'x');
    expectRefusal(folder / "text", "not a capture");
    const fs::path path = folder / "a.vramscope";
    writeNotes(path);
    fs::copy_file(path, folder / "newer");
    std::fstream(folder / "newer", std::ios::binary | std::ios::in | std::ios::out)
        .seekp(60)
        .write("\0\0\0\x63", 4);
    expectRefusal(folder / "newer", "newer");
    fs::copy_file(path, folder / "headless");
    damage(folder / "headless", 100, 4096);
    expectRefusal(folder / "headless", "");
}

TEST(Salvage, EveryCutAndEveryDamagedPageEnds) {
    TemporaryFolder folder;
    const fs::path path = folder / "a.vramscope";
    writeNotes(path);
    const std::uintmax_t pages = fs::file_size(path) / 4096;
    for (std::uintmax_t page = 0; page < pages; page += 3) {
        const fs::path cut = folder / "cut";
        fs::copy_file(path, cut, fs::copy_options::overwrite_existing);
        fs::resize_file(cut, page * 4096 + 120);
        const fs::path damaged = folder / "damaged";
        fs::copy_file(path, damaged, fs::copy_options::overwrite_existing);
        damage(damaged, static_cast<std::streamoff>(page * 4096 + (page == 0 ? 100 : 0)), 700);
        for (const fs::path& file : {cut, damaged}) {
            fs::create_directory(folder / "out");
            const auto salvage = salvageCapture(file, folder / "out", never);
            EXPECT_TRUE(!salvage.isOk() || openCaptureForReading(salvage->copy).isOk()) << page;
            fs::remove_all(folder / "out");
        }
    }
}

TEST(Salvage, CanBeStopped) {
    TemporaryFolder folder;
    const fs::path path = folder / "a.vramscope";
    writeNotes(path);
    fs::create_directory(folder / "out");
    const auto salvage = salvageCapture(path, folder / "out", [] { return true; });
    ASSERT_FALSE(salvage.isOk());
    EXPECT_EQ(salvage.status().kind(), ErrorKind::Incomplete);
}

}  // namespace
}  // namespace vramscope::formats
