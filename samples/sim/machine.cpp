// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/machine.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>

namespace vramscope::sim {
namespace {

void leaveAtExit() {
    // The process's device memory goes back as a real driver takes it back, so that the next program finds it free.
    Machine& m = machine();
    if (m.file && !m.forked) m.file->leave();
}

void markForked() {
    if (machine().initialised) machine().forked = true;
}

}  // namespace

Machine& machine() {
    static Machine* const instance = new Machine;
    return *instance;
}

bool startMachine() {
    Machine& m = machine();
    m.settings = settingsFromEnvironment();
    m.file = DeviceFile::open(m.settings);
    m.addresses = AddressSpace::create();
    if (!m.addresses) std::perror("simulated device: cannot reserve device addresses");
    if (m.file && !m.file->join()) {
        std::fprintf(stderr, "simulated device: %d processes use %s already\n", kMaximumProcesses,
                     m.settings.devicePath.c_str());
        m.file.reset();
    }
    if (!m.file || !m.addresses) return false;
    m.physical = std::make_unique<PhysicalMemory>(*m.file);
    pthread_atfork(nullptr, nullptr, markForked);
    m.initialised = true;
    return true;
}

/// Runs after the handlers of the program and of injected libraries, which may still free memory.
__attribute__((destructor)) static void leaveMachine() { leaveAtExit(); }

}  // namespace vramscope::sim
