// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/plain_launch.h"

#include <cstddef>
#include <cuda.h>

#include "collector/inject/clock.h"
#include "collector/inject/launch_arguments.h"

namespace vramscope::collector {

namespace {

// What cuLaunchKernel's parameters (from gridDimX on) and CUlaunchConfig have in common: one piece of code
// reads both.
struct LaunchShape {
    unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
    CUstream stream;
};
static_assert(offsetof(cuLaunchKernel_params, hStream) - offsetof(cuLaunchKernel_params, gridDimX) ==
              offsetof(LaunchShape, stream));
static_assert(offsetof(cuLaunchKernel_params, blockDimX) - offsetof(cuLaunchKernel_params, gridDimX) ==
              offsetof(LaunchShape, blockX));
static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(LaunchShape, stream));
static_assert(offsetof(CUlaunchConfig, blockDimX) == offsetof(LaunchShape, blockX));

struct PlainLaunch {
    const LaunchShape* shape;
    std::uint64_t function;
    void* const* values;
};

PlainLaunch launchOf(LaunchForm form, const void* parameters) {
    if (form == LaunchForm::Plain) {
        const auto& p = *static_cast<const cuLaunchKernel_params*>(parameters);
        return {reinterpret_cast<const LaunchShape*>(&p.gridDimX), asWord(p.f), p.kernelParams};
    }
    const auto& p = *static_cast<const cuLaunchKernelEx_params*>(parameters);
    return {reinterpret_cast<const LaunchShape*>(p.config), asWord(p.f), p.kernelParams};
}

// An exit without its enter (recording began inside the call) shows as a stamp that cannot be.
bool isPlausible(std::uint64_t enterTicks, std::uint64_t exitTicks) {
    return enterTicks <= exitTicks && enterTicks >= exitTicks / 2;
}

bool write(ThreadState& thread, formats::RecordHeader header, const PlainLaunch& launch) {
    const KernelLayout* layout = recentKernelLayout(launch.function);
    if (layout == nullptr || launch.values == nullptr || layout->wordCount > kMaxArguments) return false;
    const std::uint32_t most = argumentSlots(layout->wordCount);
    if (thread.slot + 1 + most > formats::kSegmentSlots) return false;

    auto* record = reinterpret_cast<formats::Record*>(thread.segment) + thread.slot;
    ArgumentWriter arguments(reinterpret_cast<formats::ArgumentWord*>(record + 1), most * kWordsPerSlot);
    arguments.considerAll(*layout, launch.values);
    header.slotCount = static_cast<std::uint8_t>(1 + arguments.finish());
    record->header = header;
    const LaunchShape& shape = *launch.shape;
    record->launch = {launch.function, asWord(shape.stream),
                      shape.gridX,     shape.gridY,
                      shape.gridZ,     formats::packBlock(shape.blockX, shape.blockY, shape.blockZ)};
    publish(thread, header.slotCount);
    return true;
}

}  // namespace

bool recordPlainLaunch(CUpti_CallbackId id, const CallRule& rule, const CUpti_CallbackData& data) {
    const std::uint64_t exitTicks = nowTicksRelaxed();
    const std::uint64_t enterTicks = *data.correlationData;
    ThreadState& thread = t_thread;
    if (thread.epoch != g_hot.control->epoch.load(std::memory_order_relaxed)) return false;
    if (thread.segment == nullptr || thread.inside || rule.takesStack) return false;
    if (*static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS) return false;
    if (g_hot.openCaptures.load(std::memory_order_relaxed) > 0) return false;
    if (!isPlausible(enterTicks, exitTicks)) return false;

    // A signal handler of the job that launches something now must find the record closed to it.
    thread.inside = true;
    thread.runtimeApi = 0;
    const formats::RecordHeader header{static_cast<std::uint16_t>(formats::RecordType::Launch),
                                       static_cast<std::uint16_t>(id),
                                       0,
                                       0,
                                       0,
                                       enterTicks,
                                       exitTicks,
                                       0,
                                       data.contextUid};
    const bool done = write(thread, header, launchOf(rule.launchForm, data.functionParams));
    thread.inside = false;
    return done;
}

}  // namespace vramscope::collector
