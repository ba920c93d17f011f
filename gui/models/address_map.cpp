// SPDX-License-Identifier: Apache-2.0
#include "gui/models/address_map.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "gui/models/address_map_heaps.h"
#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

using model::BufferKind;

/// Buffers whose addresses are on their way from memory.
constexpr std::size_t kAhead = 16;
constexpr auto kPage = static_cast<std::uint64_t>(model::kPageBytes);

QString tr(const char* text) {
    return QCoreApplication::translate("AddressMap", text);
}

class MapMaker {
public:
    MapMaker(const BufferFilter::Sources& sources, const Selection& scope, std::int64_t timeNs)
        : m_sources(sources), m_store(*sources.store), m_facts(sources.stacks->facts()), m_scope(scope) {
        m_map.timeNs = timeNs;
    }

    AddressMap make(const AddressOrder& order, const Cancel& cancel) {
        if (cancel.isRequested()) return {};
        const std::vector<std::uint32_t> live = order.liveAt(
            m_store, m_map.timeNs, [this](Row row) { return isWanted(row); }, cancel);
        if (cancel.isRequested()) return {};
        m_liveCount = live.size();
        for (std::size_t i = 0; i < live.size(); ++i) {
            // Addresses lie all over the store; waiting for one at a time takes longer than all the rest.
            if (i + kAhead < live.size()) fetchAddress(order, live[i + kAhead]);
            take(order.rowAt(live[i]), m_store.traits[order.traitsAt(live[i])], order.bytesAt(live[i]));
        }
        addHeaps(m_map, m_sources, m_scope);
        addReservations();
        addPools();
        addSmallPages();
        addTotals();
        sortArenas();
        return std::move(m_map);
    }

private:
    bool isWanted(Row row) const {
        if (!m_scope.process.isNone() && m_store.process[row] != m_scope.process.value) return false;
        return m_scope.device.isNone() || m_store.device[row] == m_scope.device.value;
    }

