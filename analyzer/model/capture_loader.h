// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "analyzer/model/capture.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::model {

/// No table of a capture may have more rows than this; some 13 GiB of memory when all are buffers.
inline constexpr std::int64_t kMostRows = 100'000'000;
/// A size above this is not a size: it exceeds the address space of the machines that CUDA runs on.
inline constexpr std::int64_t kLargestBytes = std::int64_t{1} << 47;
/// Above this many events the activity of the job is taken from the chunks' counts instead of event by event.
inline constexpr std::int64_t kMostActivityEvents = 4'000'000;

/// Loads a capture. Unreadable when it is damaged, foreign, newer than this version or larger than the bounds
/// above.
StatusOr<std::shared_ptr<const Capture>> loadCapture(const std::filesystem::path& path);
/// The same from an open database; `path` is only for messages.
StatusOr<std::shared_ptr<const Capture>> loadCapture(formats::Connection& connection,
                                                     const std::filesystem::path& path);

/// The capture without its buffers, events and code arrivals, which are most of a large one: for readers that
/// hold buffers in a form of their own. endNs is the session's end where the capture names it, and otherwise
/// the last moment that the loaded tables know of.
StatusOr<std::shared_ptr<const Capture>> loadFacts(formats::Connection& connection,
                                                   const std::filesystem::path& path);

}  // namespace vramscope::model
