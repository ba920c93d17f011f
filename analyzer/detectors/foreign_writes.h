// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/ownership.h"

namespace vramscope::detectors {

/// One task wrote, or may have written, what another owned and had not lent it.
struct ForeignWrite {
    const model::Access* access = nullptr;
    const model::Buffer* buffer = nullptr;  ///< the owner's; the access may have come through another mapping
    model::Owned owned;                     ///< whose, and which of the bytes
    bool isThroughAlias = false;
    bool wasUsedBefore = false;   ///< the owner had used the bytes, in a call that had returned by then
    bool wasLentBefore = false;   ///< a loan to the writer that had ended
    bool isLentReadOnly = false;  ///< lent to the writer, but not for writing
};

/// All of them, by time. Work that nobody can be named for, memory of the process itself that its tasks use,
/// and buffers whose pieces are not known are left out; where threads, streams or contexts are taken for
/// tasks only writes into what the owner alone had written before are kept.
std::vector<ForeignWrite> foreignWrites(const Evidence& evidence);

}  // namespace vramscope::detectors
