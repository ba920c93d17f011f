// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/recorder/identity_tables.h"
#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Writes the row of `digest_changes` for a DigestChange record. The buffer is named by its address and the
/// moment it became live, since the record may come after its end.
void addDigestChange(ProcessScope& scope, IdentityTables& identities, const ResolvedCall& call);

/// A note of how many buffers and launches were watched in the process of `header`, if any were.
void noteWatching(CaptureSink& sink, const formats::ArenaHeader& header, std::int64_t processId,
                  std::uint64_t nowTicks);

}  // namespace vramscope::collector
