// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/nvtx_names.h"
#include "formats/record.h"

namespace vramscope::collector::nvtx {

/// Records a phase with its text. `domain` null is the default one; `handle` and `level` as
/// formats::TextPayload says for phases. False when there was no room, which is counted. Only while
/// isRecording(), as with the functions below.
bool recordPhase(formats::PhaseKind kind, std::uint64_t handle, const Name* domain, const char* message,
                 std::uint64_t level);

/// Records the end of a range without text: a Pop or an End.
void recordPhaseEnd(formats::PhaseKind kind, std::uint64_t handle, std::uint64_t level);

/// Records that the job calls a thread (its id) or a stream (its handle) `name`.
void recordName(formats::NamedKind kind, std::uint64_t handle, const char* name);

}  // namespace vramscope::collector::nvtx
