// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/collector.h"
#include "formats/job_clock.h"

namespace vramscope::collector {

using formats::monotonicNs;

/// A stamp for a record, of the clock that the launcher chose for the session.
inline std::uint64_t nowTicks() {
    return formats::readTicks(g_collector.config.clockKind);
}

/// The same for the hot path (formats::readTicksRelaxed).
inline std::uint64_t nowTicksRelaxed() {
    return formats::readTicksRelaxed(g_hot.clockKind);
}

}  // namespace vramscope::collector
