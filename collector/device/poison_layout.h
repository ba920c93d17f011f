// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::device {

/// What new and freed memory is filled with: in each 16 bits 0x7FF7, which is no number as half precision,
/// bfloat16, float and double, 2,146,926,583 as an int.
inline constexpr unsigned long long kPoisonWord = 0x7FF7'7FF7'7FF7'7FF7ull;

}  // namespace vramscope::device
