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

constexpr std::uint32_t kWordsPerSlot = formats::kSlotBytes / sizeof(ArgumentWord);
constexpr std::uint32_t kMaxArguments = (formats::kMaxRecordSlots - 1) * kWordsPerSlot;

// Writes the words that may be pointers straight into the reserved record.
class ArgumentWriter {
public:
    ArgumentWriter(ArgumentWord* words, std::uint32_t capacity) : m_words(words), m_capacity(capacity) {}

    void consider(std::uint64_t word, std::uint32_t blockOffset) {
        if (!g_addressFilter.mayPoint(word)) return;
        if (m_count < m_capacity) {
            m_words[m_count++] = formats::packArgument(word, blockOffset);
        } else {
            m_isCut = true;
        }
    }

    // Zeroes the rest of the last slot and tells how many slots are used.
    std::uint32_t finish() {
        const std::uint32_t slots = (m_count + kWordsPerSlot - 1) / kWordsPerSlot;
        for (std::uint32_t i = m_count; i < slots * kWordsPerSlot; ++i)
            m_words[i] = 0;
        return slots;
    }
    bool isCut() const { return m_isCut; }

private:
    ArgumentWord* m_words;
    std::uint32_t m_capacity;
    std::uint32_t m_count = 0;
    bool m_isCut = false;
};

std::uint64_t wordAt(const void* base, std::size_t offset) {
    std::uint64_t word;
    __builtin_memcpy(&word, static_cast<const char*>(base) + offset, sizeof(word));
    return word;
}

void fromParameters(const KernelLayout& layout, void* const* values, ArgumentWriter& arguments) {
    const ParameterWords* parameters = layout.parameters();
    for (std::uint32_t i = 0; i < layout.parameterCount; ++i) {
        const void* value = values[parameters[i].parameter];
        if (value == nullptr) continue;
        for (std::uint32_t word = 0; word < parameters[i].count; ++word) {
            arguments.consider(wordAt(value, parameters[i].firstByte + word * 8u),
                               parameters[i].blockOffset4 * 4u + word * 8u);
        }
    }
}

// The `extra` form passes the whole block: {CU_LAUNCH_PARAM_BUFFER_POINTER, p, CU_LAUNCH_PARAM_BUFFER_SIZE,
// &n, END}.
struct ParameterBlock {
    const void* bytes = nullptr;
    std::size_t size = 0;
};

ParameterBlock blockOf(void* const* extra) {
    constexpr std::size_t kMaxBlockBytes = 32764;
    ParameterBlock block;
    for (int i = 0; i < 8 && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) block.bytes = extra[i + 1];
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1] != nullptr) {
            block.size = *static_cast<const std::size_t*>(extra[i + 1]);
        }
    }
    if (block.bytes == nullptr || block.size > kMaxBlockBytes) return {};
    return block;
}

void fromBlock(const ParameterBlock& block, ArgumentWriter& arguments) {
    for (std::size_t offset = 0; offset + 8 <= block.size; offset += 8) {
        arguments.consider(wordAt(block.bytes, offset), static_cast<std::uint32_t>(offset));
    }
}

void writeLaunch(Call& call, const formats::LaunchPayload& payload, void* const* values, void* const* extra) {
    const KernelLayout* layout = kernelLayout(call, payload.function);
    ParameterBlock block;
    if (values == nullptr && extra != nullptr) block = blockOf(extra);
    const bool hasValues = values != nullptr && layout != nullptr;
    std::uint32_t words = hasValues ? layout->wordCount : static_cast<std::uint32_t>(block.size / 8);
    if (words > kMaxArguments) words = kMaxArguments;

    // Room for as many as there can be; what is not used stays for the next record.
    const std::uint32_t most = (words + kWordsPerSlot - 1) / kWordsPerSlot;
    formats::Record* record = reserveUncleared(call.thread, 1 + most);
    if (record == nullptr) return;
    ArgumentWriter arguments(reinterpret_cast<ArgumentWord*>(record + 1), most * kWordsPerSlot);
    if (hasValues) fromParameters(*layout, values, arguments);
    if (block.bytes != nullptr) fromBlock(block, arguments);
    const std::uint32_t slots = 1 + arguments.finish();

    std::uint8_t detail = 0;
    if (isCapturing(reinterpret_cast<CUstream>(payload.stream))) detail |= formats::kLaunchCaptured;
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

void decodeGraphLaunch(Call& call) {
    const auto& p = call.parameters<cuGraphLaunch_params>();
    formats::Record* record = beginRecord(call, formats::RecordType::Launch, formats::kLaunchGraph);
    if (record == nullptr) return;
    record->launch = {asWord(p.hGraph), asWord(p.hStream), 0, 0, 0, 0};
    endRecord(call, record);
}

CallRule launchRule(Decoder decode) {
    return {.decode = decode, .level = RecordMode::Launches};
}

}  // namespace

void registerLaunchCalls() {
    addCalls({VRAMSCOPE_ID(cuLaunchKernel), VRAMSCOPE_ID(cuLaunchKernel_ptsz)}, launchRule(decodeKernel));
    addCalls({VRAMSCOPE_ID(cuLaunchKernelEx), VRAMSCOPE_ID(cuLaunchKernelEx_ptsz)},
             launchRule(decodeKernelEx));
    addCalls({VRAMSCOPE_ID(cuLaunchCooperativeKernel), VRAMSCOPE_ID(cuLaunchCooperativeKernel_ptsz)},
             launchRule(decodeCooperativeKernel));
    addCalls({VRAMSCOPE_ID(cuGraphLaunch), VRAMSCOPE_ID(cuGraphLaunch_ptsz)}, launchRule(decodeGraphLaunch));
}

}  // namespace vramscope::collector
