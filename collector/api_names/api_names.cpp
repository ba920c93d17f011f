// SPDX-License-Identifier: Apache-2.0
#include "collector/api_names/api_names.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "formats/record.h"

namespace vramscope::api_names {
namespace {

struct Name {
    std::uint16_t number;
    std::string_view text;
};

constexpr Name kDriverCalls[] = {
#include "driver_calls.inc"
};
constexpr Name kPerThreadCalls[] = {
#include "per_thread_calls.inc"
};
constexpr Name kRuntimeCalls[] = {
#include "runtime_calls.inc"
};
constexpr Name kDriverErrors[] = {
#include "driver_errors.inc"
};
// driver_types.h belongs to the CUDA runtime, which need not be there: its table may be empty but for this.
constexpr Name kRuntimeErrors[] = {
    {0, "cudaSuccess"},
#include "runtime_errors.inc"
};

// Asked for each event on a default stream, so one load.
constexpr auto kIsPerThread = [] {
    std::array<bool, 1024> isPerThread{};
    for (const Name& call : kPerThreadCalls) {
        if (call.number < isPerThread.size()) isPerThread[call.number] = true;
    }
    return isPerThread;
}();

/// "WORDS NUMBER", made once. Numbers are of 16 bits, so this cannot grow without end.
std::string_view numbered(std::string_view words, std::uint16_t number) {
    static std::mutex mutex;
    static auto* const texts =
        new std::map<std::string, std::string, std::less<>>;  // lives as long as the program
    std::string text = std::string(words) + " " + std::to_string(number);
    const std::lock_guard lock(mutex);
    return texts->try_emplace(text, text).first->second;
}

std::string_view find(std::span<const Name> names, std::uint16_t number, std::string_view words) {
    const auto found = std::ranges::lower_bound(names, number, {}, &Name::number);
    if (found != names.end() && found->number == number) return found->text;
    return numbered(words, number);
}

}  // namespace

std::string_view driverCallName(std::uint16_t id) {
    return find(kDriverCalls, id, "driver call");
}

std::string_view runtimeCallName(std::uint16_t id) {
    return find(kRuntimeCalls, id, "runtime call");
}

std::string_view callName(std::uint16_t api) {
    if (api == 0) return {};
    if ((api & formats::kRuntimeApi) != 0)
        return runtimeCallName(static_cast<std::uint16_t>(api & ~formats::kRuntimeApi));
    return driverCallName(api);
}

bool usesPerThreadStream(std::uint16_t api) {
    return api < kIsPerThread.size() && kIsPerThread[api];
}

std::string_view cudaResultName(std::uint16_t result) {
    return find(kDriverErrors, result, "CUDA error");
}

std::string_view runtimeErrorName(std::uint16_t error) {
    return find(kRuntimeErrors, error, "cudaError");
}

}  // namespace vramscope::api_names
