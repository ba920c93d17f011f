// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/digest_ring.h"

#include <sys/mman.h>

#include "collector/inject/driver_api.h"
#include "collector/inject/own_kernels.h"

namespace vramscope::collector {

namespace {

using device::DigestOutcome;

/// Small buffers share a launch, with so many blocks each.
constexpr std::uint64_t kSmallBytes = std::uint64_t{256} << 10;
constexpr unsigned kSmallBlocks = 4;
constexpr std::uint32_t kMostTogether = 64;
/// What a block should have to do at least, and with how many an H200 reads fastest: four for each of its
/// multiprocessors. With more it is slower (docs/measurements.md).
constexpr std::uint64_t kBlockBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kMostBlocks = 528;

unsigned blocksFor(std::uint64_t sizeBytes) {
    if (sizeBytes <= kSmallBytes) return kSmallBlocks;
    const std::uint64_t blocks = sizeBytes / kBlockBytes + 1;
    return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

}  // namespace

bool DigestRing::start() {
    const DriverActions& driver = g_driverActions;
    m_kernel = OwnKernels::kernel("vramscope_digest");
    if (m_kernel == nullptr) return false;
    constexpr std::size_t kTaskBytes = kPlaces * sizeof(device::DigestTask);
    constexpr std::size_t kStateBytes = kPlaces * sizeof(device::DigestState);
    void* tasks = nullptr;
    if (driver.memHostAlloc(&tasks, kTaskBytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP) !=
            CUDA_SUCCESS ||
        driver.memAlloc(&m_states, kStateBytes) != CUDA_SUCCESS ||
        driver.memsetD8Async(m_states, 0, kStateBytes, OwnKernels::stream()) != CUDA_SUCCESS ||
        driver.streamSynchronize(OwnKernels::stream()) != CUDA_SUCCESS) {
        return false;
    }
    __builtin_memset(tasks, 0, kTaskBytes);
    m_tasks = static_cast<device::DigestTask*>(tasks);
    void* notes = ::mmap(nullptr, kPlaces * sizeof(DigestNote), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (notes == MAP_FAILED) return false;
    m_notes = static_cast<DigestNote*>(notes);
    return true;
}

bool DigestRing::reserve(std::uint32_t count, std::uint32_t& first) {
    first = m_head.load(std::memory_order_relaxed);
    do {
        // Half of them stay behind as what later digests compare themselves with.
        if (first - m_tail.load(std::memory_order_acquire) + count > kPlaces / 2) return false;
    } while (!m_head.compare_exchange_weak(first, first + count, std::memory_order_acq_rel));
    return true;
}

void DigestRing::put(std::uint32_t index, const DigestNote& note, const KnownBuffer* buffer,
                     std::uint32_t before) {
    m_notes[index & kMask] = note;
    device::DigestTask& task = m_tasks[index & kMask];
    task.address = buffer != nullptr ? note.address : 0;
    task.sizeBytes = buffer != nullptr ? buffer->sizeBytes : 0;
    task.before = before == device::kNoDigest ? before : before & kMask;
    std::atomic_ref<DigestOutcome>(task.outcome)
        .store(task.address != 0 ? DigestOutcome::Pending : DigestOutcome::Gone, std::memory_order_release);
}

void DigestRing::launchSome(std::uint32_t first, std::uint32_t count, unsigned blocks, CUstream stream) {
    unsigned place = first & kMask;
    unsigned mask = kMask;
    device::DigestInputs inputs;
    for (std::uint32_t i = 0; i < count; ++i) {
        const device::DigestTask& task = m_tasks[(first + i) & kMask];
        const KnownBuffer* buffer = m_notes[(first + i) & kMask].buffer;
        inputs.of[i] = {task.address, task.sizeBytes, task.before, buffer->isOrdered ? 1u : 0u};
    }
    void* arguments[] = {&m_tasks, &m_states, &place, &mask, &inputs};
    if (g_driverActions.launchKernel(m_kernel, blocks, count, 1, device::kDigestThreads, 1, 1, 0, stream,
                                     arguments, nullptr) == CUDA_SUCCESS) {
        return;
    }
    for (std::uint32_t i = first; i != first + count; ++i)
        std::atomic_ref<DigestOutcome>(m_tasks[i & kMask].outcome)
            .store(DigestOutcome::Gone, std::memory_order_release);
}

void DigestRing::launch(std::uint32_t first, std::uint32_t count, CUstream stream) {
    for (std::uint32_t done = 0; done < count;) {
        const unsigned blocks = blocksFor(m_tasks[(first + done) & kMask].sizeBytes);
        std::uint32_t together = 1;
        while (blocks == kSmallBlocks && together < kMostTogether && done + together < count &&
               m_tasks[(first + done + together) & kMask].sizeBytes <= kSmallBytes) {
            ++together;
        }
        launchSome(first + done, together, blocks, stream);
        done += together;
    }
}

void DigestRing::leaveOut(std::uint64_t address) {
    const std::uint32_t head = m_head.load(std::memory_order_acquire);
    for (std::uint32_t i = m_tail.load(std::memory_order_acquire); i != head; ++i) {
        device::DigestTask& task = m_tasks[i & kMask];
        if (__atomic_load_n(&task.address, __ATOMIC_RELAXED) == address)
            __atomic_store_n(&task.address, 0ull, __ATOMIC_SEQ_CST);
    }
}

}  // namespace vramscope::collector
