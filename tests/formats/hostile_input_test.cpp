// SPDX-License-Identifier: Apache-2.0
// Bytes from strangers: whatever is flipped, cut or invented, the answer is a value or a Status, never a
// crash. Run under AddressSanitizer these tests also show that nothing outside the buffers is touched.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "formats/argument_writer.h"
#include "formats/capture_file.h"
#include "formats/event_writer.h"
#include "tests/formats/format1_arguments.h"
#include "tests/formats/temporary_folder.h"
#include "tests/formats/training_step.h"

namespace vramscope::formats {
namespace {

namespace fs = std::filesystem;

/// The same every time, unless VRAMSCOPE_TEST_SEED asks for other attempts.
std::mt19937 randomFor(unsigned test) {
    const char* seed = std::getenv("VRAMSCOPE_TEST_SEED");
    return std::mt19937(test + 1000 * (seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 0));
}

/// Reads the chunk as each kind; returns how many of the attempts were accepted.
int readAsEveryKind(std::span<const std::byte> bytes) {
    static ZstdDecompressor decompressor;
    return decodeChunk<LaunchEvent>(bytes, decompressor).isOk() +
           decodeChunk<CopyEvent>(bytes, decompressor).isOk() +
           decodeChunk<SetEvent>(bytes, decompressor).isOk() +
           decodeChunk<SyncEvent>(bytes, decompressor).isOk();
}

std::vector<std::byte> goodChunk(std::size_t count) {
    ChunkEncoder encoder;
    const auto events = TrainingLoop().launches(count);
    const auto bytes = encoder.encode(std::span<const LaunchEvent>(events), {"", "cuLaunchKernel"});
    return {bytes.begin(), bytes.end()};
}

TEST(HostileChunk, RandomBytes) {
    std::mt19937 random = randomFor(11);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::byte> bytes(random() % 200);
        for (std::byte& byte : bytes)
            byte = static_cast<std::byte>(random() % (round % 2 == 0 ? 256 : 4));
        if (!bytes.empty()) bytes[0] = std::byte{1};
        readAsEveryKind(bytes);
        std::vector<LaunchArgument> arguments;
        static_cast<void>(unpackArguments(bytes, arguments));
        static ZstdDecompressor decompressor;
        static_cast<void>(decodeArgumentChunk(bytes, decompressor));
        if (!bytes.empty()) bytes[0] = std::byte{2};
        readAsEveryKind(bytes);
    }
}

TEST(HostileChunk, FlippedBits) {
    const auto good = goodChunk(500);
    std::mt19937 random = randomFor(12);
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
        auto bytes = good;
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
            bytes[random() % bytes.size()] ^= static_cast<std::byte>(1U << random() % 8);
        refused += readAsEveryKind(bytes) == 0 ? 1 : 0;
    }
    EXPECT_GT(refused, 100);
}

std::vector<std::byte> goodArgumentChunk() {
    ArgumentChunkEncoder encoder;
    TrainingLoop loop;
    for (int i = 0; i < 500; ++i)
        encoder.add(loop.argumentSet());
    const auto bytes = encoder.encode();
    return {bytes.begin(), bytes.end()};
}

TEST(HostileArgumentChunk, FlippedBits) {
    const auto good = goodArgumentChunk();
    std::mt19937 random = randomFor(16);
    ZstdDecompressor decompressor;
    int refused = 0;
    for (int round = 0; round < 5000; ++round) {
        auto bytes = good;
        // Half of them in the outline, where they do the most.
        const std::size_t range = round % 2 == 0 ? bytes.size() : 40;
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
            bytes[random() % range] ^= static_cast<std::byte>(1U << random() % 8);
        const auto chunk = decodeArgumentChunk(bytes, decompressor);
        refused += chunk.isOk() ? 0 : 1;
        if (!chunk.isOk()) continue;
        ASSERT_LE(chunk->arguments.size(), kMaxArgumentChunkPointers);
        ASSERT_EQ(chunk->starts.back(), chunk->arguments.size());
    }
    EXPECT_GT(refused, 100);
}

