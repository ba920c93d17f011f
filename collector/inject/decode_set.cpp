// SPDX-License-Identifier: Apache-2.0

// Memory sets, and the stores that a stream makes by itself.

#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/captures.h"

namespace vramscope::collector {

namespace {

void writeSet(Call& call, const formats::SetPayload& payload, const formats::CopyLayout* layout,
              bool isAsync) {
    std::uint8_t detail = isAsync ? formats::kCopyAsync : 0;
    if (isAsync && isCapturedWork(call, reinterpret_cast<CUstream>(payload.stream)))
        detail |= formats::kCopyCaptured;
    if (layout != nullptr) detail |= formats::kCopyHasLayout;
    formats::Record* record = beginRecord(call, formats::RecordType::Set, detail, layout != nullptr ? 2 : 1);
    if (record == nullptr) return;
    record->set = payload;
    if (layout != nullptr) *reinterpret_cast<formats::CopyLayout*>(record + 1) = *layout;
    endRecord(call, record);
}

// The value's parameter is 1, 2 or 4 bytes wide but always padded to the next word, so all widths share the
// structure of the 32-bit call once the surplus bits are masked off.
template <std::uint32_t kElementBytes>
std::uint32_t masked(unsigned int value) {
    return kElementBytes == 4 ? value : value & ((1u << (8 * (kElementBytes % 4))) - 1);
}

template <std::uint32_t kElementBytes>
void decodeSet(Call& call) {
    const auto& p = call.parameters<cuMemsetD32_v2_params>();
    writeSet(call, {p.dstDevice, p.N * kElementBytes, masked<kElementBytes>(p.ui), kElementBytes, 0}, nullptr,
             false);
}
template <std::uint32_t kElementBytes>
void decodeSetAsync(Call& call) {
    const auto& p = call.parameters<cuMemsetD32Async_params>();
    writeSet(
        call,
        {p.dstDevice, p.N * kElementBytes, masked<kElementBytes>(p.ui), kElementBytes, asWord(p.hStream)},
        nullptr, true);
}

template <std::uint32_t kElementBytes, typename Parameters>
void writeSet2D(Call& call, const Parameters& p, CUstream stream, bool isAsync) {
    const std::uint64_t widthBytes = p.Width * kElementBytes;
    const formats::CopyLayout layout{widthBytes, p.Height, 1, p.dstPitch, 0, 0, 0, 0};
    writeSet(call,
             {p.dstDevice, widthBytes * p.Height, masked<kElementBytes>(p.ui), kElementBytes, asWord(stream)},
             &layout, isAsync);
}
template <std::uint32_t kElementBytes>
void decodeSet2D(Call& call) {
    writeSet2D<kElementBytes>(call, call.parameters<cuMemsetD2D32_v2_params>(), nullptr, false);
}
template <std::uint32_t kElementBytes>
void decodeSet2DAsync(Call& call) {
    const auto& p = call.parameters<cuMemsetD2D32Async_params>();
    writeSet2D<kElementBytes>(call, p, p.hStream, true);
}

void writeStreamWrite(Call& call, CUstream stream, std::uint64_t address, std::uint64_t value,
                      std::uint32_t bytes) {
    std::uint8_t detail = formats::kCopyAsync;
    if (isCapturedWork(call, stream)) detail |= formats::kCopyCaptured;
    formats::Record* record = beginRecord(call, formats::RecordType::StreamWrite, detail);
    if (record == nullptr) return;
    record->set = {address, bytes, static_cast<std::uint32_t>(value), bytes, asWord(stream)};
    endRecord(call, record);
}
void decodeWriteValue32(Call& call) {
    const auto& p = call.parameters<cuStreamWriteValue32_v2_params>();
    writeStreamWrite(call, p.stream, p.addr, p.value, 4);
}
void decodeWriteValue64(Call& call) {
    const auto& p = call.parameters<cuStreamWriteValue64_v2_params>();
    writeStreamWrite(call, p.stream, p.addr, p.value, 8);
}
void writeWaitValue(Call& call, CUstream stream, std::uint64_t address, std::uint64_t value,
                    std::uint32_t flags) {
    if (g_collector.config.recordMode != RecordMode::All || isCapturing(call, stream)) return;
    formats::Record* record =
        beginRecord(call, formats::RecordType::Sync, static_cast<std::uint8_t>(formats::SyncKind::WaitValue));
    if (record == nullptr) return;
    record->sync = {asWord(stream), address, value, flags, 0};
    endRecord(call, record);
}
void decodeBatchMemOp(Call& call) {
    const auto& p = call.parameters<cuStreamBatchMemOp_v2_params>();
    for (unsigned i = 0; p.paramArray != nullptr && i < p.count; ++i) {
        const auto& write = p.paramArray[i].writeValue;
        if (write.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32)
            writeStreamWrite(call, p.stream, write.address, write.value, 4);
        if (write.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64)
            writeStreamWrite(call, p.stream, write.address, write.value64, 8);
        const auto& wait = p.paramArray[i].waitValue;
        if (wait.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32)
            writeWaitValue(call, p.stream, wait.address, wait.value, wait.flags);
        if (wait.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64)
            writeWaitValue(call, p.stream, wait.address, wait.value64, wait.flags);
    }
}

CallRule setRule(Decoder decode) {
    return {.decode = decode, .level = RecordMode::Launches, .takesStack = true};
}

}  // namespace

void registerSetCalls() {
    addCalls({VRAMSCOPE_ID(cuMemsetD8_v2), VRAMSCOPE_ID(cuMemsetD8_v2_ptds)}, setRule(decodeSet<1>));
    addCalls({VRAMSCOPE_ID(cuMemsetD16_v2), VRAMSCOPE_ID(cuMemsetD16_v2_ptds)}, setRule(decodeSet<2>));
    addCalls({VRAMSCOPE_ID(cuMemsetD32_v2), VRAMSCOPE_ID(cuMemsetD32_v2_ptds)}, setRule(decodeSet<4>));
    addCalls({VRAMSCOPE_ID(cuMemsetD8Async), VRAMSCOPE_ID(cuMemsetD8Async_ptsz)}, setRule(decodeSetAsync<1>));
    addCalls({VRAMSCOPE_ID(cuMemsetD16Async), VRAMSCOPE_ID(cuMemsetD16Async_ptsz)},
             setRule(decodeSetAsync<2>));
    addCalls({VRAMSCOPE_ID(cuMemsetD32Async), VRAMSCOPE_ID(cuMemsetD32Async_ptsz)},
             setRule(decodeSetAsync<4>));
    addCalls({VRAMSCOPE_ID(cuMemsetD2D8_v2), VRAMSCOPE_ID(cuMemsetD2D8_v2_ptds)}, setRule(decodeSet2D<1>));
    addCalls({VRAMSCOPE_ID(cuMemsetD2D16_v2), VRAMSCOPE_ID(cuMemsetD2D16_v2_ptds)}, setRule(decodeSet2D<2>));
    addCalls({VRAMSCOPE_ID(cuMemsetD2D32_v2), VRAMSCOPE_ID(cuMemsetD2D32_v2_ptds)}, setRule(decodeSet2D<4>));
    addCalls({VRAMSCOPE_ID(cuMemsetD2D8Async), VRAMSCOPE_ID(cuMemsetD2D8Async_ptsz)},
             setRule(decodeSet2DAsync<1>));
    addCalls({VRAMSCOPE_ID(cuMemsetD2D16Async), VRAMSCOPE_ID(cuMemsetD2D16Async_ptsz)},
             setRule(decodeSet2DAsync<2>));
    addCalls({VRAMSCOPE_ID(cuMemsetD2D32Async), VRAMSCOPE_ID(cuMemsetD2D32Async_ptsz)},
             setRule(decodeSet2DAsync<4>));
    addCalls({VRAMSCOPE_ID(cuStreamWriteValue32), VRAMSCOPE_ID(cuStreamWriteValue32_ptsz),
              VRAMSCOPE_ID(cuStreamWriteValue32_v2), VRAMSCOPE_ID(cuStreamWriteValue32_v2_ptsz)},
             setRule(decodeWriteValue32));
    addCalls({VRAMSCOPE_ID(cuStreamWriteValue64), VRAMSCOPE_ID(cuStreamWriteValue64_ptsz),
              VRAMSCOPE_ID(cuStreamWriteValue64_v2), VRAMSCOPE_ID(cuStreamWriteValue64_v2_ptsz)},
             setRule(decodeWriteValue64));
    addCalls({VRAMSCOPE_ID(cuStreamBatchMemOp), VRAMSCOPE_ID(cuStreamBatchMemOp_ptsz),
              VRAMSCOPE_ID(cuStreamBatchMemOp_v2), VRAMSCOPE_ID(cuStreamBatchMemOp_v2_ptsz)},
             setRule(decodeBatchMemOp));
}

}  // namespace vramscope::collector
