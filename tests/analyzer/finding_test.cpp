// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/finding.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::detectors {
namespace {

TEST(Fingerprint, RestsOnFunctionsNotOnPlaces) {
    tests::CaptureBuilder builder;
    const std::int64_t a =
        builder.stack({"/opt/app/train!load@train.cpp:10", "/opt/app/train!main@train.cpp:90"});
    const std::int64_t moved =
        builder.stack({"/opt/app/train!load@train.cpp:17", "/opt/app/train!main@train.cpp:99"});
    const std::int64_t other =
        builder.stack({"/opt/app/train!store@train.cpp:10", "/opt/app/train!main@train.cpp:90"});
    const auto capture = builder.load();
    const auto of = [&](std::int64_t stack) { return fingerprintOf(*capture, "leak.growth", {stack}); };
    EXPECT_EQ(of(a), of(moved));
    EXPECT_NE(of(a), of(other));
    EXPECT_NE(of(a), fingerprintOf(*capture, "leak.at-exit", {a}));
    EXPECT_NE(of(a), fingerprintOf(*capture, "leak.growth", {a}, "other detail"));
}

TEST(FoldEqual, SumsOneFaultAndKeepsTheWeakestProof) {
    Finding first;
    first.fingerprint = std::string("a");
    first.confidence = Confidence::Proven;
    first.bytes = 10;
    first.count = 2;
    first.largestStackCount = 2;
    Finding second = first;
    second.confidence = Confidence::Possible;
    second.largestStackCount = 5;
    Finding third = first;
    third.fingerprint = std::string("b");
    first.findingClass = second.findingClass = FindingClass::PoolCache;
    const auto folded = foldEqual({first, third, second});
    ASSERT_EQ(folded.size(), 2U);
    EXPECT_EQ(folded[0].bytes, 20);
    EXPECT_EQ(folded[0].count, 4);
    EXPECT_EQ(folded[0].largestStackCount, 5);
    EXPECT_EQ(folded[0].confidence, Confidence::Possible);
    EXPECT_EQ(folded[1].bytes, 10);
}

TEST(FoldEqual, AProvenProblemStaysProvenBesideOneThatIsOnlyPossible) {
    Finding proven;
    proven.fingerprint = std::string("a");
    proven.findingClass = FindingClass::Leak;
    proven.confidence = Confidence::Proven;
    proven.count = 3;
    Finding possible = proven;
    possible.confidence = Confidence::Possible;
    const auto folded = foldEqual({proven, possible, proven, possible});
    ASSERT_EQ(folded.size(), 2U);
    EXPECT_EQ(folded[0].confidence, Confidence::Proven);
    EXPECT_EQ(folded[0].count, 6);
    EXPECT_EQ(folded[1].confidence, Confidence::Possible);
    EXPECT_EQ(folded[1].count, 6);
}

}  // namespace
}  // namespace vramscope::detectors
