// SPDX-License-Identifier: Apache-2.0
#include "gui/session/analysis.h"

#include <algorithm>
#include <charconv>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/capture_loader.h"
#include "analyzer/model/live_timeline.h"
#include "formats/capture_file.h"

namespace vramscope::gui {

const detectors::Finding* Analysis::find(std::string_view fingerprint) const {
    const auto at = std::find_if(findings.begin(), findings.end(), [&](const detectors::Finding& finding) {
        return finding.fingerprint == fingerprint;
    });
    return at == findings.end() ? nullptr : &*at;
}

const detectors::Finding* Analysis::named(std::string_view word) const {
    constexpr std::size_t kLeastDigits = 4;
    if (const detectors::Finding* whole = find(word)) return whole;
    std::size_t number = 0;
    if (word.size() > 1 && word.front() == 'F')
        std::from_chars(word.data() + 1, word.data() + word.size(), number);
    const detectors::Finding* found = nullptr;
    for (const detectors::Finding& finding : findings) {
        if (number > 0 && isProblem(finding.findingClass) && --number == 0) return &finding;
        if (word.size() < kLeastDigits || !finding.fingerprint.starts_with(word)) continue;
        if (found) return nullptr;
        found = &finding;
    }
    return found;
}

StatusOr<std::shared_ptr<const Analysis>> analyse(const std::filesystem::path& path, const Cancel& cancel) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection, formats::openCaptureForReading(path, 0));
    connection.setInterruptCheck([&cancel] { return cancel.isRequested(); }, 100'000);
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto capture, model::loadCapture(connection, path));
    auto analysis = std::make_shared<Analysis>();
    analysis->completeness = model::completenessOf(*capture);
    analysis->findings = detectors::detectAll(*capture);
    analysis->ledgers = model::ledgersAtPeak(*capture);
    const model::LiveTimeline::Point peak = model::LiveTimeline(*capture).peak();
    analysis->peakNs = peak.timeNs;
    analysis->peakBytes = peak.liveBytes;
    for (const model::SplitBy split : {model::SplitBy::Process, model::SplitBy::Task, model::SplitBy::Library,
                                       model::SplitBy::Kind, model::SplitBy::Stack}) {
        analysis->peakShares[split] = model::liveShares(*capture, peak.timeNs, split);
    }
    analysis->heldAtEnd = model::sharesHeldAtEnd(*capture, model::SplitBy::Stack);
    for (std::size_t i = 0; i < analysis->findings.size(); ++i) {
        for (const model::BufferId buffer : analysis->findings[i].buffers)
            analysis->findingOfBuffer.emplace(buffer.value, i);
    }
    analysis->hasSteps = std::any_of(capture->phases.begin(), capture->phases.end(),
                                     [](const model::Phase& phase) { return phase.kind == "step"; });
    if (capture->buffers.size() <= kMostBuffersHeld) {
        model::LibraryCache libraries(*capture);
        const detectors::SharingFilter nothingAllowed;
        analysis->foreignWrites = detectors::foreignWrites(
            {*capture, analysis->completeness, libraries, analysis->findings, nothingAllowed});
        analysis->capture = capture;
    }
    return std::shared_ptr<const Analysis>(std::move(analysis));
}

}  // namespace vramscope::gui
