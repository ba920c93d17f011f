// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "analyzer/model/capture_loader.h"
#include "formats/capture_file.h"
#include "gui/session/buffer_store.h"
#include "gui/session/order_events.h"

namespace vramscope::gui {
namespace {

constexpr const char* kColumns =
    "buffer_id, process_id, kind, address, generation, size_bytes, device_id, handle_id, api, alloc_ns,"
    " alloc_stack_id, free_ns, free_stack_id, end_kind, task_id";
/// Two rows an allocation must fit into the numbers of events.
constexpr std::int64_t kMostStoreRows = std::numeric_limits<std::uint32_t>::max() / 2;
/// Fewer rows than this are not worth a second connection.
constexpr std::int64_t kRowsWorthAThread = 100'000;
/// How many rows pass between two looks at whether the work is still wanted.
constexpr std::int64_t kRowsBetweenChecks = 4096;

/// A number, or nothing. Asking for its type costs as much as asking for the number, which is 0 for NULL.
bool isAbsent(const formats::Statement& row, int column, std::int64_t value) {
    return value == 0 && row.isNull(column);
}

std::int32_t smallId(const formats::Statement& row, int column) {
    const std::int64_t id = row.columnInt(column);
    if (isAbsent(row, column, id)) return BufferStore::kNone;
    return id < 0 || id > std::numeric_limits<std::int32_t>::max() ? BufferStore::kNone
                                                                   : static_cast<std::int32_t>(id);
}

std::int64_t timeOf(const formats::Statement& row, int column) {
    const std::int64_t timeNs = row.columnInt(column);
    return isAbsent(row, column, timeNs) ? model::kNever : std::max<std::int64_t>(timeNs, 0);
}

Status cancelled() {
    return {ErrorKind::Incomplete, "Loading was cancelled."};
}

}  // namespace

/// Fills a BufferStore. Where the buffers' numbers are dense, as a recorder writes them, several connections
/// fill one part each; the columns are never copied.
class StoreLoader {
public:
    StoreLoader(const model::Capture& facts, const Cancel& cancel)
        : m_facts(facts), m_cancel(cancel), m_store(std::make_shared<BufferStore>()) {}

    StatusOr<std::shared_ptr<const BufferStore>> load(int threads) {
        VRAMSCOPE_RETURN_IF_ERROR(readExtent());
        VRAMSCOPE_RETURN_IF_ERROR(readAll(threads));
        removeGaps();
        addHandles();
        if (m_cancel.isRequested()) return cancelled();
        orderEvents(*m_store, threads);
        if (m_cancel.isRequested()) return cancelled();
        return std::shared_ptr<const BufferStore>(std::move(m_store));
    }

private:
    Status readExtent() {
        VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                                   formats::openCaptureForReading(m_facts.path, 0));
        VRAMSCOPE_ASSIGN_OR_RETURN(const auto first,
                                   connection.queryInt("SELECT min(buffer_id) FROM buffers"));
        VRAMSCOPE_ASSIGN_OR_RETURN(const auto last,
                                   connection.queryInt("SELECT max(buffer_id) FROM buffers"));
        m_firstId = first.value_or(0);
        const std::int64_t lastId = last.value_or(-1);
        std::int64_t extent = 0;
        if (__builtin_sub_overflow(lastId, m_firstId, &extent) || extent >= kMostStoreRows ||
            extent >= model::kMostRows) {
            // Numbers of a hostile file: as many rows as there really are, each counted.
            VRAMSCOPE_ASSIGN_OR_RETURN(const auto count, connection.queryInt("SELECT count(*) FROM buffers"));
            m_isDense = false;
            extent = count.value_or(0) - 1;
        }
        if (extent >= model::kMostRows) {
            return {ErrorKind::Unreadable, m_facts.path.string() + ": more buffers than a capture can have."};
        }
        resize(static_cast<std::size_t>(extent + 1));
        if (!m_isDense) m_store->m_ids.resize(static_cast<std::size_t>(extent + 1));
        m_store->m_firstId = m_firstId;
        return Status::ok();
    }

