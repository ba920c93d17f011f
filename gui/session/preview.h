// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/model/buffer_kind.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::gui {

/// What can be shown of a capture at once, whatever its size: its facts and the coarse timeline that the
/// recorder left in live_levels.
struct Preview {
    /// Live bytes of one kind of buffer, all processes together, step by step.
    struct Series {
        model::BufferKind kind = model::BufferKind::Unknown;
        std::vector<std::int64_t> maxBytes;
    };

    /// A part of the run of which something is missing.
    struct Gap {
        std::int64_t fromNs = 0;
        std::int64_t toNs = 0;
        std::int64_t eventCount = 0;
        std::string reason;          ///< as the table drops has it; "window" for what --keep let go
        bool touchesMemory = false;  ///< allocations and frees may be missing, too
    };

    std::filesystem::path path;
    std::uintmax_t fileBytes = 0;
    std::map<std::string, std::string> meta;
    std::string deviceNames;  ///< "NVIDIA H200, NVIDIA H200"
    std::int64_t deviceBytes = 0;
    std::int64_t stepNs = 0;  ///< width of a step; 0 when the capture has no levels
    std::size_t stepCount = 0;
    std::vector<Series> series;  ///< device memory only
    std::int64_t endNs = 0;
    std::vector<Gap> gaps;

    /// A fact of the table meta, or "".
    std::string fact(const std::string& key) const;
};

/// Opens the capture and reads its preview. Unreadable as formats::openCaptureForReading(), to which
/// `wholeCheckBytes` goes.
StatusOr<std::shared_ptr<const Preview>> loadPreview(const std::filesystem::path& path,
                                                     std::uint64_t wholeCheckBytes = 64U << 20);

}  // namespace vramscope::gui
