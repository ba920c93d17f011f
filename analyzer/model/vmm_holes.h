// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// A reserved address range at one moment: what is mapped in it, and the holes between mappings. What lies
/// behind the last mapping is room to grow and no hole.
struct ReservationUse {
    const Reservation* reservation = nullptr;
    std::int64_t mappedBytes = 0;
    std::int64_t holeBytes = 0;
    std::int64_t holeCount = 0;
    std::int64_t largestHoleBytes = 0;
    /// The mappings on both sides of the largest hole: unmapping the smaller makes it larger.
    std::vector<const Buffer*> pinning;
};

/// The reservations with holes at `timeNs`, the one with most bytes in holes first.
std::vector<ReservationUse> reservationsWithHolesAt(const Capture& capture, std::int64_t timeNs);

}  // namespace vramscope::model
