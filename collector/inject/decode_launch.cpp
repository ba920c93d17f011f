// SPDX-License-Identifier: Apache-2.0

// Kernel and graph launches, with the argument words that point into memory CUDA knows. Nearly all launches
// never come here: plain_launch.cpp records them.

#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/captures.h"
#include "collector/inject/kernel_layouts.h"
#include "collector/inject/launch_arguments.h"
#include "collector/inject/launch_hooks.h"
#include "collector/inject/parameter_block.h"
#include "collector/inject/work_acts.h"

namespace vramscope::collector {

namespace {

using formats::ArgumentWord;

void writeLaunch(Call& call, const formats::LaunchPayload& payload, void* const* values, void* const* extra) {
    // The driver does not know what a failed launch without a name was given for a function, and asking about
    // it may end the process.
    const bool isKnown = call.succeeded() || call.data.symbolName != nullptr;
    const KernelLayout* layout = isKnown ? kernelLayout(call, payload.function) : nullptr;
    const ParameterBlock block = values == nullptr ? ParameterBlock::of(extra) : ParameterBlock();
    const bool hasValues = values != nullptr && layout != nullptr;
    std::uint32_t words = hasValues ? layout->wordCount : block.wordCount();
    if (words > kMaxArguments) words = kMaxArguments;

    std::uint8_t detail = 0;
    if (isCapturedWork(call, reinterpret_cast<CUstream>(payload.stream))) detail |= formats::kLaunchCaptured;
    // Room for as many as there can be; what is not used stays for the next record.
    const std::uint32_t most = argumentSlots(words);
    call.isRecorded = true;
    formats::Record* record = reserveUncleared(call.thread, 1 + most);
    if (record == nullptr) return;
    ArgumentWriter arguments(reinterpret_cast<ArgumentWord*>(record + 1), most * kWordsPerSlot);
    if (hasValues) arguments.considerAll(*layout, values);
    block.considerAll(arguments);
    const std::uint32_t slots = 1 + arguments.finish();

    // No room for the kernel's layout means that its arguments are not known, which is not the same as having
    // none.
    if (arguments.isCut() || (values != nullptr && layout == nullptr)) detail |= formats::kLaunchArgumentsCut;
    record->header = headerOf(call, formats::RecordType::Launch, detail, slots);
    record->launch = payload;
    publish(call.thread, slots);
}

// cuLaunchKernel and cuLaunchCooperativeKernel agree up to the stream; only the former has `extra`.
template <typename Parameters>
formats::LaunchPayload payloadOf(const Parameters& p) {
    return {asWord(p.f), asWord(p.hStream), p.gridDimX,
            p.gridDimY,  p.gridDimZ,        formats::packBlock(p.blockDimX, p.blockDimY, p.blockDimZ)};
}

void decodeKernel(Call& call) {
    const auto& p = call.parameters<cuLaunchKernel_params>();
    writeLaunch(call, payloadOf(p), p.kernelParams, p.extra);
}

void decodeCooperativeKernel(Call& call) {
    const auto& p = call.parameters<cuLaunchCooperativeKernel_params>();
    writeLaunch(call, payloadOf(p), p.kernelParams, nullptr);
}

void decodeKernelEx(Call& call) {
    const auto& p = call.parameters<cuLaunchKernelEx_params>();
    if (p.config == nullptr) return;
    const CUlaunchConfig& config = *p.config;
    writeLaunch(call,
                {asWord(p.f), asWord(config.hStream), config.gridDimX, config.gridDimY, config.gridDimZ,
                 formats::packBlock(config.blockDimX, config.blockDimY, config.blockDimZ)},
                p.kernelParams, p.extra);
}

void decodeMultiDevice(Call& call) {
    const auto& p = call.parameters<cuLaunchCooperativeKernelMultiDevice_params>();
    for (unsigned i = 0; p.launchParamsList != nullptr && i < p.numDevices; ++i) {
        const CUDA_LAUNCH_PARAMS& launch = p.launchParamsList[i];
        writeLaunch(
            call,
            {asWord(launch.function), asWord(launch.hStream), launch.gridDimX, launch.gridDimY,
             launch.gridDimZ, formats::packBlock(launch.blockDimX, launch.blockDimY, launch.blockDimZ)},
            launch.kernelParams, nullptr);
    }
}

void decodeGraphLaunch(Call& call) {
    const auto& p = call.parameters<cuGraphLaunch_params>();
    std::uint8_t detail = formats::kLaunchGraph;
    if (isCapturedWork(call, p.hStream)) detail |= formats::kLaunchCaptured;
    formats::Record* record = beginRecord(call, formats::RecordType::Launch, detail);
    if (record == nullptr) return;
    record->launch = {asWord(p.hGraph), asWord(p.hStream), 0, 0, 0, 0};
    endRecord(call, record);
}

// Not a launch, but where launches come from: a runtime asks for its entry points one by one. What it cannot
// get is an answer, not a failure.
void decodeProcAddress(Call& call) {
    call.isRecorded = true;
    const auto& p = call.parameters<cuGetProcAddress_params>();
    if (call.succeeded() && p.pfn != nullptr) replaceReply(p.pfn);
}

CallRule launchRule(Decoder decode, LaunchForm form = LaunchForm::None) {
    return {.decode = decode, .level = RecordMode::Launches, .launchForm = form};
}

// With what our options do before it; plain launches, which take another way, have that there.
CallRule actedOnRule(Decoder decode) {
    CallRule rule = launchRule(decode);
    rule.beforeCall = beforeLaunchCall;
    return rule;
}

}  // namespace

void registerLaunchCalls() {
    addCalls({VRAMSCOPE_ID(cuLaunchKernel), VRAMSCOPE_ID(cuLaunchKernel_ptsz)},
             launchRule(decodeKernel, LaunchForm::Plain));
    addCalls({VRAMSCOPE_ID(cuLaunchKernelEx), VRAMSCOPE_ID(cuLaunchKernelEx_ptsz)},
             launchRule(decodeKernelEx, LaunchForm::Extended));
    addCalls({VRAMSCOPE_ID(cuLaunchCooperativeKernel), VRAMSCOPE_ID(cuLaunchCooperativeKernel_ptsz)},
             actedOnRule(decodeCooperativeKernel));
    // cuLaunch, cuLaunchGrid and cuLaunchGridAsync have no decoder: shape and arguments come from calls
    // before them (cuFuncSetBlockShape, cuParamSet...), and nothing built since CUDA 4.0 launches so.
    addCalls({VRAMSCOPE_ID(cuLaunchCooperativeKernelMultiDevice)}, launchRule(decodeMultiDevice));
    addCalls({VRAMSCOPE_ID(cuGetProcAddress), VRAMSCOPE_ID(cuGetProcAddress_v2)},
             {.decode = decodeProcAddress, .level = RecordMode::Launches});
    addCalls({VRAMSCOPE_ID(cuGraphLaunch), VRAMSCOPE_ID(cuGraphLaunch_ptsz)}, actedOnRule(decodeGraphLaunch));
}

}  // namespace vramscope::collector
