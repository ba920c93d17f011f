// SPDX-License-Identifier: Apache-2.0
// What a policy learns, reads, refuses and allows.
#include "analyzer/report/sharing_policy.h"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/analyzer/detector_support.h"

namespace vramscope::report {
namespace {

using tests::kMiB;
using tests::kMs;

/// "writer" writes what "owner" has, twice, from a place of `writerFunction`.
std::shared_ptr<const model::Capture> sharingCapture(const std::string& writerFunction = "fill_row") {
    tests::CaptureBuilder builder;
    const auto owner = builder.task("owner");
    const auto writer = builder.task("writer \"2\"");
    builder.exec("INSERT INTO threads (thread_id, process_id, tid, start_ns) VALUES (2, 1, 4712, 0)");
    builder.taskSpan(owner, 1, 0, 9'000 * kMs);
    builder.taskSpan(writer, 2, 0, 9'000 * kMs);
    const auto buffer =
        builder.allocate({.bytes = kMiB,
                          .allocNs = kMs,
                          .stack = builder.stack({"/opt/app/train!make", "/opt/app/train!main"})});
    builder.owner(buffer, owner);
    builder.set(10 * kMs, buffer, 0, kMiB, 1);
    for (int i = 0; i < 2; ++i) {
        formats::SetEvent event;
        event.enterNs = (20 + i) * kMs;
        event.exitNs = event.enterNs + 1;
        event.processId = 1;
        event.threadId = 2;
        event.dstBufferId = buffer;
        event.bytes = 64;
        event.stackId = builder.stack({"/opt/app/train!" + writerFunction, "/opt/app/train!main"});
        builder.add(event, "cuMemsetD8_v2");
    }
    return builder.load();
}

std::filesystem::path fileWith(const std::string& text) {
    const auto path = std::filesystem::path(testing::TempDir()) / "policy.toml";
    std::ofstream(path) << text;
    return path;
}

std::size_t overwritesUnder(const SharingPolicy& policy, const model::Capture& capture,
                            PolicyCount* count = {}) {
    PolicyUse use(policy, capture);
    const auto findings =
        tests::findingsOf(detectors::detectAll(capture, use.filter()), "corruption.overwrite");
    if (count != nullptr && use.count()) *count = *use.count();
    return findings.size();
}

TEST(SharingPolicy, AllowsWhatItLearnedAndNothingElse) {
    const auto good = sharingCapture();
    const auto lines = sharingIn(*good);
    ASSERT_EQ(lines.size(), 1U) << "both writes are one";
    EXPECT_EQ(lines[0].user, "writer \"2\"");
    ASSERT_EQ(lines[0].userStack->size(), 2U);
    EXPECT_EQ(lines[0].userStack->front(), "train!fill_row");
    const auto policy = loadPolicy(fileWith(policyText(*good, lines)));
    ASSERT_TRUE(policy.isOk()) << policy.status().message();
    PolicyCount count;
    EXPECT_EQ(overwritesUnder(*policy, *good, &count), 0U);
    EXPECT_EQ(count.text(), "allowed by policy.toml: 2 uses, by 1 of 1 line");
    EXPECT_EQ(overwritesUnder(*policy, *sharingCapture("another_place"), &count), 1U);
    EXPECT_EQ(count.text(), "allowed by policy.toml: 0 uses, by 0 of 1 line");
    EXPECT_EQ(overwritesUnder(SharingPolicy(), *good), 1U);
}

TEST(SharingPolicy, WhatALineLeavesOutIsAny) {
    const auto allows = [](const std::string& line) {
        const auto policy = loadPolicy(fileWith("[[allow]]\nrule = \"corruption.overwrite\"\n" + line));
        EXPECT_TRUE(policy.isOk()) << policy.status().message();
        return overwritesUnder(*policy, *sharingCapture()) == 0;
    };
    EXPECT_TRUE(allows(""));
    EXPECT_TRUE(allows("owner = \"owner\"\nreason = \"one memory, by design\"\n"));
    EXPECT_TRUE(allows("call = \"cuMemsetD8_v2\"\nowner_stack = [\"train!make\", \"train!main\"]\n"));
    EXPECT_FALSE(allows("owner = \"writer \\\"2\\\"\"\n"));
    EXPECT_FALSE(allows("call = \"cuMemcpyDtoD_v2\"\n"));
    EXPECT_FALSE(allows("owner_stack = [\"train!make\"]\n"));
    const auto alias = loadPolicy(fileWith("[[allow]]\nrule = \"sharing.alias\"\n"));
    ASSERT_TRUE(alias.isOk());
    EXPECT_EQ(overwritesUnder(*alias, *sharingCapture()), 1U);
}

/// File and line, and what to do.
TEST(SharingPolicy, SaysWhereAFileIsWrong) {
    const auto errorOf = [](const std::string& text) {
        const auto policy = loadPolicy(fileWith(text));
        return policy.isOk() ? std::string() : policy.status().message();
    };
    const std::string line = "[[allow]]\nrule = \"corruption.overwrite\"\n";
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"allow = 1\n", "policy.toml:1: `allow` does not belong here"},
        {"allow = [1]\n", "policy.toml:1: allow must be written as [[allow]]"},
        {line + "onwer = \"x\"\n", "policy.toml:3: `onwer` is no word of a policy. It may say rule, owner"},
        {"\n[[allow]]\nowner = \"x\"\n", "policy.toml:2: this line names no rule"},
        {"[[allow]]\nrule = \"leak.growth\"\n", "policy.toml:2: a policy allows sharing"},
        {line + "owner = 7\n", "policy.toml:3: owner must be one line of text"},
        {line + "owner = \"a\\nb\"\n", "policy.toml:3: owner must be one line of text"},
        {line + "user_stack = []\n", "policy.toml:3: user_stack must be a list of 1 to 256 texts"},
        {line + "user_stack = [1]\n", "policy.toml:3: user_stack must be a list"},
        {line + "owner = \n", "policy.toml:3: no TOML: "},
        {std::string(5 << 20, '#'), "larger than 4 MiB"},
        {"a = " + std::string(100'000, '['), "no TOML: "},
    };
    for (const auto& [text, expected] : wrong)
        EXPECT_NE(errorOf(text).find(expected), std::string::npos)
            << errorOf(text) << "\nwanted " << expected;
    EXPECT_NE(loadPolicy("/nowhere/policy.toml").status().message().find("policy learn"), std::string::npos);
    EXPECT_EQ(errorOf(""), "") << "an empty policy allows nothing";
}

TEST(SharingPolicy, TextsOfAJobStayTexts) {
    const auto capture = sharingCapture("bad\\\"name\x01\xff\xc3\xa9");
    const auto lines = sharingIn(*capture);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].userStack->front(), "train!bad\\\"name??\xc3\xa9");
    const auto policy = loadPolicy(fileWith(policyText(*capture, lines)));
    ASSERT_TRUE(policy.isOk()) << policy.status().message();
    EXPECT_EQ(overwritesUnder(*policy, *capture), 0U);
}

}  // namespace
}  // namespace vramscope::report
