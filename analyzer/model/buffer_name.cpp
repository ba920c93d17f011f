// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/buffer_name.h"

#include <fmt/format.h>

namespace vramscope::model {

std::string idText(const Buffer& buffer) {
    return fmt::format("b{:x}.{}", static_cast<std::uint64_t>(buffer.address), buffer.generation);
}

std::string_view givenName(const Capture& capture, const Buffer& buffer, std::int64_t offset,
                           std::int64_t timeNs) {
    std::string_view name;
    for (const SubBuffer& piece : capture.subBuffers) {
        if (piece.startNs > timeNs) break;
        const bool holds = piece.bufferId == buffer.id && piece.offset <= offset &&
                           offset < piece.offset + piece.sizeBytes && timeNs < piece.endNs;
        if (holds && !piece.name.empty()) name = piece.name;
    }
    return name;
}

std::string namedText(const Capture& capture, const Buffer& buffer, std::int64_t offset,
                      std::int64_t timeNs) {
    const std::string_view name = givenName(capture, buffer, offset, timeNs);
    return name.empty() ? idText(buffer) : fmt::format("{} \"{}\"", idText(buffer), name);
}

}  // namespace vramscope::model
