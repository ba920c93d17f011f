// SPDX-License-Identifier: Apache-2.0
#include "gui/session/order_events.h"

#include <algorithm>
#include <numeric>
#include <thread>

#include "gui/session/sort_rows.h"

namespace vramscope::gui {
namespace {

/// Fewer rows than this are not worth a thread.
constexpr std::size_t kRowsWorthAThread = 100'000;

bool isFreed(const BufferStore& store, Row row) {
    return store.allocNs[row] != model::kNever && store.freeNs[row] != model::kNever;
}

/// Rows of some that were freed, in order of the time.
std::vector<Row> freesOf(const BufferStore& store, Row from, Row to, const Cancel& cancel) {
    std::size_t count = 0;
    for (Row row = from; row < to; ++row)
        count += isFreed(store, row) ? 1 : 0;
    std::vector<Row> frees;
    frees.reserve(count);
    for (Row row = from; row < to; ++row) {
        if (isFreed(store, row)) frees.push_back(row);
    }
    std::vector<Row> scratch(frees.size());
    const auto timeOf = [&store](Row row) { return static_cast<std::uint64_t>(store.freeNs[row]); };
    RowSorter(timeOf, cancel).sort(frees, scratch);
    return frees;
}

/// Frees of all rows in order, sorted in parts that are merged while they are taken.
class FreeQueue {
public:
    FreeQueue(const BufferStore& store, int threads, const Cancel& cancel) : m_store(store) {
        const std::uint64_t rows = store.rowCount();
        const std::size_t parts = std::clamp<std::size_t>(rows / kRowsWorthAThread, 1,
                                                          static_cast<std::size_t>(std::max(threads, 1)));
        m_parts.resize(parts);
        m_next.resize(parts);
        const auto sortPart = [&](std::size_t part) {
            m_parts[part] = freesOf(store, static_cast<Row>(rows * part / parts),
                                    static_cast<Row>(rows * (part + 1) / parts), cancel);
        };
        std::vector<std::thread> workers;
        for (std::size_t part = 1; part < parts; ++part)
            workers.emplace_back(sortPart, part);
        sortPart(0);
        for (std::thread& worker : workers)
            worker.join();
        findFirst();
    }

    std::size_t size() const {
        return std::accumulate(m_parts.begin(), m_parts.end(), std::size_t{0},
                               [](std::size_t sum, const auto& part) { return sum + part.size(); });
    }
    bool isEmpty() const { return m_firstPart == m_parts.size(); }
    /// Of the next free; only when there is one.
    Row firstRow() const { return m_firstRow; }
    std::int64_t firstNs() const { return m_firstNs; }
    void drop() {
        ++m_next[m_firstPart];
        findFirst();
    }

private:
    void findFirst() {
        m_firstPart = m_parts.size();
        for (std::size_t part = 0; part < m_parts.size(); ++part) {
            if (m_next[part] == m_parts[part].size()) continue;
            const Row row = m_parts[part][m_next[part]];
            const std::int64_t timeNs = m_store.freeNs[row];
            // Rows of a later part are larger.
            if (m_firstPart != m_parts.size() && timeNs >= m_firstNs) continue;
            m_firstRow = row;
            m_firstNs = timeNs;
            m_firstPart = part;
        }
    }

    const BufferStore& m_store;
    std::vector<std::vector<Row>> m_parts;
    std::vector<std::size_t> m_next;
    Row m_firstRow = 0;
    std::int64_t m_firstNs = 0;
    std::size_t m_firstPart = 0;
};

}  // namespace

void orderEvents(BufferStore& store, int threads, const Cancel& cancel) {
    FreeQueue frees(store, threads, cancel);
    if (cancel.isRequested()) return;
    const auto allocations =
        static_cast<std::size_t>(std::count_if(store.allocNs.begin(), store.allocNs.end(),
                                               [](std::int64_t timeNs) { return timeNs != model::kNever; }));
    store.events.reserve(frees.size() + allocations);
    const auto addFree = [&] {
        store.events.push_back(frees.firstRow() * 2 + 1);
        store.lastNs = std::max(store.lastNs, frees.firstNs());
        frees.drop();
    };
    const auto addAllocation = [&](Row row) {
        const std::int64_t timeNs = store.allocNs[row];
        if (timeNs == model::kNever) return;
        while (!frees.isEmpty() && frees.firstNs() <= timeNs)
            addFree();
        store.events.push_back(row * 2);
        store.lastNs = std::max(store.lastNs, timeNs);
    };
    // A recorder writes rows in order of time, but for what several threads allocate at once.
    if (std::is_sorted(store.allocNs.begin(), store.allocNs.end())) {
        for (Row row = 0; row < store.rowCount(); ++row)
            addAllocation(row);
    } else {
        std::vector<Row> byTime(store.rowCount());
        std::iota(byTime.begin(), byTime.end(), 0U);
        std::vector<Row> scratch(byTime.size());
        const auto timeOf = [&store](Row row) { return static_cast<std::uint64_t>(store.allocNs[row]); };
        RowSorter(timeOf, cancel).sort(byTime, scratch);
        for (const Row row : byTime)
            addAllocation(row);
    }
    while (!frees.isEmpty())
        addFree();
}

}  // namespace vramscope::gui
