// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/guard_kernels.h"

#include <cstddef>

#include "collector/inject/driver_api.h"
#include "collector/inject/own_kernels.h"

namespace vramscope::collector {

bool GuardKernels::load(unsigned slotCount) {
    const DriverActions& driver = g_driverActions;
    m_check = OwnKernels::kernel("vramscope_check_guards");
    m_fill = OwnKernels::kernel("vramscope_fill_guard");
    if (m_check == nullptr || m_fill == nullptr) return false;
    const std::size_t slotsBytes = slotCount * sizeof(device::GuardSlot);
    constexpr std::size_t kHitsBytes = 64;
    constexpr unsigned kPortableAndMapped = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    void* memory = nullptr;
    if (driver.memHostAlloc(&memory, slotsBytes + kHitsBytes, kPortableAndMapped) != CUDA_SUCCESS)
        return false;
    __builtin_memset(memory, 0, slotsBytes + kHitsBytes);
    m_slots = static_cast<device::GuardSlot*>(memory);
    m_hits = reinterpret_cast<unsigned*>(static_cast<char*>(memory) + slotsBytes);
    return true;
}

bool GuardKernels::fill(CUdeviceptr guard, unsigned sizeBytes, CUstream stream) const {
    constexpr unsigned kThreads = 128;
    void* arguments[] = {&guard, &sizeBytes};
    return g_driverActions.launchKernel(m_fill, 1, 1, 1, kThreads, 1, 1, 0, stream, arguments, nullptr) ==
           CUDA_SUCCESS;
}

void GuardKernels::check(device::GuardSlot* slots, unsigned count, bool countsThreads, std::uint32_t number,
                         CUstream stream) const {
    if (count == 0) return;
    constexpr unsigned kBlock = 256;
    constexpr unsigned kGuardsPerBlock = kBlock / device::kThreadsPerGuard;
    unsigned* hits = m_hits;
    unsigned countsThem = countsThreads ? 1 : 0;
    void* arguments[] = {&slots, &count, &hits, &countsThem, &number};
    g_driverActions.launchKernel(m_check, (count + kGuardsPerBlock - 1) / kGuardsPerBlock, 1, 1, kBlock, 1, 1,
                                 0, stream, arguments, nullptr);
}

bool GuardKernels::wait() const {
    return g_driverActions.streamSynchronize(OwnKernels::stream()) == CUDA_SUCCESS;
}

unsigned GuardKernels::takeHits() const {
    return __atomic_exchange_n(m_hits, 0u, __ATOMIC_ACQ_REL);
}

}  // namespace vramscope::collector
