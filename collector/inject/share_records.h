// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// Writes a Share record about `subject`, for which the calling process gave or took the handle whose `size`
/// bytes are at `bytes`. Nothing for a call that failed.
void writeBytesShare(Call& call, formats::ShareKind kind, std::uint64_t subject, const void* bytes,
                     std::size_t size);

/// The same for a shareable handle of `type`. `handle` is the call's parameter: of a call that gives
/// (`isGiven`) where it wrote the handle, of one that takes the handle itself or, for a fabric handle, where
/// it is. Of a call that succeeded.
void writeShareableHandle(Call& call, formats::ShareKind kind, std::uint64_t subject,
                          CUmemAllocationHandleType type, const void* handle, bool isGiven);

}  // namespace vramscope::collector
