// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/stack_text.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

TEST(StackText, ShowsWhereAPersonWouldLook) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack(
        {"/usr/lib/libcuda.so.1!cuMemAlloc_v2", "/opt/app/train!make_mask@/src/train.cpp:88",
         "/opt/app/train!main@/src/train.cpp:12", "/lib/libc.so.6!__libc_start_main@@GLIBC_2.34"});
    const auto capture = builder.load();
    EXPECT_EQ(shortPlace(*capture, {stack}), "train.cpp:88 make_mask");
    EXPECT_EQ(readableFrames(*capture, {stack}, 10).size(), 2U);
    EXPECT_EQ(framesOf(*capture, {stack}).size(), 4U);
    EXPECT_EQ(stableName(*capture, {stack}), "train!make_mask\ntrain!main\n");
    EXPECT_EQ(shortPlace(*capture, StackId()), "a place that was not recorded");
}

TEST(StackText, ShortPlacesCarryNoArgumentLists) {
    tests::CaptureBuilder builder;
    const std::int64_t plain = builder.stack({"/opt/app/train!ns::grab<int (*)(char)>(unsigned long)"});
    const std::int64_t hidden = builder.stack({"/opt/app/train!a::(anonymous namespace)::grab(int)"});
    const auto capture = builder.load();
    EXPECT_EQ(shortPlace(*capture, {plain}), "train ns::grab<int (*)(char)>");
    EXPECT_EQ(shortPlace(*capture, {hidden}), "train a::(anonymous namespace)::grab");
}

TEST(StackText, ExpandsInlinedFunctions) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!outer@a.cpp:1"});
    builder.exec(R"(UPDATE frames SET inlined = '[{"function":"inner","file":"b.h","line":7}]')");
    const auto capture = builder.load();
    const auto frames = readableFrames(*capture, {stack}, 10);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].function, "inner");
    EXPECT_EQ(frames[0].place, "b.h:7");
    EXPECT_EQ(frames[1].function, "outer");
}

TEST(StackText, SurvivesARingOfStacksAndTextThatIsNoJson) {
    tests::CaptureBuilder builder;
    const std::int64_t stack = builder.stack({"/opt/app/train!a", "/opt/app/train!b"});
    builder.exec("UPDATE stacks SET parent_stack_id = " + std::to_string(stack));
    builder.exec("UPDATE frames SET inlined = '[{'");
    const auto capture = builder.load();
    EXPECT_EQ(framesOf(*capture, {stack}).size(), kDeepestStack);
    EXPECT_EQ(readableFrames(*capture, {stack}, 3).size(), 3U);
}

}  // namespace
}  // namespace vramscope::model