    void resize(std::size_t count) {
        BufferStore& s = *m_store;
        s.allocNs.resize(count);
        s.freeNs.resize(count);
        s.sizeBytes.resize(count, -1);
        s.address.resize(count);
        s.allocStack.resize(count);
        s.freeStack.resize(count);
        s.generation.resize(count);
        s.task.resize(count);
        s.process.resize(count);
        s.device.resize(count);
        s.kind.resize(count);
        s.endKind.resize(count);
        s.api.resize(count);
        s.countsAsLive.resize(count);
    }

    Status readAll(int threads) {
        const auto count = static_cast<std::int64_t>(m_store->allocNs.size());
        if (!m_isDense) threads = 1;
        const std::int64_t parts =
            std::clamp<std::int64_t>(count / kRowsWorthAThread, 1, std::max(threads, 1));
        std::vector<Status> results(static_cast<std::size_t>(parts));
        std::vector<std::thread> workers;
        for (std::int64_t part = 1; part < parts; ++part) {
            workers.emplace_back([&, part] {
                results[static_cast<std::size_t>(part)] =
                    readPart(m_firstId + count * part / parts, m_firstId + count * (part + 1) / parts);
            });
        }
        results[0] = m_isDense ? readPart(m_firstId, m_firstId + count / parts)
                               : readPart(std::numeric_limits<std::int64_t>::min(), model::kNever);
        for (std::thread& worker : workers)
            worker.join();
        for (const Status& result : results)
            VRAMSCOPE_RETURN_IF_ERROR(result);
        return Status::ok();
    }

