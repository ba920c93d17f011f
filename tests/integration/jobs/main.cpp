// SPDX-License-Identifier: Apache-2.0
// The job of the integration tests: `integration_job BEHAVIOUR WORDS...`.
#include <cstdio>
#include <map>

#include "tests/integration/jobs/job.h"

int main(int argc, char** argv) {
    using namespace vramscope::jobs;
    const std::map<std::string, Behaviour> behaviours{
        {"code", endWithCode},
        {"signal", endBySignal},
        {"at-once", endAtOnce},
        {"abort", endByAbort},
        {"exception", endByException},
        {"while-others-call", endWhileOthersCall},
        {"on-signal", endOnSignal},
        {"fork-exec", forkAndExecute},
        {"exec-after-use", executeAfterUse},
        {"fork-before", forkBeforeInit},
        {"fork-after", forkAfterInit},
        {"fork-in-thread", forkInThread},
        {"churn", churn},
        {"threads-in-turn", threadsInTurn},
        {"threads-together", threadsTogether},
        {"reset", resetContext},
        {"close-others", closeOtherDescriptors},
    };
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto behaviour = words.empty() ? behaviours.end() : behaviours.find(words[0]);
    if (behaviour == behaviours.end()) {
        std::fprintf(stderr, "integration_job: no such behaviour\n");
        return 119;
    }
    return behaviour->second({words.begin() + 1, words.end()});
}
