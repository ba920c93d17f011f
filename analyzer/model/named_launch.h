// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/model/capture.h"
#include "analyzer/model/digest_change.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::model {

/// A tick is turned into nanoseconds by a clock that is read again and again, so two ways to one moment may
/// differ a little.
inline constexpr std::int64_t kClockSlackNs = 10'000;

/// The buffer that became live at `address` at `allocNs`, none if the capture has no such one.
BufferId bufferBornAt(const Capture& capture, ProcessId process, std::int64_t address, std::int64_t allocNs);

/// The launch that `thread` made at `launchNs`; enterNs is 0 if the capture has none.
StatusOr<WatchedLaunch> launchAt(formats::Connection& connection, Capture& capture, ProcessId process,
                                 ThreadId thread, std::int64_t launchNs);

}  // namespace vramscope::model
