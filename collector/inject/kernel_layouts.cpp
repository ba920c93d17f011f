// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/kernel_layouts.h"

#include <atomic>
#include <cuda.h>
#include <sys/mman.h>

#include "collector/inject/driver_api.h"
#include "collector/inject/text_record.h"

namespace vramscope::collector {

namespace {

constexpr std::size_t kRegionBytes = std::size_t{32} << 20;
constexpr std::size_t kIndexSlots = std::size_t{1} << 17;
// The parameter block is at most 32,764 bytes (CUDA C++ Programming Guide, function parameters); kernels with
// more parameters than this exist in no compiler's output.
constexpr std::size_t kMaxParameters = 512;
constexpr std::size_t kMostLayoutBytes = sizeof(KernelLayout) + kMaxParameters * sizeof(ParameterWords) + 64;

// Layouts lie one behind the other in a region that only grows; the index holds their places. Both are zero
// pages until used. Old layouts of unloaded modules stay as garbage: freeing them would need to know that
// nobody reads them.
char* g_region = nullptr;
std::atomic<std::size_t> g_regionUsed{0};
std::atomic<const KernelLayout*>* g_index = nullptr;

std::size_t slotOf(std::uint64_t function) {
    const std::uint64_t hash = function * 0x9E37'79B9'7F4A'7C15ull;
    return (hash >> 40) & (kIndexSlots - 1);
}

// cuLaunchKernel's CUfunction is often a CUkernel in disguise, which the function query refuses.
bool parameterInfo(std::uint64_t function, std::size_t index, std::size_t& offset, std::size_t& size) {
    if (g_driver.funcGetParamInfo != nullptr &&
        g_driver.funcGetParamInfo(reinterpret_cast<CUfunction>(function), index, &offset, &size) ==
            CUDA_SUCCESS) {
        return true;
    }
    return g_driver.kernelGetParamInfo != nullptr &&
           g_driver.kernelGetParamInfo(reinterpret_cast<CUkernel>(function), index, &offset, &size) ==
               CUDA_SUCCESS;
}

// Describes all parameters; the driver says "invalid value" behind the last one.
std::uint32_t collectParameters(std::uint64_t function, ParameterWords* parameters,
                                std::uint32_t& wordCount) {
    std::uint32_t count = 0;
    for (std::size_t index = 0; index < kMaxParameters; ++index) {
        std::size_t offset = 0;
        std::size_t size = 0;
        if (!parameterInfo(function, index, offset, size)) break;
        // Pointers are 8-byte aligned in the block; a structure may begin elsewhere.
        const std::size_t first = (8 - offset % 8) % 8;
        if (first + 8 > size) continue;
        const std::size_t words = (size - first) / 8;
        parameters[count++] = {static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(first),
                               static_cast<std::uint16_t>((offset + first) / 4),
                               static_cast<std::uint16_t>(words)};
        wordCount += static_cast<std::uint32_t>(words);
    }
    return count;
}

KernelLayout* makeLayout(std::uint64_t function) {
    if (g_regionUsed.load(std::memory_order_relaxed) + kMostLayoutBytes > kRegionBytes) return nullptr;
    ParameterWords parameters[kMaxParameters];
    std::uint32_t wordCount = 0;
    const std::uint32_t count = collectParameters(function, parameters, wordCount);
    const std::size_t bytes = (sizeof(KernelLayout) + count * sizeof(ParameterWords) + 63) & ~std::size_t{63};
    const std::size_t at = g_regionUsed.fetch_add(bytes, std::memory_order_relaxed);
    if (at + bytes > kRegionBytes) return nullptr;
    auto* layout = reinterpret_cast<KernelLayout*>(g_region + at);
    layout->function = function;
    layout->parameterCount = count;
    layout->wordCount = wordCount;
    __builtin_memcpy(layout + 1, parameters, count * sizeof(ParameterWords));
    return layout;
}

void announceName(Call& call, std::uint64_t function) {
    if (call.data.symbolName == nullptr) return;
    std::uint32_t textBytes = 0;
    formats::Record* record = reserveText(call.thread, call.data.symbolName, nullptr, textBytes);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::KernelName);
    record->header.enterTicks = call.enterTicks;
    record->header.exitTicks = call.exitTicks;
    record->header.contextUid = call.data.contextUid;
    record->text.handle = function;
    record->text.textBytes = textBytes;
    publish(call.thread, record->header.slotCount);
}

}  // namespace

bool prepareKernelLayouts() {
    const auto map = [](std::size_t bytes) {
        return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                      0);
    };
    void* region = map(kRegionBytes);
    void* index = map(kIndexSlots * sizeof(*g_index));
    if (region == MAP_FAILED || index == MAP_FAILED) return false;
    g_region = static_cast<char*>(region);
    g_regionUsed.store(0, std::memory_order_relaxed);
    g_index = static_cast<std::atomic<const KernelLayout*>*>(index);
    return true;
}

const KernelLayout* kernelLayout(Call& call, std::uint64_t function) {
    constexpr std::size_t kMaxProbes = 64;
    std::size_t slot = slotOf(function);
    for (std::size_t probe = 0; probe < kMaxProbes; ++probe, slot = (slot + 1) & (kIndexSlots - 1)) {
        const KernelLayout* found = g_index[slot].load(std::memory_order_acquire);
        if (found != nullptr && found->function == function) return found;
        if (found != nullptr) continue;
        if (!mayCallDriver()) return nullptr;
        const KernelLayout* made = makeLayout(function);
        if (made == nullptr) return nullptr;
        // Losing this race means that another thread announced the kernel; its layout says the same.
        if (g_index[slot].compare_exchange_strong(found, made, std::memory_order_acq_rel))
            announceName(call, function);
        return made;
    }
    return nullptr;
}

void forgetKernelLayouts() {
    for (std::size_t slot = 0; slot < kIndexSlots; ++slot) {
        if (g_index[slot].load(std::memory_order_relaxed) != nullptr)
            g_index[slot].store(nullptr, std::memory_order_relaxed);
    }
}

}  // namespace vramscope::collector
