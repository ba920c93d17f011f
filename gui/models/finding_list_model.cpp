// SPDX-License-Identifier: Apache-2.0
#include "gui/models/finding_list_model.h"

#include <algorithm>

#include "gui/models/related_findings.h"
#include "gui/models/text.h"

namespace vramscope::gui {

FindingListModel::FindingListModel(const Sidecar& sidecar, QObject* parent)
    : QAbstractListModel(parent), m_sidecar(sidecar) {
    connect(&sidecar, &Sidecar::changed, this, &FindingListModel::renew);
}

void FindingListModel::setAnalysis(std::shared_ptr<const Analysis> analysis,
                                   std::shared_ptr<const StackIndex> stacks) {
    m_stacks = std::move(stacks);
    m_analysis = std::move(analysis);
    renew();
}

bool FindingListModel::isSuppressed(const detectors::Finding& finding) const {
    return !m_sidecar.suppressionOf(toText(finding.fingerprint)).isEmpty();
}

void FindingListModel::renew() {
    beginResetModel();
    m_rows.clear();
    if (m_analysis) {
        for (const detectors::Finding& finding : m_analysis->findings)
            m_rows.push_back(&finding);
    }
    std::stable_sort(m_rows.begin(), m_rows.end(),
                     [this](const auto* a, const auto* b) { return !isSuppressed(*a) && isSuppressed(*b); });
    m_below.clear();
    const std::vector<const detectors::Finding*> rows = m_rows;
    for (const detectors::Finding* finding : rows) {
        const detectors::Finding* above = mainOf(*finding, *m_analysis);
        if (above == nullptr || isSuppressed(*finding) != isSuppressed(*above)) continue;
        m_below.insert(finding);
        std::erase(m_rows, finding);
        m_rows.insert(std::next(std::ranges::find(m_rows, above)), finding);
    }
    endResetModel();
}

const detectors::Finding* FindingListModel::findingAt(int row) const {
    return row >= 0 && row < rowCount() ? m_rows[static_cast<std::size_t>(row)] : nullptr;
}

int FindingListModel::rowOf(const QString& fingerprint) const {
    for (int row = 0; row < rowCount(); ++row) {
        if (toText(findingAt(row)->fingerprint) == fingerprint) return row;
    }
    return -1;
}

int FindingListModel::problemCount() const {
    return static_cast<int>(std::count_if(m_rows.begin(), m_rows.end(), [this](const auto* finding) {
        return isProblem(finding->findingClass) && !isSuppressed(*finding);
    }));
}

int FindingListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QString FindingListModel::headlineOf(const detectors::Finding& finding) const {
    QString headline = toText(finding.headline);
    // Folded ones differ; the first of them alone would look like all there is.
    if (finding.parts > 1)
        headline +=
            tr(", in all %1").arg(finding.bytes > 0 ? bytesText(finding.bytes) : countText(finding.count));
    if (m_below.contains(&finding)) headline = tr("made it possible: %1").arg(headline);
    if (!m_stacks || finding.stacks.empty() || finding.stacks.front().stack.isNone()) return headline;
    return headline + QStringLiteral("  ") + toText(m_stacks->placeOf(finding.stacks.front().stack.value));
}

QVariant FindingListModel::data(const QModelIndex& index, int role) const {
    const detectors::Finding* finding = index.isValid() ? findingAt(index.row()) : nullptr;
    if (!finding) return {};
    switch (role) {
        case Qt::DisplayRole:
            return toText(finding->rule);
        case IsBelowRole:
            return m_below.contains(finding);
        case HeadlineRole:
            return headlineOf(*finding);
        case Qt::ToolTipRole:
        case Qt::AccessibleDescriptionRole:
            return toText(finding->sentence);
        case Qt::AccessibleTextRole:
            return tr("%1, %2, %3")
                .arg(toText(finding->rule), headlineOf(*finding), toText(name(finding->confidence)));
        case FingerprintRole:
            return toText(finding->fingerprint);
        case IsProblemRole:
            return isProblem(finding->findingClass);
        case IsProvenRole:
            return finding->confidence == detectors::Confidence::Proven;
        case IsSuppressedRole:
            return isSuppressed(*finding);
        case BytesRole:
            return static_cast<qlonglong>(finding->bytes);
        default:
            return {};
    }
}

}  // namespace vramscope::gui
