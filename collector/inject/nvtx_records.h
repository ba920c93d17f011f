// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/nvtx_names.h"
#include "formats/record.h"

namespace vramscope::collector::nvtx {

/// Records the beginning of a range, or a mark. `domain` null is the default one; `handle` as
/// formats::TextPayload says for phases. Only while isRecording(), as with the functions below.
void recordPhase(formats::PhaseKind kind, std::uint64_t handle, const Name* domain, const char* message);

/// Records the end of a range: a Pop or an End, which carry no text.
void recordPhaseEnd(formats::PhaseKind kind, std::uint64_t handle);

/// Records that the job calls a thread (its id) or a stream (its handle) `name`.
void recordName(formats::NamedKind kind, std::uint64_t handle, const char* name);

}  // namespace vramscope::collector::nvtx
