// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace vramscope::levels {

/// Least, most and last value in one step of time.
struct Step {
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::int64_t last = 0;

    bool operator==(const Step&) const = default;
};

/// A value that changes at moments and stays between them, cut into steps of equal width. It is 0 at first;
/// what changes at one moment counts as one change. Memory: one Step for each step, whatever the number of
/// changes.
class StepSeries {
public:
    /// Covers [0, widthNs * count). Both are at least 1.
    StepSeries(std::int64_t widthNs, std::size_t count) : m_widthNs(widthNs), m_steps(count) {}

    /// Adds `delta` from `timeNs` on. Times must not fall and must lie in the range.
    void add(std::int64_t timeNs, std::int64_t delta);
    /// Carries the value to the end and returns the steps; the series begins anew at 0.
    std::vector<Step> finish();

private:
    void holdUntil(std::int64_t endNs);

    std::int64_t m_widthNs;
    std::vector<Step> m_steps;
    std::size_t m_begun = 0;  // steps that hold a value already
    std::int64_t m_timeNs = 0;
    __int128 m_value = 0;  // wide: sizes come from the job and may add up to anything
};

/// `factor` steps made one; the last one may stand for fewer.
std::vector<Step> coarsen(const std::vector<Step>& steps, std::size_t factor);

}  // namespace vramscope::levels
