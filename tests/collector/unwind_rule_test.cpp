// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <memory>
#include <random>

#include "collector/unwind/arch.h"
#include "collector/unwind/rule_cache.h"

namespace vramscope::unwind {
namespace {

TEST(UnwindRule, KeepsItsNumbers) {
    for (const int64_t cfa : {int64_t{-512}, int64_t{-8}, int64_t{0}, int64_t{8}, int64_t{4'193'784}}) {
        for (const int64_t fp : {int64_t{-1024}, int64_t{-16}, int64_t{0}, int64_t{1016}}) {
            const Rule rule = Rule::make(RuleKind::FromFramePointer, cfa, fp);
            EXPECT_EQ(rule.kind(), RuleKind::FromFramePointer);
            EXPECT_EQ(rule.cfaOffsetBytes(), cfa);
            EXPECT_EQ(rule.fpOffsetBytes(), fp);
            EXPECT_EQ(rule.bits() >> Rule::kBits, 0u);
        }
    }
}

TEST(UnwindRule, RefusesWhatDoesNotFit) {
    EXPECT_EQ(Rule::make(RuleKind::FromStackPointer, 4'193'792, 0).kind(), RuleKind::Unknown);
    EXPECT_EQ(Rule::make(RuleKind::FromStackPointer, -520, 0).kind(), RuleKind::Unknown);
    EXPECT_EQ(Rule::make(RuleKind::FromStackPointer, 12, 0).kind(), RuleKind::Unknown);
    EXPECT_EQ(Rule::make(RuleKind::FromStackPointer, 16, -1032).kind(), RuleKind::Unknown);
    EXPECT_EQ(Rule::make(RuleKind::FromStackPointer, INT64_MIN, INT64_MIN).kind(), RuleKind::Unknown);
}

FrameRow rowWithExpression(const uint8_t* expression, size_t size) {
    FrameRow row;
    row.cfaKind = CfaKind::Expression;
    row.cfaExpression = {expression, expression + size};
    row.returnAddress = {SlotKind::AtCfa, -8, {}};
    return row;
}

TEST(UnwindRule, UnderstandsTheLinkageTable) {
    const uint8_t plt[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    const FrameRow row = rowWithExpression(plt, sizeof(plt));
    EXPECT_EQ(ruleFromRow(row, 0x10), Rule::make(RuleKind::FromStackPointer, 8, 0));
    EXPECT_EQ(ruleFromRow(row, 0x1a), Rule::make(RuleKind::FromStackPointer, 8, 0));
    EXPECT_EQ(ruleFromRow(row, 0x1b), Rule::make(RuleKind::FromStackPointer, 16, 0));
    for (size_t size = 0; size < sizeof(plt); ++size) {
        EXPECT_EQ(ruleFromRow(rowWithExpression(plt, size), 0x10).kind(), RuleKind::Unknown);
    }
}

TEST(UnwindRule, UnderstandsRealignedFrames) {
    const uint8_t cfa[] = {0x76, 0x78, 0x06};
    const uint8_t fp[] = {0x76, 0x00};
    FrameRow row = rowWithExpression(cfa, sizeof(cfa));
    row.framePointer = {SlotKind::Expression, 0, {fp, fp + sizeof(fp)}};
    const Rule rule = ruleFromRow(row, 0);
    EXPECT_EQ(rule.kind(), RuleKind::Realigned);
    EXPECT_EQ(rule.cfaOffsetBytes(), -8);
    EXPECT_EQ(rule.fpOffsetBytes(), 0);
}

TEST(UnwindRule, RefusesOtherRegistersAndSlots) {
    FrameRow row;
    row.cfaKind = CfaKind::Register;
    row.cfaRegister = 3;
    row.cfaOffsetBytes = 16;
    row.returnAddress = {SlotKind::AtCfa, -8, {}};
    EXPECT_EQ(ruleFromRow(row, 0).kind(), RuleKind::Unknown);
    row.cfaRegister = kStackPointerRegister;
    EXPECT_EQ(ruleFromRow(row, 0).kind(), RuleKind::FromStackPointer);
    row.returnAddress.cfaOffsetBytes = -16;
    EXPECT_EQ(ruleFromRow(row, 0).kind(), RuleKind::Unknown);
    row.returnAddress.kind = SlotKind::Undefined;
    EXPECT_EQ(ruleFromRow(row, 0).kind(), RuleKind::Outermost);
}

TEST(UnwindRule, RecognisesCalls) {
    const auto endsCall = [](std::initializer_list<uint8_t> code) {
        return followsCall(reinterpret_cast<uint64_t>(code.end()), reinterpret_cast<uint64_t>(code.begin()));
    };
    EXPECT_TRUE(endsCall({0xe8, 1, 2, 3, 4}));
    EXPECT_TRUE(endsCall({0xff, 0xd0}));
    EXPECT_TRUE(endsCall({0x41, 0xff, 0xd4}));
    EXPECT_TRUE(endsCall({0xff, 0x15, 1, 2, 3, 4}));
    EXPECT_TRUE(endsCall({0xff, 0x94, 0x24, 1, 2, 3, 4}));
    EXPECT_FALSE(endsCall({0x90, 0x90, 0x90, 0x90, 0x90}));
    EXPECT_FALSE(endsCall({0xff, 0xe0}));  // a jump
    EXPECT_FALSE(endsCall({}));
}

TEST(UnwindRuleCache, FindsExactlyWhatWasInserted) {
    static RuleCache cache;
    std::mt19937_64 random(3);
    for (int i = 0; i < 200'000; ++i) {
        const uint64_t ip = random() >> 17;
        const Rule rule = Rule::make(RuleKind::FromStackPointer, static_cast<int64_t>(ip % 4096) * 8, 0);
        const Rule present = cache.find(ip);
        ASSERT_TRUE(present.isEmpty() || present == rule);
        cache.insert(ip, rule, cache.generation());
        ASSERT_EQ(cache.find(ip), rule);
        EXPECT_TRUE(cache.find(ip | uint64_t{1} << 47).isEmpty()) << "beyond the addresses that are cached";
    }
    cache.clear();
    random.seed(3);
    for (int i = 0; i < 200'000; ++i)
        ASSERT_TRUE(cache.find(random() >> 17).isEmpty());
}

TEST(UnwindRuleCache, WithdrawsRulesOfAnOldGeneration) {
    static RuleCache cache;
    const uint32_t generation = cache.generation();
    cache.clear();
    cache.insert(0x1234, Rule::make(RuleKind::FromStackPointer, 16, 0), generation);
    EXPECT_TRUE(cache.find(0x1234).isEmpty());
}

}  // namespace
}  // namespace vramscope::unwind
