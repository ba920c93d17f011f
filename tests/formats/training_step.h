// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "formats/argument_set.h"
#include "formats/event_types.h"

namespace vramscope::formats {

/// Launches as a training loop makes them: each step repeats the same 460 kernels, shapes, stacks and
/// arguments from two threads on two streams, while the times differ from step to step. Deterministic for a
/// seed.
class TrainingLoop {
public:
    static constexpr int kLaunchesPerStep = 460;

    explicit TrainingLoop(std::uint32_t seed = 1) : m_random(seed) {
        for (int i = 0; i < kLaunchesPerStep; ++i)
            m_step.push_back(makeLaunch(i));
    }

    /// The next launch in time.
    LaunchEvent next() {
        LaunchEvent event = m_step[m_position];
        m_position = (m_position + 1) % m_step.size();
        if (m_position == 0) m_nowNs += 2'000'000 + pick(1'000'000);  // between two steps
        m_nowNs += 4000 + pick(8000);
        event.enterNs = m_nowNs;
        event.exitNs = m_nowNs + 2500 + pick(2000);
        return event;
    }

    std::vector<LaunchEvent> launches(std::size_t count) {
        std::vector<LaunchEvent> events(count);
        for (LaunchEvent& event : events)
            event = next();
        return events;
    }

    /// A set of up to four pointers into pooled buffers, as PyTorch's caching allocator places tensors.
    std::vector<LaunchArgument> argumentSet() {
        std::vector<LaunchArgument> arguments;
        const int count = 1 + static_cast<int>(pick(4));
        for (int i = 0; i < count; ++i) {
            arguments.push_back({static_cast<std::uint32_t>(16 + 8 * i),
                                 static_cast<std::int64_t>(1 + pick(90)), 512 * pick(40'000)});
        }
        return arguments;
    }

private:
    std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(m_random() % below); }

    LaunchEvent makeLaunch(int index) {
        LaunchEvent event;
        event.processId = 1;
        event.threadId = index < kLaunchesPerStep / 3 ? 1 : 2;  // forward, then autograd's thread
        event.streamId = pick(12) == 0 ? 2 : 1;
        event.kernelId = 1 + pick(70);
        event.gridX = 1 + pick(2000);
        event.gridY = pick(5) == 0 ? 8 : 1;
        event.gridZ = 1;
        event.blockX = 128U << pick(3);
        event.blockY = event.blockZ = 1;
        event.argumentSetId = 1 + index;
        event.stackId = 100 + pick(900);
        return event;
    }

    std::mt19937 m_random;
    std::vector<LaunchEvent> m_step;
    std::size_t m_position = 0;
    std::int64_t m_nowNs = 1'000'000'000;
};

}  // namespace vramscope::formats
