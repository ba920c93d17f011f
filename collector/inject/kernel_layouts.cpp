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
static_assert(kRegionBytes / kLayoutUnit <= std::size_t{1} << kRecentPlaceBits);
constexpr unsigned kIndexBits = 17;
constexpr std::size_t kIndexSlots = std::size_t{1} << kIndexBits;
// The parameter block is at most 32,764 bytes (CUDA C++ Programming Guide, function parameters); kernels with
// more parameters than this exist in no compiler's output.
constexpr std::size_t kMaxParameters = 512;
constexpr std::size_t kMostLayoutBytes =
    sizeof(KernelLayout) + kMaxParameters * sizeof(ParameterWords) + kLayoutUnit;

// Layouts lie one behind the other in a region that only grows; the index holds their places. Both are zero
// pages until used. When a module is unloaded all layouts become doubtful, since nobody tells whose handles
// went with it. A doubtful one is kept and confirmed at its function's next launch, so modules that come and
// go use the same memory again. A layout is never changed or freed, because another thread may be reading it.
std::atomic<std::uint32_t> g_epoch{1};
char* g_region = nullptr;
std::atomic<std::size_t> g_regionUsed{0};
std::atomic<KernelLayout*>* g_index = nullptr;

std::size_t indexSlot(std::uint64_t function) {
    return layoutHash(function) >> (64 - kIndexBits);
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

// One entry for each word, from the last on, since there are more of them. Returns how many.
std::uint32_t spread(ParameterWords* parameters, std::uint32_t count, std::uint32_t wordCount) {
    std::uint32_t next = wordCount;
    while (count > 0) {
        const ParameterWords words = parameters[--count];
        for (std::uint16_t i = words.count; i > 0; --i) {
            const auto byte = static_cast<std::uint16_t>(8 * (i - 1));
            parameters[--next] = {words.parameter, static_cast<std::uint16_t>(words.firstByte + byte),
                                  static_cast<std::uint16_t>(words.blockOffset4 + byte / 4), 1};
        }
    }
    return wordCount;
}

/// The parameters of a function as the driver tells them, on the stack until it is known whether they are
/// new.
struct Parameters {
    ParameterWords words[kMaxParameters];
    std::uint32_t count = 0;
    std::uint32_t wordCount = 0;

    explicit Parameters(std::uint64_t function) {
        count = collectParameters(function, words, wordCount);
        if (wordCount <= kFewWords) count = spread(words, count, wordCount);
    }
    std::size_t bytes() const { return count * sizeof(ParameterWords); }
    bool are(const KernelLayout& layout) const {
        return layout.parameterCount == count && __builtin_memcmp(layout.parameters(), words, bytes()) == 0;
    }
};

KernelLayout* makeLayout(std::uint64_t function, const Parameters& parameters, std::uint32_t epoch) {
    if (g_regionUsed.load(std::memory_order_relaxed) + kMostLayoutBytes > kRegionBytes) return nullptr;
    const std::size_t bytes =
        (sizeof(KernelLayout) + parameters.bytes() + kLayoutUnit - 1) & ~(kLayoutUnit - 1);
    const std::size_t at = g_regionUsed.fetch_add(bytes, std::memory_order_relaxed);
    if (at + bytes > kRegionBytes) return nullptr;
    auto* layout = reinterpret_cast<KernelLayout*>(g_region + at);
    layout->function = function;
    layout->parameterCount = static_cast<std::uint16_t>(parameters.count);
    layout->wordCount = static_cast<std::uint16_t>(parameters.wordCount);
    layout->epoch.store(epoch, std::memory_order_relaxed);
    __builtin_memcpy(static_cast<void*>(layout + 1), parameters.words, parameters.bytes());
    return layout;
}

// CUPTI's callback brings the name; a launch that was hooked asks the driver.
const char* nameOf(const Call& call, std::uint64_t function) {
    if (call.data.symbolName != nullptr) return call.data.symbolName;
    const char* name = nullptr;
    if (g_driver.funcGetName != nullptr &&
        g_driver.funcGetName(&name, reinterpret_cast<CUfunction>(function)) == CUDA_SUCCESS) {
        return name;
    }
    if (g_driver.kernelGetName != nullptr &&
        g_driver.kernelGetName(&name, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS) {
        return name;
    }
    return nullptr;
}

void announceName(Call& call, std::uint64_t function) {
    const char* name = nameOf(call, function);
    if (name == nullptr) return;
    std::uint32_t textBytes = 0;
    formats::Record* record = reserveText(call.thread, name, nullptr, textBytes);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::KernelName);
    record->header.enterTicks = call.enterTicks;
    record->header.exitTicks = call.exitTicks;
    record->header.contextUid = call.data.contextUid;
    record->text.handle = function;
    record->text.textBytes = textBytes;
    publish(call.thread, record->header.slotCount);
}

// The place of the function in the index: its own, else an empty one, else that of a doubtful layout. Null if
// all places it may have are taken.
std::atomic<KernelLayout*>* placeOf(std::uint64_t function, std::uint32_t epoch) {
    constexpr std::size_t kMaxProbes = 64;
    std::atomic<KernelLayout*>* doubtful = nullptr;
    std::size_t slot = indexSlot(function);
    for (std::size_t probe = 0; probe < kMaxProbes; ++probe, slot = (slot + 1) & (kIndexSlots - 1)) {
        const KernelLayout* found = g_index[slot].load(std::memory_order_acquire);
        if (found == nullptr || found->function == function) return &g_index[slot];
        if (doubtful == nullptr && found->epoch.load(std::memory_order_relaxed) != epoch)
            doubtful = &g_index[slot];
    }
    return doubtful;
}

// Looks the function up in the index, and asks the driver about a new or doubtful one.
const KernelLayout* findOrMakeLayout(Call& call, std::uint64_t function, std::uint32_t epoch) {
    std::atomic<KernelLayout*>* place = placeOf(function, epoch);
    if (place == nullptr) return nullptr;
    KernelLayout* found = place->load(std::memory_order_acquire);
    const bool isOurs = found != nullptr && found->function == function;
    if (isOurs && found->epoch.load(std::memory_order_relaxed) == epoch) return found;
    if (!mayCallDriver()) return nullptr;

    const Parameters parameters(function);
    if (isOurs && parameters.are(*found)) {
        // It may be another kernel of the same shape by now.
        announceName(call, function);
        found->epoch.store(epoch, std::memory_order_relaxed);
        return found;
    }
    KernelLayout* made = makeLayout(function, parameters, epoch);
    if (made == nullptr) return nullptr;
    // Losing this race means that another thread announced the kernel; its layout says the same.
    if (place->compare_exchange_strong(found, made, std::memory_order_acq_rel)) announceName(call, function);
    return made;
}

bool isOfEpoch(std::uint32_t entry, std::uint32_t epoch) {
    const std::size_t place = entry & ((std::uint32_t{1} << kRecentPlaceBits) - 1);
    const auto* layout = reinterpret_cast<const KernelLayout*>(g_region + place * kLayoutUnit);
    return place != 0 && layout->epoch.load(std::memory_order_relaxed) == epoch;
}

// The newcomer takes the first way, and what was there the second, unless it is doubtful: another thread may
// be clearing the table. Two threads that come here at once may leave the same layout in both ways or lose
// one: it comes back at its next launch.
void rememberRecent(const KernelLayout& layout, std::uint32_t epoch) {
    const std::uint64_t hash = layoutHash(layout.function);
    auto& set = g_hot.recentLayouts[recentLayoutSet(hash)];
    const auto offset = static_cast<std::size_t>(reinterpret_cast<const char*>(&layout) - g_region);
    const std::uint32_t entry = static_cast<std::uint32_t>(offset / kLayoutUnit) | recentLayoutTag(hash);
    const std::uint32_t first = set[0].load(std::memory_order_acquire);
    if (first == entry || set[1].load(std::memory_order_relaxed) == entry) return;
    set[1].store(isOfEpoch(first, epoch) ? first : 0, std::memory_order_release);
    set[0].store(entry, std::memory_order_seq_cst);
}

void clearRecent() {
    for (auto& set : g_hot.recentLayouts) {
        for (auto& way : set)
            way.store(0, std::memory_order_relaxed);
    }
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
    g_regionUsed.store(kLayoutUnit, std::memory_order_relaxed);  // place 0 means none
    g_hot.layouts = g_region;
    g_index = static_cast<std::atomic<KernelLayout*>*>(index);
    return true;
}

const KernelLayout* kernelLayout(Call& call, std::uint64_t function) {
    const std::uint32_t epoch = g_epoch.load(std::memory_order_acquire);
    const KernelLayout* layout = findOrMakeLayout(call, function, epoch);
    if (layout == nullptr) return nullptr;
    rememberRecent(*layout, epoch);
    // A module went meanwhile: whoever cleared the table may have done so before the line above.
    if (g_epoch.load(std::memory_order_seq_cst) != epoch) clearRecent();
    return layout;
}

void forgetKernelLayouts() {
    g_epoch.fetch_add(1, std::memory_order_seq_cst);
    clearRecent();
}

}  // namespace vramscope::collector
