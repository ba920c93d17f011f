// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// Reserves a record that ends in text and copies the text in; a text longer than a record can hold is cut
/// and counted. `first` and `second` are joined with a newline when `second` is not null. Sets
/// header.slotCount; the caller fills in the rest of the first slot (and its text length from `textBytes`)
/// and publishes `header.slotCount` slots.
formats::Record* reserveText(ThreadState& thread, const char* first, const char* second,
                             std::uint32_t& textBytes);

}  // namespace vramscope::collector
