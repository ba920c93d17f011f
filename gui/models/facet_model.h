// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>

#include "gui/models/facets.h"

namespace vramscope::gui {

/// Facets of the buffers that the filter lets through, as a tree: a facet, and its values under it.
class FacetModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Value, Count, Bytes, ColumnCount };

    explicit FacetModel(QThreadPool& pool, QObject* parent = nullptr);

    void setSources(const BufferFilter::Sources& sources);
    void setSelection(const Selection& selection, const ParsedFilter& filter);

    /// The value in a row, or nullptr for a facet itself or the row that counts the rest.
    const FacetValue* valueAt(const QModelIndex& index) const;
    /// All words of a value are part of the filter.
    bool isChosen(const FacetValue& value) const;
    /// The filter without the words of the value if they are chosen, else with them.
    QString toggled(const QString& filter, const FacetValue& value) const;
    bool isBusy() const { return m_job.isBusy(); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void renew();
    bool isFacet(const QModelIndex& index) const { return index.internalId() == 0; }

    BufferFilter::Sources m_sources;
    Selection m_selection;
    ParsedFilter m_filter;
    std::vector<Facet> m_facets;
    JobSlot m_job;
};

}  // namespace vramscope::gui
