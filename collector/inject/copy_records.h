// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// Writes a Copy record; `layout` may be null for a plain range. `detail` holds kCopy bits but
/// kCopyHasLayout, which is added.
void writeCopy(Call& call, std::uint8_t detail, const formats::CopyPayload& payload,
               const formats::CopyLayout* layout);

// One for each shape of copy, in decode_copy_shapes.cpp.
void registerShapedCopyCalls();

}  // namespace vramscope::collector
