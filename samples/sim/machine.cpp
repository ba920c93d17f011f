// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/machine.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

namespace vramscope::sim {
namespace {

void leaveAtExit() {
    // The process's device memory goes back as a real driver takes it back, so that the next program finds it
    // free.
    Machine& m = machine();
    if (!m.file || m.forked) return;
    // Whoever still works on the device must be done first: the pages may belong to another process next. A
    // thread that never lets go of the lock must not keep the process from exiting.
    bool locked = m.lock.try_lock();
    for (int attempt = 0; attempt < 1000 && !locked; ++attempt) {
        usleep(1000);
        locked = m.lock.try_lock();
    }
    m.ended = true;
    m.file->leave();
    if (locked) m.lock.unlock();
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
    m.file = DeviceFile::open(m.settings, DeviceFile::Role::Process);
    m.addresses = AddressSpace::create();
    if (!m.addresses) std::perror("simulated device: cannot reserve device addresses");
    if (!m.file || !m.addresses) return false;
    m.physical = std::make_unique<PhysicalMemory>(*m.file);
    pthread_atfork(nullptr, nullptr, markForked);
    m.initialised = true;
    return true;
}

/// Runs after the handlers of the program and of injected libraries, which may still free memory.
__attribute__((destructor)) static void leaveMachine() {
    leaveAtExit();
}

}  // namespace vramscope::sim
