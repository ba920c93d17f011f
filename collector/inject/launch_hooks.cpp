// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launch_hooks.h"

#include <algorithm>
#include <cuda.h>
#include <dlfcn.h>

#include "collector/inject/call_table.h"
#include "collector/inject/callbacks.h"
#include "collector/inject/clock.h"
#include "collector/inject/collector.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/entry_pointers.h"
#include "collector/inject/kernel_layouts.h"
#include "collector/inject/launch_arguments.h"
#include "collector/inject/launch_route.h"
#include "collector/inject/plain_launch.h"
#include "collector/inject/work_acts.h"

namespace vramscope::collector {

namespace {

using LaunchKernel = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, CUstream, void**, void**);
using LaunchKernelEx = CUresult (*)(const CUlaunchConfig*, CUfunction, void**, void**);

/// The driver's own functions, for programs with the legacy default stream and with one for each thread.
constinit LaunchKernel g_launchKernel[2] = {};
constinit LaunchKernelEx g_launchKernelEx[2] = {};

constexpr std::uint32_t kLaunchKernelIds[2] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                               CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz};
constexpr std::uint32_t kLaunchKernelExIds[2] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                                 CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz};

/// As many as there are pointers to replace: each function as exported, and as cuGetProcAddress tells it.
constexpr std::size_t kMaxPointers = 8;
EntryPointer g_pointers[kMaxPointers];
std::size_t g_pointerCount = 0;
std::atomic_flag g_isLooking = ATOMIC_FLAG_INIT;
std::atomic<std::uint64_t> g_modulesSeen{0};

inline bool isRecordedHere() {
    return isRecording() && !t_thread.inside;
}

// The launches that the short way does not take: what CUPTI's exit callback would have brought, so that
// everything behind it is one code.
[[gnu::cold, gnu::noinline]] void recordAnyLaunch(const PlainLaunch& launch, void** extra, CUresult result,
                                                  std::uint64_t enterTicks) {
    const LaunchShape& s = launch.shape;
    const auto values = const_cast<void**>(launch.values);
    const cuLaunchKernel_params plain{launch.function, s.gridX,       s.gridY,  s.gridZ, s.blockX, s.blockY,
                                      s.blockZ,        s.sharedBytes, s.stream, values,  extra};
    // Here the shape is the job's own configuration.
    const cuLaunchKernelEx_params extended{reinterpret_cast<const CUlaunchConfig*>(&s), launch.function,
                                           values, extra};
    const CallRule& rule = g_driverCalls[launch.api];
    CUpti_CallbackData data{};
    data.callbackSite = CUPTI_API_EXIT;
    data.functionParams =
        rule.launchForm == LaunchForm::Extended ? static_cast<const void*>(&extended) : &plain;
    data.functionReturnValue = &result;
    data.contextUid = t_thread.launchContextUid;
    data.correlationData = &enterTicks;
    recordDriverExit(launch.api, rule, data);
}

// Memory that the record is written into is fetched while the driver works. Kernels over many tensors take
// hundreds of pointers in a structure: written into cold memory they cost more than all else of a launch.
inline void prefetchRecord(const KernelLayout* layout) {
    if (t_thread.segment == nullptr) return;
    prefetchNextRecord(t_thread);
    constexpr std::uint32_t kFetchedWords = 2 * kWordsPerSlot;
    if (layout == nullptr || layout->wordCount <= kFetchedWords) return;
    constexpr std::uint32_t kMostSlots = 32;
    const std::uint32_t slots = std::min(argumentSlots(layout->wordCount), kMostSlots);
    const char* next = t_thread.segment + std::size_t{t_thread.slot} * formats::kSlotBytes;
    for (std::uint32_t slot = 3; slot <= slots; ++slot)
        __builtin_prefetch(next + std::size_t{slot} * formats::kSlotBytes, 1);
}

// The callbacks of CUPTI, when they are on, leave this launch to the hook and tell it the context.
inline void beginLaunch(const KernelLayout* layout, CUstream stream, bool isPerThread) {
    t_thread.launching = true;
    t_thread.launchContextUid = g_hot.onlyContextUid.load(std::memory_order_acquire);
    if (actsOnWork()) [[unlikely]]
        beforeLaunch(explicitStream(stream, isPerThread), t_thread.launchContextUid);
    prefetchRecord(layout);
}

[[gnu::hot, gnu::noinline]] CUresult endLaunch(const PlainLaunch& launch, void** extra, CUresult result,
                                               std::uint64_t enterTicks) {
    t_thread.launching = false;
    const bool isPlain =
        result == CUDA_SUCCESS && recordPlainLaunch(launch, t_thread.launchContextUid, enterTicks);
    if (!isPlain) [[unlikely]] {
        recordAnyLaunch(launch, extra, result, enterTicks);
    } else if (actsOnWork()) [[unlikely]] {
        afterWork(t_thread, static_cast<std::uint16_t>(launch.api), true, true, enterTicks);
    }
    noteHookedLaunch(enterTicks);
    return result;
}

