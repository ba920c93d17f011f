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
        {"fork-and-pin", forkAndPin},
        {"leave-child", leaveChildBehind},
        {"fork-after", forkAfterInit},
        {"fork-in-thread", forkInThread},
        {"churn", churn},
        {"threads-in-turn", threadsInTurn},
        {"threads-together", threadsTogether},
        {"reset", resetContext},
        {"close-others", closeOtherDescriptors},
        {"unload-modules", unloadModules},
        {"destroy-at-exit", destroyContextAtExit},
        {"lose-objects", loseObjects},
        {"balance-objects", balanceObjects},
        {"destroy-twice", destroyTwice},
        {"context-calls", useContextCalls},
        {"trim-and-protect", trimAndProtect},
        {"share-with-importer", shareWithImporter},
        {"build-graphs", buildGraphs},
        {"capture-graphs", captureGraphs},
        {"share-descriptor", shareDescriptor},
        {"close-import-twice", closeImportTwice},
        {"fail-calls", failCalls},
        {"fail-in-capture", failInCapture},
        {"fault-in-kernel", faultInKernel},
        {"ask-too-early", askTooEarly},
        {"choose-pool", choosePoolByLocation},
        {"share-mapped", shareMappedMemory},
        {"copy-boxes", copyBoxes},
        {"some-of-each", doSomeOfEach},
        {"launch-again", launchAgain},
        {"thread-streams", useThreadStreams},
        {"capture-thread-stream", captureThreadStream},
        {"ask-sizes", askForSizes},
        {"overrun-ordered", overrunOrderedMemory},
        {"capture-while-allocating", captureWhileOthersAllocate},
        {"read-unwritten", readUnwrittenMemory},
        {"exact-sets", multiplyInto},
        {"exact-overrun", fillIntoNeighbour},
        {"exact-after-free", fillAfterFree},
        {"exact-after-ordered-free", fillAfterOrderedFree},
        {"exact-graph", launchGraphOfKernels},
        {"exact-many", launchMany},
        {"fill-device", fillTheDevice},
        {"launch-changing", launchWhileContextsChange},
        {"launch-late", launchThroughLateDoor},
    };
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto behaviour = words.empty() ? behaviours.end() : behaviours.find(words[0]);
    if (behaviour == behaviours.end()) {
        std::fprintf(stderr, "integration_job: no such behaviour\n");
        return 119;
    }
    return behaviour->second({words.begin() + 1, words.end()});
}
