// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/rule_list.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace vramscope::detectors {
namespace {

TEST(RuleList, EveryRuleHasItsPageAndEveryPageItsRule) {
    std::set<std::string> pages;
    for (const auto& entry : std::filesystem::directory_iterator(VRAMSCOPE_RULE_PAGES)) {
        if (entry.path().extension() == ".md" && entry.path().stem() != "README")
            pages.insert(entry.path().stem().string());
    }
    std::set<std::string> rules;
    for (const KnownRule& rule : kKnownRules)
        rules.emplace(rule.name);
    EXPECT_EQ(rules, pages);
}

TEST(RuleList, AFamilyNamesItsRulesAndNoOthers) {
    EXPECT_TRUE(namesRule("leak", "leak.growth"));
    EXPECT_TRUE(namesRule("leak.growth", "leak.growth"));
    EXPECT_FALSE(namesRule("leak.gro", "leak.growth"));
    EXPECT_FALSE(namesRule("leak.growth", "leak"));
    EXPECT_FALSE(namesRule("", "leak.growth"));
}

}  // namespace
}  // namespace vramscope::detectors
