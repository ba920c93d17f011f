// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/models/address_map.h"

namespace vramscope::gui {

/// Adds heaps that the program declared to `map`, with the blocks that they handed out at its moment. None
/// without an analysis that holds its capture.
void addHeaps(AddressMap& map, const BufferFilter::Sources& sources, const Selection& scope);

}  // namespace vramscope::gui
