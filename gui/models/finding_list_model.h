// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractListModel>
#include <memory>
#include <set>

#include "gui/models/stack_index.h"
#include "gui/session/analysis.h"
#include "gui/session/sidecar.h"

namespace vramscope::gui {

/// The findings of a capture: problems first, suppressed ones last; what made another possible right below
/// that.
class FindingListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role {
        FingerprintRole = Qt::UserRole,
        IsProblemRole,
        IsProvenRole,
        IsSuppressedRole,
        HeadlineRole,
        BytesRole,
        IsBelowRole  ///< belongs to the row above, which came of it
    };

    /// `sidecar` outlives the model.
    explicit FindingListModel(const Sidecar& sidecar, QObject* parent = nullptr);

    /// With `stacks` the place where to look stands behind each headline.
    void setAnalysis(std::shared_ptr<const Analysis> analysis,
                     std::shared_ptr<const StackIndex> stacks = nullptr);
    const detectors::Finding* findingAt(int row) const;
    /// Row of a finding, or -1.
    int rowOf(const QString& fingerprint) const;
    int problemCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    void renew();
    QString headlineOf(const detectors::Finding& finding) const;
    bool isSuppressed(const detectors::Finding& finding) const;

    const Sidecar& m_sidecar;
    std::shared_ptr<const Analysis> m_analysis;
    std::shared_ptr<const StackIndex> m_stacks;
    std::vector<const detectors::Finding*> m_rows;
    std::set<const detectors::Finding*> m_below;  ///< right below the finding that came of it
};

}  // namespace vramscope::gui
