// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ordering_reader.h"

#include <algorithm>
#include <memory>
#include <queue>

#include "formats/event_chunk.h"

namespace vramscope::model {
namespace {

using formats::DecodedChunk;

struct ChunkRow {
    std::int64_t id = 0;
    std::string kind;
    std::int64_t firstNs = 0;
};

using AnyChunk = std::variant<DecodedChunk<formats::LaunchEvent>, DecodedChunk<formats::CopyEvent>,
                              DecodedChunk<formats::SetEvent>, DecodedChunk<formats::SyncEvent>>;

/// A chunk on its way out, its events in order.
struct OpenChunk {
    AnyChunk chunk;
    std::vector<CallOrder> orders;
    std::size_t next = 0;
};

struct Head {
    CallOrder order;
    std::size_t source;  // of a chunk; SIZE_MAX for the others
    bool operator>(const Head& rhs) const {
        return order != rhs.order ? order > rhs.order : source > rhs.source;
    }
};
constexpr std::size_t kOthers = static_cast<std::size_t>(-1);

template <typename Event>
Status openChunk(std::span<const std::byte> data, formats::ZstdDecompressor& decompressor, OpenChunk& out) {
    VRAMSCOPE_ASSIGN_OR_RETURN(DecodedChunk<Event> decoded, formats::decodeChunk<Event>(data, decompressor));
    const auto isEarlier = [](const Event& a, const Event& b) { return orderOf(a) < orderOf(b); };
    if (!std::is_sorted(decoded.events.begin(), decoded.events.end(), isEarlier))
        std::stable_sort(decoded.events.begin(), decoded.events.end(), isEarlier);
    out.orders.reserve(decoded.events.size());
    for (const Event& event : decoded.events)
        out.orders.push_back(orderOf(event));
    out.chunk = std::move(decoded);
    return Status::ok();
}

class Merger {
public:
    Merger(formats::Connection& connection, formats::Statement data, std::vector<ChunkRow> rows,
           std::vector<OtherCall> others, const EventReceiver& receiver)
        : m_connection(connection),
          m_data(std::move(data)),
          m_rows(std::move(rows)),
          m_others(std::move(others)),
          m_receiver(receiver) {
        std::sort(m_others.begin(), m_others.end(), [](const OtherCall& a, const OtherCall& b) {
            return a.order != b.order ? a.order < b.order : a.number < b.number;
        });
        if (!m_others.empty()) m_heads.push({m_others.front().order, kOthers});
    }

    Status run() {
        CallOrder last{std::numeric_limits<std::int64_t>::min(), 0};
        for (;;) {
            VRAMSCOPE_RETURN_IF_ERROR(openDue());
            if (m_heads.empty()) return Status::ok();
            const Head head = m_heads.top();
            m_heads.pop();
            // A chunk began earlier than its row says.
            if (head.order < last) return damaged("events lie outside the times of their chunk");
            last = head.order;
            give(head.source);
        }
    }

private:
    Status damaged(const std::string& what) const {
        return {ErrorKind::Unreadable,
                m_connection.name() + ": the events could not be put in order: " + what + "."};
    }

    /// Opens every chunk that may hold something before the next event.
    Status openDue() {
        while (m_nextRow < m_rows.size()) {
            const bool isDue = m_heads.empty() || m_rows[m_nextRow].firstNs <= m_heads.top().order.timeNs;
            if (!isDue) return Status::ok();
            if (m_openCount >= kMostOpenChunks) return damaged("too many chunks of one time");
            VRAMSCOPE_RETURN_IF_ERROR(open(m_rows[m_nextRow++]));
        }
        return Status::ok();
    }

    Status open(const ChunkRow& row) {
        m_data.reset();
        m_data.bind(1, row.id);
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, m_data.step());
        if (!found) return damaged("a chunk is gone");
        auto chunk = std::make_unique<OpenChunk>();
        const std::span<const std::byte> data = m_data.columnBlob(0);
        Status status = row.kind == "launches" ? openChunk<formats::LaunchEvent>(data, m_decompressor, *chunk)
                        : row.kind == "copies" ? openChunk<formats::CopyEvent>(data, m_decompressor, *chunk)
                        : row.kind == "sets"   ? openChunk<formats::SetEvent>(data, m_decompressor, *chunk)
                                               : openChunk<formats::SyncEvent>(data, m_decompressor, *chunk);
        if (!status.isOk()) return {ErrorKind::Unreadable, m_connection.name() + ": " + status.message()};
        if (chunk->orders.empty()) return Status::ok();
        m_heads.push({chunk->orders.front(), m_open.size()});
        m_open.push_back(std::move(chunk));
        ++m_openCount;
        return Status::ok();
    }

    void give(std::size_t source) {
        if (source == kOthers) {
            m_receiver.other(m_others[m_nextOther].number);
            if (++m_nextOther < m_others.size()) m_heads.push({m_others[m_nextOther].order, kOthers});
            return;
        }
        OpenChunk& chunk = *m_open[source];
        std::visit([&](const auto& decoded) { giveEvent(decoded, decoded.events[chunk.next]); }, chunk.chunk);
        if (++chunk.next < chunk.orders.size()) {
            m_heads.push({chunk.orders[chunk.next], source});
        } else {
            m_open[source].reset();
            --m_openCount;
        }
    }
    void giveEvent(const DecodedChunk<formats::LaunchEvent>& /*chunk*/, const formats::LaunchEvent& event) {
        m_receiver.launch(event);
    }
    void giveEvent(const DecodedChunk<formats::CopyEvent>& chunk, const formats::CopyEvent& event) {
        m_receiver.copy(event, chunk.names);
    }
    void giveEvent(const DecodedChunk<formats::SetEvent>& chunk, const formats::SetEvent& event) {
        m_receiver.set(event, chunk.names);
    }
    void giveEvent(const DecodedChunk<formats::SyncEvent>& /*chunk*/, const formats::SyncEvent& event) {
        m_receiver.sync(event);
    }

    formats::Connection& m_connection;
    formats::Statement m_data;
    formats::ZstdDecompressor m_decompressor;
    std::vector<ChunkRow> m_rows;
    std::size_t m_nextRow = 0;
    std::vector<OtherCall> m_others;
    std::size_t m_nextOther = 0;
    std::vector<std::unique_ptr<OpenChunk>> m_open;
    std::size_t m_openCount = 0;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> m_heads;
    const EventReceiver& m_receiver;
};

StatusOr<std::vector<ChunkRow>> chunkRows(formats::Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement statement,
        connection.prepare(
            "SELECT chunk_id, kind, first_ns FROM event_chunks"
            " WHERE kind IN ('launches', 'copies', 'sets', 'syncs') ORDER BY first_ns, chunk_id"));
    std::vector<ChunkRow> rows;
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, statement.step());
        if (!hasRow) return rows;
        rows.push_back(
            {statement.columnInt(0), std::string(statement.columnText(1)), statement.columnInt(2)});
    }
}

}  // namespace

Status readInOrder(formats::Connection& connection, std::vector<OtherCall> others,
                   const EventReceiver& receiver) {
    VRAMSCOPE_ASSIGN_OR_RETURN(std::vector<ChunkRow> rows, chunkRows(connection));
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement data,
                               connection.prepare("SELECT data FROM event_chunks WHERE chunk_id = ?1"));
    Merger merger(connection, std::move(data), std::move(rows), std::move(others), receiver);
    return merger.run();
}

}  // namespace vramscope::model
