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
int forkAndPin(const std::vector<std::string>& words);
int leaveChildBehind(const std::vector<std::string>& words);
int forkAfterInit(const std::vector<std::string>& words);
int executeAfterUse(const std::vector<std::string>& words);
int forkInThread(const std::vector<std::string>& words);

// What the collector has to live with (hardships.cpp).
int churn(const std::vector<std::string>& words);
int threadsInTurn(const std::vector<std::string>& words);
int threadsTogether(const std::vector<std::string>& words);
int resetContext(const std::vector<std::string>& words);
int closeOtherDescriptors(const std::vector<std::string>& words);

// Calls that fail (failing_calls.cpp).
int failCalls(const std::vector<std::string>& words);
int failInCapture(const std::vector<std::string>& words);
int faultInKernel(const std::vector<std::string>& words);
int askTooEarly(const std::vector<std::string>& words);

// Newer and rarer calls (newer_calls.cpp).
int choosePoolByLocation(const std::vector<std::string>& words);
int shareMappedMemory(const std::vector<std::string>& words);
int copyBoxes(const std::vector<std::string>& words);

// What is recorded at which level (levels.cpp), and default streams of threads (thread_streams.cpp).
int launchAgain(const std::vector<std::string>& words);
int doSomeOfEach(const std::vector<std::string>& words);
int useThreadStreams(const std::vector<std::string>& words);
int captureThreadStream(const std::vector<std::string>& words);

// Kernels whose accesses are known to the byte (exact.cpp).
int multiplyInto(const std::vector<std::string>& words);
int fillIntoNeighbour(const std::vector<std::string>& words);
int fillAfterFree(const std::vector<std::string>& words);
int fillAfterOrderedFree(const std::vector<std::string>& words);
int launchGraphOfKernels(const std::vector<std::string>& words);
int launchMany(const std::vector<std::string>& words);

// What guard bytes must see, and not disturb (guarded.cpp).
int askForSizes(const std::vector<std::string>& words);
int overrunOrderedMemory(const std::vector<std::string>& words);
int captureWhileOthersAllocate(const std::vector<std::string>& words);
int readUnwrittenMemory(const std::vector<std::string>& words);
int fillTheDevice(const std::vector<std::string>& words);

// Ways that launches take (launch_doors.cpp).
int launchWhileContextsChange(const std::vector<std::string>& words);
int launchThroughLateDoor(const std::vector<std::string>& words);

// Modules, their variables, and contexts that end late (modules.cpp).
int unloadModules(const std::vector<std::string>& words);
int destroyContextAtExit(const std::vector<std::string>& words);

// Graphs (graphs.cpp), and handles that go from one process to another (sharing.cpp).
int buildGraphs(const std::vector<std::string>& words);
int captureGraphs(const std::vector<std::string>& words);
int shareDescriptor(const std::vector<std::string>& words);
int closeImportTwice(const std::vector<std::string>& words);

// Things that must be destroyed (objects.cpp).
int loseObjects(const std::vector<std::string>& words);
int balanceObjects(const std::vector<std::string>& words);
int destroyTwice(const std::vector<std::string>& words);
int useContextCalls(const std::vector<std::string>& words);
int trimAndProtect(const std::vector<std::string>& words);
int shareWithImporter(const std::vector<std::string>& words);

}  // namespace vramscope::jobs
