// SPDX-License-Identifier: Apache-2.0

// Streams, and everything that orders work with work.

#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/captures.h"
#include "collector/inject/guard.h"
#include "collector/inject/pool_sampler.h"
#include "collector/inject/watch.h"
#include "collector/inject/work_acts.h"

namespace vramscope::collector {

namespace {

using formats::RecordType;
using formats::SyncKind;

void writeStream(Call& call, RecordType type, const formats::StreamPayload& payload) {
    formats::Record* record = beginRecord(call, type);
    if (record == nullptr) return;
    record->stream = payload;
    endRecord(call, record);
}
void decodeCreate(Call& call) {
    const auto& p = call.parameters<cuStreamCreate_params>();
    noteStream(call.succeeded() && p.phStream != nullptr ? *p.phStream : nullptr, p.Flags);
    writeStream(call, RecordType::StreamCreate, {outputOf(call, p.phStream), p.Flags, 0, 0});
}
void decodeCreateWithPriority(Call& call) {
    const auto& p = call.parameters<cuStreamCreateWithPriority_params>();
    noteStream(call.succeeded() && p.phStream != nullptr ? *p.phStream : nullptr, p.flags);
    writeStream(call, RecordType::StreamCreate, {outputOf(call, p.phStream), p.flags, p.priority, 0});
}
void decodeGreenContextCreate(Call& call) {
    const auto& p = call.parameters<cuGreenCtxStreamCreate_params>();
    writeStream(call, RecordType::StreamCreate, {outputOf(call, p.phStream), p.flags, p.priority, 0});
}
void decodeDestroy(Call& call) {
    writeStream(call, RecordType::StreamDestroy,
                {asWord(call.parameters<cuStreamDestroy_v2_params>().hStream), 0, 0, 0});
}

void writeSync(Call& call, SyncKind kind, CUstream stream, std::uint64_t object = 0, std::uint64_t value = 0,
               std::uint32_t flags = 0) {
    if (g_collector.config.recordMode != RecordMode::All) return;
    formats::Record* record = beginRecord(call, RecordType::Sync, static_cast<std::uint8_t>(kind));
    if (record == nullptr) return;
    record->sync = {asWord(stream), object, value, flags, 0};
    endRecord(call, record);
}
// What is put on a stream. On a capturing one the call defines a graph node, or makes the stream join the
// capture, and orders no work.
void writeStreamSync(Call& call, SyncKind kind, CUstream stream, std::uint64_t object,
                     std::uint64_t value = 0, std::uint32_t flags = 0) {
    if (!isCapturing(call, stream)) writeSync(call, kind, stream, object, value, flags);
}
void writeContextSync(Call& call, SyncKind kind, CUevent event) {
    if (g_collector.config.recordMode != RecordMode::All) return;
    formats::Record* record = beginRecord(call, RecordType::Sync, static_cast<std::uint8_t>(kind));
    if (record == nullptr) return;
    record->sync = {0, asWord(event), 0, 0, 1};
    endRecord(call, record);
}

// What we saw of the job is told where it has waited anyway.
void tellAfterSync(Call& call) {
    if (guardsAreOn()) checkAfterSync(call);
    if (watchIsOn()) watchAfterSync(call);
}
void decodeStreamSync(Call& call) {
    writeSync(call, SyncKind::StreamSync, call.parameters<cuStreamSynchronize_params>().hStream);
    samplePools(call, PoolSampling::IfDue);
    tellAfterSync(call);
}
void decodeContextSync(Call& call) {
    writeSync(call, SyncKind::ContextSync, nullptr);
    samplePools(call, PoolSampling::IfDue);
    tellAfterSync(call);
}
void decodeEventSync(Call& call) {
    writeSync(call, SyncKind::EventSync, nullptr,
              asWord(call.parameters<cuEventSynchronize_params>().hEvent));
    samplePools(call, PoolSampling::IfDue);
    tellAfterSync(call);
}
void decodeEventRecord(Call& call) {
    const auto& p = call.parameters<cuEventRecord_params>();
    writeStreamSync(call, SyncKind::EventRecord, p.hStream, asWord(p.hEvent));
}
// The structures of cuCtxRecordEvent, cuCtxWaitEvent and their green forms agree: a context and an event.
void decodeContextRecord(Call& call) {
    writeContextSync(call, SyncKind::EventRecord, call.parameters<cuCtxRecordEvent_params>().hEvent);
}
void decodeContextWait(Call& call) {
    writeContextSync(call, SyncKind::StreamWait, call.parameters<cuCtxWaitEvent_params>().hEvent);
}
void decodeStreamWait(Call& call) {
    const auto& p = call.parameters<cuStreamWaitEvent_params>();
    writeStreamSync(call, SyncKind::StreamWait, p.hStream, asWord(p.hEvent), 0, p.Flags);
}
// A query that says "not ready" orders nothing.
void decodeStreamQuery(Call& call) {
    if (!call.succeeded()) return;
    if (watchIsOn()) noteOtherWork();
    writeSync(call, SyncKind::StreamQuery, call.parameters<cuStreamQuery_params>().hStream);
}
void decodeEventQuery(Call& call) {
    if (!call.succeeded()) return;
    if (watchIsOn()) noteOtherWork();
    writeSync(call, SyncKind::EventQuery, nullptr, asWord(call.parameters<cuEventQuery_params>().hEvent));
}
void decodeWaitValue32(Call& call) {
    const auto& p = call.parameters<cuStreamWaitValue32_v2_params>();
    writeStreamSync(call, SyncKind::WaitValue, p.stream, p.addr, p.value, p.flags);
}
void decodeWaitValue64(Call& call) {
    const auto& p = call.parameters<cuStreamWaitValue64_v2_params>();
    writeStreamSync(call, SyncKind::WaitValue, p.stream, p.addr, p.value, p.flags);
}
template <SyncKind kKind, typename Parameters>
void decodeSemaphores(Call& call) {
    const auto& p = call.parameters<Parameters>();
    for (unsigned i = 0; p.extSemArray != nullptr && p.paramsArray != nullptr && i < p.numExtSems; ++i) {
        writeStreamSync(call, kKind, p.stream, asWord(p.extSemArray[i]), p.paramsArray[i].params.fence.value,
                        p.paramsArray[i].flags);
    }
}
void decodeHostFunction(Call& call) {
    const auto& p = call.parameters<cuLaunchHostFunc_params>();
    writeStreamSync(call, SyncKind::HostFunction, p.hStream, reinterpret_cast<std::uint64_t>(p.fn),
                    asWord(static_cast<char*>(p.userData)));
}
void decodeStreamCallback(Call& call) {
    const auto& p = call.parameters<cuStreamAddCallback_params>();
    writeStreamSync(call, SyncKind::HostFunction, p.hStream, reinterpret_cast<std::uint64_t>(p.callback),
                    asWord(static_cast<char*>(p.userData)));
}

CallRule orderRule(Decoder decode) {
    return {.decode = decode, .level = RecordMode::All};
}
// Waits and queries are where pools are read and where a fault on the device is first told, so they are
// watched at every level.
CallRule waitRule(Decoder decode) {
    return {.decode = decode};
}

}  // namespace

void registerStreamCalls() {
    addCalls({VRAMSCOPE_ID(cuStreamCreate)}, {.decode = decodeCreate, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuStreamCreateWithPriority)},
             {.decode = decodeCreateWithPriority, .takesStack = true});
    // cuStreamCreateForCaptureToCig has no decoder: CUDA 13.0 has no parameter structure for it. Its streams
    // get their row when they are first used.
    addCalls({VRAMSCOPE_ID(cuGreenCtxStreamCreate)},
             {.decode = decodeGreenContextCreate, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuStreamDestroy), VRAMSCOPE_ID(cuStreamDestroy_v2)},
             {.decode = decodeDestroy, .mutates = true, .takesStack = true});

    addCalls({VRAMSCOPE_ID(cuStreamSynchronize), VRAMSCOPE_ID(cuStreamSynchronize_ptsz)},
             waitRule(decodeStreamSync));
    addCalls({VRAMSCOPE_ID(cuCtxSynchronize), VRAMSCOPE_ID(cuCtxSynchronize_v2)},
             waitRule(decodeContextSync));
    addCalls({VRAMSCOPE_ID(cuEventSynchronize)}, waitRule(decodeEventSync));
    addCalls({VRAMSCOPE_ID(cuEventRecord), VRAMSCOPE_ID(cuEventRecord_ptsz),
              VRAMSCOPE_ID(cuEventRecordWithFlags), VRAMSCOPE_ID(cuEventRecordWithFlags_ptsz)},
             orderRule(decodeEventRecord));
    addCalls({VRAMSCOPE_ID(cuStreamWaitEvent), VRAMSCOPE_ID(cuStreamWaitEvent_ptsz)},
             orderRule(decodeStreamWait));
    addCalls({VRAMSCOPE_ID(cuStreamQuery), VRAMSCOPE_ID(cuStreamQuery_ptsz)}, waitRule(decodeStreamQuery));
    addCalls({VRAMSCOPE_ID(cuEventQuery)}, waitRule(decodeEventQuery));
    addCalls({VRAMSCOPE_ID(cuStreamWaitValue32), VRAMSCOPE_ID(cuStreamWaitValue32_ptsz),
              VRAMSCOPE_ID(cuStreamWaitValue32_v2), VRAMSCOPE_ID(cuStreamWaitValue32_v2_ptsz)},
             orderRule(decodeWaitValue32));
    addCalls({VRAMSCOPE_ID(cuStreamWaitValue64), VRAMSCOPE_ID(cuStreamWaitValue64_ptsz),
              VRAMSCOPE_ID(cuStreamWaitValue64_v2), VRAMSCOPE_ID(cuStreamWaitValue64_v2_ptsz)},
             orderRule(decodeWaitValue64));
    addCalls(
        {VRAMSCOPE_ID(cuSignalExternalSemaphoresAsync), VRAMSCOPE_ID(cuSignalExternalSemaphoresAsync_ptsz)},
        orderRule(decodeSemaphores<SyncKind::SemaphoreSignal, cuSignalExternalSemaphoresAsync_params>));
    addCalls({VRAMSCOPE_ID(cuWaitExternalSemaphoresAsync), VRAMSCOPE_ID(cuWaitExternalSemaphoresAsync_ptsz)},
             orderRule(decodeSemaphores<SyncKind::SemaphoreWait, cuWaitExternalSemaphoresAsync_params>));
    addCalls({VRAMSCOPE_ID(cuCtxRecordEvent), VRAMSCOPE_ID(cuGreenCtxRecordEvent)},
             orderRule(decodeContextRecord));
    addCalls({VRAMSCOPE_ID(cuCtxWaitEvent), VRAMSCOPE_ID(cuGreenCtxWaitEvent)}, orderRule(decodeContextWait));
    addCalls({VRAMSCOPE_ID(cuLaunchHostFunc), VRAMSCOPE_ID(cuLaunchHostFunc_ptsz)},
             orderRule(decodeHostFunction));
    addCalls({VRAMSCOPE_ID(cuStreamAddCallback), VRAMSCOPE_ID(cuStreamAddCallback_ptsz)},
             orderRule(decodeStreamCallback));
}

}  // namespace vramscope::collector
