// SPDX-License-Identifier: Apache-2.0
#include "gui/models/facet_model.h"

#include <QFont>
#include <algorithm>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

bool isSameTerm(const FilterTerm& a, const FilterTerm& b) {
    return a.key == b.key && a.relation == b.relation && a.isNegated == b.isNegated && a.text == b.text &&
           a.number == b.number && a.end == b.end;
}

}  // namespace

FacetModel::FacetModel(QThreadPool& pool, QObject* parent) : QAbstractItemModel(parent), m_job(pool) {}

void FacetModel::setSources(const BufferFilter::Sources& sources) {
    m_sources = sources;
    renew();
}

void FacetModel::setSelection(const Selection& selection, const ParsedFilter& filter) {
    const bool isSame = selection.process == m_selection.process && selection.device == m_selection.device &&
                        selection.task == m_selection.task && filter.terms == m_filter.terms;
    m_selection = selection;
    m_filter = filter;
    if (!isSame) renew();
}

void FacetModel::renew() {
    const auto show = [this](std::vector<Facet> facets) {
        beginResetModel();
        m_facets = std::move(facets);
        endResetModel();
    };
    if (!m_sources.store || !m_sources.stacks) {
        m_job.cancel();
        return show({});
    }
    m_job.start(
        [sources = m_sources, selection = m_selection, filter = m_filter](const Cancel& cancel) {
            return facetsOf(sources, BufferFilter(sources, filter, selection), cancel);
        },
        show);
}

const FacetValue* FacetModel::valueAt(const QModelIndex& index) const {
    if (!index.isValid() || isFacet(index)) return nullptr;
    const Facet& facet = m_facets[static_cast<std::size_t>(index.internalId() - 1)];
    const auto row = static_cast<std::size_t>(index.row());
    return row < facet.values.size() ? &facet.values[row] : nullptr;
}

bool FacetModel::isChosen(const FacetValue& value) const {
    const ParsedFilter wanted = parseFilter(value.words);
    return !wanted.terms.empty() &&
           std::all_of(wanted.terms.begin(), wanted.terms.end(), [&](const FilterTerm& term) {
               return std::any_of(m_filter.terms.begin(), m_filter.terms.end(),
                                  [&](const FilterTerm& has) { return isSameTerm(term, has); });
           });
}

QString FacetModel::toggled(const QString& filter, const FacetValue& value) const {
    if (value.words.isEmpty()) return filter;
    if (!isChosen(value)) return filterWith(filter, value.words);
    const ParsedFilter unwanted = parseFilter(value.words);
    const ParsedFilter parsed = parseFilter(filter);
    QString result = filter;
    for (auto term = parsed.terms.rbegin(); term != parsed.terms.rend(); ++term) {
        const bool isUnwanted =
            std::any_of(unwanted.terms.begin(), unwanted.terms.end(),
                        [&](const FilterTerm& other) { return isSameTerm(*term, other); });
        if (isUnwanted) result.remove(term->position, term->length);
    }
    return result.simplified();
}

QModelIndex FacetModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    // A value's number is that of its facet plus one; a facet's is none.
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : 0);
}

QModelIndex FacetModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || isFacet(child)) return {};
    return createIndex(static_cast<int>(child.internalId() - 1), 0, quintptr{0});
}

int FacetModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(m_facets.size());
    if (!isFacet(parent) || parent.column() != 0) return 0;
    const Facet& facet = m_facets[static_cast<std::size_t>(parent.row())];
    return static_cast<int>(facet.values.size()) + (facet.moreValues > 0 ? 1 : 0);
}

int FacetModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant FacetModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Value ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const FacetValue* value = valueAt(index);
    if (role == Qt::FontRole && (isFacet(index) || (value != nullptr && isChosen(*value)))) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (role == Qt::ToolTipRole && value != nullptr)
        return value->words.isEmpty() ? QVariant()
                                      : tr("%1\nClick to filter by %2").arg(value->label, value->words);
    if (role != Qt::DisplayRole) return {};
    if (isFacet(index)) {
        if (index.column() != Value) return {};
        return m_facets[static_cast<std::size_t>(index.row())].title;
    }
    if (value == nullptr) {
        const Facet& facet = m_facets[static_cast<std::size_t>(index.internalId() - 1)];
        return index.column() == Value ? tr("and %1 more").arg(countText(facet.moreValues)) : QVariant();
    }
    switch (index.column()) {
        case Value:
            return isChosen(*value) ? QStringLiteral("✓ ") + value->label : value->label;
        case Count:
            return countText(value->count);
        case Bytes:
            return bytesText(value->bytes);
        default:
            return {};
    }
}

QVariant FacetModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Value:
            return tr("Only");
        case Count:
            return tr("Buffers");
        case Bytes:
            return tr("Bytes");
        default:
            return {};
    }
}

}  // namespace vramscope::gui
