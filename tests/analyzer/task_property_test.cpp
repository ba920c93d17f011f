// SPDX-License-Identifier: Apache-2.0
// Random programs of several threads and tasks, whose overwrites and races are known by construction. Nothing
// that is proven may be wrong, in any kind of program; where calls do not overlap no copy or set may be
// missed. VRAMSCOPE_SEED=N plays program N of each kind alone.
#include <cstdlib>
#include <gtest/gtest.h>

#include "analyzer/detectors/foreign_writes.h"
#include "tests/analyzer/random_task_program.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;
using Key = RandomTaskProgram::ForeignKey;

/// How much of what was looked for was there, so that nobody compares nothing with nothing.
struct Seen {
    int foreign = 0;
    int unsettled = 0;
    int races = 0;
    int cleanPrograms = 0;
};

class Comparison {
public:
    Comparison(std::uint64_t seed, TaskProgramKind kind)
        : m_kind(kind),
          m_program(seed, kind),
          m_capture(m_program.capture()),
          m_libraries(m_capture),
          m_evidence{m_capture, m_completeness, m_libraries, m_earlier, m_filter} {
        m_completeness.isFinished = m_completeness.workIsWhole = m_completeness.allocationsAreWhole = true;
    }

    void compare(Seen& seen) {
        compareWrites(seen);
        compareFindings();
        compareRaces(seen);
    }

private:
    void compareWrites(Seen& seen) {
        const auto& truth = m_program.foreignWrites();
        std::map<Key, RandomTaskProgram::Foreign> found;
        for (const detectors::ForeignWrite& write : foreignWrites(m_evidence)) {
            if (write.access->isLaunch) continue;
            const Key key{write.access->enterNs, write.buffer->id.value, write.owned.taskId.value};
            RandomTaskProgram::Foreign& sum = found[key];
            sum.bytes += write.bytes;
            sum.wasUsedBefore = sum.wasUsedBefore || write.wasUsedBefore;
            sum.isSettled = sum.isSettled && !write.isUnsettled;
        }
        for (const auto& [key, foreign] : truth) {
            ++seen.foreign;
            seen.unsettled += foreign.isSettled ? 0 : 1;
            // Of tasks that are a guess only some are kept; what is certain must be there.
            if (m_kind.isGuessed || !foreign.isSettled) continue;
            ASSERT_TRUE(found.contains(key)) << "missed: " << describe(key);
            EXPECT_EQ(found[key].bytes, foreign.bytes) << describe(key);
            EXPECT_EQ(found[key].wasUsedBefore, foreign.wasUsedBefore) << describe(key);
        }
        for (const auto& [key, foreign] : found) {
            if (foreign.isSettled) {
                ASSERT_TRUE(truth.contains(key)) << "invented: " << describe(key);
            }
        }
    }

    static std::string describe(const Key& key) {
        return "write at " + std::to_string(std::get<0>(key)) + " into b" + std::to_string(std::get<1>(key)) +
               " of task " + std::to_string(std::get<2>(key));
    }

    /// Owner and buffer of what is true beyond doubt.
    std::set<std::pair<std::int64_t, std::int64_t>> provable() {
        std::set<std::pair<std::int64_t, std::int64_t>> all;
        for (const auto& [key, foreign] : m_program.foreignWrites()) {
            if (foreign.wasUsedBefore && foreign.isSettled) all.emplace(std::get<2>(key), std::get<1>(key));
        }
        return all;
    }

    void compareFindings() {
        const auto wanted = provable();
        std::set<std::int64_t> provenBuffers;
        for (const Finding& finding : findOverwrites(m_evidence)) {
            if (finding.confidence != Confidence::Proven) continue;
            ASSERT_FALSE(m_kind.isGuessed) << finding.sentence;
            bool isTrue = false;
            for (const model::BufferId buffer : finding.buffers) {
                provenBuffers.insert(buffer.value);
                for (const auto& [owner, number] : wanted)
                    isTrue = isTrue || number == buffer.value;
            }
            ASSERT_TRUE(isTrue) << finding.sentence;
        }
        if (m_kind.isGuessed || m_kind.overlaps) return;
        for (const auto& [owner, buffer] : wanted) {
            // Work without a mark is never proof, and it is told apart only in the finding.
            if (!hasMarkedWriter(owner, buffer)) continue;
            EXPECT_TRUE(provenBuffers.contains(buffer)) << "b" << buffer << " of task " << owner;
        }
    }

