// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/recorder/identity_tables.h"
#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Writes the row of `guard_hits` for a GuardHit record. The buffer is named by its address and the moment it
/// became live, since the record may come after its end.
void addGuardHit(ProcessScope& scope, const IdentityTables& identities, const ResolvedCall& call);

}  // namespace vramscope::collector
