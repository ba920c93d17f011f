// SPDX-License-Identifier: Apache-2.0
// Random programs whose kernels write where no argument points, under --watch=all. A digest that changed
// proves nothing of a launch beside which others may have written; where tasks take turns on one stream no
// kernel that wrote another task's buffer may be missed. VRAMSCOPE_SEED=N plays program N of each kind alone.
#include <cstdlib>
#include <gtest/gtest.h>

#include "analyzer/detectors/foreign_writes.h"
#include "tests/analyzer/random_task_program.h"

namespace vramscope::tests {
namespace {

using detectors::Confidence;
using detectors::Finding;

/// How much of what was looked for was there.
struct Watched {
    int changes = 0;
    int changesOfOthers = 0;
    int known = 0;
    int foreign = 0;
};

class WatchedProgram {
public:
    WatchedProgram(std::uint64_t seed, TaskProgramKind kind)
        : m_kind(kind),
          m_program(seed, kind),
          m_capture(m_program.capture()),
          m_libraries(m_capture),
          m_evidence{m_capture, m_completeness, m_libraries, m_earlier, m_filter} {
        m_completeness.isFinished = m_completeness.workIsWhole = m_completeness.allocationsAreWhole = true;
    }

    void compare(Watched& seen) {
        compareDigests(seen);
        compareFindings();
        compareProofs();
        if (m_kind.isSerialised) compareMisses(seen);
    }

private:
    void compareDigests(Watched& seen) {
        for (const model::DigestChange& change : m_capture.digestChanges) {
            const bool didWrite = m_program.didKernelWrite(change.launchNs, change.bufferId.value);
            ++seen.changes;
            seen.changesOfOthers += didWrite ? 0 : 1;
            seen.known += change.isWriterKnown ? 1 : 0;
            ASSERT_TRUE(didWrite || !change.isWriterKnown)
                << "the launch at " << change.launchNs << " did not write b" << change.bufferId.value;
        }
    }

    bool isTrueOf(const Finding& finding) {
        const std::int64_t timeNs = finding.moments.back().timeNs;
        return std::any_of(finding.buffers.begin(), finding.buffers.end(), [&](model::BufferId buffer) {
            if (m_program.didKernelWrite(timeNs, buffer.value)) return true;
            const auto& writes = m_program.foreignWrites();
            return std::any_of(writes.begin(), writes.end(), [&](const auto& write) {
                return std::get<0>(write.first) == timeNs && std::get<1>(write.first) == buffer.value;
            });
        });
    }

    void compareFindings() {
        for (const Finding& finding : findOverwrites(m_evidence)) {
            if (finding.confidence == Confidence::Proven) {
                ASSERT_TRUE(isTrueOf(finding)) << finding.sentence;
            }
        }
    }

    std::set<std::int64_t> provenBuffers() {
        std::set<std::int64_t> proven;
        for (const Finding& finding : findOverwrites(m_evidence)) {
            if (finding.confidence != Confidence::Proven) continue;
            for (const model::BufferId buffer : finding.buffers)
                proven.insert(buffer.value);
        }
        return proven;
    }

    /// What one digest proves is proven, whatever else the same task did to the buffer.
    void compareProofs() {
        const std::set<std::int64_t> proven = provenBuffers();
        for (const detectors::ForeignWrite& write : foreignWrites(m_evidence)) {
            const auto digest = static_cast<std::size_t>(write.access->digestChange);
            const bool isProof = write.access->digestChange >= 0 && write.wasUsedBefore &&
                                 !write.isUnsettled && m_capture.digestChanges[digest].isWriterKnown &&
                                 write.access->basis == model::TaskBasis::Mark && isSure(write.owned.basis);
            if (isProof) {
                EXPECT_TRUE(proven.contains(write.buffer->id.value)) << "b" << write.buffer->id.value;
            }
        }
    }

    void compareMisses(Watched& seen) {
        const std::set<std::int64_t> proven = provenBuffers();
        std::set<std::pair<std::int64_t, std::int64_t>> found;
        for (const detectors::ForeignWrite& write : foreignWrites(m_evidence)) {
            if (write.access->digestChange >= 0 && write.wasUsedBefore)
                found.emplace(write.access->enterNs, write.buffer->id.value);
        }
        for (const RandomTaskProgram::KernelWrite& write : m_program.kernelWrites()) {
            if (!write.isForeign || !write.wasUsedBefore) continue;
            ++seen.foreign;
            ASSERT_TRUE(found.contains({write.enterNs, write.buffer}))
                << "missed: the launch at " << write.enterNs << " wrote b" << write.buffer;
            EXPECT_TRUE(proven.contains(write.buffer)) << "b" << write.buffer << " was written, unproven";
        }
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

Watched watchMany(std::uint64_t first, std::uint64_t count, TaskProgramKind kind) {
    Watched seen;
    std::uint64_t last = first + count - 1;
    if (const char* chosen = std::getenv("VRAMSCOPE_SEED")) first = last = std::strtoull(chosen, nullptr, 10);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        kind.isWatched = true;
        kind.calls = 20 + static_cast<int>(seed % 80);
        WatchedProgram(seed, kind).compare(seen);
        if (testing::Test::HasFailure()) {
            ADD_FAILURE() << "in the program of VRAMSCOPE_SEED=" << seed;
            break;
        }
    }
    return seen;
}

bool isOneAlone() {
    return std::getenv("VRAMSCOPE_SEED") != nullptr;
}

TEST(WatchedPropertyTest, TasksThatTakeTurns) {
    const Watched seen = watchMany(3'000'001, 3000, {.isSerialised = true});
    if (isOneAlone()) return;
    EXPECT_GT(seen.foreign, 500);
    EXPECT_EQ(seen.changesOfOthers, 0);
}

TEST(WatchedPropertyTest, WorkOnManyStreams) {
    const Watched seen = watchMany(4'000'001, 3000, {});
    if (isOneAlone()) return;
    EXPECT_GT(seen.changesOfOthers, 1000);
    EXPECT_GT(seen.known, 100);
}

TEST(WatchedPropertyTest, CallsAtTheSameTime) {
    const Watched seen = watchMany(5'000'001, 3000, {.overlaps = true});
    if (isOneAlone()) return;
    EXPECT_GT(seen.changesOfOthers, 1000);
}

}  // namespace
}  // namespace vramscope::tests
