// SPDX-License-Identifier: Apache-2.0
#include "gui/models/surroundings.h"

#include <gtest/gtest.h>

#include "tests/gui/gui_capture.h"

namespace vramscope::gui {
namespace {

constexpr std::int64_t kHere = 0x7f0000000000;

TEST(Surroundings, OwnersBeforeAndAfterAndWhoLiesBeside) {
    tests::CaptureBuilder builder;
    for (int i = 0; i < 6; ++i)
        builder.allocate({.address = kHere, .bytes = 4096, .allocNs = i * 10, .freeNs = i * 10 + 5});
    builder.allocate({.address = kHere, .bytes = 4096, .allocNs = 100, .freeNs = 200});
    builder.allocate({.address = kHere + 1024, .bytes = 10, .allocNs = 300});
    builder.allocate({.address = kHere + 8192, .bytes = 10, .allocNs = 90});
    builder.allocate({.address = kHere + 9000, .bytes = 10, .allocNs = 90});
    builder.allocate({.address = kHere - 100, .bytes = 10, .allocNs = 90, .freeNs = 150});
    builder.allocate({.kind = "pinned", .address = kHere + 5000, .bytes = 10, .allocNs = 90});
    const tests::GuiCapture capture(builder);
    const Cancel cancel;
    const Surroundings around = surroundingsOf(capture.store(), 6, 120, 4, cancel);
    EXPECT_EQ(around.before, (std::vector<Row>{2, 3, 4, 5}));
    EXPECT_EQ(around.after, (std::vector<Row>{7}));
    EXPECT_EQ(around.ownerCount, 7);
    EXPECT_EQ(around.above, std::optional<Row>(8));
    EXPECT_EQ(around.below, std::optional<Row>(10));
    EXPECT_EQ(around.momentNs, 120);

    const Surroundings later = surroundingsOf(capture.store(), 6, 5000, 4, cancel);
    EXPECT_EQ(later.momentNs, 199);
    EXPECT_FALSE(later.below);
}

TEST(Surroundings, ANobodyIsAlone) {
    tests::CaptureBuilder builder;
    builder.allocate({.address = kHere, .bytes = 4096, .allocNs = 10});
    const tests::GuiCapture capture(builder);
    const Cancel cancel;
    const Surroundings around = surroundingsOf(capture.store(), 0, 0, 4, cancel);
    EXPECT_EQ(around.ownerCount, 0);
    EXPECT_FALSE(around.above || around.below);
}

}  // namespace
}  // namespace vramscope::gui