template <int kPerThread>
[[gnu::hot]] CUresult hookLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                       unsigned blockX, unsigned blockY, unsigned blockZ,
                                       unsigned sharedBytes, CUstream stream, void** values, void** extra) {
    const LaunchKernel launch = g_launchKernel[kPerThread];
    if (!isRecordedHere()) [[unlikely]]
        return launch(function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, values,
                      extra);
    const KernelLayout* layout = recentKernelLayout(asWord(function));
    beginLaunch(layout, stream, kPerThread != 0);
    const std::uint64_t enterTicks = nowTicksRelaxed();
    const CUresult result =
        launch(function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, values, extra);
    const LaunchShape shape{gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream};
    return endLaunch({kLaunchKernelIds[kPerThread], function, layout, values, shape}, extra, result,
                     enterTicks);
}

template <int kPerThread>
[[gnu::hot]] CUresult hookLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** values,
                                         void** extra) {
    const LaunchKernelEx launch = g_launchKernelEx[kPerThread];
    if (config == nullptr || !isRecordedHere()) [[unlikely]]
        return launch(config, function, values, extra);
    const KernelLayout* layout = recentKernelLayout(asWord(function));
    beginLaunch(layout, config->hStream, kPerThread != 0);
    const std::uint64_t enterTicks = nowTicksRelaxed();
    const CUresult result = launch(config, function, values, extra);
    const auto& shape = *reinterpret_cast<const LaunchShape*>(config);
    return endLaunch({kLaunchKernelExIds[kPerThread], function, layout, values, shape}, extra, result,
                     enterTicks);
}

void addPointer(void* original, void* replacement) {
    if (original == nullptr || original == replacement || g_pointerCount == kMaxPointers) return;
    const EntryPointer pointer{reinterpret_cast<std::uintptr_t>(original),
                               reinterpret_cast<std::uintptr_t>(replacement)};
    for (std::size_t i = 0; i < g_pointerCount; ++i) {
        if (g_pointers[i].original == pointer.original) return;
    }
    g_pointers[g_pointerCount++] = pointer;
}

using GetProcAddress = CUresult (*)(const char*, void**, int, cuuint64_t);

template <typename Function>
void hook(void* library, GetProcAddress getProcAddress, const char* exportedName, const char* name, int since,
          bool isPerThread, Function& original, Function replacement) {
    void* exported = ::dlsym(library, exportedName);
    if (exported == nullptr) return;
    original = reinterpret_cast<Function>(exported);
    addPointer(exported, reinterpret_cast<void*>(replacement));
    void* told = nullptr;
    const auto flags =
        isPerThread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
    if (getProcAddress != nullptr && getProcAddress(name, &told, since, flags) == CUDA_SUCCESS)
        addPointer(told, reinterpret_cast<void*>(replacement));
}

}  // namespace

void installLaunchHooks() {
    if (g_collector.config.recordMode < RecordMode::Launches || !g_collector.config.hooksLaunches) return;
    if (g_driver.funcGetName == nullptr || g_driver.kernelGetName == nullptr) return;
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return;
    const auto getProcAddress = reinterpret_cast<GetProcAddress>(::dlsym(library, "cuGetProcAddress"));
    constexpr int kSince = 4000;
    constexpr int kSinceEx = 11060;
    hook(library, getProcAddress, "cuLaunchKernel", "cuLaunchKernel", kSince, false, g_launchKernel[0],
         &hookLaunchKernel<0>);
    hook(library, getProcAddress, "cuLaunchKernel_ptsz", "cuLaunchKernel", kSince, true, g_launchKernel[1],
         &hookLaunchKernel<1>);
    hook(library, getProcAddress, "cuLaunchKernelEx", "cuLaunchKernelEx", kSinceEx, false,
         g_launchKernelEx[0], &hookLaunchKernelEx<0>);
    hook(library, getProcAddress, "cuLaunchKernelEx_ptsz", "cuLaunchKernelEx", kSinceEx, true,
         g_launchKernelEx[1], &hookLaunchKernelEx<1>);
    replaceLaunchPointers();
    startLaunchRoute();
}

void replaceLaunchPointers() {
    if (g_isLooking.test_and_set()) return;
    g_modulesSeen.store(loadedModules(), std::memory_order_relaxed);
    replaceEntryPointers(g_pointers, g_pointerCount);
    g_isLooking.clear();
}

bool lookForLaunchPointers() {
    if (loadedModules() == g_modulesSeen.load(std::memory_order_relaxed)) return false;
    replaceLaunchPointers();
    return true;
}

void replaceReply(void** entry) {
    const auto told = reinterpret_cast<std::uintptr_t>(*entry);
    for (std::size_t i = 0; i < g_pointerCount; ++i) {
        if (g_pointers[i].original == told) *entry = reinterpret_cast<void*>(g_pointers[i].replacement);
    }
}

}  // namespace vramscope::collector
