// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vramscope::unwind {

/// The object at an address. Addresses are numbers here, since they come out of tables and off the stack;
/// this is the one place where a number becomes a pointer. Whether it may be read is the caller's business.
template <typename Value>
Value* pointerAt(uint64_t address) noexcept {
    return reinterpret_cast<Value*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace vramscope::unwind
