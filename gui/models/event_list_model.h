// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>

#include "gui/models/buffer_filter.h"
#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// Allocations and frees in order of time, those that the filter lets through.
class EventListModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, What, Name, Size, LiveAfter, Place, ColumnCount };

    explicit EventListModel(QThreadPool& pool, QObject* parent = nullptr);

    void setSources(const BufferFilter::Sources& sources);
    void setSelection(const Selection& selection, const ParsedFilter& filter);

    model::BufferId bufferAt(int row) const;
    std::int64_t timeAt(int row) const;
    /// The last row at or before a moment; -1 when there is none.
    int rowAt(std::int64_t timeNs) const;
    bool isBusy() const { return m_job.isBusy(); }
    std::int64_t hiddenCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Shown {
        bool isWhole = false;                 ///< all events of the store: then it is not copied
        std::vector<std::uint32_t> events;    ///< else those that are shown
        std::vector<std::int64_t> liveAfter;  ///< every kLiveEvery events
    };
    void renew();
    const std::vector<std::uint32_t>& events() const {
        return m_shown.isWhole ? m_sources.store->events : m_shown.events;
    }
    std::int64_t liveAfter(std::size_t position) const;

    static constexpr std::size_t kLiveEvery = 256;
    BufferFilter::Sources m_sources;
    Selection m_selection;
    ParsedFilter m_filter;
    Shown m_shown;
    JobSlot m_job;
};

}  // namespace vramscope::gui
