// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/nearest_word.h"

#include <gtest/gtest.h>

namespace vramscope::cli {
namespace {

const std::vector<std::string> kWords{"run", "report", "check", "query", "open"};

TEST(NearestWord, FindsTypingErrors) {
    EXPECT_EQ(nearestWord("reprot", kWords), "report");
    EXPECT_EQ(nearestWord("chekc", kWords), "check");
    EXPECT_EQ(nearestWord("rnu", kWords), "run");
    EXPECT_EQ(nearestWord("opem", kWords), "open");
}

TEST(NearestWord, DoesNotGuessWildly) {
    EXPECT_EQ(nearestWord("banana", kWords), "");
    EXPECT_EQ(nearestWord("x", kWords), "");
    EXPECT_EQ(nearestWord(std::string(10'000, 'r'), kWords), "");
}

}  // namespace
}  // namespace vramscope::cli
