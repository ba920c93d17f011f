// SPDX-License-Identifier: Apache-2.0
// Names that NVTX gives to CUDA streams. Names of devices, contexts and events are not taken over: nothing
// shows them.

#include "collector/inject/collector.h"
#include "collector/inject/nvtx_functions.h"
#include "collector/inject/nvtx_message.h"
#include "collector/inject/nvtx_records.h"

namespace vramscope::collector::nvtx {

namespace {

// The handles of the default streams: null, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD. They mean another
// stream in each context, and a name that cannot tell which is none.
constexpr std::uint64_t kLastDefaultStream = 2;

template <typename Text>
void nameStream(const void* stream, const Text* name) {
    const auto handle = reinterpret_cast<std::uint64_t>(stream);
    if (handle <= kLastDefaultStream || !isRecording()) return;
    recordName(formats::NamedKind::Stream, handle, Message(name).text());
}

}  // namespace

void takeOverCuda(FunctionTable table, unsigned count) {
    takeOver(table, count, Cuda::NameCuStreamA, nameStream<char>);
    takeOver(table, count, Cuda::NameCuStreamW, nameStream<wchar_t>);
}

// cudaStream_t and CUstream are one type.
void takeOverCudaRuntime(FunctionTable table, unsigned count) {
    takeOver(table, count, CudaRuntime::NameCudaStreamA, nameStream<char>);
    takeOver(table, count, CudaRuntime::NameCudaStreamW, nameStream<wchar_t>);
}

}  // namespace vramscope::collector::nvtx
