// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "samples/sim/address_space.h"
#include "samples/sim/device_file.h"
#include "samples/sim/physical_memory.h"
#include "samples/sim/settings.h"

namespace vramscope::sim {

/// What cuInit sets up: this process's view of the simulated machine. One for each process, never destroyed.
struct Machine {
    std::mutex lock;  ///< the driver's lock: guards all state of the simulation in this process
    Settings settings;
    std::unique_ptr<DeviceFile> file;
    std::unique_ptr<PhysicalMemory> physical;
    std::unique_ptr<AddressSpace> addresses;
    std::atomic<bool> initialised{false};
    std::atomic<bool> ended{false};   ///< the process is exiting and has given its device memory back
    std::atomic<bool> forked{false};  ///< in the child of a process that had initialised CUDA
};

Machine& machine();

/// Opens the device file and reserves addresses. Called with the lock; false with a message on stderr on
/// failure.
bool startMachine();

inline uint32_t deviceCount() {
    return machine().file->deviceCount();
}

}  // namespace vramscope::sim
