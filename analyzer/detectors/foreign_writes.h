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
    model::Owned owned;                     ///< whose, and which of the bytes; of rows those of the first
    std::int64_t bytes = 0;                 ///< of rows all that are the owner's; 0 for a launch
    bool isThroughAlias = false;
    /// Another process wrote it, through an import.
    bool isThroughImport = false;
    bool isOriginSure = true;  ///< false where whose memory was imported is a guess
    bool isDeclared = false;   ///< the program said of the buffer what is given or lent
    bool isUnordered = false;  ///< nothing orders it against a use by the owner
    /// Another thread said something of the bytes' owner while the call was under way: which came first is
    /// not known.
    bool isUnsettled = false;
    bool wasUsedBefore = false;   ///< the owner had used the bytes, in a call that had returned by then
    bool wasLentBefore = false;   ///< a loan to the writer that had ended
    bool isLentReadOnly = false;  ///< lent to the writer, but not for writing
};

/// All of them, by time. Work that nobody can be named for, memory of the process itself that its tasks use,
/// and buffers whose pieces are not known are left out; where threads, streams or contexts are taken for
/// tasks only writes are kept that nothing orders against the owner's uses, or into what the owner alone had
/// written before. Of memory that another process imported, what a library got or gave and what no task of
/// the exporter owns is left out: to export it was to share it.
std::vector<ForeignWrite> foreignWrites(const Evidence& evidence);

}  // namespace vramscope::detectors
