// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/detectors/foreign_writes.h"
#include "analyzer/model/breakdown.h"
#include "analyzer/model/completeness.h"
#include "analyzer/model/ledger.h"
#include "formats/status.h"
#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// What the analyzer says of a capture: everything that needs all of it in memory at once.
struct Analysis {
    model::Completeness completeness;
    std::vector<detectors::Finding> findings;
    std::vector<model::Ledger> ledgers;
    std::int64_t peakNs = 0;
    std::int64_t peakBytes = 0;
    std::map<model::SplitBy, std::vector<model::Share>> peakShares;
    std::vector<model::Share> heldAtEnd;  ///< by stack
    /// For a buffer of a finding: the position of the first such finding.
    std::unordered_map<std::int64_t, std::size_t> findingOfBuffer;
    bool hasSteps = false;
    /// The whole capture, kept for questions about single buffers; null for one with more than
    /// kMostBuffersHeld.
    std::shared_ptr<const model::Capture> capture;
    /// Tasks that wrote what others own; they point into `capture`, without which there are none.
    std::vector<detectors::ForeignWrite> foreignWrites;

    /// The finding with this fingerprint, or nullptr.
    const detectors::Finding* find(std::string_view fingerprint) const;
    /// The same by what a person may have copied: a whole fingerprint, its first four digits or more where no
    /// other begins so, or "F1" for the first problem, as `vramscope report` numbers them.
    const detectors::Finding* named(std::string_view word) const;
};

/// Above this many buffers the analysis is made on request only: it holds a capture in a form that takes some
/// 250 bytes a buffer while it runs.
inline constexpr std::uint64_t kMostBuffersUnasked = 2'000'000;
/// Above this many that form is let go when the analysis is made.
inline constexpr std::size_t kMostBuffersHeld = 500'000;

StatusOr<std::shared_ptr<const Analysis>> analyse(const std::filesystem::path& path, const Cancel& cancel);

}  // namespace vramscope::gui
