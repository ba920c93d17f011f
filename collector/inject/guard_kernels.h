// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

#include "collector/device/guard_layout.h"

namespace vramscope::collector {

/// Our kernels for guard bytes in one context, and the memory that they and the host share. All calls are
/// made inside an ActScope, with the context current.
class GuardKernels {
public:
    /// Fetches the kernels and makes `slotCount` zeroed slots. False if the driver would not.
    bool load(unsigned slotCount);

    /// Fills guard bytes in the order of `stream`. False if the driver would not.
    bool fill(CUdeviceptr guard, unsigned sizeBytes, CUstream stream) const;
    /// Checks slots[0, count) in the order of `stream`, as the check `number`, which is not 0; with
    /// `countsThreads` each thread tells when it is through.
    void check(device::GuardSlot* slots, unsigned count, bool countsThreads, std::uint32_t number,
               CUstream stream) const;
    /// Waits for what was launched on OwnKernels::stream(). False after an error of the job's.
    bool wait() const;

    device::GuardSlot* slots() const { return m_slots; }
    /// How many slots were found changed since this was asked last.
    unsigned takeHits() const;

private:
    CUfunction m_check = nullptr;
    CUfunction m_fill = nullptr;
    device::GuardSlot* m_slots = nullptr;
    unsigned* m_hits = nullptr;
};

}  // namespace vramscope::collector
