// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/access_rows.h"

#include <algorithm>

#include "analyzer/model/access.h"

namespace vramscope::model {
namespace {

/// No buffer is larger, and no sum of two such numbers overflows.
constexpr std::int64_t kLargestSpan = std::int64_t{1} << 50;
/// Each is looked at by itself.
constexpr std::int64_t kMostSlices = 65'536;

/// Whether `count` pieces that are `pitch` apart stay below the largest span.
bool isBounded(std::int64_t count, std::int64_t pitch) {
    return count >= 1 && pitch >= 0 && pitch <= kLargestSpan && (pitch == 0 || count <= kLargestSpan / pitch);
}

}  // namespace

bool AccessRows::touch(std::int64_t widthBytes, std::int64_t begin, std::int64_t end) const {
    if (begin >= end) return false;
    for (std::int64_t slice = 0; slice < slices; ++slice) {
        const std::int64_t first = slice * slicePitch;
        if (first >= end) return false;
        // The first row that does not end before the range.
        const std::int64_t before = begin - first - widthBytes;
        std::int64_t row = 0;
        if (before >= 0) row = pitch > 0 ? before / pitch + 1 : count;
        if (row < count && first + row * pitch < end) return true;
    }
    return false;
}

AccessRows rowsOf(std::int64_t& widthBytes, const AccessRows& named) {
    const bool isOdd = widthBytes <= 0 || named.count < 1 || named.slices < 1 || named.slices > kMostSlices ||
                       !isBounded(named.count, named.pitch) || !isBounded(named.slices, named.slicePitch) ||
                       (named.count > 1 && named.pitch < widthBytes) ||
                       (named.slices > 1 && named.slicePitch < named.pitch * (named.count - 1) + widthBytes);
    if (isOdd) return {};
    AccessRows rows = named;
    if (rows.count > 1 && rows.pitch == widthBytes) {
        widthBytes *= rows.count;
        rows.count = 1;
    }
    if (rows.count == 1) {
        rows.count = rows.slices;
        rows.pitch = rows.slicePitch;
        rows.slices = 1;
    }
    if (rows.slices == 1) rows.slicePitch = 0;
    if (rows.count > 1 && rows.pitch == widthBytes) {
        widthBytes *= rows.count;
        rows.count = 1;
    }
    if (rows.count == 1) rows.pitch = 0;
    return rows;
}

bool Access::touches(std::int64_t begin, std::int64_t end) const {
    return rows.touch(sizeBytes, begin - offset, end - offset);
}

}  // namespace vramscope::model
