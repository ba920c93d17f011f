// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/live_timeline.h"

#include <algorithm>

namespace vramscope::model {
namespace {

struct Change {
    std::int64_t timeNs;
    std::int64_t bytes;
};

bool wanted(DeviceId device, ProcessId process, DeviceId rowDevice, ProcessId rowProcess) {
    return (device.isNone() || device == rowDevice) && (process.isNone() || process == rowProcess);
}

std::vector<Change> changesOf(const Capture& capture, DeviceId device, ProcessId process) {
    std::vector<Change> changes;
    const auto add = [&](std::int64_t fromNs, std::int64_t toNs, std::int64_t bytes) {
        if (fromNs == kNever || bytes == 0 || toNs <= fromNs) return;
        changes.push_back({fromNs, bytes});
        if (toNs != kNever) changes.push_back({toNs, -bytes});
    };
    for (const Buffer& b : capture.buffers) {
        if (wanted(device, process, b.deviceId, b.processId) && countsAsLive(capture, b)) {
            add(b.allocNs, b.freeNs, b.sizeBytes);
        }
    }
    for (const VmmHandle& h : capture.vmmHandles) {
        if (!h.deviceId.isNone() && wanted(device, process, h.deviceId, h.processId)) {
            add(h.createNs, h.endNs, h.sizeBytes);
        }
    }
    return changes;
}

}  // namespace

bool countsAsLive(const Capture& capture, const Buffer& buffer) {
    if (!isOwnDeviceMemory(buffer.kind)) return false;
    return buffer.kind != BufferKind::Vmm || !capture.vmmHandles.find(buffer.handleId);
}

LiveTimeline::LiveTimeline(const Capture& capture, DeviceId device, ProcessId process) {
    std::vector<Change> changes = changesOf(capture, device, process);
    // A free and an allocation at one moment: the free first, or the peak would count both.
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
        return a.timeNs != b.timeNs ? a.timeNs < b.timeNs : a.bytes < b.bytes;
    });
    std::int64_t live = 0;
    for (const Change& change : changes) {
        live = addClamped(live, change.bytes);
        if (!m_points.empty() && m_points.back().timeNs == change.timeNs)
            m_points.back().liveBytes = live;
        else
            m_points.push_back({change.timeNs, live});
    }
    for (const Point& point : m_points) {
        if (point.liveBytes > m_peak.liveBytes) m_peak = point;
    }
}

std::int64_t LiveTimeline::liveBytesAt(std::int64_t timeNs) const {
    const auto after =
        std::upper_bound(m_points.begin(), m_points.end(), timeNs,
                         [](std::int64_t time, const Point& point) { return time < point.timeNs; });
    return after == m_points.begin() ? 0 : std::prev(after)->liveBytes;
}

}  // namespace vramscope::model
