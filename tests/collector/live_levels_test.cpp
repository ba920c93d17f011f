// SPDX-License-Identifier: Apache-2.0
#include "collector/levels/live_levels.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "collector/levels/step_series.h"
#include "formats/schema.h"

namespace vramscope::levels {
namespace {

using formats::Connection;
using formats::Statement;

struct Buffer {
    std::int64_t processId;
    std::string kind;
    std::int64_t sizeBytes;
    std::int64_t allocNs;
    std::optional<std::int64_t> freeNs;
};
using Key =
    std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string>;  // level, bucket, process, kind
using Levels = std::map<Key, Step>;

Connection captureOf(const std::vector<Buffer>& buffers, std::optional<std::int64_t> sessionEndNs) {
    Connection capture = std::move(*Connection::openInMemory());
    EXPECT_TRUE(formats::createSchema(capture).isOk());
    Statement insert =
        std::move(*capture.prepare("INSERT INTO buffers (process_id, kind, address, generation, size_bytes, "
                                   "flags, api, alloc_enter_ns, alloc_ns, "
                                   "free_ns) VALUES (?1, ?2, 0, 1, ?3, 0, 'cuMemAlloc', 0, ?4, ?5)"));
    for (const Buffer& b : buffers)
        EXPECT_TRUE(insert.runWith(b.processId, b.kind, b.sizeBytes, b.allocNs, b.freeNs).isOk());
    if (sessionEndNs) {
        Statement meta = std::move(*capture.prepare("INSERT INTO meta VALUES ('session_end_ns', ?1)"));
        EXPECT_TRUE(meta.runWith(std::to_string(*sessionEndNs)).isOk());
    }
    return capture;
}

Levels build(Connection& capture) {
    const Status status = buildLiveLevels(capture);
    EXPECT_TRUE(status.isOk()) << status.message();
    Levels levels;
    Statement rows = std::move(*capture.prepare("SELECT * FROM live_levels"));
    while (*rows.step())
        levels[{rows.columnInt(0), rows.columnInt(1), rows.columnInt(2), std::string(rows.columnText(3))}] = {
            rows.columnInt(4), rows.columnInt(5), rows.columnInt(6)};
    return levels;
}

std::int64_t widthOf(Connection& capture) {
    return **capture.queryInt("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'level0_width_ns'");
}

/// Asks at every moment that can matter: the start of a step, its end, and each change.
Step bruteStep(const std::vector<Buffer>& buffers, std::int64_t startNs, std::int64_t endNs) {
    const auto liveAt = [&](std::int64_t t) {
        std::int64_t live = 0;
        for (const Buffer& b : buffers)
            if (b.allocNs <= t && (!b.freeNs || t < *b.freeNs)) live += b.sizeBytes;
        return live;
    };
    Step step{liveAt(startNs), liveAt(startNs), liveAt(endNs - 1)};
    const auto look = [&](std::int64_t t) {
        if (t < startNs || t >= endNs) return;
        step.min = std::min(step.min, liveAt(t));
        step.max = std::max(step.max, liveAt(t));
    };
    for (const Buffer& b : buffers) {
        look(b.allocNs);
        if (b.freeNs) look(*b.freeNs);
    }
    return step;
}

Levels bruteLevels(const std::vector<Buffer>& buffers, std::int64_t endNs, std::int64_t widthNs) {
    std::map<std::pair<std::int64_t, std::string>, std::vector<Buffer>> groups;
    for (const Buffer& b : buffers)
        groups[{b.processId, b.kind}].push_back(b);
    Levels levels;
    for (const auto& [key, group] : groups) {
        std::int64_t width = widthNs;
        for (int level = 0;; ++level, width *= kLevelFactor) {
            for (std::int64_t bucket = 0; bucket <= endNs / width; ++bucket) {
                const Step step = bruteStep(group, bucket * width, (bucket + 1) * width);
                if (step.max > 0) levels[{level, bucket, key.first, key.second}] = step;
            }
            if (endNs / width == 0) break;
        }
    }
    return levels;
}

TEST(LiveLevels, EqualBruteForceOnRandomCaptures) {
    static const char* const kKinds[] = {"device", "registered", "ipc", "module", "graph"};
    std::mt19937_64 random(11);
    const auto upTo = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % (n + 1)); };
    for (int round = 0; round < 60; ++round) {
        // From sessions in which many things happen in one nanosecond to hours.
        const std::int64_t spanNs = std::int64_t{1} << (2 + round % 43);
        std::vector<Buffer> buffers;
        std::int64_t endNs = upTo(spanNs);
        const std::int64_t sessionEndNs = endNs;
        for (std::int64_t i = upTo(30); i >= 0; --i) {
            Buffer b{upTo(2), kKinds[upTo(4)], upTo(1000), upTo(spanNs), std::nullopt};
            if (upTo(3) != 0) b.freeNs = upTo(2) == 0 ? b.allocNs + upTo(3) : b.allocNs + upTo(spanNs);
            endNs = std::max({endNs, b.allocNs, b.freeNs.value_or(0)});
            buffers.push_back(b);
        }
        Connection capture = captureOf(buffers, sessionEndNs);
        const Levels levels = build(capture);
        EXPECT_EQ(levels, bruteLevels(buffers, endNs, widthOf(capture))) << round;
    }
}

