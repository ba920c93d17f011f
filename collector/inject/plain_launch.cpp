// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/plain_launch.h"

#include "collector/inject/clock.h"
#include "collector/inject/launch_arguments.h"

namespace vramscope::collector {

bool recordPlainLaunch(const PlainLaunch& launch, std::uint32_t contextUid, std::uint64_t enterTicks) {
    const std::uint64_t exitTicks = nowTicksRelaxed();
    ThreadState& thread = t_thread;
    if (thread.epoch != g_hot.epoch.load(std::memory_order_relaxed) || thread.segment == nullptr ||
        thread.inside || g_hot.launchStacks || g_hot.openCaptures.load(std::memory_order_relaxed) > 0)
        return false;
    const KernelLayout* layout = launch.layout;
    if (layout == nullptr || launch.values == nullptr || layout->wordCount > kMaxArguments) return false;
    const std::uint32_t most = argumentSlots(layout->wordCount);
    if (thread.slot + 1 + most > formats::kSegmentSlots) return false;

    // A signal handler of the job that launches something now must find the record closed to it.
    thread.inside = true;
    thread.runtimeApi = 0;
    auto* record = reinterpret_cast<formats::Record*>(thread.segment) + thread.slot;
    ArgumentWriter arguments(reinterpret_cast<formats::ArgumentWord*>(record + 1), most * kWordsPerSlot);
    arguments.considerAll(*layout, launch.values);
    const std::uint32_t slots = 1 + arguments.finish();
    record->header = {static_cast<std::uint16_t>(formats::RecordType::Launch),
                      static_cast<std::uint16_t>(launch.api),
                      static_cast<std::uint8_t>(slots),
                      0,
                      0,
                      enterTicks,
                      exitTicks,
                      0,
                      contextUid};
    const LaunchShape& shape = launch.shape;
    record->launch = {asWord(launch.function),
                      asWord(shape.stream),
                      shape.gridX,
                      shape.gridY,
                      shape.gridZ,
                      formats::packBlock(shape.blockX, shape.blockY, shape.blockZ)};
    publish(thread, slots);
    thread.inside = false;
    return true;
}

namespace {

// An exit without its enter (recording began inside the call) shows as a stamp that cannot be.
bool isPlausible(std::uint64_t enterTicks) {
    const std::uint64_t now = nowTicksRelaxed();
    return enterTicks <= now && enterTicks >= now / 2;
}

}  // namespace

bool recordPlainLaunch(CUpti_CallbackId id, const CallRule& rule, const CUpti_CallbackData& data) {
    const std::uint64_t enterTicks = *data.correlationData;
    if (*static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS || !isPlausible(enterTicks))
        return false;
    const auto record = [&](CUfunction function, void* const* values, const void* shape) {
        return recordPlainLaunch({id, function, recentKernelLayout(asWord(function)), values,
                                  *static_cast<const LaunchShape*>(shape)},
                                 data.contextUid, enterTicks);
    };
    if (rule.launchForm == LaunchForm::Plain) {
        const auto& p = *static_cast<const cuLaunchKernel_params*>(data.functionParams);
        return record(p.f, p.kernelParams, &p.gridDimX);
    }
    const auto& p = *static_cast<const cuLaunchKernelEx_params*>(data.functionParams);
    return record(p.f, p.kernelParams, p.config);
}

}  // namespace vramscope::collector
