// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/watch_rule.h"

#include <gtest/gtest.h>

#include "collector/launcher/watch_option.h"

namespace vramscope::collector {
namespace {

constexpr std::uint64_t kAddress = 0x7f2c40000000;

std::string normalised(const std::string& text) {
    const StatusOr<std::string> result = normalisedWatch(text);
    return result.isOk() ? *result : "refused: " + result.status().message();
}

TEST(WatchRule, OneTermThatFitsIsEnough) {
    const WatchRule rule("task:gen,size>1000");
    EXPECT_TRUE(rule.fitsNew(kAddress, 10, "gen"));
    EXPECT_TRUE(rule.fitsNew(kAddress, 1001, nullptr));
    EXPECT_FALSE(rule.fitsNew(kAddress, 1000, "generator"));
    EXPECT_TRUE(WatchRule("all").fitsNew(kAddress, 1, nullptr));
    EXPECT_TRUE(WatchRule("size<8").fitsNew(kAddress, 7, nullptr));
    EXPECT_FALSE(WatchRule("size<8").fitsNew(kAddress, 8, nullptr));
}

TEST(WatchRule, NamesEndInAStarOrInFull) {
    EXPECT_TRUE(WatchRule("name:gen.*").fitsName("gen.fc.weight"));
    EXPECT_FALSE(WatchRule("name:gen.fc").fitsName("gen.fc.weight"));
    EXPECT_FALSE(WatchRule("task:gen.*").fitsName("gen.fc.weight"));
    EXPECT_FALSE(WatchRule("name:gen").fitsName(nullptr));
}

TEST(WatchRule, AnAddressIsWatchedWhoeverWritesIt) {
    const WatchRule rule("buffer:7f2c40000000,all");
    EXPECT_TRUE(rule.fitsAddress(kAddress));
    EXPECT_FALSE(rule.fitsAddress(kAddress + 1));
}

TEST(WatchRule, NonsenseFitsNothing) {
    for (const char* text : {"", ",", "everything", "size>", ",,task:,"}) {
        EXPECT_FALSE(WatchRule(text).fitsNew(kAddress, 0, "x")) << text;
        EXPECT_FALSE(WatchRule(text).fitsName("x")) << text;
    }
}

TEST(WatchOption, IsPutIntoPlainWords) {
    EXPECT_EQ(normalised("size>1MiB, task:gen*"), "size>1048576,task:gen*");
    EXPECT_EQ(normalised("buffer:0x7f2c40000000"), "buffer:7f2c40000000");
    EXPECT_EQ(normalised("buffer:b7f2c40000000"), "buffer:7f2c40000000");
}

TEST(WatchOption, SaysWhatIsWrong) {
    for (const char* text : {"", " , ", "some", "size>", "size>-1", "size<many", "buffer:", "buffer:xyz",
                             "name:", "name:a*b", "buffer:b7f2c40000000.3"}) {
        EXPECT_TRUE(normalised(text).starts_with("refused: ")) << text;
    }
    EXPECT_TRUE(normalised("name:" + std::string(300, 'x')).starts_with("refused: "));
}

}  // namespace
}  // namespace vramscope::collector
