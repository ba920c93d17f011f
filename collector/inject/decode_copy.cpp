// SPDX-License-Identifier: Apache-2.0

// Copies of one plain range: host, device, peer, and linear arrays. Shaped copies are in
// decode_copy_shapes.cpp.

#include <cuda.h>

#include "collector/inject/captures.h"
#include "collector/inject/copy_records.h"

namespace vramscope::collector {

void writeCopy(Call& call, std::uint8_t detail, const formats::CopyPayload& payload,
               const formats::CopyLayout* layout) {
    if ((detail & formats::kCopyAsync) != 0 &&
        isCapturedWork(call, reinterpret_cast<CUstream>(payload.stream)))
        detail |= formats::kCopyCaptured;
    if (layout != nullptr) detail |= formats::kCopyHasLayout;
    formats::Record* record = beginRecord(call, formats::RecordType::Copy, detail, layout != nullptr ? 2 : 1);
    if (record == nullptr) return;
    record->copy = payload;
    if (layout != nullptr) *reinterpret_cast<formats::CopyLayout*>(record + 1) = *layout;
    endRecord(call, record);
}

namespace {

// cuMemcpy, HtoD, DtoH and DtoD have one shape: destination, source, bytes, and a stream when asynchronous.
// The structures of generated_cuda_meta.h differ only in whether a word is called a pointer or a CUdeviceptr.
void decodeRange(Call& call) {
    const auto& p = call.parameters<cuMemcpy_params>();
    writeCopy(call, 0, {p.dst, p.src, p.ByteCount, 0}, nullptr);
}
void decodeRangeAsync(Call& call) {
    const auto& p = call.parameters<cuMemcpyAsync_params>();
    writeCopy(call, formats::kCopyAsync, {p.dst, p.src, p.ByteCount, asWord(p.hStream)}, nullptr);
}
static_assert(sizeof(cuMemcpy_params) == sizeof(cuMemcpyHtoD_v2_params) &&
              sizeof(cuMemcpyAsync_params) == sizeof(cuMemcpyDtoHAsync_v2_params));

void decodePeer(Call& call) {
    const auto& p = call.parameters<cuMemcpyPeer_params>();
    writeCopy(call, 0, {p.dstDevice, p.srcDevice, p.ByteCount, 0}, nullptr);
}
void decodePeerAsync(Call& call) {
    const auto& p = call.parameters<cuMemcpyPeerAsync_params>();
    writeCopy(call, formats::kCopyAsync, {p.dstDevice, p.srcDevice, p.ByteCount, asWord(p.hStream)}, nullptr);
}

void writeLinear(Call& call, std::uint8_t detail, const formats::CopyPayload& payload,
                 std::uint64_t arrayOffsetBytes) {
    const formats::CopyLayout layout{payload.sizeBytes, 1, 1, 0, 0, 0, 0, arrayOffsetBytes};
    writeCopy(call, detail, payload, &layout);
}

// To an array: from device (DtoA) or host (HtoA); again one shape.
void decodeToArray(Call& call) {
    const auto& p = call.parameters<cuMemcpyDtoA_v2_params>();
    writeLinear(call, formats::kCopyToArray, {asWord(p.dstArray), p.srcDevice, p.ByteCount, 0}, p.dstOffset);
}
void decodeToArrayAsync(Call& call) {
    const auto& p = call.parameters<cuMemcpyHtoAAsync_v2_params>();
    writeLinear(call, formats::kCopyToArray | formats::kCopyAsync,
                {asWord(p.dstArray), asWord(p.srcHost), p.ByteCount, asWord(p.hStream)}, p.dstOffset);
}
void decodeFromArray(Call& call) {
    const auto& p = call.parameters<cuMemcpyAtoD_v2_params>();
    writeLinear(call, formats::kCopyFromArray, {p.dstDevice, asWord(p.srcArray), p.ByteCount, 0},
                p.srcOffset);
}
void decodeFromArrayAsync(Call& call) {
    const auto& p = call.parameters<cuMemcpyAtoHAsync_v2_params>();
    writeLinear(call, formats::kCopyFromArray | formats::kCopyAsync,
                {asWord(p.dstHost), asWord(p.srcArray), p.ByteCount, asWord(p.hStream)}, p.srcOffset);
}
void decodeArrayToArray(Call& call) {
    const auto& p = call.parameters<cuMemcpyAtoA_v2_params>();
    writeLinear(call, formats::kCopyFromArray | formats::kCopyToArray,
                {asWord(p.dstArray), asWord(p.srcArray), p.ByteCount, 0}, p.dstOffset);
}

void writeBatch(Call& call, const CUdeviceptr* destinations, const CUdeviceptr* sources,
                const std::size_t* sizes, std::size_t count, CUstream stream) {
    if (destinations == nullptr || sources == nullptr || sizes == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) {
        writeCopy(call, formats::kCopyAsync, {destinations[i], sources[i], sizes[i], asWord(stream)},
                  nullptr);
    }
}
void decodeBatch(Call& call) {
    const auto& p = call.parameters<cuMemcpyBatchAsync_params>();
    writeBatch(call, p.dsts, p.srcs, p.sizes, p.count, p.hStream);
}
void decodeBatchV2(Call& call) {
    const auto& p = call.parameters<cuMemcpyBatchAsync_v2_params>();
    writeBatch(call, p.dsts, p.srcs, p.sizes, p.count, p.hStream);
}

// Decompression writes its result and, beside it, how long that became. The expected length is optional, and
// without it nothing says how far the writes go.
void decodeDecompress(Call& call) {
    const auto& p = call.parameters<cuMemBatchDecompressAsync_params>();
    for (std::size_t i = 0; p.paramsArray != nullptr && i < p.count; ++i) {
        const CUmemDecompressParams& one = p.paramsArray[i];
        writeCopy(call, formats::kCopyAsync,
                  {asWord(one.dst), asWord(one.src), one.dstNumBytes, asWord(p.stream)}, nullptr);
    }
}

CallRule copyRule(Decoder decode) {
    return {.decode = decode, .level = RecordMode::Launches, .takesStack = true};
}

}  // namespace

void registerCopyCalls() {
    addCalls({VRAMSCOPE_ID(cuMemcpy), VRAMSCOPE_ID(cuMemcpy_v2), VRAMSCOPE_ID(cuMemcpy_ptds),
              VRAMSCOPE_ID(cuMemcpyHtoD_v2), VRAMSCOPE_ID(cuMemcpyHtoD_v2_ptds),
              VRAMSCOPE_ID(cuMemcpyDtoH_v2), VRAMSCOPE_ID(cuMemcpyDtoH_v2_ptds),
              VRAMSCOPE_ID(cuMemcpyDtoD_v2), VRAMSCOPE_ID(cuMemcpyDtoD_v2_ptds)},
             copyRule(decodeRange));
    addCalls({VRAMSCOPE_ID(cuMemcpyAsync), VRAMSCOPE_ID(cuMemcpyAsync_ptsz),
              VRAMSCOPE_ID(cuMemcpyHtoDAsync_v2), VRAMSCOPE_ID(cuMemcpyHtoDAsync_v2_ptsz),
              VRAMSCOPE_ID(cuMemcpyDtoHAsync_v2), VRAMSCOPE_ID(cuMemcpyDtoHAsync_v2_ptsz),
              VRAMSCOPE_ID(cuMemcpyDtoDAsync_v2), VRAMSCOPE_ID(cuMemcpyDtoDAsync_v2_ptsz)},
             copyRule(decodeRangeAsync));
    addCalls({VRAMSCOPE_ID(cuMemcpyPeer), VRAMSCOPE_ID(cuMemcpyPeer_ptds)}, copyRule(decodePeer));
    addCalls({VRAMSCOPE_ID(cuMemcpyPeerAsync), VRAMSCOPE_ID(cuMemcpyPeerAsync_ptsz)},
             copyRule(decodePeerAsync));
    addCalls({VRAMSCOPE_ID(cuMemcpyDtoA_v2), VRAMSCOPE_ID(cuMemcpyDtoA_v2_ptds),
              VRAMSCOPE_ID(cuMemcpyHtoA_v2), VRAMSCOPE_ID(cuMemcpyHtoA_v2_ptds)},
             copyRule(decodeToArray));
    addCalls({VRAMSCOPE_ID(cuMemcpyHtoAAsync_v2), VRAMSCOPE_ID(cuMemcpyHtoAAsync_v2_ptsz)},
             copyRule(decodeToArrayAsync));
    addCalls({VRAMSCOPE_ID(cuMemcpyAtoD_v2), VRAMSCOPE_ID(cuMemcpyAtoD_v2_ptds),
              VRAMSCOPE_ID(cuMemcpyAtoH_v2), VRAMSCOPE_ID(cuMemcpyAtoH_v2_ptds)},
             copyRule(decodeFromArray));
    addCalls({VRAMSCOPE_ID(cuMemcpyAtoHAsync_v2), VRAMSCOPE_ID(cuMemcpyAtoHAsync_v2_ptsz)},
             copyRule(decodeFromArrayAsync));
    addCalls({VRAMSCOPE_ID(cuMemcpyAtoA_v2), VRAMSCOPE_ID(cuMemcpyAtoA_v2_ptds)},
             copyRule(decodeArrayToArray));
    addCalls({VRAMSCOPE_ID(cuMemcpyBatchAsync), VRAMSCOPE_ID(cuMemcpyBatchAsync_ptsz)},
             copyRule(decodeBatch));
    addCalls({VRAMSCOPE_ID(cuMemcpyBatchAsync_v2), VRAMSCOPE_ID(cuMemcpyBatchAsync_v2_ptsz)},
             copyRule(decodeBatchV2));
    addCalls({VRAMSCOPE_ID(cuMemBatchDecompressAsync), VRAMSCOPE_ID(cuMemBatchDecompressAsync_ptsz)},
             copyRule(decodeDecompress));
    registerShapedCopyCalls();
}

}  // namespace vramscope::collector