TEST(LiveLevels, WidthIsTheLeastThatFits) {
    for (const auto& [endNs, widthNs] : {std::pair<std::int64_t, std::int64_t>{0, 1},
                                         {4095, 1},
                                         {4096, 2},
                                         {8191, 2},
                                         {8192, 4},
                                         {3'600'000'000'000, std::int64_t{1} << 30}}) {
        Connection capture = captureOf({}, endNs);
        EXPECT_TRUE(build(capture).empty());
        EXPECT_EQ(widthOf(capture), widthNs) << endNs;
    }
}

TEST(LiveLevels, StepsWithoutEventsCarryTheValue) {
    Connection capture = captureOf({{1, "device", 64, 0, std::nullopt}}, 4095);
    const Levels levels = build(capture);
    EXPECT_EQ(levels.size(), 4096U + 256 + 16 + 1);
    for (const auto& [key, step] : levels)
        EXPECT_EQ(step, (Step{64, 64, 64}));
}

TEST(LiveLevels, ReplacingABufferInOneMomentIsNoPeak) {
    Connection capture = captureOf({{1, "device", 64, 10, 20}, {1, "device", 64, 20, 30}}, 40);
    EXPECT_EQ(build(capture).at({0, 20, 1, "device"}), (Step{64, 64, 64}));
}

TEST(LiveLevels, OddBuffersDoNotCount) {
    Connection capture = captureOf({{1, "device", 64, 20, 10},
                                    {1, "device", 64, 5, 5},
                                    {1, "device", 0, 5, 9},
                                    {1, "device", -8, 5, 9},
                                    {1, "device", 64, -9, -4},
                                    {1, "pinned", 32, -9, 2}},
                                   30);
    const Levels levels = build(capture);
    EXPECT_EQ(levels.at({0, 0, 1, "pinned"}), (Step{32, 32, 32}));
    EXPECT_EQ(levels.count({0, 2, 1, "pinned"}), 0U);
    for (const auto& [key, step] : levels)
        EXPECT_EQ(std::get<3>(key), "pinned");
}

TEST(LiveLevels, SumsBeyondTheColumnStopAtItsEnd) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    Connection capture =
        captureOf({{1, "vmm", kMost, 0, 9}, {1, "vmm", kMost, 1, 9}, {1, "vmm", 5, 1, 12}}, 20);
    const Levels levels = build(capture);
    EXPECT_EQ(levels.at({0, 5, 1, "vmm"}), (Step{kMost, kMost, kMost}));
    EXPECT_EQ(levels.at({0, 10, 1, "vmm"}), (Step{5, 5, 5}));
}

TEST(LiveLevels, BuildingAgainReplaces) {
    Connection capture = captureOf({{1, "device", 64, 10, 20}}, 5000);
    const Levels first = build(capture);
    EXPECT_EQ(build(capture), first);
    ASSERT_TRUE(capture.exec("DELETE FROM buffers").isOk());
    EXPECT_TRUE(build(capture).empty());
}

}  // namespace
}  // namespace vramscope::levels
