// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/small_pages.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

constexpr std::int64_t kFirstPage = 0x7f0000000000;

TEST(SmallPages, CountsWhatIsFreedAndWhatGoesBack) {
    tests::CaptureBuilder builder;
    // The first page keeps one of two blocks, the second empties, the third is never touched by a free.
    builder.allocate({.address = kFirstPage, .bytes = kMiB, .allocNs = 10});
    builder.allocate({.address = kFirstPage + kMiB, .bytes = kMiB, .allocNs = 10, .freeNs = 50});
    builder.allocate({.address = kFirstPage + 2 * kMiB, .bytes = kMiB, .allocNs = 10, .freeNs = 50});
    builder.allocate({.address = kFirstPage + 4 * kMiB, .bytes = kMiB, .allocNs = 10});
    builder.allocate({.address = kFirstPage + 6 * kMiB, .bytes = 2 * kMiB, .allocNs = 10});
    const auto capture = builder.load();
    const SmallPages pages = smallPagesAt(*capture, {1}, {1}, 60);
    EXPECT_EQ(pages.heldPageBytes, 4 * kMiB);
    EXPECT_EQ(pages.liveBytes, 2 * kMiB);
    EXPECT_EQ(pages.strandedBytes, kMiB);
    EXPECT_EQ(pages.givenBackBytes, kMiB);
    EXPECT_EQ(pages.pinning.size(), 1U);
}

TEST(SmallPages, ReuseOfAPageIsNotCountedTwice) {
    tests::CaptureBuilder builder;
    builder.allocate({.address = kFirstPage + kMiB, .bytes = kMiB, .allocNs = 5});
    for (int i = 0; i < 10; ++i) {
        builder.allocate(
            {.address = kFirstPage, .bytes = kMiB, .allocNs = 10 + 10 * i, .freeNs = 15 + 10 * i});
    }
    const auto capture = builder.load();
    EXPECT_EQ(smallPagesAt(*capture, {1}, {1}, 500).strandedBytes, kMiB);
}

}  // namespace
}  // namespace vramscope::model
