// SPDX-License-Identifier: Apache-2.0
#include "gui/models/filter_language.h"

#include <gtest/gtest.h>

namespace vramscope::gui {
namespace {

FilterTerm onlyTerm(const char* text) {
    const ParsedFilter parsed = parseFilter(QString::fromUtf8(text));
    EXPECT_TRUE(parsed.isOk()) << parsed.problem.toStdString();
    EXPECT_EQ(parsed.terms.size(), 1U);
    return parsed.terms.empty() ? FilterTerm() : parsed.terms.front();
}

TEST(FilterLanguage, ReadsSizesTimesAndAddresses) {
    EXPECT_EQ(onlyTerm("size>1M").number, 1 << 20);
    EXPECT_EQ(onlyTerm("size>1M").relation, FilterRelation::More);
    EXPECT_EQ(onlyTerm("size<=1.5KiB").number, 1536);
    EXPECT_EQ(onlyTerm("size:2GB").number, 2'000'000'000);
    EXPECT_EQ(onlyTerm("age>=30s").number, 30'000'000'000);
    EXPECT_EQ(onlyTerm("time<2ms").number, 2'000'000);
    EXPECT_EQ(onlyTerm("addr:0x7f2c40000100").number, 0x7f2c40000100);
    EXPECT_EQ(onlyTerm("addr:0x1000..0x2000").end, 0x2000);
    EXPECT_EQ(onlyTerm("addr:b7f2c40000100.3").number, 0x7f2c40000100);
}

TEST(FilterLanguage, ReadsTextsNegationAndQuotes) {
    const ParsedFilter parsed = parseFilter(QStringLiteral("kind:async -library:torch stack~\"a b\" matmul"));
    ASSERT_TRUE(parsed.isOk());
    ASSERT_EQ(parsed.terms.size(), 4U);
    EXPECT_FALSE(parsed.terms[0].isNegated);
    EXPECT_TRUE(parsed.terms[1].isNegated);
    EXPECT_EQ(parsed.terms[1].text, QStringLiteral("torch"));
    EXPECT_EQ(parsed.terms[2].text, QStringLiteral("a b"));
    EXPECT_EQ(parsed.terms[3].key, FilterKey::Text);
    EXPECT_EQ(parsed.terms[3].position, 38);
}

TEST(FilterLanguage, SaysWhatIsWrongAndWhere) {
    for (const char* wrong :
         {"size>big", "age>", "addr:xyz", "kind:nothing", "is:odd", "size>1Q", "id:seven", "addr:0x1..z"}) {
        const ParsedFilter parsed = parseFilter(QStringLiteral("kind:async ") + QString::fromUtf8(wrong));
        EXPECT_FALSE(parsed.isOk()) << wrong;
        EXPECT_EQ(parsed.problemPosition, 11) << wrong;
        EXPECT_FALSE(parsed.problem.isEmpty());
    }
}

TEST(FilterLanguage, AWordThatIsNoKeyIsText) {
    EXPECT_EQ(onlyTerm("std::vector").key, FilterKey::Text);
    EXPECT_EQ(onlyTerm("std::vector").text, QStringLiteral("std::vector"));
}

TEST(FilterLanguage, AnEmptyFilterHoldsEverything) {
    EXPECT_TRUE(parseFilter(QStringLiteral("   ")).isOk());
    EXPECT_TRUE(parseFilter(QStringLiteral("   ")).terms.empty());
}

TEST(FilterLanguage, AddingAWordReplacesTheOneWithItsKey) {
    EXPECT_EQ(filterWith(QStringLiteral("kind:async size>1M"), QStringLiteral("kind:vmm")),
              QStringLiteral("size>1M kind:vmm"));
    EXPECT_EQ(filterWith({}, QStringLiteral("kind:vmm")), QStringLiteral("kind:vmm"));
    EXPECT_EQ(filterWith(QStringLiteral("a b"), QStringLiteral("c")), QStringLiteral("a b c"));
}

TEST(FilterLanguage, OffersKeysAndTheirWords) {
    EXPECT_TRUE(filterCompletions(QStringLiteral("si")).contains(QStringLiteral("size>")));
    EXPECT_TRUE(filterCompletions(QStringLiteral("kind:a")).contains(QStringLiteral("kind:async")));
    EXPECT_FALSE(filterCompletions(QStringLiteral("kind:a")).contains(QStringLiteral("kind:vmm")));
}

}  // namespace
}  // namespace vramscope::gui
