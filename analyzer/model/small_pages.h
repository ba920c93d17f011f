// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// The 2 MiB pages that driver allocations below 2 MiB share, at one moment. A page goes back to the driver
/// only when nothing on it lives (measured: 60,000 blocks of 1 MiB with every other one freed give nothing
/// back).
struct SmallPages {
    std::int64_t heldPageBytes = 0;  ///< pages with something live on them
    std::int64_t liveBytes = 0;      ///< bytes of the buffers that live on them
    std::int64_t strandedBytes =
        0;  ///< freed on those pages and not given back: most that was ever live less what is
    std::int64_t givenBackBytes = 0;     ///< freed on pages that emptied
    std::vector<const Buffer*> pinning;  ///< live buffers on pages with stranded bytes, by address
};

/// True for a buffer that shares its page with others.
bool sharesPage(const Buffer& buffer);

/// Counts the pages of one process on one device (or on all, with no device) at `timeNs`.
SmallPages smallPagesAt(const Capture& capture, ProcessId process, DeviceId device, std::int64_t timeNs);

}  // namespace vramscope::model
