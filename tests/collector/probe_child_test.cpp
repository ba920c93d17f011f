// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/probe_child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "collector/launcher/probe_answer.h"

namespace vramscope::collector {
namespace {

using namespace std::chrono_literals;

TEST(AskInChild, ReturnsTheAnswer) {
    const pid_t parent = ::getpid();
    const auto answer = askInChild([&] { return std::to_string(::getppid() == parent); }, 10s);
    ASSERT_TRUE(answer.isOk()) << answer.status().message();
    EXPECT_EQ(*answer, "1");
}

TEST(AskInChild, LongAnswersComeWhole) {
    const std::string text(1'000'000, 'x');
    const auto answer = askInChild([&text] { return text; }, 10s);
    ASSERT_TRUE(answer.isOk()) << answer.status().message();
    EXPECT_EQ(*answer, text);
}

TEST(AskInChild, ACrashIsAnErrorThatNamesIt) {
    const auto answer = askInChild(
        []() -> std::string {
            ::signal(SIGSEGV, SIG_DFL);  // a sanitizer has a handler of its own
            ::raise(SIGSEGV);
            return {};
        },
        10s);
    ASSERT_FALSE(answer.isOk());
    EXPECT_NE(answer.status().message().find("crashed"), std::string::npos) << answer.status().message();
}

TEST(AskInChild, AnEarlyExitIsAnError) {
    const auto answer = askInChild([]() -> std::string { ::_exit(3); }, 10s);
    ASSERT_FALSE(answer.isOk());
    EXPECT_NE(answer.status().message().find("exit code 3"), std::string::npos) << answer.status().message();
}

TEST(AskInChild, AHangIsEnded) {
    const auto start = std::chrono::steady_clock::now();
    const auto answer = askInChild(
        []() -> std::string {
            for (;;)
                ::pause();
        },
        200ms);
    ASSERT_FALSE(answer.isOk());
    EXPECT_NE(answer.status().message().find("no answer within 0.2 s"), std::string::npos)
        << answer.status().message();
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST(ProbeAnswer, KeysAndValues) {
    ProbeAnswer answer;
    answer.add("device", "NVIDIA H200");
    answer.add("devices", "no");
    answer.add("device", "b");
    EXPECT_EQ(answer.all("device"), (std::vector<std::string>{"NVIDIA H200", "b"}));
    EXPECT_EQ(ProbeAnswer(answer.text()).first("devices"), "no");
    EXPECT_EQ(answer.first("dev"), "");
    EXPECT_EQ(ProbeAnswer("cut").first("cut"), "");
}

}  // namespace
}  // namespace vramscope::collector
