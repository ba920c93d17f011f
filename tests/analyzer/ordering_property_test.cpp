// SPDX-License-Identifier: Apache-2.0
// Random programs of one thread, against a search of the graph of their moments: nothing that is ordered may
// be reported, and no buffer with an unordered pair may be missed.
#include <gtest/gtest.h>
#include <set>

#include "tests/analyzer/random_stream_program.h"

namespace vramscope::tests {
namespace {

std::set<std::int64_t> buffersOf(const std::vector<model::OrderingConflict>& conflicts) {
    std::set<std::int64_t> buffers;
    for (const model::OrderingConflict& conflict : conflicts) {
        for (const model::BufferId buffer : conflict.buffers)
            buffers.insert(buffer.value);
    }
    return buffers;
}

void checkAgainstSearch(std::uint64_t seed, int calls, int& racyPrograms) {
    RandomStreamProgram program(seed);
    program.play(calls);
    const std::vector<model::OrderingConflict> conflicts = program.found();
    for (const model::OrderingConflict& conflict : conflicts) {
        ASSERT_TRUE(conflict.isCertain()) << "seed " << seed;
        ASSERT_TRUE(
            program.isRacyPair(conflict.bufferId.value, conflict.earlier.enterNs, conflict.later.enterNs))
            << "seed " << seed << ": b" << conflict.bufferId.value << " at " << conflict.earlier.enterNs
            << " and " << conflict.later.enterNs << " is ordered";
    }
    const std::vector<std::int64_t> racy = program.racyBuffers();
    ASSERT_EQ(buffersOf(conflicts), std::set<std::int64_t>(racy.begin(), racy.end())) << "seed " << seed;
    racyPrograms += racy.empty() ? 0 : 1;
}

TEST(OrderingPropertyTest, AgreesWithASearchOfAllPaths) {
    int racyPrograms = 0;
    for (std::uint64_t seed = 1; seed <= 8000; ++seed) {
        checkAgainstSearch(seed, 12 + static_cast<int>(seed % 40), racyPrograms);
        if (HasFatalFailure()) return;
    }
    // Neither kind of program may be rare, or the comparison says nothing about it.
    EXPECT_GT(racyPrograms, 1000);
    EXPECT_LT(racyPrograms, 7000);
}

TEST(OrderingPropertyTest, AgreesOnLongerPrograms) {
    int racyPrograms = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        checkAgainstSearch(100'000 + seed, 150, racyPrograms);
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace vramscope::tests
