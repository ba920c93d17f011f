// SPDX-License-Identifier: Apache-2.0
#include "gui/session/order_events.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

namespace vramscope::gui {
namespace {

/// Fewer rows than this are not worth a thread.
constexpr std::size_t kRowsWorthAThread = 100'000;

struct Free {
    std::int64_t timeNs;
    Row row;

    bool operator<(const Free& other) const {
        return timeNs != other.timeNs ? timeNs < other.timeNs : row < other.row;
    }
};

/// The frees of some rows in order of time.
std::vector<Free> freesOf(const BufferStore& store, std::size_t from, std::size_t to) {
    const auto isFreed = [&](std::size_t row) {
        return store.allocNs[row] != model::kNever && store.freeNs[row] != model::kNever;
    };
    std::size_t count = 0;
    for (std::size_t row = from; row < to; ++row)
        count += isFreed(row) ? 1 : 0;
    std::vector<Free> frees;
    frees.reserve(count);
    for (std::size_t row = from; row < to; ++row) {
        if (isFreed(row)) frees.push_back({store.freeNs[row], static_cast<Row>(row)});
    }
    if (!std::is_sorted(frees.begin(), frees.end())) std::sort(frees.begin(), frees.end());
    return frees;
}

/// Frees of all rows in order, sorted in parts that are merged while they are taken.
class FreeQueue {
public:
    FreeQueue(const BufferStore& store, int threads) {
        const std::size_t rows = store.rowCount();
        const auto most = static_cast<std::size_t>(std::max(threads, 1));
        m_parts.resize(std::clamp<std::size_t>(rows / kRowsWorthAThread, 1, most));
        m_next.resize(m_parts.size());
        const std::size_t parts = m_parts.size();
        std::vector<std::thread> workers;
        for (std::size_t part = 1; part < parts; ++part) {
            workers.emplace_back([this, &store, rows, part, parts] {
                m_parts[part] = freesOf(store, rows * part / parts, rows * (part + 1) / parts);
            });
        }
        m_parts[0] = freesOf(store, 0, rows / parts);
        for (std::thread& worker : workers)
            worker.join();
        findFirst();
    }

    std::size_t size() const {
        return std::accumulate(m_parts.begin(), m_parts.end(), std::size_t{0},
                               [](std::size_t sum, const auto& part) { return sum + part.size(); });
    }
    /// The next free, or null.
    const Free* first() const { return m_first; }
    void drop() {
        ++m_next[m_firstPart];
        findFirst();
    }

private:
    void findFirst() {
        m_first = nullptr;
        for (std::size_t part = 0; part < m_parts.size(); ++part) {
            if (m_next[part] == m_parts[part].size()) continue;
            const Free& candidate = m_parts[part][m_next[part]];
            if (m_first != nullptr && !(candidate < *m_first)) continue;
            m_first = &candidate;
            m_firstPart = part;
        }
    }

    std::vector<std::vector<Free>> m_parts;
    std::vector<std::size_t> m_next;
    const Free* m_first = nullptr;
    std::size_t m_firstPart = 0;
};

}  // namespace

void orderEvents(BufferStore& store, int threads) {
    FreeQueue frees(store, threads);
    const auto allocations =
        static_cast<std::size_t>(std::count_if(store.allocNs.begin(), store.allocNs.end(),
                                               [](std::int64_t timeNs) { return timeNs != model::kNever; }));
    store.events.reserve(frees.size() + allocations);
    const auto addFree = [&] {
        store.events.push_back(frees.first()->row * 2 + 1);
        store.lastNs = std::max(store.lastNs, frees.first()->timeNs);
        frees.drop();
    };
    const auto addAllocation = [&](Row row) {
        const std::int64_t timeNs = store.allocNs[row];
        if (timeNs == model::kNever) return;
        while (frees.first() != nullptr && frees.first()->timeNs <= timeNs)
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
        std::stable_sort(byTime.begin(), byTime.end(),
                         [&](Row a, Row b) { return store.allocNs[a] < store.allocNs[b]; });
        for (const Row row : byTime)
            addAllocation(row);
    }
    while (frees.first() != nullptr)
        addFree();
}

}  // namespace vramscope::gui
