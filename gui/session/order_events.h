// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/session/buffer_store.h"

namespace vramscope::gui {

/// Fills `events` and `lastNs` of a store whose columns are there, with up to `threads` threads. Not whole
/// when cancelled.
void orderEvents(BufferStore& store, int threads, const Cancel& cancel);

}  // namespace vramscope::gui
