// SPDX-License-Identifier: Apache-2.0

// Kernel and graph launches, with the argument words that point into memory CUDA knows.

#include <cuda.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/call_table.h"
#include "collector/inject/captures.h"
#include "collector/inject/kernel_layouts.h"

namespace vramscope::collector {

namespace {

using formats::ArgumentWord;

constexpr std::size_t kMaxArguments = (formats::kMaxRecordSlots - 1) * formats::kSlotBytes / sizeof(ArgumentWord);

struct Arguments {
    ArgumentWord words[kMaxArguments];
    std::uint32_t count = 0;
    bool isCut = false;

    void consider(std::uint64_t word, std::uint32_t blockOffset) {
        if (!g_addressFilter.mayPoint(word)) return;
        if (count == kMaxArguments) {
            isCut = true;
            return;
        }
        words[count++] = formats::packArgument(word, blockOffset);
    }
};

std::uint64_t wordAt(const void* base, std::size_t offset) {
    std::uint64_t word;
    __builtin_memcpy(&word, static_cast<const char*>(base) + offset, sizeof(word));
    return word;
}

void fromParameters(const KernelLayout& layout, void* const* parameters, Arguments& arguments) {
    const ParameterWord* words = layout.words();
    for (std::uint32_t i = 0; i < layout.wordCount; ++i) {
        const void* parameter = parameters[words[i].parameter];
        if (parameter != nullptr) arguments.consider(wordAt(parameter, words[i].byteInParameter), words[i].blockOffset);
    }
}

// The `extra` form passes the whole block: {CU_LAUNCH_PARAM_BUFFER_POINTER, p, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, END}.
void fromBlock(void* const* extra, Arguments& arguments) {
    constexpr std::size_t kMaxBlockBytes = 32764;
    const void* block = nullptr;
    std::size_t bytes = 0;
    for (int i = 0; i < 8 && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) block = extra[i + 1];
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1] != nullptr) {
            bytes = *static_cast<const std::size_t*>(extra[i + 1]);
        }
    }
    if (block == nullptr || bytes > kMaxBlockBytes) return;
    for (std::size_t offset = 0; offset + 8 <= bytes; offset += 8) {
        arguments.consider(wordAt(block, offset), static_cast<std::uint32_t>(offset));
    }
}

void writeLaunch(Call& call, const formats::LaunchPayload& payload, void* const* parameters, void* const* extra) {
    Arguments arguments;
    const KernelLayout* layout = kernelLayout(call, payload.function);
    if (parameters != nullptr && layout != nullptr) fromParameters(*layout, parameters, arguments);
    if (parameters == nullptr && extra != nullptr) fromBlock(extra, arguments);

    std::uint8_t detail = 0;
    if (isCapturing(reinterpret_cast<CUstream>(payload.stream))) detail |= formats::kLaunchCaptured;
    if (arguments.isCut) detail |= formats::kLaunchArgumentsCut;
    constexpr std::uint32_t kWordsPerSlot = formats::kSlotBytes / sizeof(ArgumentWord);
    const std::uint32_t slots = 1 + (arguments.count + kWordsPerSlot - 1) / kWordsPerSlot;
    formats::Record* record = beginRecord(call, formats::RecordType::Launch, detail, slots);
    if (record == nullptr) return;
    record->launch = payload;
    __builtin_memcpy(static_cast<void*>(record + 1), arguments.words, arguments.count * sizeof(ArgumentWord));
    endRecord(call, record);
}

// cuLaunchKernel and cuLaunchCooperativeKernel agree up to the stream; only the former has `extra`.
template <typename Parameters>
formats::LaunchPayload payloadOf(const Parameters& p) {
    return {asWord(p.f), asWord(p.hStream), p.gridDimX, p.gridDimY, p.gridDimZ,
            formats::packBlock(p.blockDimX, p.blockDimY, p.blockDimZ)};
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

void decodeGraphLaunch(Call& call) {
    const auto& p = call.parameters<cuGraphLaunch_params>();
    formats::Record* record = beginRecord(call, formats::RecordType::Launch, formats::kLaunchGraph);
    if (record == nullptr) return;
    record->launch = {asWord(p.hGraph), asWord(p.hStream), 0, 0, 0, 0};
    endRecord(call, record);
}

CallRule launchRule(Decoder decode) { return {.decode = decode, .level = RecordMode::Launches}; }

}  // namespace

void registerLaunchCalls() {
    addCalls({VRAMSCOPE_ID(cuLaunchKernel), VRAMSCOPE_ID(cuLaunchKernel_ptsz)}, launchRule(decodeKernel));
    addCalls({VRAMSCOPE_ID(cuLaunchKernelEx), VRAMSCOPE_ID(cuLaunchKernelEx_ptsz)}, launchRule(decodeKernelEx));
    addCalls({VRAMSCOPE_ID(cuLaunchCooperativeKernel), VRAMSCOPE_ID(cuLaunchCooperativeKernel_ptsz)},
             launchRule(decodeCooperativeKernel));
    addCalls({VRAMSCOPE_ID(cuGraphLaunch), VRAMSCOPE_ID(cuGraphLaunch_ptsz)}, launchRule(decodeGraphLaunch));
}

}  // namespace vramscope::collector