    bool hasMarkedWriter(std::int64_t owner, std::int64_t buffer) {
        for (const auto& [key, foreign] : m_program.foreignWrites()) {
            const bool isIt =
                std::get<2>(key) == owner && std::get<1>(key) == buffer && foreign.wasUsedBefore;
            if (!isIt) continue;
            for (const model::Access& access : m_capture.sharedAccesses.accesses) {
                const bool isWriter = access.enterNs == std::get<0>(key) && access.mayWrite;
                if (isWriter && access.basis == model::TaskBasis::Mark) return true;
            }
        }
        return false;
    }

    void compareRaces(Seen& seen) {
        std::set<std::int64_t> found;
        for (const model::OrderingConflict& conflict : m_capture.ordering.conflicts) {
            for (const model::BufferId buffer : conflict.buffers)
                found.insert(buffer.value);
            if (!conflict.isCertain()) continue;
            ASSERT_TRUE(m_program.isRacyPair(conflict.bufferId.value, conflict.earlier.enterNs,
                                             conflict.later.enterNs))
                << "b" << conflict.bufferId.value << " at " << conflict.earlier.enterNs << " and "
                << conflict.later.enterNs << " is ordered";
        }
        const std::set<std::int64_t> racy = m_program.racyBuffers();
        seen.races += racy.empty() ? 0 : 1;
        seen.cleanPrograms += racy.empty() && m_program.foreignWrites().empty() ? 1 : 0;
        if (m_kind.overlaps) return;
        for (const std::int64_t buffer : racy)
            EXPECT_TRUE(found.contains(buffer)) << "a race in b" << buffer << " was missed";
    }

    TaskProgramKind m_kind;
    RandomTaskProgram m_program;
    const model::Capture& m_capture;
    model::Completeness m_completeness;
    model::LibraryCache m_libraries;
    std::vector<Finding> m_earlier;
    detectors::SharingFilter m_filter;
    detectors::Evidence m_evidence;
};

Seen compareMany(std::uint64_t first, std::uint64_t count, TaskProgramKind kind) {
    Seen seen;
    std::uint64_t last = first + count - 1;
    if (const char* chosen = std::getenv("VRAMSCOPE_SEED")) first = last = std::strtoull(chosen, nullptr, 10);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        kind.calls = 15 + static_cast<int>(seed % 60);
        Comparison(seed, kind).compare(seen);
        if (testing::Test::HasFailure()) {
            ADD_FAILURE() << "in the program of VRAMSCOPE_SEED=" << seed;
            break;
        }
    }
    return seen;
}

bool playsOne() {
    return std::getenv("VRAMSCOPE_SEED") != nullptr;
}

TEST(TaskPropertyTest, CallsOneAfterTheOther) {
    const Seen seen = compareMany(1, 4000, {.overlaps = false, .isGuessed = false});
    if (playsOne()) return;
    EXPECT_GT(seen.foreign, 4000);
    EXPECT_GT(seen.races, 1000);
    EXPECT_GT(seen.cleanPrograms, 100);
}

TEST(TaskPropertyTest, CallsAtTheSameTime) {
    const Seen seen = compareMany(1'000'001, 4000, {.overlaps = true, .isGuessed = false});
    if (playsOne()) return;
    EXPECT_GT(seen.foreign, 4000);
    EXPECT_GT(seen.unsettled, 100);
    EXPECT_GT(seen.races, 1000);
}

TEST(TaskPropertyTest, TasksThatAreAGuess) {
    const Seen seen = compareMany(2'000'001, 2000, {.overlaps = true, .isGuessed = true});
    if (playsOne()) return;
    EXPECT_GT(seen.foreign, 2000);
}

}  // namespace
}  // namespace vramscope::tests
