// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gui/models/grouping.h"
#include "gui/session/preview.h"

namespace vramscope::gui {

/// Live bytes of each group.
struct GroupBytes {
    std::array<std::int64_t, kMostGroups> bytes{};
    std::int64_t total = 0;
};

/// Live bytes of groups over the whole run, in steps that get coarser by fours, so that any part of it is
/// drawn by looking at about as many steps as there are pixels. A step holds its groups at the moment at
/// which their sum was largest: a spike is seen at every zoom, and what it consists of is true. Below the
/// finest steps the events themselves are walked. Immutable; any thread may read it.
class LiveSeries {
public:
    LiveSeries() = default;
    /// From the buffers.
    static LiveSeries build(std::shared_ptr<const BufferStore> store,
                            std::shared_ptr<const Grouping> grouping, std::int64_t endNs,
                            const Cancel& cancel);
    /// From what the recorder left, a group a kind; no finer than its steps.
    static LiveSeries fromPreview(const Preview& preview);

    bool isEmpty() const { return m_levels.empty(); }
    std::size_t groupCount() const { return m_groupCount; }
    /// For each of `count` equal parts of the range, the groups when their sum was largest in it.
    std::vector<GroupBytes> columns(TimeRange range, int count) const;
    /// The groups right after everything that happened at a moment.
    GroupBytes at(std::int64_t timeNs) const;
    std::int64_t largestTotal() const;

private:
    struct Level {
        std::int64_t stepNs = 1;
        std::vector<GroupBytes> steps;
    };
    void addCoarserLevels();
    void apply(std::uint32_t event, GroupBytes& state) const;
    GroupBytes stateBefore(std::int64_t timeNs, std::size_t& nextEvent) const;
    std::vector<GroupBytes> exactColumns(TimeRange range, int count) const;

    std::shared_ptr<const BufferStore> m_store;  // null: only the steps are known
    std::shared_ptr<const Grouping> m_grouping;
    std::size_t m_groupCount = 0;
    std::vector<Level> m_levels;        // finest first
    std::vector<GroupBytes> m_atStart;  // the groups as each finest step begins
};

}  // namespace vramscope::gui