    Status readPart(std::int64_t fromId, std::int64_t toId) {
        VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                                   formats::openCaptureForReading(m_facts.path, 0));
        VRAMSCOPE_ASSIGN_OR_RETURN(
            formats::Statement row,
            connection.prepare(std::string("SELECT ") + kColumns +
                               " FROM buffers WHERE buffer_id >= ? AND buffer_id < ? ORDER BY buffer_id"));
        row.bindAll(fromId, toId);
        std::int64_t countRead = 0;
        Words words;
        for (std::size_t next = 0;; ++next) {
            VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, row.step());
            if (!hasRow) return Status::ok();
            const std::size_t at = m_isDense ? static_cast<std::size_t>(row.columnInt(0) - m_firstId) : next;
            if (at >= m_store->allocNs.size()) return Status::ok();
            VRAMSCOPE_RETURN_IF_ERROR(readRow(row, at, words));
            if (++countRead % kRowsBetweenChecks == 0 && m_cancel.isRequested()) return cancelled();
        }
    }

    /// Words of the row before: most rows repeat them, and comparing is cheaper than looking up.
    struct Words {
        std::string kind;
        model::BufferKind kindIs = model::BufferKind::Unknown;
        std::string api;
        std::uint8_t apiIs = 0;
        std::string endKind;
        model::EndKind endKindIs = model::EndKind::Live;
    };

    Status readRow(const formats::Statement& row, std::size_t at, Words& words) {
        BufferStore& s = *m_store;
        if (!m_isDense) s.m_ids[at] = row.columnInt(0);
        s.process[at] = smallId(row, 1);
        if (const std::string_view word = row.columnText(2); word != words.kind) {
            words.kind = word;
            words.kindIs = model::bufferKindFromName(word);
        }
        s.kind[at] = words.kindIs;
        s.address[at] = row.columnAddress(3);
        s.generation[at] = static_cast<std::int32_t>(row.columnInt(4));
        s.sizeBytes[at] = row.columnInt(5);
        if (s.sizeBytes[at] < 0 || s.sizeBytes[at] > model::kLargestBytes) {
            return {ErrorKind::Unreadable,
                    m_facts.path.string() +
                        ": table buffers holds a size that no memory can have. The file is "
                        "damaged; record again."};
        }
        const std::int32_t device = smallId(row, 6);
        s.device[at] = static_cast<std::int16_t>(std::min<std::int32_t>(device, 32767));
        if (const std::string_view word = row.columnText(8); word != words.api) {
            words.api = word;
            words.apiIs = apiNumber(word);
        }
        s.api[at] = words.apiIs;
        s.allocNs[at] = timeOf(row, 9);
        s.allocStack[at] = smallId(row, 10);
        s.freeNs[at] = timeOf(row, 11);
        s.freeStack[at] = smallId(row, 12);
        if (const std::string_view word = row.columnText(13); word != words.endKind) {
            words.endKind = word;
            words.endKindIs = model::endKindFromName(word);
        }
        s.endKind[at] = words.endKindIs;
        if (s.freeNs[at] != model::kNever && s.endKind[at] == model::EndKind::Live)
            s.endKind[at] = model::EndKind::Freed;
        s.task[at] = smallId(row, 14);
        const bool isCountedByHandle = s.kind[at] == model::BufferKind::Vmm && !row.isNull(7) &&
                                       m_facts.vmmHandles.find(model::HandleId{row.columnInt(7)}) != nullptr;
        s.countsAsLive[at] = model::isOwnDeviceMemory(s.kind[at]) && !isCountedByHandle ? 1 : 0;
        return Status::ok();
    }

    std::uint8_t apiNumber(std::string_view word) {
        const std::lock_guard lock(m_apisMutex);
        return m_store->apis.numberOf(word);
    }

    /// Rows that no connection filled: numbers that the capture does not have.
    void removeGaps() {
        BufferStore& s = *m_store;
        std::size_t kept = 0;
        const bool hasGaps =
            std::any_of(s.sizeBytes.begin(), s.sizeBytes.end(), [](std::int64_t bytes) { return bytes < 0; });
        if (hasGaps && m_isDense) {
            s.m_ids.resize(s.sizeBytes.size());
            std::iota(s.m_ids.begin(), s.m_ids.end(), m_firstId);
        }
        for (std::size_t at = 0; at < s.sizeBytes.size(); ++at) {
            if (s.sizeBytes[at] < 0) continue;
            if (kept != at) moveRow(at, kept);
            ++kept;
        }
        resize(kept);
        if (!s.m_ids.empty()) s.m_ids.resize(kept);
        s.m_bufferCount = static_cast<Row>(kept);
    }

    void moveRow(std::size_t from, std::size_t to) {
        BufferStore& s = *m_store;
        const auto move = [&](auto& column) { column[to] = column[from]; };
        move(s.allocNs), move(s.freeNs), move(s.sizeBytes), move(s.address), move(s.m_ids);
        move(s.allocStack), move(s.freeStack), move(s.generation), move(s.task), move(s.process);
        move(s.device), move(s.kind), move(s.endKind), move(s.api), move(s.countsAsLive);
    }

    void addHandles() {
        BufferStore& s = *m_store;
        const std::uint8_t api = s.apis.numberOf("cuMemCreate");
        for (const model::VmmHandle& h : m_facts.vmmHandles) {
            if (h.deviceId.isNone() || h.createNs == model::kNever || h.endNs <= h.createNs) continue;
            s.allocNs.push_back(h.createNs);
            s.freeNs.push_back(h.endNs);
            s.sizeBytes.push_back(h.sizeBytes);
            s.address.push_back(static_cast<std::uint64_t>(h.handle));
            s.allocStack.push_back(static_cast<std::int32_t>(h.createStackId.value));
            s.freeStack.push_back(BufferStore::kNone);
            s.generation.push_back(0);
            s.task.push_back(BufferStore::kNone);
            s.process.push_back(static_cast<std::int32_t>(h.processId.value));
            s.device.push_back(static_cast<std::int16_t>(std::min<std::int64_t>(h.deviceId.value, 32767)));
            s.kind.push_back(model::BufferKind::Vmm);
            s.endKind.push_back(h.endNs == model::kNever ? model::EndKind::Live : model::EndKind::Freed);
            s.api.push_back(api);
            s.countsAsLive.push_back(1);
        }
    }

    const model::Capture& m_facts;
    const Cancel& m_cancel;
    std::shared_ptr<BufferStore> m_store;
    std::mutex m_apisMutex;
    std::int64_t m_firstId = 0;
    bool m_isDense = true;
};

StatusOr<std::shared_ptr<const BufferStore>> BufferStore::load(const model::Capture& facts, int threads,
                                                               const Cancel& cancel) {
    return StoreLoader(facts, cancel).load(threads);
}

}  // namespace vramscope::gui