    /// Most holes first. There can be tens of thousands, and moving one takes longer than comparing two.
    void sortArenas() {
        std::vector<MapArena>& arenas = m_map.arenas;
        std::vector<std::size_t> order(arenas.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&arenas](std::size_t a, std::size_t b) {
            return arenas[a].holeBytes != arenas[b].holeBytes ? arenas[a].holeBytes > arenas[b].holeBytes
                                                              : arenas[a].bytes > arenas[b].bytes;
        });
        std::vector<MapArena> sorted;
        sorted.reserve(arenas.size());
        for (const std::size_t arena : order)
            sorted.push_back(std::move(arenas[arena]));
        arenas = std::move(sorted);
    }

    /// A live buffer and where it lies.
    struct Placed {
        std::uint64_t address = 0;
        std::int64_t bytes = 0;
        Row row = 0;
    };

    /// Small buffers of one process on pages that follow each other.
    struct SmallRun {
        std::vector<Placed> buffers;
        std::uint64_t lastPage = 0;
        QString pid;
        std::vector<MapArena> arenas;  ///< of the runs before
    };

    /// Of each live buffer, in order of address.
    void take(Row row, const BufferTraits& traits, std::int64_t bytes) {
        if (traits.kind == BufferKind::Async) {
            const std::pair key{traits.process, traits.device};
            // Mostly that of the buffer before.
            if (m_latestPool == nullptr || key != m_latestPoolKey)
                m_latestPool = &m_pools[m_latestPoolKey = key];
            if (m_latestPool->pieces.empty()) {
                m_latestPool->address = m_store.address[row];
                // Room for all that may follow; what nothing is put into costs nothing.
                if (m_pools.size() == 1) m_latestPool->pieces.reserve(m_liveCount);
            }
            m_latestPool->pieces.push_back({m_latestPool->usedBytes, bytes, row, false, false});
            m_latestPool->usedBytes = model::addClamped(m_latestPool->usedBytes, bytes);
        } else if (traits.kind == BufferKind::Vmm) {
            m_mapped.push_back({m_store.address[row], bytes, row});
        } else if (traits.kind == BufferKind::Device && bytes < model::kPageBytes) {
            if (m_latestRun == nullptr || traits.process != m_latestRunOf)
                m_latestRun = &m_runs[m_latestRunOf = traits.process];
            const std::uint64_t address = m_store.address[row];
            const std::uint64_t page = address / kPage;
            if (!m_latestRun->buffers.empty() && page > m_latestRun->lastPage + 1)
                endRun(traits.process, *m_latestRun);
            m_latestRun->buffers.push_back({address, bytes, row});
            m_latestRun->lastPage = page;
        } else {
            MapTotal& total = m_totals[traits.kind];
            total.bytes = model::addClamped(total.bytes, bytes);
            ++total.count;
        }
    }

    void fetchAddress(const AddressOrder& order, std::uint32_t place) const {
        if (m_store.traits[order.traitsAt(place)].kind != BufferKind::Async)
            __builtin_prefetch(&m_store.address[order.rowAt(place)]);
    }

    /// Puts buffers, sorted by address, into an arena; what lies between them is holes.
    void fill(MapArena& arena, const std::vector<Placed>& buffers) const {
        std::int64_t at = 0;
        std::size_t largestHole = 0;  // its piece
        arena.pieces.reserve(2 * buffers.size() + 1);
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            const auto offset = static_cast<std::int64_t>(buffers[i].address - arena.address);
            // Mappings of a hostile file may overlap: each byte is drawn once.
            const std::int64_t from = std::clamp(offset, at, arena.bytes);
            const std::int64_t to = std::clamp(offset + buffers[i].bytes, from, arena.bytes);
            if (from > at) {
                arena.pieces.push_back({at, from - at, 0, true, false});
                arena.holeBytes += from - at;
                if (from - at > arena.largestHoleBytes) {
                    arena.largestHoleBytes = from - at;
                    largestHole = arena.pieces.size() - 1;
                }
            }
            if (to > from) arena.pieces.push_back({from, to - from, buffers[i].row, false, false});
            arena.usedBytes += to - from;
            at = to;
        }
        if (arena.largestHoleBytes > 0) {
            if (largestHole > 0) arena.pieces[largestHole - 1].isPinning = true;
            if (largestHole + 1 < arena.pieces.size()) arena.pieces[largestHole + 1].isPinning = true;
        }
        if (at < arena.bytes) arena.pieces.push_back({at, arena.bytes - at, 0, false, true});
    }

    void addReservations() {
        for (const model::Reservation& reservation : m_facts.reservations) {
            if (reservation.startNs > m_map.timeNs || reservation.endNs <= m_map.timeNs) continue;
            if (!m_scope.process.isNone() && reservation.processId != m_scope.process) continue;
            MapArena arena;
            arena.kind = MapArena::Kind::Reservation;
            arena.address = static_cast<std::uint64_t>(reservation.address);
            arena.bytes = std::max<std::int64_t>(reservation.sizeBytes, 1);
            std::vector<Placed> mapped;
            auto at = std::lower_bound(
                m_mapped.begin(), m_mapped.end(), arena.address,
                [](const Placed& buffer, std::uint64_t address) { return buffer.address < address; });
            for (; at != m_mapped.end() &&
                   at->address - arena.address < static_cast<std::uint64_t>(arena.bytes);
                 ++at) {
                if (m_store.process[at->row] == reservation.processId.value) mapped.push_back(*at);
            }
            if (mapped.empty()) continue;
            arena.title = tr("Reserved range %1, %2")
                              .arg(QStringLiteral("0x%1").arg(arena.address, 0, 16), bytesText(arena.bytes));
            fill(arena, mapped);
            // The room behind the last mapping can be terabytes; it is named, not drawn to scale.
            if (!arena.pieces.empty() && arena.pieces.back().isRoom) {
                arena.note =
                    tr("%1 behind the last mapping can still grow").arg(bytesText(arena.pieces.back().bytes));
                arena.bytes -= arena.pieces.back().bytes;
                arena.pieces.pop_back();
            }
            m_map.arenas.push_back(std::move(arena));
        }
    }

    void addPools() {
        for (auto& [key, arena] : m_pools) {
            arena.kind = MapArena::Kind::Pool;
            const std::int64_t reserved = std::max(
                reservedAt(model::ProcessId{key.first}, model::DeviceId{key.second}), arena.usedBytes);
            arena.bytes = std::max<std::int64_t>(reserved, 1);
            if (reserved > arena.usedBytes)
                arena.pieces.push_back({arena.usedBytes, reserved - arena.usedBytes, 0, false, true});
            arena.title = tr("Stream-ordered pools of process %1, device %2: %3 reserved")
                              .arg(pidOf(key.first))
                              .arg(key.second)
                              .arg(bytesText(arena.bytes));
            arena.note =
                tr("buffers side by side in order of address; the driver does not say where in the pool its "
                   "gaps are");
            m_map.arenas.push_back(std::move(arena));
        }
    }

    std::int64_t reservedAt(model::ProcessId process, model::DeviceId device) const {
        std::int64_t reserved = 0;
        for (const model::Pool& pool : m_facts.pools) {
            if (pool.processId != process || (!pool.deviceId.isNone() && pool.deviceId != device)) continue;
            std::int64_t latest = 0;
            for (const model::PoolSample& sample : m_facts.poolSamples) {
                if (sample.timeNs > m_map.timeNs) break;
                if (sample.poolId == pool.id) latest = sample.reservedBytes;
            }
            reserved = model::addClamped(reserved, latest);
        }
        return reserved;
    }

    QString pidOf(std::int32_t process) const {
        const model::Process* found = m_facts.processes.find({process});
        return found ? QString::number(found->pid) : QStringLiteral("?");
    }

    void endRun(std::int32_t process, SmallRun& run) const {
        if (run.buffers.empty()) return;
        MapArena arena;
        arena.kind = MapArena::Kind::SmallPages;
        arena.address = run.buffers.front().address / kPage * kPage;
        const std::uint64_t end =
            run.buffers.back().address + static_cast<std::uint64_t>(run.buffers.back().bytes);
        arena.bytes = static_cast<std::int64_t>((end + kPage - 1) / kPage * kPage - arena.address);
        if (run.pid.isEmpty()) run.pid = pidOf(process);
        arena.pid = run.pid;
        arena.note = m_smallNote;
        fill(arena, run.buffers);
        run.arenas.push_back(std::move(arena));
        run.buffers.clear();
    }

    void addSmallPages() {
        for (auto& [process, run] : m_runs) {
            endRun(process, run);
            m_map.arenas.insert(m_map.arenas.end(), std::make_move_iterator(run.arenas.begin()),
                                std::make_move_iterator(run.arenas.end()));
        }
    }

    void addTotals() {
        for (auto& [kind, total] : m_totals) {
            total.title = kind == BufferKind::Device ? tr("device memory, 2 MiB and larger")
                                                     : toText(model::description(kind));
            total.filter = QStringLiteral("kind:") + toText(formats::bufferKindName(kind));
            m_map.totals.push_back(total);
        }
        std::sort(m_map.totals.begin(), m_map.totals.end(),
                  [](const MapTotal& a, const MapTotal& b) { return a.bytes > b.bytes; });
    }

    const BufferFilter::Sources& m_sources;
    const BufferStore& m_store;
    const model::Capture& m_facts;
    Selection m_scope;
    AddressMap m_map;
    std::size_t m_liveCount = 0;
    const QString m_smallNote = tr("a 2 MiB page goes back to the driver only when nothing on it lives");
    std::map<std::pair<std::int32_t, std::int16_t>, MapArena> m_pools;  ///< by process and device
    MapArena* m_latestPool = nullptr;
    std::pair<std::int32_t, std::int16_t> m_latestPoolKey;
    std::map<std::int32_t, SmallRun> m_runs;  ///< by process
    SmallRun* m_latestRun = nullptr;
    std::int32_t m_latestRunOf = 0;
    std::vector<Placed> m_mapped;  ///< VMM mappings, by address
    std::map<BufferKind, MapTotal> m_totals;
};

}  // namespace

