// SPDX-License-Identifier: Apache-2.0
// Both sides of the ring at work at once, over one mapping. In use they are two processes, of which
// ThreadSanitizer sees one at a time; here it sees all that both do to the memory between them.

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <vector>

#include "collector/inject/lane_writer.h"
#include "collector/inject/stack_table.h"
#include "collector/recorder/lane_reader.h"
#include "tests/collector/recorded_arena.h"

namespace vramscope::tests {
namespace {

using collector::ArenaView;
using collector::LaneReader;
using collector::PendingRecord;
using formats::RecordType;

constexpr std::uint64_t kRingBytes = 1 << 20;  // so small that every segment is used again and again
constexpr std::uint32_t kWriters = 4;
constexpr std::uint32_t kRounds = 25;
constexpr std::uint32_t kRecordsEach = 400;

std::uint64_t innerFrame(std::uint64_t number) {
    return 1000 + number % 64;
}
std::uint64_t outerFrame(std::uint64_t number) {
    return 1 + number % 16;
}

/// One thread of a job: numbers its records and says the number in every part of them. Returns how many the
/// ring had no room for.
std::uint32_t writeRecords(std::uint32_t writer) {
    std::uint32_t lost = 0;
    for (std::uint64_t number = 1; number <= kRecordsEach; ++number) {
        const auto slots = static_cast<std::uint8_t>(1 + number % 5);
        collector::ThreadState* thread = collector::currentThread();
        if (thread != nullptr) collector::announceMutation(*thread);
        formats::Record* record = thread != nullptr ? collector::reserve(*thread, slots) : nullptr;
        if (record == nullptr) {
            ++lost;
        } else {
            record->header.type = static_cast<std::uint16_t>(RecordType::Alloc);
            record->header.slotCount = slots;
            record->header.enterTicks = number;
            record->header.contextUid = writer;
            const std::uint32_t outer = collector::internStackNode(0, outerFrame(number)).id;
            record->header.stackId = collector::internStackNode(outer, innerFrame(number)).id;
            std::memset(static_cast<void*>(record + 1), static_cast<int>(number % 251),
                        (slots - 1u) * formats::kSlotBytes);
            collector::publish(*thread, slots);
        }
        if (thread != nullptr) collector::announceIdle(*thread);
        // Else a thread has ended before the recorder looks once, and its end alone makes all of it visible.
        if (number % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return lost;
}

/// The recorder: takes what is published, checks it, gives the memory back.
class Reader {
public:
    explicit Reader(ArenaView& arena) : m_arena(arena) {
        for (std::uint32_t lane = 0; lane < arena.laneCount(); ++lane)
            m_lanes.emplace_back(arena, lane);
    }

    void turn() {
        for (LaneReader& lane : m_lanes) {
            collector::PendingQueue<PendingRecord> pending;
            if (!lane.fetch(pending)) continue;
            for (const PendingRecord& record : pending)
                check(record);
            lane.release(lane.fetchedPosition());
        }
    }

    bool allLanesFree() const {
        for (std::uint32_t lane = 0; lane < m_arena.laneCount(); ++lane) {
            if (m_arena.lane(lane).state.load() != static_cast<std::uint32_t>(formats::LaneState::Free))
                return false;
        }
        return true;
    }

    std::uint32_t records() const { return m_records; }
    std::uint32_t broken() const { return m_broken; }

private:
    void check(const PendingRecord& pending) {
        const formats::RecordHeader& header = pending.record->header;
        if (header.type == static_cast<std::uint16_t>(RecordType::ThreadStart)) return;
        ++m_records;
        const std::uint64_t number = header.enterTicks;
        std::uint64_t& last = m_last[header.contextUid];
        bool isWhole = number > last && pending.slotCount == 1 + number % 5;
        last = number;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(pending.record + 1);
        for (std::size_t i = 0; i < (pending.slotCount - 1u) * formats::kSlotBytes; ++i)
            isWhole = isWhole && bytes[i] == number % 251;
        const auto inner = m_arena.stackNode(header.stackId);
        const auto outer = m_arena.stackNode(inner ? inner->parent : 0);
        isWhole = isWhole && inner && outer && inner->address == innerFrame(number) &&
                  outer->address == outerFrame(number) && outer->parent == 0;
        if (!isWhole) ++m_broken;
    }

    ArenaView& m_arena;
    std::vector<LaneReader> m_lanes;
    std::map<std::uint32_t, std::uint64_t> m_last;  ///< the highest number seen, by writer
    std::uint32_t m_records = 0;
    std::uint32_t m_broken = 0;
};

std::uint32_t freeSegments(ArenaView& arena) {
    std::uint32_t count = 0;
    auto index = static_cast<std::uint32_t>(arena.header().freeSegments.load());
    for (; index != formats::kNoSegment; index = arena.segment(index)->next.load())
        ++count;
    return count;
}

TEST(LaneConcurrency, ThreadsComeAndGoWhileTheRecorderReads) {
    RecordedArena recorded(kRingBytes);
    ASSERT_TRUE(collector::prepareStackTable());
    const std::filesystem::path file = recorded.file();
    formats::ArenaHeader* mapping = recorded.handOverMapping();
    StatusOr<ArenaView> opened = ArenaView::overMapping(mapping, mapping->arenaBytes, file);
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    ArenaView& arena = opened.value();
    recorded.start();

    Reader reader(arena);
    std::atomic<bool> writersDone{false};
    std::thread recorder([&] {
        while (!writersDone.load())
            reader.turn();
        for (int i = 0; i < 1000 && !reader.allLanesFree(); ++i)
            reader.turn();
    });
    std::atomic<std::uint32_t> lost{0};
    for (std::uint32_t round = 0; round < kRounds; ++round) {
        std::vector<std::thread> writers;
        for (std::uint32_t i = 0; i < kWriters; ++i)
            writers.emplace_back([&lost, writer = round * kWriters + i] { lost += writeRecords(writer); });
        for (std::thread& writer : writers)
            writer.join();
    }
    writersDone = true;
    recorder.join();

    EXPECT_EQ(reader.broken(), 0u);
    EXPECT_EQ(reader.records() + lost, kRounds * kWriters * kRecordsEach);
    EXPECT_GT(reader.records(), lost.load()) << "a full ring drains again";
    EXPECT_TRUE(reader.allLanesFree());
    EXPECT_EQ(freeSegments(arena), arena.segmentCount());
}

}  // namespace
}  // namespace vramscope::tests
