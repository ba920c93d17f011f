// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/address_space.h"

#include <sys/mman.h>

namespace vramscope::sim {
namespace {

constexpr uint64_t kWindowBytes = 8ull << 40;
/// Room for a device of the default size several times over. Valgrind 3.19 gives a program 64 GiB of
/// addresses in all.
constexpr uint64_t kLeastWindowBytes = 32ull << 30;

int flagsOf(Protection protection) {
    if (protection == Protection::None) return PROT_NONE;
    return protection == Protection::Read ? PROT_READ : PROT_READ | PROT_WRITE;
}

void* pointer(uint64_t address) {
    return reinterpret_cast<void*>(address);
}

}  // namespace

std::unique_ptr<AddressSpace> AddressSpace::create() {
    for (uint64_t bytes = kWindowBytes; bytes >= kLeastWindowBytes; bytes /= 2) {
        void* window = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (window == MAP_FAILED) continue;
        const uint64_t start = reinterpret_cast<uint64_t>(window);
        const uint64_t base = (start + kPageBytes - 1) / kPageBytes * kPageBytes;
        return std::unique_ptr<AddressSpace>(new AddressSpace(base, bytes - kPageBytes));
    }
    return nullptr;
}

// The window stays mapped: addresses in it must keep faulting, not become somebody else's.
AddressSpace::~AddressSpace() = default;

uint64_t AddressSpace::reserve(uint64_t sizeBytes, uint64_t alignment, uint64_t wanted) {
    if (wanted && contains(wanted) && wanted % alignment == 0 && m_free.takeAt(wanted, sizeBytes))
        return wanted;
    if (alignment < kPageBytes) alignment = kPageBytes;
    return m_free.take(sizeBytes, alignment).value_or(0);
}

void AddressSpace::release(uint64_t address, uint64_t sizeBytes) {
    m_free.give(address, sizeBytes);
}

bool AddressSpace::map(uint64_t address, DeviceFile& file, const PageSet& pages, size_t first, size_t count,
                       Protection protection) {
    const auto& indices = pages.pages();
    for (size_t done = 0; done < count;) {
        // Neighbours in the file become one mapping: the kernel limits how many a process may have.
        size_t run = 1;
        while (done + run < count && indices[first + done + run] == indices[first + done] + run)
            ++run;
        void* wanted = pointer(address + done * kPageBytes);
        if (mmap(wanted, run * kPageBytes, flagsOf(protection), MAP_SHARED | MAP_FIXED, file.descriptor(),
                 file.offsetOf(pages.device(), indices[first + done])) == MAP_FAILED) {
            unmap(address, done * kPageBytes);
            return false;
        }
        done += run;
    }
    // A forked child must not write into the parent's device.
    madvise(pointer(address), count * kPageBytes, MADV_DONTFORK);
    return true;
}

bool AddressSpace::protect(uint64_t address, uint64_t sizeBytes, Protection protection) {
    return mprotect(pointer(address), sizeBytes, flagsOf(protection)) == 0;
}

void AddressSpace::unmap(uint64_t address, uint64_t sizeBytes) {
    if (!sizeBytes) return;
    mmap(pointer(address), sizeBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
         0);
}

}  // namespace vramscope::sim
