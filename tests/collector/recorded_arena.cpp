// SPDX-License-Identifier: Apache-2.0
#include "tests/collector/recorded_arena.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/inject/arena_file.h"
#include "collector/inject/collector.h"
#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

// In the library these come from collector.cpp, which brings CUPTI with it.
Collector g_collector;
constinit HotData g_hot;

void turnOff(const char* /*reason*/) {
    g_hot.epoch.store(0);
}

void countDrop(formats::DropReason reason, std::uint64_t lost) {
    g_collector.arena->drops[static_cast<std::size_t>(reason)].count += lost;
}

}  // namespace vramscope::collector

namespace vramscope::tests {

using namespace vramscope::collector;

namespace {

std::uint32_t g_lastEpoch = 0;

char* at(std::uint64_t offset) {
    return reinterpret_cast<char*>(g_collector.arena) + offset;
}

void readSegment(std::uint32_t index, formats::RecordType type, std::vector<SeenRecord>& seen) {
    char* base = at(g_collector.arena->segmentsOffset + std::uint64_t{index} * formats::kSegmentBytes);
    const std::uint32_t published = reinterpret_cast<formats::SegmentHeader*>(base)->publishedSlots;
    const auto* records = reinterpret_cast<const formats::Record*>(base);
    for (std::uint32_t slot = 1; slot < published; slot += records[slot].header.slotCount) {
        if (records[slot].header.type != static_cast<std::uint16_t>(type)) continue;
        SeenRecord& found = seen.emplace_back(SeenRecord{records[slot], {}});
        if (type != formats::RecordType::Phase && type != formats::RecordType::Name) continue;
        found.text.assign(reinterpret_cast<const char*>(records + slot + 1), found.record.text.textBytes);
    }
}

}  // namespace

RecordedArena::RecordedArena(std::uint64_t bytes) {
    std::string pattern = std::filesystem::temp_directory_path() / "vramscope-arena-XXXXXX";
    m_folder = ::mkdtemp(pattern.data());
    std::strcpy(g_collector.config.sessionDirectory, m_folder.c_str());
    g_collector.config.ringBytes = bytes;
    g_collector.arena = createArena(g_collector.config);
    if (g_collector.arena == nullptr || !prepareLanes()) std::abort();
}

RecordedArena::~RecordedArena() {
    closeCurrentLane();
    stop();
    if (m_ownsMapping) ::munmap(g_collector.arena, g_collector.arena->arenaBytes);
    std::filesystem::remove_all(m_folder);
}

void RecordedArena::start() {
    g_hot.epoch.store(++g_lastEpoch);
}

void RecordedArena::stop() {
    g_hot.epoch.store(0);
}

std::vector<SeenRecord> RecordedArena::records(formats::RecordType type) const {
    std::vector<SeenRecord> seen;
    for (std::uint32_t i = 0; i < g_collector.arena->laneCount; ++i) {
        const auto* lane = reinterpret_cast<formats::Lane*>(at(g_collector.arena->lanesOffset)) + i;
        if (lane->state == static_cast<std::uint32_t>(formats::LaneState::Free)) continue;
        // The tests write less than a segment a lane.
        readSegment(lane->firstSegment, type, seen);
    }
    return seen;
}

std::uint64_t RecordedArena::drops(unsigned reason) const {
    return g_collector.arena->drops[reason].count;
}

formats::ArenaHeader* RecordedArena::handOverMapping() {
    m_ownsMapping = false;
    return g_collector.arena;
}

std::filesystem::path RecordedArena::file() const {
    return std::filesystem::directory_iterator(m_folder)->path();
}

}  // namespace vramscope::tests
