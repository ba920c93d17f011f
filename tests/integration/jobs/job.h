// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace vramscope::jobs {

/// One behaviour of the test job: gets the words behind its name and returns the exit status.
using Behaviour = int (*)(const std::vector<std::string>& words);

// Ways to end (endings.cpp).
int endWithCode(const std::vector<std::string>& words);
int endBySignal(const std::vector<std::string>& words);
int endAtOnce(const std::vector<std::string>& words);
int endByAbort(const std::vector<std::string>& words);
int endByException(const std::vector<std::string>& words);
int endWhileOthersCall(const std::vector<std::string>& words);
int endOnSignal(const std::vector<std::string>& words);

// Processes that start others (children.cpp).
int forkAndExecute(const std::vector<std::string>& words);
int forkBeforeInit(const std::vector<std::string>& words);
int forkAfterInit(const std::vector<std::string>& words);
int executeAfterUse(const std::vector<std::string>& words);
int forkInThread(const std::vector<std::string>& words);

// What the collector has to live with (hardships.cpp).
int churn(const std::vector<std::string>& words);
int threadsInTurn(const std::vector<std::string>& words);
int threadsTogether(const std::vector<std::string>& words);
int resetContext(const std::vector<std::string>& words);
int closeOtherDescriptors(const std::vector<std::string>& words);

}  // namespace vramscope::jobs