TEST(HostileArgumentChunk, CutAtEveryLength) {
    const auto good = goodArgumentChunk();
    ZstdDecompressor decompressor;
    ASSERT_TRUE(decodeArgumentChunk(good, decompressor).isOk());
    for (std::size_t size = 0; size < good.size(); ++size)
        ASSERT_FALSE(decodeArgumentChunk(std::span(good).first(size), decompressor).isOk()) << size;
}

TEST(HostileArgumentChunk, SmallBytesCannotAskForMuchMemory) {
    // The largest counts, all columns of one value: 16,384 sets of 8 pointers, and no more.
    const std::vector<std::uint8_t> layout = {1, 0x80, 0x80, 1, 1, 8, 0x80, 0x80, 8,  // counts
                                              0, 0,    8,    0, 0, 8, 0,    0,    0, 0, 0, 5, 0, 0, 3};
    ZstdDecompressor decompressor;
    const auto chunk = decodeArgumentChunk(std::as_bytes(std::span(layout)), decompressor);
    ASSERT_TRUE(chunk.isOk()) << chunk.status().message();
    EXPECT_EQ(chunk->setCount(), kMaxArgumentChunkSets);
    EXPECT_EQ(chunk->arguments.size(), kMaxArgumentChunkPointers);
    EXPECT_EQ(chunk->set(7)[7], (LaunchArgument{64, 5, 512}));
    auto larger = layout;
    larger[6] = 0x81;
    EXPECT_FALSE(decodeArgumentChunk(std::as_bytes(std::span(larger)), decompressor).isOk());
}

TEST(HostileChunk, SitesThatAreNotThereAreDamage) {
    // Two events at site 5 of one.
    const std::vector<std::uint8_t> layout = {2, 2, 1, 0, 1, 0, 0, 5, 0x80, 0, 1};
    ZstdDecompressor decompressor;
    EXPECT_FALSE(decodeChunk<LaunchEvent>(std::as_bytes(std::span(layout)), decompressor).isOk());
}

TEST(HostileChunk, SmallBytesCannotAskForMuchMemory) {
    // The largest count, and all columns of one value: 40 bytes that unpack to 65,536 events, and no more.
    std::vector<std::byte> bytes = {std::byte{1}, std::byte{0x80}, std::byte{0x80},
                                    std::byte{4}, std::byte{0},    std::byte{1},
                                    std::byte{0}, std::byte{0},    std::byte{0}};
    ZstdDecompressor decompressor;
    const auto chunk = decodeChunk<LaunchEvent>(bytes, decompressor);
    ASSERT_TRUE(chunk.isOk());
    EXPECT_EQ(chunk->events.size(), kMaxChunkEvents);
    bytes[1] = std::byte{0x81};
    EXPECT_FALSE(ChunkReader::open(EventKind::Launches, bytes).isOk());
}

/// Opens the file and runs every query a reader would; only a crash or a hang is a failure.
void useLikeAReader(const fs::path& path) {
    StatusOr<Connection> connection = openCaptureForReading(path, 0);
    if (!connection.isOk()) {
        EXPECT_FALSE(connection.status().message().empty());
        return;
    }
    int budget = 20'000;
    connection->setInterruptCheck([&] { return --budget < 0; });
    for (const char* table :
         {"launches", "launch_arguments", "launches JOIN launch_arguments USING (argument_set_id) LIMIT 300",
          "event_chunks", "notes", "buffers", "meta", "processes"}) {
        StatusOr<Statement> rows = connection->prepare(std::string("SELECT * FROM ") + table);
        if (!rows.isOk()) continue;
        for (StatusOr<bool> more = rows->step(); more.isOk() && *more; more = rows->step()) {
            for (int i = 0; i < rows->columnCount(); ++i)
                static_cast<void>(rows->columnText(i));
        }
    }
}

class HostileCapture : public testing::Test {
protected:
    HostileCapture() {
        const auto path = m_folder / "good.vramscope";
        StatusOr<Connection> connection = createCaptureForWriting(path, false);
        fill(*connection);
        EXPECT_TRUE(finishCapture(*connection).isOk());
        std::ifstream file(path, std::ios::binary);
        m_good.assign(std::istreambuf_iterator<char>(file), {});
    }

