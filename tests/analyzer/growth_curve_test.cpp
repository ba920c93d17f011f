// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/growth_curve.h"

#include <deque>
#include <gtest/gtest.h>

namespace vramscope::detectors {
namespace {

/// Plays a loop of `steps` steps; each test says what a step does to the count.
class Loop {
public:
    explicit Loop(std::int64_t steps) : m_steps(steps) { m_curve.endPosition = steps; }

    void allocate(std::int64_t step) {
        m_live.push_back(step);
        m_curve.changes.push_back({step, 1});
    }
    void freeOldest(std::int64_t step) {
        m_live.pop_front();
        m_curve.changes.push_back({step, -1});
    }
    void freeNewest(std::int64_t step) {
        m_live.pop_back();
        m_curve.changes.push_back({step, -1});
    }
    std::size_t live() const { return m_live.size(); }
    std::int64_t steps() const { return m_steps; }
    bool grows() {
        m_curve.keptAt.assign(m_live.begin(), m_live.end());
        return keepsGrowing(m_curve);
    }

private:
    std::int64_t m_steps;
    GrowthCurve m_curve;
    std::deque<std::int64_t> m_live;
};

TEST(GrowthCurve, OneForgottenBlockAStepGrows) {
    for (const std::int64_t steps : {5, 6, 7, 20, 1000}) {
        Loop loop(steps);
        for (std::int64_t i = 0; i < steps; ++i)
            loop.allocate(i);
        EXPECT_TRUE(loop.grows()) << steps << " steps";
    }
}

TEST(GrowthCurve, FourBlocksAreTooFew) {
    Loop loop(4);
    for (std::int64_t i = 0; i < 4; ++i)
        loop.allocate(i);
    EXPECT_FALSE(loop.grows());
}

TEST(GrowthCurve, OneOfFiveForgottenGrowsThroughItsSawtooth) {
    Loop loop(50);
    for (std::int64_t i = 0; i < 50; ++i) {
        for (int block = 0; block < 5; ++block)
            loop.allocate(i);
        for (int block = 0; block < 4; ++block)
            loop.freeNewest(i);
    }
    EXPECT_TRUE(loop.grows());
}

TEST(GrowthCurve, ALeakEveryTenthStepGrows) {
    Loop loop(200);
    for (std::int64_t i = 0; i < 200; i += 10)
        loop.allocate(i);
    EXPECT_TRUE(loop.grows());
}

TEST(GrowthCurve, WarmUpThenALeakStillGrows) {
    Loop loop(60);
    for (int i = 0; i < 100; ++i)
        loop.allocate(0);
    for (std::int64_t i = 0; i < 60; ++i)
        loop.allocate(i);
    EXPECT_TRUE(loop.grows());
}

TEST(GrowthCurve, WarmUpThenFlatDoesNotGrow) {
    Loop loop(23);
    for (std::int64_t i = 0; i < 3; ++i) {
        for (int block = 0; block < 4; ++block)
            loop.allocate(i);
    }
    EXPECT_FALSE(loop.grows());
}

TEST(GrowthCurve, GradientAccumulationDoesNotGrow) {
    for (const std::int64_t steps : {40, 41, 42, 43}) {
        Loop loop(steps);
        for (std::int64_t i = 0; i < steps; ++i) {
            if (i % 4 == 0) {
                while (loop.live() > 0)
                    loop.freeOldest(i);
            }
            for (int block = 0; block < 6; ++block)
                loop.allocate(i);
        }
        EXPECT_FALSE(loop.grows()) << steps << " steps";
    }
}

TEST(GrowthCurve, ACacheThatFillsAtHalfTimeDoesNotGrow) {
    Loop loop(400);
    for (std::int64_t i = 0; i < 400; ++i) {
        if (i >= 200) loop.freeOldest(i);
        loop.allocate(i);
    }
    EXPECT_FALSE(loop.grows());
}

TEST(GrowthCurve, ShapesUntilAllAreKnownDoNotGrow) {
    for (const std::int64_t steps : {180, 200, 300, 400}) {
        Loop loop(steps);
        for (std::int64_t i = 0; i < 160; i += 10)
            loop.allocate(i);
        EXPECT_FALSE(loop.grows()) << steps << " steps";
    }
}

TEST(GrowthCurve, ABoundedReplayBufferDoesNotGrow) {
    Loop loop(500);
    for (std::int64_t i = 0; i < 500; ++i) {
        if (loop.live() == 64) loop.freeOldest(i);
        loop.allocate(i);
    }
    EXPECT_FALSE(loop.grows());
}

TEST(GrowthCurve, EvaluationNowAndThenDoesNotGrow) {
    Loop loop(400);
    for (std::int64_t i = 0; i < 400; i += 50) {
        for (int block = 0; block < 8; ++block)
            loop.allocate(i);
        for (int block = 0; block < 8; ++block)
            loop.freeNewest(i + 1);
    }
    EXPECT_FALSE(loop.grows());
}

TEST(GrowthCurve, AListFreedAtTheEndDoesNotGrow) {
    Loop loop(100);
    for (std::int64_t i = 0; i < 100; ++i)
        loop.allocate(i);
    for (int i = 0; i < 95; ++i)
        loop.freeOldest(100);
    EXPECT_FALSE(loop.grows());
}

}  // namespace
}  // namespace vramscope::detectors
