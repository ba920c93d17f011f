// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tool's side of NVTX version 3: what its headers and an injected library agree on. Declared anew because
// the headers bring their whole implementation with them. Source: nvToolsExt.h and nvtxDetail/nvtxTypes.h of
// NVTX 3 (CUDA 13.0); tests/collector/nvtx_test.cpp holds this file against the headers.

#include <cstddef>
#include <cstdint>

namespace vramscope::collector::nvtx {

/// Groups of functions that a tool can take over.
enum class Module : int { Core = 1, Cuda = 2, CudaRuntime = 4, Core2 = 5 };

/// Places in the function table of each module. What is not taken over does nothing.
enum class Core : unsigned {
    MarkEx = 1,
    MarkA,
    MarkW,
    RangeStartEx,
    RangeStartA,
    RangeStartW,
    RangeEnd,
    RangePushEx,
    RangePushA,
    RangePushW,
    RangePop,
    NameOsThreadA = 14,
    NameOsThreadW
};
enum class Core2 : unsigned {
    DomainMarkEx = 1,
    DomainRangeStartEx,
    DomainRangeEnd,
    DomainRangePushEx,
    DomainRangePop,
    DomainRegisterStringA = 10,
    DomainRegisterStringW,
    DomainCreateA,
    DomainCreateW
};
enum class Cuda : unsigned { NameCuStreamA = 5, NameCuStreamW };
enum class CudaRuntime : unsigned { NameCudaStreamA = 3, NameCudaStreamW };

using FunctionPointer = void (*)();
/// An array of places for functions.
using FunctionTable = FunctionPointer**;

/// Export table 1.
struct CallbackExports {
    std::size_t structBytes;
    int (*getModuleFunctionTable)(Module module, FunctionTable* table, unsigned* count);
};
inline constexpr std::uint32_t kCallbackExports = 1;

/// How NVTX hands out its export tables: null for one that it does not have.
using GetExportTable = const void* (*)(std::uint32_t id);

enum class MessageType : std::int32_t { None = 0, Narrow = 1, Wide = 2, Registered = 3 };

/// An event as the Ex functions get it, of every version since 2.
struct EventAttributes {
    std::uint16_t version;
    std::uint16_t structBytes;
    std::uint32_t category;
    std::int32_t colorType;
    std::uint32_t color;
    std::int32_t payloadType;
    std::int32_t reserved;
    std::uint64_t payload;
    MessageType messageType;
    union {
        const char* narrow;
        const wchar_t* wide;
        const void* registered;
    } message;
};
static_assert(sizeof(EventAttributes) == 48 && offsetof(EventAttributes, message) == 40);

/// Returned for a range whose depth is not tracked.
inline constexpr int kNoTracking = -2;

using RangeId = std::uint64_t;

}  // namespace vramscope::collector::nvtx
