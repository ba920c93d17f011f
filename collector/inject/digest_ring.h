// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cuda.h>

#include "collector/device/digest_layout.h"
#include "collector/inject/watch_table.h"

namespace vramscope::collector {

/// What the host remembers of a digest.
struct DigestNote {
    KnownBuffer* buffer;
    std::uint64_t address;  ///< with allocTicks the buffer's name: its place may be another's by now
    std::uint64_t allocTicks;
    std::uint64_t enterTicks;  ///< of the call between this digest and the one before it
    std::uint64_t fromTicks;   ///< the digest before it was put on the stream from here on
    std::uint64_t toTicks;     ///< this one had been put there
    std::uint64_t stream;
    std::uint32_t tid;
    std::uint32_t contextUid;
    std::uint16_t api;
};

/// Digests on their way, in the order in which they were asked for. Asking reserves places with atomics, on
/// any thread, inside an ActScope with the context current; results are taken by one thread at a time.
/// Nothing here waits: while too many are on their way there is no place.
class DigestRing {
public:
    static constexpr std::uint32_t kPlaces = 65536;
    static constexpr std::uint32_t kMask = kPlaces - 1;

    /// Fetches the kernel and makes the memory. False if the driver would not.
    bool start();

    /// Places for `count` digests in a row, or false. Each must be filled in with put() and launched.
    bool reserve(std::uint32_t count, std::uint32_t& first);
    /// Fills in a place; `before` is the digest to compare with or device::kNoDigest. A null buffer leaves it
    /// out.
    void put(std::uint32_t index, const DigestNote& note, const KnownBuffer* buffer, std::uint32_t before);
    /// Takes digests [first, first + count) in the order of `stream`.
    void launch(std::uint32_t first, std::uint32_t count, CUstream stream);

    /// Whether digest `index` can still be compared with.
    bool isKept(std::uint32_t index) const {
        return m_head.load(std::memory_order_relaxed) - index < kPlaces / 2;
    }
    DigestNote& note(std::uint32_t index) { return m_notes[index & kMask]; }
    bool isFilling() const {
        return m_head.load(std::memory_order_relaxed) - m_tail.load(std::memory_order_relaxed) > kPlaces / 8;
    }

    /// The buffer at `address` goes while digests of it may be on their way on streams that its end does not
    /// wait for: those that have not begun leave it alone.
    void leaveOut(std::uint64_t address);

    /// Calls take(note) for each digest that is there and differs from the one before it, in order; stops at
    /// the first that is not there. One thread at a time; others find nothing.
    template <typename Take>
    void takeChanges(const Take& take) {
        if (m_isTaking.test_and_set(std::memory_order_acquire)) return;
        std::uint32_t tail = m_tail.load(std::memory_order_relaxed);
        for (; tail != m_head.load(std::memory_order_acquire); ++tail) {
            device::DigestTask& task = m_tasks[tail & kMask];
            const std::atomic_ref<device::DigestOutcome> shown(task.outcome);
            const device::DigestOutcome outcome = shown.load(std::memory_order_acquire);
            if (outcome == device::DigestOutcome::Empty || outcome == device::DigestOutcome::Pending) break;
            if (outcome == device::DigestOutcome::Changed) take(m_notes[tail & kMask]);
            shown.store(device::DigestOutcome::Empty, std::memory_order_relaxed);
        }
        m_tail.store(tail, std::memory_order_release);
        m_isTaking.clear(std::memory_order_release);
    }

private:
    void launchSome(std::uint32_t first, std::uint32_t count, unsigned blocks, CUstream stream);

    CUfunction m_kernel = nullptr;
    device::DigestTask* m_tasks = nullptr;
    CUdeviceptr m_states = 0;
    DigestNote* m_notes = nullptr;
    std::atomic<std::uint32_t> m_head{0};  ///< counts on; the place is the low bits
    std::atomic<std::uint32_t> m_tail{0};
    std::atomic_flag m_isTaking = ATOMIC_FLAG_INIT;
};

}  // namespace vramscope::collector
