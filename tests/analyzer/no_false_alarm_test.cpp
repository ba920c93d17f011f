// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

/// Correct programs, whole: each must end without a problem.
namespace vramscope::tests {
namespace {

using detectors::detectAll;

/// A program of steps in which one place allocates and a rule says what goes.
class StepProgram {
public:
    StepProgram() : m_stack(m_builder.stack({"/opt/app/train!make", "/opt/app/train!main"})) {}

    std::int64_t at(std::int64_t step) const { return (10 + step * 10) * kMs; }
    void allocate(std::int64_t step) { m_live.push_back({.allocNs = at(step) + kMs, .stack = m_stack}); }
    void freeOldest(std::int64_t step) {
        CaptureBuilder::Buffer buffer = m_live.front();
        m_live.pop_front();
        buffer.freeNs = at(step) + 2 * kMs;
        m_builder.allocate(buffer);
    }
    void work(std::int64_t step) {
        m_builder.launch(at(step) + 5 * kMs);
        m_builder.sync(at(step) + 6 * kMs);
    }
    std::size_t live() const { return m_live.size(); }
    /// What is still live is freed in order, as a destructor would.
    std::string problemsAfter(std::int64_t steps) {
        while (!m_live.empty())
            freeOldest(steps);
        return problemsIn(detectAll(*m_builder.load()));
    }
    /// The program just ends.
    std::string growthWithoutCleanup() {
        for (const CaptureBuilder::Buffer& buffer : m_live)
            m_builder.allocate(buffer);
        std::string text;
        for (const auto& finding : findingsOf(detectAll(*m_builder.load()), "leak.growth"))
            text += finding.sentence;
        return text;
    }

private:
    CaptureBuilder m_builder;
    std::int64_t m_stack;
    std::deque<CaptureBuilder::Buffer> m_live;
};

void playWarmUp(StepProgram& program) {
    for (std::int64_t step = 0; step < 23; ++step) {
        if (step < 3) {
            for (int i = 0; i < 4; ++i)
                program.allocate(step);
        }
        program.work(step);
    }
}

void playCache(StepProgram& program) {
    for (std::int64_t step = 0; step < 400; ++step) {
        if (step >= 200) program.freeOldest(step);
        program.allocate(step);
        program.work(step);
    }
}

void playShapes(StepProgram& program) {
    for (std::int64_t step = 0; step < 200; ++step) {
        if (step % 10 == 0 && program.live() < 16) program.allocate(step);
        program.work(step);
    }
}

void playAccumulation(StepProgram& program) {
    for (std::int64_t step = 0; step < 40; ++step) {
        program.allocate(step);
        program.work(step);
        if (step % 4 == 3) {
            while (program.live() > 0)
                program.freeOldest(step);
        }
    }
}

void playReplayBuffer(StepProgram& program) {
    for (std::int64_t step = 0; step < 300; ++step) {
        if (program.live() == 50) program.freeOldest(step);
        program.allocate(step);
        program.work(step);
    }
}

using Play = void (*)(StepProgram&);
class CorrectPrograms : public testing::TestWithParam<Play> {};

TEST_P(CorrectPrograms, HaveNoProblem) {
    StepProgram program;
    GetParam()(program);
    EXPECT_EQ(program.problemsAfter(450), "");
}

TEST_P(CorrectPrograms, DoNotGrowEvenWhenTheyJustEnd) {
    StepProgram program;
    GetParam()(program);
    EXPECT_EQ(program.growthWithoutCleanup(), "");
}

INSTANTIATE_TEST_SUITE_P(All, CorrectPrograms,
                         testing::Values(playWarmUp, playCache, playShapes, playAccumulation,
                                         playReplayBuffer));

TEST(CorrectProgram, ALibraryWorkspaceIsNoProblem) {
    CaptureBuilder builder;
    builder.allocate(
        {.bytes = 8 * kMiB + kMiB / 2,
         .allocNs = kMs,
         .stack = builder.stack({"/usr/lib/libcudart.so.13!cudaMalloc", "/usr/lib/libcublasLt.so.13!+1234",
                                 "/usr/lib/libcublas.so.13!cublasSgemm_v2", "/opt/app/train!main"})});
    const auto all = detectAll(*builder.load());
    EXPECT_EQ(problemsIn(all), "");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].findingClass, detectors::FindingClass::LibraryWorkspace);
}

TEST(CorrectProgram, EveryOtherLargeBlockFreedIsNoProblem) {
    CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!main"});
    for (int i = 0; i < 70; ++i) {
        builder.allocate({.bytes = model::kGiB,
                          .allocNs = (10 + i) * kMs,
                          .freeNs = (i % 2 == 0 ? 100 : 300) * kMs,
                          .stack = stack});
    }
    builder.allocate({.bytes = 34 * model::kGiB, .allocNs = 200 * kMs, .freeNs = 300 * kMs, .stack = stack});
    EXPECT_TRUE(detectAll(*builder.load()).empty());
}

}  // namespace
}  // namespace vramscope::tests
