// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/capture_loader.h"

#include <algorithm>
#include <charconv>

#include "analyzer/model/load_tables.h"
#include "formats/capture_file.h"

namespace vramscope::model {
namespace {

void include(std::int64_t& latest, std::int64_t timeNs) {
    if (timeNs != kNever) latest = std::max(latest, timeNs);
}

/// The last moment that any table speaks of. The session's own end is not enough: it is missing in a capture
/// whose recorder was killed.
std::int64_t lastMoment(const Capture& capture) {
    std::int64_t latest = 0;
    const std::string_view text = capture.fact("session_end_ns");
    std::from_chars(text.data(), text.data() + text.size(), latest);
    for (const Process& p : capture.processes) {
        include(latest, p.startNs);
        include(latest, p.endNs);
    }
    for (const Buffer& b : capture.buffers) {
        include(latest, b.allocNs);
        include(latest, b.freeNs);
    }
    for (const Object& o : capture.objects) {
        include(latest, o.createNs);
        include(latest, o.destroyNs);
    }
    for (const FailedCall& f : capture.failedCalls)
        include(latest, f.exitNs);
    for (const auto& [process, activity] : capture.activity) {
        if (!activity.allNs.empty()) include(latest, activity.allNs.back());
    }
    if (!capture.memorySamples.empty()) include(latest, capture.memorySamples.back().timeNs);
    return latest;
}

Status loadLowVolume(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadMachine(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadStacks(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadMemory(connection, capture));
    return loadHealth(connection, capture);
}

}  // namespace

StatusOr<std::shared_ptr<const Capture>> loadCapture(formats::Connection& connection,
                                                     const std::filesystem::path& path) {
    auto capture = std::make_shared<Capture>();
    capture->path = path;
    VRAMSCOPE_RETURN_IF_ERROR(loadLowVolume(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadBuffers(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadGuardHits(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadDigestChanges(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadActivity(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadGraphs(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadSharing(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadCodeArrival(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadOwnership(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadSharedAccesses(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadUnwrittenReads(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadOverruns(connection, *capture));
    capture->endNs = lastMoment(*capture);
    VRAMSCOPE_RETURN_IF_ERROR(loadOrdering(connection, *capture));
    VRAMSCOPE_RETURN_IF_ERROR(sharpenOrdering(connection, *capture));
    return std::shared_ptr<const Capture>(std::move(capture));
}

StatusOr<std::shared_ptr<const Capture>> loadFacts(formats::Connection& connection,
                                                   const std::filesystem::path& path) {
    auto capture = std::make_shared<Capture>();
    capture->path = path;
    VRAMSCOPE_RETURN_IF_ERROR(loadLowVolume(connection, *capture));
    capture->endNs = lastMoment(*capture);
    return std::shared_ptr<const Capture>(std::move(capture));
}

StatusOr<std::shared_ptr<const Capture>> loadCapture(const std::filesystem::path& path) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection, formats::openCaptureForReading(path));
    return loadCapture(connection, path);
}

}  // namespace vramscope::model
