// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// Which buffer an address of one process belonged to, at any moment. Arrays are left out: theirs is a
/// handle. Immutable; reads are safe from any thread. Pointers live as long as the capture.
class AddressSpace {
public:
    AddressSpace(const Capture& capture, ProcessId process);

    /// The buffer that was live at `timeNs` and holds `address`; nullptr when none was.
    const Buffer* liveAt(std::int64_t address, std::int64_t timeNs) const;
    /// The buffer beginning at `address` that died latest at or before `timeNs`; nullptr when none did.
    const Buffer* lastDeadAt(std::int64_t address, std::int64_t timeNs) const;
    /// Everything live at `timeNs`, by address.
    std::vector<const Buffer*> allLiveAt(std::int64_t timeNs) const;

private:
    std::vector<const Buffer*> m_byAddress;  // by address as unsigned, then by the time of allocation
    std::int64_t m_largestBytes = 0;
};

}  // namespace vramscope::model
