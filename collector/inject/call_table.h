// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cupti.h>
#include <initializer_list>
#include <string_view>

#include "collector/inject/config.h"
#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// One call of the job at its exit, as the decoders see it.
struct Call {
    ThreadState& thread;
    const CUpti_CallbackData& data;
    std::uint16_t api;     ///< as stored in RecordHeader::api
    std::uint16_t result;  ///< CUresult
    std::uint64_t enterTicks;
    std::uint64_t exitTicks;
    std::uint32_t stackId = 0;
    bool isRecorded = false;  ///< a record about it was begun

    /// The call's parameter structure; T is the one of generated_cuda_meta.h for this id.
    template <typename T>
    const T& parameters() const {
        return *static_cast<const T*>(data.functionParams);
    }
    bool succeeded() const { return result == 0; }
};

/// Turns a finished call into records.
using Decoder = void (*)(Call&);

/// The parameter structure of a launch, where recordPlainLaunch can read it.
enum class LaunchForm : std::uint8_t { None, Plain, Extended };

/// How a driver call is handled. A null decoder means that the call is watched for failures only.
struct CallRule {
    Decoder decode = nullptr;
    void (*beforeCall)(ThreadState&, const CUpti_CallbackData&) = nullptr;  ///< at the entry
    RecordMode level = RecordMode::Allocations;                             ///< recorded from this level on
    bool mutates = false;                                                   ///< may end lifetimes
    bool takesStack = false;      ///< wants the call stack, whether it succeeds or not
    bool createsContext = false;  ///< a context that appears during the call is not a primary one
    bool isWatched = false;       ///< enabled at all
    bool isPerThread = false;     ///< stream 0 is the thread's own (_ptsz, _ptds)
    LaunchForm launchForm = LaunchForm::None;
};

/// A driver callback id, and what the suffix of its name says.
struct ApiId {
    std::uint32_t number;
    bool isPerThread;

    constexpr operator std::uint32_t() const {
        return number;
    }  // NOLINT(google-explicit-constructor): it is one
};

/// Whether a call's name is of the variants for programs built for per-thread default streams.
constexpr bool isPerThreadName(std::string_view name) {
    return name.ends_with("_ptsz") || name.ends_with("_ptds");
}

/// The driver callback id of a call, named as cupti_driver_cbid.h names it: cuMemFree_v2, cuMemcpyAsync_ptsz.
#define VRAMSCOPE_ID(name)                                         \
    (::vramscope::collector::ApiId{CUPTI_DRIVER_TRACE_CBID_##name, \
                                   ::vramscope::collector::isPerThreadName(#name)})

/// More than any CUPTI's driver ids so far (807 in 13.0); ids beyond it are ignored.
inline constexpr std::size_t kMaxDriverApis = 1024;

/// Rules by driver callback id. Filled once by buildCallTable().
extern CallRule g_driverCalls[kMaxDriverApis];

/// Fills in g_driverCalls: each family registers its ids with all their ABI and default-stream variants.
void buildCallTable();

/// Registers `decode` for the ids of one family. Used by the register functions below.
void addCalls(std::initializer_list<ApiId> ids, CallRule rule);

// One for each family, defined beside its decoders.
void registerMemoryCalls();
void registerVmmCalls();
void registerPoolCalls();
void registerCopyCalls();
void registerSetCalls();
void registerLaunchCalls();
void registerStreamCalls();
void registerObjectCalls();
void registerGraphCalls();
void registerGraphNodeCalls();
void registerShareCalls();
void registerModuleCalls();
void registerContextCalls();

/// The header of a record about `call`.
inline formats::RecordHeader headerOf(const Call& call, formats::RecordType type, std::uint8_t detail,
                                      std::uint32_t slots) {
    return {static_cast<std::uint16_t>(type),
            call.api,
            static_cast<std::uint8_t>(slots),
            detail,
            call.result,
            call.enterTicks,
            call.exitTicks,
            call.stackId,
            call.data.contextUid};
}

/// Starts the record of `call`: room for `slots`, header filled in. Null if the ring is full.
formats::Record* beginRecord(Call& call, formats::RecordType type, std::uint8_t detail = 0,
                             std::uint32_t slots = 1);

/// Shows the record begun last.
inline void endRecord(Call& call, const formats::Record* record) {
    publish(call.thread, record->header.slotCount);
}

/// Handles and pointers as the 64-bit values that records carry.
template <typename Handle>
std::uint64_t asWord(Handle* handle) {
    return reinterpret_cast<std::uint64_t>(handle);
}

/// What an output parameter points to, or 0 when the call failed or was given null.
template <typename T>
std::uint64_t outputOf(const Call& call, T* output) {
    return call.succeeded() && output != nullptr ? (std::uint64_t)*output : 0;
}

}  // namespace vramscope::collector
