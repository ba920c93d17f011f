// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace vramscope::collector {

/// Numbers the buffers that begin at one address, from 1. Two buffers never get the same number. Remembers
/// kMostAddresses, at some 50 bytes each; a job that uses more makes all numbers go on above the highest one
/// so far.
class Generations {
public:
    static constexpr std::size_t kMostAddresses = 500'000;

    std::uint64_t next(std::uint64_t address) {
        std::uint64_t& last = lastOf(address);
        return m_highest = std::max(m_highest, ++last), last;
    }
    /// `generation` was given at `address` already.
    void raise(std::uint64_t address, std::uint64_t generation) {
        std::uint64_t& last = lastOf(address);
        last = std::max(last, generation);
        m_highest = std::max(m_highest, last);
    }

private:
    std::uint64_t& lastOf(std::uint64_t address) {
        if (m_last.size() >= kMostAddresses && !m_last.contains(address)) {
            m_last.clear();
            m_floor = m_highest;
        }
        return m_last.try_emplace(address, m_floor).first->second;
    }

    std::unordered_map<std::uint64_t, std::uint64_t> m_last;
    std::uint64_t m_floor = 0;  ///< what an address not remembered begins above
    std::uint64_t m_highest = 0;
};

}  // namespace vramscope::collector
