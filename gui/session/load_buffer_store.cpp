// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <thread>

#include "formats/capture_file.h"
#include "formats/table_pages.h"
#include "gui/session/buffer_row_reader.h"
#include "gui/session/buffer_store.h"
#include "gui/session/order_events.h"
#include "gui/session/store_rows.h"

namespace vramscope::gui {
namespace {

/// Two rows an allocation must fit into the numbers of events.
constexpr std::int64_t kMostStoreRows = std::numeric_limits<std::uint32_t>::max() / 2;
/// Fewer rows than this are not worth a second connection.
constexpr std::int64_t kRowsWorthAThread = 100'000;
/// How many rows pass between two looks at whether the work is still wanted.
constexpr std::int64_t kRowsBetweenChecks = 4096;
/// A row of the table takes more than this in the file.
constexpr std::int64_t kLeastRowBytes = 32;

Status cancelled() {
    return {ErrorKind::Incomplete, "Loading was cancelled."};
}

/// The file and what its recorder has beside it.
std::int64_t bytesOf(const std::filesystem::path& path) {
    std::int64_t sum = 0;
    for (const char* suffix : {"", "-wal"}) {
        std::error_code error;
        const std::uintmax_t bytes =
            std::filesystem::file_size(std::filesystem::path(path).concat(suffix), error);
        if (!error) sum = model::addClamped(sum, static_cast<std::int64_t>(bytes));
    }
    return sum;
}

}  // namespace

/// Fills a BufferStore, from the pages of the file where it is plain and by statements where it is not. Where
/// the buffers' numbers are dense, as a recorder writes them, several connections fill one part each; the
/// columns are never copied.
class StoreLoader {
public:
    StoreLoader(const model::Capture& facts, const Cancel& cancel)
        : m_facts(facts), m_cancel(cancel), m_store(std::make_shared<BufferStore>()) {}

    StatusOr<std::shared_ptr<const BufferStore>> load(int threads) {
        VRAMSCOPE_RETURN_IF_ERROR(read(threads));
        StoreRows::removeUnread(*m_store);
        StoreRows::addHandles(*m_store, m_facts);
        if (m_cancel.isRequested()) return cancelled();
        orderEvents(*m_store, threads, m_cancel);
        if (m_cancel.isRequested()) return cancelled();
        return std::shared_ptr<const BufferStore>(std::move(m_store));
    }

private:
    Status read(int threads) {
        VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                                   formats::openCaptureForReading(m_facts.path, 0));
        VRAMSCOPE_RETURN_IF_ERROR(beginReading(connection));
        VRAMSCOPE_RETURN_IF_ERROR(readExtent(connection));
        m_pages = formats::TablePages::find(connection, "buffers", BufferRowReader::kColumns);
        VRAMSCOPE_RETURN_IF_ERROR(readAll(threads));
        if (!m_isOdd) return Status::ok();
        m_pages.reset();
        return readAll(threads);
    }

    /// Until the connection is closed the file stays as it is.
    static Status beginReading(formats::Connection& connection) {
        return connection.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    }