bool MapArena::hasPinning() const {
    return std::ranges::any_of(pieces, &MapPiece::isPinning);
}

QString titleOf(const MapArena& arena) {
    if (arena.kind != MapArena::Kind::SmallPages) return arena.title;
    return tr("Pages that small buffers of process %1 share, from 0x%2: %3")
        .arg(arena.pid)
        .arg(arena.address, 0, 16)
        .arg(bytesText(arena.bytes));
}

MapFit fitOf(const MapArena& arena, std::int64_t bytes) {
    const MapPiece* best = nullptr;
    const MapPiece* largest = nullptr;
    for (const MapPiece& piece : arena.pieces) {
        if (!piece.isHole && !piece.isRoom) continue;
        if (largest == nullptr || piece.bytes > largest->bytes) largest = &piece;
        if (piece.bytes >= bytes && (best == nullptr || piece.bytes < best->bytes)) best = &piece;
    }
    if (best != nullptr) return {best->offsetBytes, true};
    return {largest != nullptr ? largest->offsetBytes : arena.bytes, false};
}

AddressMap addressMapAt(const BufferFilter::Sources& sources, const AddressOrder& order,
                        const Selection& scope, std::int64_t timeNs, const Cancel& cancel) {
    return MapMaker(sources, scope, timeNs).make(order, cancel);
}

}  // namespace vramscope::gui
