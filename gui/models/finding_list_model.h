// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractListModel>
#include <memory>

#include "gui/session/analysis.h"
#include "gui/session/sidecar.h"

namespace vramscope::gui {

/// The findings of a capture: problems first, suppressed ones last.
class FindingListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role {
        FingerprintRole = Qt::UserRole,
        IsProblemRole,
        IsProvenRole,
        IsSuppressedRole,
        HeadlineRole,
        BytesRole
    };

    /// `sidecar` outlives the model.
    explicit FindingListModel(const Sidecar& sidecar, QObject* parent = nullptr);

    void setAnalysis(std::shared_ptr<const Analysis> analysis);
    const detectors::Finding* findingAt(int row) const;
    /// Row of a finding, or -1.
    int rowOf(const QString& fingerprint) const;
    int problemCount() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    void renew();
    bool isSuppressed(const detectors::Finding& finding) const;

    const Sidecar& m_sidecar;
    std::shared_ptr<const Analysis> m_analysis;
    std::vector<const detectors::Finding*> m_rows;
};

}  // namespace vramscope::gui
