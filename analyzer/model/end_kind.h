// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace vramscope::model {

/// How a buffer or an object ended. Only Freed and Unmapped are the program's own doing for that one thing.
enum class EndKind : unsigned char { Live, Freed, ContextDestroyed, Unmapped, ProcessEnded };

/// From the capture's word; an object's "destroyed" is Freed, and a word we do not know counts as Freed,
/// since that can only hide a finding and never invent one.
inline EndKind endKindFromName(std::string_view word) {
    if (word.empty()) return EndKind::Live;
    if (word == "context-destroyed") return EndKind::ContextDestroyed;
    if (word == "unmapped") return EndKind::Unmapped;
    if (word == "process-ended") return EndKind::ProcessEnded;
    return EndKind::Freed;
}

/// Words for a table or a dump.
inline std::string_view name(EndKind kind) {
    switch (kind) {
        case EndKind::Live:
            return "live";
        case EndKind::Freed:
            return "freed";
        case EndKind::ContextDestroyed:
            return "context-destroyed";
        case EndKind::Unmapped:
            return "unmapped";
        case EndKind::ProcessEnded:
            return "process-ended";
    }
    return "unknown";
}

}  // namespace vramscope::model
