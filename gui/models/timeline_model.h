// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "gui/models/device_spread.h"
#include "gui/models/live_series.h"
#include "gui/models/workspace.h"

namespace vramscope::gui {

/// A value that the driver reported, from a moment on.
struct Reading {
    std::int64_t timeNs = 0;
    std::int64_t bytes = 0;
};

/// One device's memory over time.
struct TimelineLane {
    model::DeviceId device;
    QString title;
    std::int64_t capacityBytes = 0;
    LiveSeries series;
    std::shared_ptr<const Grouping> grouping;  ///< null for a lane from the preview
    std::vector<QString> labels;
    std::vector<QString> filters;
    std::vector<Reading>
        reported;  ///< NVML's number for the job, or for the device where that is all there is
    bool isReportedOfJob = false;   ///< the readings are the job's own: what is above live is unaccounted for
    std::vector<Reading> reserved;  ///< by stream-ordered pools
    /// Devices that this lane, which is that of the median, stands for; empty for a device's own lane.
    std::vector<model::DeviceId> folded;
    DeviceSpread spread;  ///< of those
    std::int64_t peakBytes = 0;
    std::int64_t peakNs = 0;

    int foldedGroup() const { return grouping ? grouping->foldedGroup : -1; }
    /// The last reading at or before a moment; -1 when there is none.
    static std::int64_t readingAt(const std::vector<Reading>& readings, std::int64_t timeNs);
};

/// What the time line shows. Begins with the coarse levels of the capture and goes over to the buffers
/// themselves when they have been read; follows the filter and scope of the selection.
class TimelineModel : public QObject {
    Q_OBJECT

public:
    explicit TimelineModel(Workspace& workspace, QObject* parent = nullptr);

    void setGroupBy(GroupBy by);
    GroupBy groupBy() const { return m_by; }
    const std::vector<TimelineLane>& lanes() const { return m_lanes; }
    std::int64_t endNs() const { return m_endNs; }
    /// Phases of the selected process, or of all, in order of their beginnings.
    const std::vector<const model::Phase*>& phases() const { return m_phases; }
    bool isBusy() const { return m_job.isBusy(); }
    /// The lanes come from the levels that the recorder left: no finer, and not filtered.
    bool isCoarse() const { return m_isCoarse; }

Q_SIGNALS:
    void changed();

private:
    void renew();
    void showPreview();
    void collectPhases();

    Workspace& m_workspace;
    GroupBy m_by = GroupBy::Library;
    std::vector<TimelineLane> m_lanes;
    std::shared_ptr<const model::Capture> m_facts;  ///< what m_phases point into
    std::vector<const model::Phase*> m_phases;
    std::int64_t m_endNs = 1;
    bool m_isCoarse = true;
    JobSlot m_job;
};

}  // namespace vramscope::gui
