// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace vramscope::collector {

/// Launches that have their place for marks and may not be with the driver yet: a wait for their stream says
/// nothing about them. Calls enter when they launch and leave at their exit; any thread.
class FlightList {
public:
    static constexpr std::uint32_t kMostCalls = 256;

    /// A call's first launch is `number`. Returns its place, from 1, or 0 when too many calls are under way.
    std::uint32_t enter(std::uint64_t number) {
        for (std::uint32_t i = 0; i < kMostCalls; ++i) {
            std::uint64_t none = 0;
            if (m_first[i].load(std::memory_order_relaxed) == 0 &&
                m_first[i].compare_exchange_strong(none, number, std::memory_order_seq_cst)) {
                return i + 1;
            }
        }
        return 0;
    }
    void leave(std::uint32_t place) { m_first[place - 1].store(0, std::memory_order_release); }

    /// Launches with smaller numbers are with the driver. `next` is the number that is given out next.
    std::uint64_t limit(std::uint64_t next) const {
        for (const auto& first : m_first) {
            const std::uint64_t number = first.load(std::memory_order_seq_cst);
            if (number != 0 && number < next) next = number;
        }
        return next;
    }

private:
    std::atomic<std::uint64_t> m_first[kMostCalls]{};
};

}  // namespace vramscope::collector
