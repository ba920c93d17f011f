// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vramscope::model {

/// Where the rows of a copy or set lie, as offsets from its first byte. One row for one without a pitch.
struct AccessRows {
    std::int64_t count = 1;  ///< of a slice
    std::int64_t pitch = 0;  ///< bytes from row to row
    std::int64_t slices = 1;
    std::int64_t slicePitch = 0;  ///< bytes from slice to slice

    bool isOne() const { return count == 1 && slices == 1; }
    std::int64_t offsetOf(std::int64_t slice, std::int64_t row) const {
        return slice * slicePitch + row * pitch;
    }
    std::int64_t lastOffset() const { return offsetOf(slices - 1, count - 1); }
    /// Whether a row of `widthBytes` lies over a byte of [begin, end), counted from the first row.
    bool touch(std::int64_t widthBytes, std::int64_t begin, std::int64_t end) const;
};

/// As a call names them; rows that lie side by side are joined, and `widthBytes` grows with them. Rows with
/// no pitch, as of arrays, and more of them than a buffer can hold are cut to the first.
AccessRows rowsOf(std::int64_t& widthBytes, const AccessRows& named);

}  // namespace vramscope::model
