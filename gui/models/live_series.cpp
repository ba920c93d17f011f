// SPDX-License-Identifier: Apache-2.0
#include "gui/models/live_series.h"

#include <algorithm>

namespace vramscope::gui {
namespace {

constexpr std::int64_t kMostSteps = 1 << 15;
constexpr std::size_t kFactor = 4;

}  // namespace

void LiveSeries::apply(std::uint32_t event, GroupBytes& state) const {
    const Row row = event >> 1U;
    const std::uint8_t group = m_grouping->groupOfRow[row];
    if (group == kNoGroup) return;
    const std::int64_t change = (event & 1U) ? -m_store->sizeBytes[row] : m_store->sizeBytes[row];
    state.bytes[group] += change;
    state.total += change;
}

LiveSeries LiveSeries::build(std::shared_ptr<const BufferStore> store,
                             std::shared_ptr<const Grouping> grouping, std::int64_t endNs,
                             const Cancel& cancel) {
    LiveSeries series;
    series.m_store = std::move(store);
    series.m_grouping = std::move(grouping);
    series.m_groupCount = series.m_grouping->labels.size();
    Level finest;
    finest.stepNs = std::max<std::int64_t>(1, endNs / kMostSteps + 1);
    const auto count = static_cast<std::size_t>(endNs / finest.stepNs + 1);
    finest.steps.reserve(count);
    series.m_atStart.reserve(count);
    const std::vector<std::uint32_t>& events = series.m_store->events;
    GroupBytes state;
    std::size_t next = 0;
    for (std::size_t step = 0; step < count; ++step) {
        if (step % 1024 == 0 && cancel.isRequested()) return {};
        const std::int64_t stepEnd = static_cast<std::int64_t>(step + 1) * finest.stepNs;
        series.m_atStart.push_back(state);
        GroupBytes most = state;
        while (next < events.size() && series.m_store->timeOfEvent(events[next]) < stepEnd) {
            series.apply(events[next++], state);
            if (state.total > most.total) most = state;
        }
        finest.steps.push_back(most);
    }
    series.m_levels.push_back(std::move(finest));
    series.addCoarserLevels();
    return series;
}

LiveSeries LiveSeries::fromPreview(const Preview& preview) {
    LiveSeries series;
    if (preview.stepCount == 0) return series;
    series.m_groupCount = std::min(preview.series.size(), kMostGroups);
    Level finest{preview.stepNs, std::vector<GroupBytes>(preview.stepCount)};
    for (std::size_t group = 0; group < series.m_groupCount; ++group) {
        for (std::size_t step = 0; step < preview.stepCount; ++step) {
            const std::int64_t bytes = preview.series[group].maxBytes[step];
            finest.steps[step].bytes[group] = bytes;
            finest.steps[step].total += bytes;
        }
    }
    series.m_levels.push_back(std::move(finest));
    series.addCoarserLevels();
    return series;
}

void LiveSeries::addCoarserLevels() {
    while (m_levels.back().steps.size() > kFactor) {
        const Level& fine = m_levels.back();
        Level coarse{fine.stepNs * static_cast<std::int64_t>(kFactor), {}};
        for (std::size_t first = 0; first < fine.steps.size(); first += kFactor) {
            GroupBytes most = fine.steps[first];
            for (std::size_t i = first + 1; i < std::min(first + kFactor, fine.steps.size()); ++i) {
                if (fine.steps[i].total > most.total) most = fine.steps[i];
            }
            coarse.steps.push_back(most);
        }
        m_levels.push_back(std::move(coarse));
    }
}

std::vector<GroupBytes> LiveSeries::columns(TimeRange range, int count) const {
    std::vector<GroupBytes> columns(static_cast<std::size_t>(std::max(count, 0)));
    if (m_levels.empty() || range.isEmpty() || count <= 0) return columns;
    const double partNs = static_cast<double>(range.lengthNs()) / count;
    if (m_store && partNs < static_cast<double>(m_levels.front().stepNs)) return exactColumns(range, count);
    const Level* level = &m_levels.front();
    for (const Level& candidate : m_levels) {
        if (static_cast<double>(candidate.stepNs) <= partNs) level = &candidate;
    }
    const auto last = static_cast<std::int64_t>(level->steps.size()) - 1;
    for (int i = 0; i < count; ++i) {
        const auto from = range.fromNs + static_cast<std::int64_t>(partNs * i);
        const auto to = std::max(from + 1, range.fromNs + static_cast<std::int64_t>(partNs * (i + 1)));
        const std::int64_t first = std::clamp<std::int64_t>(from / level->stepNs, 0, last);
        const std::int64_t end = std::clamp<std::int64_t>((to - 1) / level->stepNs, first, last);
        if (from > (last + 1) * level->stepNs) break;
        const GroupBytes* most = &level->steps[static_cast<std::size_t>(first)];
        for (std::int64_t step = first + 1; step <= end; ++step) {
            const GroupBytes& other = level->steps[static_cast<std::size_t>(step)];
            if (other.total > most->total) most = &other;
        }
        columns[static_cast<std::size_t>(i)] = *most;
    }
    return columns;
}

GroupBytes LiveSeries::stateBefore(std::int64_t timeNs, std::size_t& nextEvent) const {
    const Level& finest = m_levels.front();
    const auto step = static_cast<std::size_t>(
        std::clamp<std::int64_t>(timeNs / finest.stepNs, 0, static_cast<std::int64_t>(m_atStart.size()) - 1));
    GroupBytes state = m_atStart[step];
    nextEvent = m_store->firstEventAt(static_cast<std::int64_t>(step) * finest.stepNs);
    const std::vector<std::uint32_t>& events = m_store->events;
    while (nextEvent < events.size() && m_store->timeOfEvent(events[nextEvent]) < timeNs)
        apply(events[nextEvent++], state);
    return state;
}

std::vector<GroupBytes> LiveSeries::exactColumns(TimeRange range, int count) const {
    std::vector<GroupBytes> columns(static_cast<std::size_t>(count));
    std::size_t next = 0;
    GroupBytes state = stateBefore(range.fromNs, next);
    const double partNs = static_cast<double>(range.lengthNs()) / count;
    for (int i = 0; i < count; ++i) {
        const auto end = range.fromNs + static_cast<std::int64_t>(partNs * (i + 1));
        GroupBytes most = state;
        while (next < m_store->events.size() && m_store->timeOfEvent(m_store->events[next]) < end) {
            apply(m_store->events[next++], state);
            if (state.total > most.total) most = state;
        }
        columns[static_cast<std::size_t>(i)] = most;
    }
    return columns;
}

GroupBytes LiveSeries::at(std::int64_t timeNs) const {
    if (m_levels.empty()) return {};
    if (m_store) {
        std::size_t next = 0;
        return stateBefore(timeNs + 1, next);
    }
    const Level& finest = m_levels.front();
    const auto step = std::clamp<std::int64_t>(timeNs / finest.stepNs, 0,
                                               static_cast<std::int64_t>(finest.steps.size()) - 1);
    return finest.steps[static_cast<std::size_t>(step)];
}

std::int64_t LiveSeries::largestTotal() const {
    if (m_levels.empty()) return 0;
    std::int64_t largest = 0;
    for (const GroupBytes& step : m_levels.back().steps)
        largest = std::max(largest, step.total);
    return largest;
}

}  // namespace vramscope::gui
