// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/memory_sampler.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "formats/job_clock.h"
#include "formats/schema.h"

namespace vramscope::collector {
namespace {

// On the NVML of this test, which takes 40 ms to answer. What the job did meanwhile is older than the sample.
TEST(MemorySampler, StampsASampleWhenItHasBeenRead) {
    StatusOr<formats::Connection> capture = formats::Connection::openInMemory();
    ASSERT_TRUE(capture.isOk());
    ASSERT_TRUE(formats::createSchema(*capture).isOk());
    TickClock clock(formats::ClockKind::Monotonic);
    StatusOr<std::unique_ptr<CaptureSink>> sink = CaptureSink::open(*capture, clock, 0);
    ASSERT_TRUE(sink.isOk());
    DeviceTable devices(**sink);
    MemorySampler sampler(**sink, devices);
    constexpr std::int64_t kReadNs = 40'000'000;
    for (int turn = 0; turn < 200; ++turn) {
        const auto beforeNs = static_cast<std::int64_t>(formats::monotonicNs());
        sampler.sampleIfDue(clock, {});
        const auto afterNs = static_cast<std::int64_t>(formats::monotonicNs());
        ASSERT_TRUE((*sink)->commit().isOk());
        const auto sampleNs = capture->queryInt("SELECT min(time_ns) FROM memory_samples");
        ASSERT_TRUE(sampleNs.isOk());
        if (sampleNs->has_value()) {
            EXPECT_GE(**sampleNs, beforeNs + kReadNs);
            EXPECT_LE(**sampleNs, afterNs);
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << "no sample was taken";
}

}  // namespace
}  // namespace vramscope::collector
