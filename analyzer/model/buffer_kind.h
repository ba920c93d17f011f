// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "formats/buffer_kind.h"

namespace vramscope::model {

using formats::BufferKind;
using formats::bufferKindFromName;

/// The kind as a person says it: "pinned host memory", "array".
std::string_view description(BufferKind kind);

/// True when its bytes lie on the device and belong to the process (not host memory, not a neighbour's
/// bytes).
bool isOwnDeviceMemory(BufferKind kind);
/// True for host memory that the driver pinned or registered.
bool isPinnedHostMemory(BufferKind kind);

}  // namespace vramscope::model