    static void fill(Connection& connection) {
        ChunkEncoder encoder;
        StatusOr<ChunkRowWriter> rows = ChunkRowWriter::make(connection);
        EventWriter<LaunchEvent> writer(encoder, *rows);
        for (const LaunchEvent& event : TrainingLoop().launches(3000))
            EXPECT_TRUE(writer.add(event).isOk());
        EXPECT_TRUE(writer.finishChunk().isOk());
        StatusOr<ArgumentWriter> arguments = ArgumentWriter::make(connection);
        // Before them, sets as a capture has them that was begun in format 1.
        EXPECT_TRUE(connection.exec(kFormat1ArgumentSets).isOk());
        StatusOr<Statement> insert = connection.prepare("INSERT INTO argument_sets VALUES(?1, ?2)");
        TrainingLoop loop;
        for (int id = -200; id < 0; ++id) {
            EXPECT_TRUE(
                insert->runWith(id, std::span<const std::byte>(packAsFormat1(loop.argumentSet()))).isOk());
            EXPECT_TRUE(arguments->intern(loop.argumentSet()).isOk());
        }
        EXPECT_TRUE(arguments->flush().isOk());
        EXPECT_TRUE(connection.exec("INSERT INTO notes VALUES(1, NULL, 'info', 'x', 'y')").isOk());
    }

    void useBytes(const std::string& bytes) {
        const auto path = m_folder / "bad.vramscope";
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        useLikeAReader(path);
    }

    TemporaryFolder m_folder;
    std::string m_good;
};

TEST_F(HostileCapture, FlippedBytes) {
    std::mt19937 random = randomFor(13);
    for (int round = 0; round < 400; ++round) {
        std::string bytes = m_good;
        for (unsigned flips = 1 + random() % 20; flips > 0; --flips) {
            // Half of them in the pages of the schema, where they do the most.
            const std::size_t range =
                random() % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 16'384);
            bytes[random() % range] = static_cast<char>(random());
        }
        useBytes(bytes);
    }
}

TEST_F(HostileCapture, CutAtAnyPage) {
    for (std::size_t size = 0; size < m_good.size(); size += 4096 - 512)
        useBytes(m_good.substr(0, size));
}

TEST_F(HostileCapture, PagesSwappedOrRepeated) {
    std::mt19937 random = randomFor(14);
    const std::size_t pages = m_good.size() / 4096;
    for (int round = 0; round < 200; ++round) {
        std::string bytes = m_good;
        const std::size_t from = random() % pages * 4096;
        const std::size_t to = random() % pages * 4096;
        bytes.replace(to, 4096, m_good, from, 4096);
        useBytes(bytes);
    }
}

TEST_F(HostileCapture, RandomWalBesideIt) {
    std::mt19937 random = randomFor(15);
    for (int round = 0; round < 50; ++round) {
        std::string wal(random() % 20'000, '\0');
        for (char& c : wal)
            c = static_cast<char>(random());
        std::ofstream(m_folder / "bad.vramscope-wal", std::ios::binary | std::ios::trunc) << wal;
        std::string bytes = m_good;
        bytes[18] = bytes[19] = 2;
        useBytes(bytes);
    }
}

TEST_F(HostileCapture, DamageIsReportedOnOpening) {
    const auto path = m_folder / "bad.vramscope";
    std::string bytes = m_good;
    bytes.replace(8192, 12'288, std::string(12'288, '\x55'));
    std::ofstream(path, std::ios::binary) << bytes;
    const StatusOr<Connection> connection = openCaptureForReading(path);
    ASSERT_FALSE(connection.isOk());
    EXPECT_EQ(connection.status().kind(), ErrorKind::Unreadable);
    EXPECT_NE(connection.status().message().find("bad.vramscope"), std::string::npos)
        << connection.status().message();
}

}  // namespace
}  // namespace vramscope::formats
