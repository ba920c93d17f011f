// SPDX-License-Identifier: Apache-2.0
#include "gui/models/row_order.h"

#include <algorithm>
#include <numeric>

#include "gui/session/sort_rows.h"

namespace vramscope::gui {
namespace {

/// Numbers texts by their order, so that sorting by a text compares numbers.
std::vector<std::int64_t> ranksOf(const std::vector<std::string_view>& texts) {
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return texts[a] < texts[b]; });
    std::vector<std::int64_t> ranks(texts.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool isEqual = i > 0 && texts[order[i]] == texts[order[i - 1]];
        ranks[order[i]] = isEqual ? ranks[order[i - 1]] : static_cast<std::int64_t>(i);
    }
    return ranks;
}

/// What a row is sorted by, as a number.
class SortKey {
public:
    SortKey(const BufferFilter::Sources& sources, BufferColumn column)
        : m_sources(sources), m_column(column) {
        if (column != BufferColumn::Place && column != BufferColumn::Library) return;
        const model::Capture& facts = sources.stacks->facts();
        std::vector<std::string_view> texts;
        for (const model::Stack& stack : facts.stacks) {
            texts.push_back(column == BufferColumn::Place ? sources.stacks->placeOf(stack.id.value)
                                                          : sources.stacks->libraryOf(stack.id.value, {}));
        }
        m_ranks = ranksOf(texts);
    }

    std::int64_t of(Row row) const {
        const BufferStore& s = *m_sources.store;
        switch (m_column) {
            case BufferColumn::Name:
                return static_cast<std::int64_t>(s.address[row]);
            case BufferColumn::Size:
                return s.sizeBytes[row];
            case BufferColumn::Kind:
                return static_cast<std::int64_t>(s.kind[row]);
            case BufferColumn::Allocated:
                return s.allocNs[row];
            case BufferColumn::Freed:
                return s.freeNs[row];
            case BufferColumn::Lifetime:
                return s.freeNs[row] == model::kNever ? model::kNever - s.allocNs[row]
                                                      : s.freeNs[row] - s.allocNs[row];
            case BufferColumn::Process:
                return s.process[row];
            case BufferColumn::Device:
                return s.device[row];
            case BufferColumn::Task:
                return s.task[row];
            case BufferColumn::Place:
            case BufferColumn::Library: {
                const std::int64_t position = m_sources.stacks->positionOf(s.allocStack[row]);
                return position < 0 ? -1 : m_ranks[static_cast<std::size_t>(position)];
            }
            case BufferColumn::Api:
                return s.api[row];
            case BufferColumn::Finding: {
                if (!m_sources.analysis) return 0;
                const auto at = m_sources.analysis->findingOfBuffer.find(s.idOf(row));
                return at == m_sources.analysis->findingOfBuffer.end()
                           ? model::kNever
                           : static_cast<std::int64_t>(at->second);
            }
        }
        return 0;
    }

private:
    const BufferFilter::Sources& m_sources;
    BufferColumn m_column;
    std::vector<std::int64_t> m_ranks;
};

struct Keyed {
    std::int64_t key;
    Row row;
};

auto comesFirst(Qt::SortOrder order) {
    const bool isAscending = order == Qt::AscendingOrder;
    return [isAscending](const Keyed& a, const Keyed& b) {
        if (a.key != b.key) return (a.key < b.key) == isAscending;
        return a.row < b.row;
    };
}

}  // namespace

RowOrder firstPage(const BufferFilter::Sources& sources, const BufferFilter& filter, BufferColumn column,
                   Qt::SortOrder order, const Cancel& cancel) {
    const BufferStore& store = *sources.store;
    RowOrder result;
    result.rows.reserve(filter.isEverything() ? store.bufferCount() : 0);
    for (Row row = 0; row < store.bufferCount(); ++row) {
        if ((row & 0xffffU) == 0 && cancel.isRequested()) return {};
        if (!filter.fits(row)) continue;
        result.rows.push_back(row);
        result.totalBytes = model::addClamped(result.totalBytes, store.sizeBytes[row]);
        const bool isHeld =
            store.endKind[row] == model::EndKind::Live || store.endKind[row] == model::EndKind::ProcessEnded;
        if (isHeld && model::isOwnDeviceMemory(store.kind[row]))
            result.liveBytes = model::addClamped(result.liveBytes, store.sizeBytes[row]);
    }
    // Rows lie in order of allocation already.
    if (column == BufferColumn::Allocated && order == Qt::AscendingOrder &&
        std::is_sorted(result.rows.begin(), result.rows.end(),
                       [&](Row a, Row b) { return store.allocNs[a] < store.allocNs[b]; }))
        return result;
    // The best so far in a heap, the worst of them on top: one pass, and most rows are only compared.
    const SortKey sortKey(sources, column);
    const auto isBefore = comesFirst(order);
    std::vector<Keyed> page;
    for (const Row row : result.rows) {
        const Keyed candidate{sortKey.of(row), row};
        if (page.size() == kFirstPage) {
            if (!isBefore(candidate, page.front())) continue;
            std::pop_heap(page.begin(), page.end(), isBefore);
            page.pop_back();
        }
        page.push_back(candidate);
        std::push_heap(page.begin(), page.end(), isBefore);
    }
    std::sort_heap(page.begin(), page.end(), isBefore);
    result.isSorted = page.size() == result.rows.size();
    if (page.empty()) return result;
    // The rest behind it, as it was.
    const Keyed last = page.back();
    std::vector<Row> rows;
    rows.reserve(result.rows.size());
    for (const Keyed& first : page)
        rows.push_back(first.row);
    for (const Row row : result.rows) {
        if (isBefore(last, {sortKey.of(row), row})) rows.push_back(row);
    }
    result.rows = std::move(rows);
    return result;
}

RowOrder sortedFully(const BufferFilter::Sources& sources, const RowOrder& order, BufferColumn column,
                     Qt::SortOrder direction, const Cancel& cancel) {
    RowOrder result = order;
    if (order.isSorted) return result;
    result.isSorted = true;
    // Behind the first page rows stand in order of their numbers; the sorter wants all of them so.
    const auto rest = result.rows.begin() + std::min(kFirstPage, result.rows.size());
    std::sort(result.rows.begin(), rest);
    std::inplace_merge(result.rows.begin(), rest, result.rows.end());
    const SortKey sortKey(sources, column);
    const std::uint64_t flip = direction == Qt::AscendingOrder ? 0 : ~std::uint64_t{0};
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    const auto keyOf = [&](Row row) { return (static_cast<std::uint64_t>(sortKey.of(row)) ^ kSign) ^ flip; };
    std::vector<Row> scratch(result.rows.size());
    RowSorter(keyOf, cancel).sort(result.rows, scratch);
    if (cancel.isRequested()) return {};
    return result;
}

}  // namespace vramscope::gui
