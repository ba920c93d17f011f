// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::collector {

/// Tells for each import of a recorded session which process's handle it opened: by the bytes that both were
/// given; else, for file descriptors that were closed before anybody could compare them, by size and order,
/// which is a guess and marked as one. Imports that are told already are left alone.
Status linkShares(formats::Connection& capture);

}  // namespace vramscope::collector
