// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace vramscope::api_names {

/// Names for people, as they are spelled in programs: without the suffixes of interface versions and stream
/// variants
/// ("cuMemAlloc", not "cuMemAlloc_v2"). A number that the toolkit's headers did not have when this was built,
/// which a newer driver may send, gives words with the number in them ("driver call 812", "CUDA error 950",
/// "cudaError 950"). The text is never empty and lives as long as the program. Callable from any thread.

/// Name of a CUPTI driver callback id.
std::string_view driverCallName(std::uint16_t id);
/// Name of a CUPTI runtime callback id.
std::string_view runtimeCallName(std::uint16_t id);
/// Name of the call in a record header's field `api`, of either domain; empty for 0, no call.
std::string_view callName(std::uint16_t api);

/// Whether the call in a record header's field `api` is a driver call of a program that was built for
/// per-thread default streams (_ptsz, _ptds): its stream 0 is CU_STREAM_PER_THREAD.
bool usesPerThreadStream(std::uint16_t api);

/// Name of a CUresult, for example CUDA_ERROR_OUT_OF_MEMORY.
std::string_view cudaResultName(std::uint16_t result);
/// Name of a cudaError, for example cudaErrorMemoryAllocation.
std::string_view runtimeErrorName(std::uint16_t error);

}  // namespace vramscope::api_names
