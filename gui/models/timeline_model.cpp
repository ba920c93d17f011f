// SPDX-License-Identifier: Apache-2.0
#include "gui/models/timeline_model.h"

#include <algorithm>
#include <map>

#include "gui/models/lane_fold.h"
#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

std::vector<Reading> reportedOn(const model::Capture& facts, model::DeviceId device) {
    std::vector<Reading> readings;
    for (const model::MemorySample& sample : facts.memorySamples) {
        if (sample.deviceId == device)
            readings.push_back({sample.timeNs, sample.jobBytes.value_or(sample.usedBytes)});
    }
    return readings;
}

bool isReportedOfJob(const model::Capture& facts, model::DeviceId device) {
    return std::all_of(facts.memorySamples.begin(), facts.memorySamples.end(),
                       [&](const model::MemorySample& sample) {
                           return sample.deviceId != device || sample.jobBytes.has_value();
                       });
}

std::vector<Reading> reservedOn(const model::Capture& facts, model::DeviceId device) {
    std::vector<Reading> readings;
    std::map<model::PoolId, std::int64_t> latest;
    std::int64_t sum = 0;
    for (const model::PoolSample& sample : facts.poolSamples) {
        const model::Pool* pool = facts.pools.find(sample.poolId);
        if (!pool || pool->deviceId != device) continue;
        sum += sample.reservedBytes - latest[sample.poolId];
        latest[sample.poolId] = sample.reservedBytes;
        readings.push_back({sample.timeNs, sum});
    }
    return readings;
}

std::vector<model::DeviceId> devicesOf(const BufferFilter::Sources& sources, const Selection& selection) {
    if (!selection.device.isNone()) return {selection.device};
    std::vector<model::DeviceId> devices;
    const BufferStore& store = *sources.store;
    std::map<std::int16_t, std::int64_t> bytes;
    for (Row row = 0; row < store.rowCount(); ++row) {
        if (store.countsAsLive[row]) bytes[store.device[row]] += 1;
    }
    for (const auto& [device, count] : bytes)
        devices.push_back({device});
    if (devices.empty()) {
        for (const model::Device& device : sources.stacks->facts().devices)
            devices.push_back(device.id);
    }
    return devices;
}

TimelineLane laneOf(const BufferFilter::Sources& sources, const BufferFilter& filter, GroupBy by,
                    model::DeviceId device, std::int64_t endNs, const Cancel& cancel) {
    TimelineLane lane;
    lane.device = device;
    const model::Capture& facts = sources.stacks->facts();
    const model::Device* found = facts.devices.find(device);
    lane.title = found ? TimelineModel::tr("GPU %1  %2").arg(device.value).arg(toText(found->name))
                       : TimelineModel::tr("no device named");
    lane.capacityBytes = found ? found->totalBytes : 0;
    // With no number a lane would take all devices together.
    lane.grouping = std::make_shared<const Grouping>(groupRows(sources, filter, by, device, cancel));
    lane.labels = lane.grouping->labels;
    lane.filters = lane.grouping->filters;
    lane.peakBytes = lane.grouping->peakBytes;
    lane.peakNs = lane.grouping->peakNs;
    lane.series = LiveSeries::build(sources.store, lane.grouping, endNs, cancel);
    lane.reported = reportedOn(facts, device);
    lane.isReportedOfJob = isReportedOfJob(facts, device);
    lane.reserved = reservedOn(facts, device);
    return lane;
}

/// "GPU 3, the median of 6 (0, 1, 3, 4, 5, 7)  18.0 to 18.4 GiB at most".
QString foldedTitle(const TimelineLane& lane, const Fold& fold) {
    QStringList numbers;
    for (const model::DeviceId device : lane.folded)
        numbers << QString::number(device.value);
    return TimelineModel::tr("GPU %1, the median of %2 (%3), which have %4 to %5 at most")
        .arg(lane.device.value)
        .arg(lane.folded.size())
        .arg(numbers.join(QStringLiteral(", ")), bytesText(fold.leastBytes), bytesText(fold.mostBytes));
}

