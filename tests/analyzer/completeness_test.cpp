// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/completeness.h"

#include <gtest/gtest.h>

#include "tests/support/capture_builder.h"

namespace vramscope::model {
namespace {

using tests::CaptureBuilder;

TEST(Completeness, AWholeCaptureNeedsNoCaveat) {
    CaptureBuilder builder;
    const Completeness completeness = completenessOf(*builder.load());
    EXPECT_TRUE(completeness.isWhole());
    EXPECT_TRUE(completeness.allocationsAreWhole);
    EXPECT_EQ(completeness.oneLine(), "complete, none lost");
    EXPECT_EQ(completeness.caveat(), "");
}

TEST(Completeness, ARecordingThatStoppedSaysWhenAndWhy) {
    CaptureBuilder builder;
    builder.fact("state", "recording");
    builder.fact("stopped_because", "database or disk is full.");
    builder.exec("UPDATE processes SET end_ns = NULL, end_kind = NULL");
    builder.exec("DELETE FROM meta WHERE key = 'session_end_ns'");
    builder.allocate({.allocNs = 12'300'000'000, .endKind = "context-destroyed"});
    const Completeness completeness = completenessOf(*builder.load());
    EXPECT_FALSE(completeness.allocationsAreWhole);
    EXPECT_EQ(completeness.oneLine(), "not finished");
    EXPECT_EQ(completeness.caveat(),
              " in what was recorded; recording stopped at 12.3 s: database or disk is full");
    ASSERT_EQ(completeness.gaps.size(), 1U);
    EXPECT_EQ(completeness.gaps[0],
              "Recording stopped at 12.3 s: database or disk is full. What came after is missing.");
}

TEST(Completeness, AKilledRecorderLeavesNoReason) {
    CaptureBuilder builder;
    builder.fact("state", "recording");
    const Completeness completeness = completenessOf(*builder.load());
    EXPECT_EQ(completeness.caveat(), " in what was recorded; recording stopped at 10.0 s");
    EXPECT_NE(completeness.gaps.at(0).find("vramscope recover"), std::string::npos);
}

TEST(Completeness, LossesOfRecordsAndOfStacksAreTwoThings) {
    CaptureBuilder records;
    records.drop("ring-full", 1);
    const Completeness lossy = completenessOf(*records.load());
    EXPECT_FALSE(lossy.allocationsAreWhole);
    EXPECT_EQ(lossy.oneLine(), "complete, 1 record lost");
    EXPECT_EQ(lossy.caveat(), " in what was recorded; 1 record lost");

    CaptureBuilder stacks;
    stacks.drop("stack-table-full", 3);
    const Completeness blunt = completenessOf(*stacks.load());
    EXPECT_TRUE(blunt.allocationsAreWhole);
    EXPECT_FALSE(blunt.stacksAreWhole);
    EXPECT_EQ(blunt.caveat(), " in what was recorded; 3 stacks lost");
}

TEST(Completeness, AProcessThatWasNotRecordedIsNotComplete) {
    CaptureBuilder builder;
    builder.exec("UPDATE processes SET off_reason = 'another tool holds CUPTI'");
    const Completeness completeness = completenessOf(*builder.load());
    EXPECT_EQ(completeness.oneLine(), "not all recorded, none lost");
    EXPECT_EQ(completeness.caveat(), " in what was recorded; pid 4711 not recorded to its end");
}

TEST(Completeness, AWindowKeepsAllocationsWhole) {
    CaptureBuilder builder;
    builder.exec("INSERT INTO dropped_chunks VALUES ('launches', 1, 2, 5000)");
    const Completeness completeness = completenessOf(*builder.load());
    EXPECT_TRUE(completeness.allocationsAreWhole);
    EXPECT_FALSE(completeness.workIsWhole);
    EXPECT_EQ(completeness.caveat(), " in what was recorded; 5,000 launches and copies let go by --keep");
}

}  // namespace
}  // namespace vramscope::model
