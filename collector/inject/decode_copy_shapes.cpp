// SPDX-License-Identifier: Apache-2.0

// Copies with rows and slices: 2D, 3D, peer 3D and batches of 3D.

#include <cuda.h>

#include "collector/inject/copy_ends.h"
#include "collector/inject/copy_records.h"

namespace vramscope::collector {

namespace {

void writeShaped(Call& call, const CopyEnd& destination, const CopyEnd& source, std::uint64_t widthBytes,
                 std::uint64_t rows, std::uint64_t slices, CUstream stream, bool isAsync) {
    std::uint8_t detail = isAsync ? formats::kCopyAsync : 0;
    if (destination.isArray) detail |= formats::kCopyToArray;
    if (source.isArray) detail |= formats::kCopyFromArray;
    const formats::CopyLayout layout{
        widthBytes,        rows, slices, destination.pitch, source.pitch, destination.slicePitch,
        source.slicePitch, 0};
    writeCopy(call, detail, {destination.start, source.start, widthBytes * rows * slices, asWord(stream)},
              &layout);
}

void write2D(Call& call, const CUDA_MEMCPY2D* copy, CUstream stream, bool isAsync) {
    if (copy == nullptr) return;
    writeShaped(call,
                copyEnd(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstArray,
                        copy->dstXInBytes, copy->dstY, 0, copy->dstPitch, 0),
                copyEnd(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcArray,
                        copy->srcXInBytes, copy->srcY, 0, copy->srcPitch, 0),
                copy->WidthInBytes, copy->Height, 1, stream, isAsync);
}

template <typename Copy>
void write3D(Call& call, const Copy* copy, CUstream stream, bool isAsync) {
    if (copy == nullptr) return;
    writeShaped(call, destinationOf(*copy), sourceOf(*copy), copy->WidthInBytes, copy->Height, copy->Depth,
                stream, isAsync);
}

// Operands of a batch count in elements; a copy between two pointers has elements of one byte (cuda.h 13.0,
// cuMemcpy3DBatchAsync).
CopyEnd endOf(const CUmemcpy3DOperand& operand, const CUextent3D& extent) {
    if (operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) return {asWord(operand.op.array.array), 0, 0, true};
    const std::uint64_t pitch = operand.op.ptr.rowLength != 0 ? operand.op.ptr.rowLength : extent.width;
    const std::uint64_t height = operand.op.ptr.layerHeight != 0 ? operand.op.ptr.layerHeight : extent.height;
    return {operand.op.ptr.ptr, pitch, pitch * height, false};
}

void write3DBatch(Call& call, const CUDA_MEMCPY3D_BATCH_OP* operations, std::size_t count, CUstream stream) {
    if (operations == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) {
        const CUextent3D& extent = operations[i].extent;
        writeShaped(call, endOf(operations[i].dst, extent), endOf(operations[i].src, extent), extent.width,
                    extent.height, extent.depth, stream, true);
    }
}

void decode2D(Call& call) {
    write2D(call, call.parameters<cuMemcpy2D_v2_params>().pCopy, nullptr, false);
}
void decode2DAsync(Call& call) {
    const auto& p = call.parameters<cuMemcpy2DAsync_v2_params>();
    write2D(call, p.pCopy, p.hStream, true);
}
void decode3D(Call& call) {
    write3D(call, call.parameters<cuMemcpy3D_v2_params>().pCopy, nullptr, false);
}
void decode3DAsync(Call& call) {
    const auto& p = call.parameters<cuMemcpy3DAsync_v2_params>();
    write3D(call, p.pCopy, p.hStream, true);
}
void decode3DPeer(Call& call) {
    write3D(call, call.parameters<cuMemcpy3DPeer_params>().pCopy, nullptr, false);
}
void decode3DPeerAsync(Call& call) {
    const auto& p = call.parameters<cuMemcpy3DPeerAsync_params>();
    write3D(call, p.pCopy, p.hStream, true);
}
void decode3DBatch(Call& call) {
    const auto& p = call.parameters<cuMemcpy3DBatchAsync_params>();
    write3DBatch(call, p.opList, p.numOps, p.hStream);
}
void decode3DBatchV2(Call& call) {
    const auto& p = call.parameters<cuMemcpy3DBatchAsync_v2_params>();
    write3DBatch(call, p.opList, p.numOps, p.hStream);
}

CallRule copyRule(Decoder decode) {
    return {.decode = decode, .level = RecordMode::Launches, .takesStack = true};
}

}  // namespace

void registerShapedCopyCalls() {
    addCalls({VRAMSCOPE_ID(cuMemcpy2D_v2), VRAMSCOPE_ID(cuMemcpy2D_v2_ptds),
              VRAMSCOPE_ID(cuMemcpy2DUnaligned_v2), VRAMSCOPE_ID(cuMemcpy2DUnaligned_v2_ptds)},
             copyRule(decode2D));
    addCalls({VRAMSCOPE_ID(cuMemcpy2DAsync_v2), VRAMSCOPE_ID(cuMemcpy2DAsync_v2_ptsz)},
             copyRule(decode2DAsync));
    addCalls({VRAMSCOPE_ID(cuMemcpy3D_v2), VRAMSCOPE_ID(cuMemcpy3D_v2_ptds)}, copyRule(decode3D));
    addCalls({VRAMSCOPE_ID(cuMemcpy3DAsync_v2), VRAMSCOPE_ID(cuMemcpy3DAsync_v2_ptsz)},
             copyRule(decode3DAsync));
    addCalls({VRAMSCOPE_ID(cuMemcpy3DPeer), VRAMSCOPE_ID(cuMemcpy3DPeer_ptds)}, copyRule(decode3DPeer));
    addCalls({VRAMSCOPE_ID(cuMemcpy3DPeerAsync), VRAMSCOPE_ID(cuMemcpy3DPeerAsync_ptsz)},
             copyRule(decode3DPeerAsync));
    addCalls({VRAMSCOPE_ID(cuMemcpy3DBatchAsync), VRAMSCOPE_ID(cuMemcpy3DBatchAsync_ptsz)},
             copyRule(decode3DBatch));
    addCalls({VRAMSCOPE_ID(cuMemcpy3DBatchAsync_v2), VRAMSCOPE_ID(cuMemcpy3DBatchAsync_v2_ptsz)},
             copyRule(decode3DBatchV2));
}

}  // namespace vramscope::collector