    Status readExtent(formats::Connection& connection) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const auto first,
                                   connection.queryInt("SELECT min(buffer_id) FROM buffers"));
        VRAMSCOPE_ASSIGN_OR_RETURN(const auto last,
                                   connection.queryInt("SELECT max(buffer_id) FROM buffers"));
        m_firstId = first.value_or(0);
        const std::int64_t lastId = last.value_or(-1);
        const std::int64_t most =
            std::min({kMostStoreRows, model::kMostRows, bytesOf(m_facts.path) / kLeastRowBytes});
        if (__builtin_sub_overflow(lastId, m_firstId, &m_extent) || m_extent >= most) {
            // Numbers of a hostile file: as many rows as there really are, each counted.
            VRAMSCOPE_ASSIGN_OR_RETURN(const auto count, connection.queryInt("SELECT count(*) FROM buffers"));
            m_isDense = false;
            m_extent = count.value_or(0) - 1;
        }
        if (m_extent >= model::kMostRows) {
            return {ErrorKind::Unreadable, m_facts.path.string() + ": more buffers than a capture can have."};
        }
        ++m_extent;
        return Status::ok();
    }

    void makeRoom() {
        *m_numbers.apis = WordList();
        *m_numbers.traits = TraitsList();
        m_store->sizeBytes = SizeColumn();
        m_store->traitsOf.clear();
        m_store->m_firstId = m_firstId;
        if (!m_isDense) m_store->m_ids.resize(static_cast<std::size_t>(m_extent));
        StoreRows::resize(*m_store, static_cast<std::size_t>(m_extent));
    }

    Status readAll(int threads) {
        makeRoom();
        if (!m_isDense) threads = 1;
        const auto parts = static_cast<std::size_t>(
            std::clamp<std::int64_t>(m_extent / kRowsWorthAThread, 1, std::max(threads, 1)));
        std::vector<Status> results(parts);
        std::vector<std::vector<SizeColumn::Large>> larges(parts);
        std::vector<std::thread> workers;
        const auto read = [&](std::size_t part) {
            BufferRowReader reader(*m_store, m_facts, m_numbers);
            results[part] = m_pages ? readPages(reader, part, parts) : readRows(reader, part, parts);
            larges[part] = reader.larges();
        };
        for (std::size_t part = 1; part < parts; ++part)
            workers.emplace_back(read, part);
        read(0);
        for (std::thread& worker : workers)
            worker.join();
        for (const auto& part : larges)
            m_store->sizeBytes.addLarges(part);
        for (const Status& result : results)
            VRAMSCOPE_RETURN_IF_ERROR(result);
        return Status::ok();
    }

    Status readPages(BufferRowReader& reader, std::size_t part, std::size_t parts) {
        VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                                   formats::openCaptureForReading(m_facts.path, 0));
        VRAMSCOPE_RETURN_IF_ERROR(beginReading(connection));
        const std::size_t leaves = m_pages->leaves().size();
        formats::PageCursor cursor(connection, *m_pages, leaves * part / parts, leaves * (part + 1) / parts);
        Status read = takeRows(reader, cursor, [&cursor] { return StatusOr<bool>(cursor.step()); });
        if (!cursor.isOdd()) return read;
        m_isOdd = true;
        return Status::ok();
    }

    Status readRows(BufferRowReader& reader, std::size_t part, std::size_t parts) {
        VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                                   formats::openCaptureForReading(m_facts.path, 0));
        std::string columns;
        for (const char* column : BufferRowReader::kColumns)
            columns.append(columns.empty() ? "SELECT " : ", ").append(column);
        VRAMSCOPE_ASSIGN_OR_RETURN(
            formats::Statement row,
            connection.prepare(columns +
                               " FROM buffers WHERE buffer_id >= ? AND buffer_id < ? ORDER BY buffer_id"));
        const auto borderAt = [&](std::size_t at) {
            return m_firstId + m_extent * static_cast<std::int64_t>(at) / static_cast<std::int64_t>(parts);
        };
        if (m_isDense)
            row.bindAll(borderAt(part), borderAt(part + 1));
        else
            row.bindAll(std::numeric_limits<std::int64_t>::min(), model::kNever);
        return takeRows(reader, row, [&row] { return row.step(); });
    }

    template <typename Source, typename Step>
    Status takeRows(BufferRowReader& reader, const Source& row, Step step) {
        std::int64_t countRead = 0;
        for (std::int64_t next = 0;; ++next) {
            VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, step());
            if (!hasRow) return Status::ok();
            const std::int64_t id = row.columnInt(0);
            // A recorder that is still at work may have added some meanwhile.
            if (m_isDense && (id < m_firstId || id - m_firstId >= m_extent)) return Status::ok();
            const std::int64_t at = m_isDense ? id - m_firstId : next;
            if (at >= m_extent) return Status::ok();
            if (!m_isDense) m_store->m_ids[static_cast<std::size_t>(at)] = id;
            if (!reader.read(row, static_cast<Row>(at))) return impossibleSize();
            if (++countRead % kRowsBetweenChecks == 0 && m_cancel.isRequested()) return cancelled();
        }
    }

    Status impossibleSize() const {
        return {ErrorKind::Unreadable,
                m_facts.path.string() +
                    ": table buffers holds a size that no memory can have. The file is "
                    "damaged; record again."};
    }

    const model::Capture& m_facts;
    const Cancel& m_cancel;
    std::shared_ptr<BufferStore> m_store;
    SharedNumbers m_numbers{{}, &m_store->apis, &m_store->traits};
    std::optional<formats::TablePages> m_pages;
    std::atomic<bool> m_isOdd{false};
    std::int64_t m_firstId = 0;
    std::int64_t m_extent = 0;  ///< rows to make room for
    bool m_isDense = true;
};

StatusOr<std::shared_ptr<const BufferStore>> BufferStore::load(const model::Capture& facts, int threads,
                                                               const Cancel& cancel) {
    return StoreLoader(facts, cancel).load(threads);
}

}  // namespace vramscope::gui
