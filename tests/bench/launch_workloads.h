// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "formats/argument_set.h"
#include "formats/event_types.h"
#include "tests/formats/training_step.h"

namespace vramscope::formats {

/// What launches of a job look like to whoever stores them.
enum class Workload : std::int64_t {
    RepeatingStep,   ///< 460 launches a step, up to 4 pointers each, the same in every step
    LargeStep,       ///< the same with 20,000 launches a step: none repeats within a chunk
    RandomBuffers,   ///< 4 pointers, each into any of 50,000 buffers of 2.8 MB, at any multiple of 512 bytes
    RandomBytes,     ///< the same at any multiple of 16 bytes
    FreshBuffers,    ///< 4 pointers to buffers that no launch had before, in order of allocation
    RandomAddresses  ///< 4 pointers to any multiple of 512 bytes in 140 GB, in no buffer we know
};

struct Launch {
    LaunchEvent event;
    std::vector<LaunchArgument> arguments;
};

/// Makes launches of a workload. But for the repeating steps, each is one of 24 kernels (own shape, stack,
/// block and four grids) on one of 4 streams, all drawn at random. Times vary as those of real calls do: 4 to
/// 12 microseconds from one to the next. Deterministic.
class LaunchSource {
public:
    explicit LaunchSource(Workload workload) : m_workload(workload) {
        if (workload == Workload::LargeStep) {
            for (int i = 0; i < 20'000; ++i)
                m_step.push_back(repeated());
        }
        for (int i = 0; workload == Workload::RepeatingStep && i < TrainingLoop::kLaunchesPerStep; ++i)
            m_stepArguments.push_back(m_loop.argumentSet());
    }

    Launch next() {
        Launch launch;
        if (m_workload == Workload::RepeatingStep) {
            launch.event = m_loop.next();
            launch.arguments = m_stepArguments[m_count++ % m_stepArguments.size()];
            return launch;
        }
        launch = m_workload == Workload::LargeStep ? m_step[m_count % m_step.size()] : anyKernel();
        ++m_count;
        m_nowNs += 4000 + pick(8000);
        launch.event.enterNs = m_nowNs;
        launch.event.exitNs = m_nowNs + 2500 + pick(2000);
        for (std::uint32_t i = 0; i < 4 && m_workload != Workload::LargeStep; ++i)
            launch.arguments.push_back(pointer(launch.event.kernelId % 5 * 4 + 8 * i));
        return launch;
    }

private:
    static constexpr std::uint64_t kBuffers = 50'000;
    static constexpr std::uint64_t kBufferBytes = 2'800'000;

    std::uint32_t pick(std::uint64_t below) { return static_cast<std::uint32_t>(m_random() % below); }

    LaunchArgument pointer(std::int64_t parameterOffset) {
        const auto offset = static_cast<std::uint32_t>(parameterOffset);
        switch (m_workload) {
            case Workload::RandomBuffers:
                return {offset, 1 + pick(kBuffers), 512 * std::uint64_t{pick(kBufferBytes / 512)}};
            case Workload::RandomBytes:
                return {offset, 1 + pick(kBuffers), 16 * std::uint64_t{pick(kBufferBytes / 16)}};
            case Workload::FreshBuffers:
                return {offset, ++m_lastBuffer, 0};
            default:
                return {offset, 0,
                        0x7F12'0000'0000 + 512 * std::uint64_t{pick(kBuffers * kBufferBytes / 512)}};
        }
    }

    Launch anyKernel() {
        Launch launch;
        const std::uint32_t kernel = pick(24);
        LaunchEvent& event = launch.event;
        event.processId = event.threadId = 1;
        event.streamId = 1 + pick(4);
        event.kernelId = 1 + kernel;
        event.gridX = (1 + kernel) * (1U << pick(4));
        event.gridY = event.gridZ = event.blockY = event.blockZ = 1;
        event.blockX = 128U << kernel % 4;
        event.stackId = 1000 + 37 * kernel;
        return launch;
    }

    Launch repeated() {
        Launch launch = anyKernel();
        launch.event.stackId = 1000 + pick(5000);
        launch.event.gridX = 1 + pick(3000);
        launch.arguments = m_loop.argumentSet();
        return launch;
    }

    Workload m_workload;
    std::mt19937_64 m_random{1};
    TrainingLoop m_loop;
    std::vector<std::vector<LaunchArgument>> m_stepArguments;
    std::vector<Launch> m_step;
    std::size_t m_count = 0;
    std::int64_t m_nowNs = 1'000'000'000;
    std::int64_t m_lastBuffer = 0;
};

}  // namespace vramscope::formats
