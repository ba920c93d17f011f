// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vramscope::collector {

/// An id as a column takes it: 0 stands for none.
constexpr std::optional<std::int64_t> orNull(std::int64_t id) {
    return id != 0 ? std::optional(id) : std::nullopt;
}
/// A text as a column takes it: an empty one stands for none.
constexpr std::optional<std::string_view> orNull(std::string_view text) {
    return !text.empty() ? std::optional(text) : std::nullopt;
}

}  // namespace vramscope::collector
