// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/address_space.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

constexpr std::int64_t kBase = 0x7f0000000000;

TEST(AddressSpace, TellsGenerationsOfOneAddressApart) {
    tests::CaptureBuilder builder;
    const std::int64_t first =
        builder.allocate({.address = kBase, .bytes = 4096, .allocNs = 10, .freeNs = 20});
    const std::int64_t second = builder.allocate({.address = kBase, .bytes = 8192, .allocNs = 30});
    const auto capture = builder.load();
    const AddressSpace space(*capture, {1});
    EXPECT_EQ(space.liveAt(kBase, 15)->id.value, first);
    EXPECT_EQ(space.liveAt(kBase, 25), nullptr);
    EXPECT_EQ(space.liveAt(kBase + 8191, 35)->id.value, second);
    EXPECT_EQ(space.liveAt(kBase + 8192, 35), nullptr);
    EXPECT_EQ(space.liveAt(kBase - 1, 35), nullptr);
    EXPECT_EQ(space.lastDeadAt(kBase, 25)->id.value, first);
    EXPECT_EQ(space.lastDeadAt(kBase, 15), nullptr);
    EXPECT_EQ(space.allLiveAt(35).size(), 1U);
}

TEST(AddressSpace, KeepsProcessesApart) {
    tests::CaptureBuilder builder;
    builder.process(2);
    builder.allocate({.process = 2, .address = kBase, .allocNs = 10});
    const auto capture = builder.load();
    EXPECT_EQ(AddressSpace(*capture, {1}).liveAt(kBase, 20), nullptr);
    EXPECT_NE(AddressSpace(*capture, {2}).liveAt(kBase, 20), nullptr);
}

}  // namespace
}  // namespace vramscope::model
