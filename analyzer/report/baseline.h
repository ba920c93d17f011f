// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/model/capture.h"
#include "formats/status.h"

namespace vramscope::report {

/// Findings that a project knows and lives with: a text file with one fingerprint a line and a comment behind
/// it, made to be read in a code review.
class Baseline {
public:
    /// No file: nothing is known.
    Baseline() = default;
    /// Unreadable when it cannot be read or a line holds no fingerprint; the sentence names the line.
    static StatusOr<Baseline> load(const std::filesystem::path& path);

    bool isLoaded() const { return m_isLoaded; }
    /// The file's name without its folder.
    const std::string& name() const { return m_name; }
    /// The line that knows `fingerprint`.
    std::optional<std::size_t> lineOf(const std::string& fingerprint) const;

private:
    bool m_isLoaded = false;
    std::string m_name;
    std::map<std::string, std::size_t> m_lines;
};

/// The text of a baseline that knows `findings`.
std::string baselineText(const model::Capture& capture,
                         const std::vector<const detectors::Finding*>& findings);

}  // namespace vramscope::report