std::vector<TimelineLane> lanesOf(const BufferFilter::Sources& sources, const BufferFilter& filter,
                                  GroupBy by, const std::vector<model::DeviceId>& devices, std::int64_t endNs,
                                  const Cancel& cancel) {
    Fold fold;
    if (devices.size() <= kMostDevicesApart)
        fold = foldByPeak(std::vector<std::int64_t>(devices.size()), kMostDevicesApart);
    else
        fold = foldByPeak(devicePeaks(sources, filter, devices, cancel), kMostDevicesApart);
    std::vector<TimelineLane> lanes;
    for (const std::size_t position : fold.apart)
        lanes.push_back(laneOf(sources, filter, by, devices[position], endNs, cancel));
    if (fold.folded.empty()) return lanes;
    TimelineLane lane = laneOf(sources, filter, by, devices[fold.median], endNs, cancel);
    for (const std::size_t position : fold.folded)
        lane.folded.push_back(devices[position]);
    lane.spread = DeviceSpread(sources, filter, lane.folded, endNs, cancel);
    lane.peakBytes = std::max(lane.peakBytes, fold.mostBytes);
    lane.title = foldedTitle(lane, fold);
    lanes.push_back(std::move(lane));
    return lanes;
}

}  // namespace

std::int64_t TimelineLane::readingAt(const std::vector<Reading>& readings, std::int64_t timeNs) {
    const auto after =
        std::upper_bound(readings.begin(), readings.end(), timeNs,
                         [](std::int64_t time, const Reading& reading) { return time < reading.timeNs; });
    return after == readings.begin() ? -1 : std::prev(after)->bytes;
}

TimelineModel::TimelineModel(Workspace& workspace, QObject* parent)
    : QObject(parent), m_workspace(workspace), m_job(workspace.session().pool()) {
    connect(&workspace.session(), &Session::previewReady, this, &TimelineModel::showPreview);
    connect(&workspace, &Workspace::sourcesChanged, this, &TimelineModel::renew);
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                if (now.filter != before.filter || now.process != before.process ||
                    now.device != before.device || now.task != before.task)
                    renew();
            });
}

void TimelineModel::setGroupBy(GroupBy by) {
    if (by == m_by) return;
    m_by = by;
    renew();
}

void TimelineModel::showPreview() {
    const auto preview = m_workspace.session().preview();
    m_endNs = m_workspace.session().endNs();
    TimelineLane lane;
    lane.title = toText(preview->deviceNames);
    lane.capacityBytes = preview->deviceBytes;
    lane.series = LiveSeries::fromPreview(*preview);
    for (const Preview::Series& series : preview->series)
        lane.labels.push_back(toText(model::description(series.kind)));
    lane.labels.resize(std::min(lane.labels.size(), kMostGroups));
    lane.filters.resize(lane.labels.size());
    lane.peakBytes = lane.series.largestTotal();
    m_lanes.clear();
    m_lanes.push_back(std::move(lane));
    m_isCoarse = true;
    Q_EMIT changed();
}

void TimelineModel::collectPhases() {
    m_facts = m_workspace.session().facts();
    m_phases.clear();
    if (!m_facts) return;
    const model::ProcessId process = m_workspace.now().process;
    for (const model::Phase& phase : m_facts->phases) {
        if (process.isNone() || phase.processId == process) m_phases.push_back(&phase);
    }
    std::stable_sort(m_phases.begin(), m_phases.end(),
                     [](const model::Phase* a, const model::Phase* b) { return a->startNs < b->startNs; });
}

void TimelineModel::renew() {
    collectPhases();
    if (!m_workspace.hasBuffers()) {
        m_job.cancel();
        if (!m_workspace.session().preview()) {
            m_lanes.clear();
            m_endNs = 1;
            Q_EMIT changed();
        }
        return;
    }
    const std::int64_t endNs = m_workspace.session().endNs();
    m_job.start(
        [sources = m_workspace.sources(), filter = m_workspace.filter(), selection = m_workspace.now(),
         by = m_by, endNs](const Cancel& cancel) {
            const BufferFilter rows(sources, filter, selection);
            return lanesOf(sources, rows, by, devicesOf(sources, selection), endNs, cancel);
        },
        [this, endNs](std::vector<TimelineLane> lanes) {
            m_lanes = std::move(lanes);
            m_endNs = endNs;
            m_isCoarse = false;
            Q_EMIT changed();
        });
}

}  // namespace vramscope::gui
