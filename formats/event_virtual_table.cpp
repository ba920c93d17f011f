// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "formats/event_chunk.h"
#include "formats/event_tables.h"
#include "formats/virtual_table.h"

namespace vramscope::formats {

namespace {

constexpr std::int64_t kMinNs = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxNs = std::numeric_limits<std::int64_t>::max();

struct EventTable : sqlite3_vtab {
    sqlite3* db = nullptr;
    EventKind kind{};

    static int connect(sqlite3* db, void* kind, int, const char* const*, sqlite3_vtab** out, char**);
    static int bestIndex(sqlite3_vtab*, sqlite3_index_info* info);
};

int EventTable::connect(sqlite3* db, void* kind, int, const char* const*, sqlite3_vtab** out, char**) {
    return guarded([&] {
        auto table = std::make_unique<EventTable>();
        table->db = db;
        table->kind = *static_cast<const EventKind*>(kind);
        std::string declaration = "CREATE TABLE x(";
        for (const ColumnSpec& column : eventColumns(table->kind)) {
            const bool isText = column.shape == ColumnShape::ApiName || column.shape == ColumnShape::Named;
            declaration += std::string(column.name) + (isText ? " TEXT," : " INTEGER,");
        }
        declaration.back() = ')';
        if (const int code = sqlite3_declare_vtab(db, declaration.c_str()); code != SQLITE_OK) return code;
        // Nothing stored in a file may reach these tables; only the query itself.
        sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
        *out = table.release();
        return SQLITE_OK;
    });
}

// Which condition each of filter()'s values belongs to is passed on as one letter a value.
char letterFor(unsigned char op) {
    switch (op) {
        case SQLITE_INDEX_CONSTRAINT_EQ:
            return '=';
        case SQLITE_INDEX_CONSTRAINT_GE:
        case SQLITE_INDEX_CONSTRAINT_GT:
            return '>';
        case SQLITE_INDEX_CONSTRAINT_LE:
        case SQLITE_INDEX_CONSTRAINT_LT:
            return '<';
        default:
            return '\0';
    }
}

int EventTable::bestIndex(sqlite3_vtab*, sqlite3_index_info* info) {
    return guarded([&] {
        std::string letters;
        double rows = 1e7;
        for (int i = 0; i < info->nConstraint; ++i) {
            const auto& constraint = info->aConstraint[i];
            const char letter = letterFor(constraint.op);
            if (constraint.usable == 0 || constraint.iColumn != 0 || letter == '\0') continue;
            letters += letter;
            // Not omitted: SQLite checks again, so that a bound here may be loose (a real number, for one).
            info->aConstraintUsage[i].argvIndex = static_cast<int>(letters.size());
            rows /= letter == '=' ? 1e5 : 30;
        }
        info->idxStr = sqlite3_mprintf("%s", letters.c_str());
        info->needToFreeIdxStr = 1;
        info->estimatedRows = static_cast<sqlite3_int64>(rows) + 1;
        info->estimatedCost = rows + 100;
        return info->idxStr != nullptr ? SQLITE_OK : SQLITE_NOMEM;
    });
}

class EventCursor : public sqlite3_vtab_cursor {
public:
    explicit EventCursor(EventTable& table) : sqlite3_vtab_cursor{}, m_table(table) {}

    int filter(int plan, const char* letters, int count, sqlite3_value** values);
    int next();
    bool atEnd() const { return !m_chunk; }
    int column(sqlite3_context* context, int column);
    sqlite3_int64 rowid() const {
        const auto chunkId =
            static_cast<std::uint64_t>(m_chunkIds[m_nextChunk - 1]);  // may be any number: wraps
        const std::uint64_t row = chunkId * kMaxChunkEvents + m_row;
        return static_cast<sqlite3_int64>(row);
    }

private:
    void narrow(char letter, sqlite3_value* value);
    int listChunks();
    int openNextChunk();
    Status load(std::size_t column);
    int skipOutside();

    EventTable& m_table;
    std::int64_t m_firstNs = kMinNs, m_lastNs = kMaxNs;
    std::vector<std::int64_t> m_chunkIds;
    std::size_t m_nextChunk = 0;
    StatementHandle m_fetch;
    ZstdDecompressor m_decompressor;
    std::vector<std::byte> m_bytes;  // m_chunk looks into it
    std::optional<ChunkReader> m_chunk;
    std::vector<ColumnValues> m_columns;  // empty until asked for
    std::size_t m_row = 0;
};

void EventCursor::narrow(char letter, sqlite3_value* value) {
    std::int64_t low = kMinNs;
    std::int64_t high = kMaxNs;
    const int type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_INTEGER) {
        low = high = sqlite3_value_int64(value);
    } else if (type == SQLITE_FLOAT) {
        const double real = sqlite3_value_double(value);
        if (!(std::abs(real) < 9e18)) return;
        low = static_cast<std::int64_t>(std::floor(real));
        high = static_cast<std::int64_t>(std::ceil(real));
    } else {
        return;  // text and NULL compare by SQLite's own rules; it decides
    }
    if (letter != '<') m_firstNs = std::max(m_firstNs, low);
    if (letter != '>') m_lastNs = std::min(m_lastNs, high);
}

int EventCursor::filter(int, const char* letters, int count, sqlite3_value** values) {
    m_firstNs = kMinNs;
    m_lastNs = kMaxNs;
    for (int i = 0; i < count; ++i)
        narrow(letters[i], values[i]);
    m_chunk.reset();
    if (const int code = listChunks(); code != SQLITE_OK) return code;
    if (const int code = openNextChunk(); code != SQLITE_OK) return code;
    return skipOutside();
}

int EventCursor::listChunks() {
    m_chunkIds.clear();
    m_nextChunk = 0;
    StatementHandle list;
    int code = prepareHandle(
        m_table.db,
        "SELECT chunk_id FROM main.event_chunks WHERE kind = ?1 AND last_ns >= ?2 AND first_ns <= "
        "?3 ORDER BY first_ns, chunk_id",
        list);
    if (code != SQLITE_OK) return code;
    sqlite3_bind_text(list.get(), 1, eventKindName(m_table.kind), -1, SQLITE_STATIC);
    sqlite3_bind_int64(list.get(), 2, m_firstNs);
    sqlite3_bind_int64(list.get(), 3, m_lastNs);
    while ((code = sqlite3_step(list.get())) == SQLITE_ROW)
        m_chunkIds.push_back(sqlite3_column_int64(list.get(), 0));
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

// Leaves m_chunk empty when there is none left.
int EventCursor::openNextChunk() {
    m_chunk.reset();
    m_row = 0;
    if (m_nextChunk == m_chunkIds.size()) return SQLITE_OK;
    if (!m_fetch) {
        const int code = prepareHandle(
            m_table.db, "SELECT data, event_count FROM main.event_chunks WHERE chunk_id = ?1", m_fetch);
        if (code != SQLITE_OK) return code;
    }
    sqlite3_bind_int64(m_fetch.get(), 1, m_chunkIds[m_nextChunk++]);
    const int code = sqlite3_step(m_fetch.get());
    if (code != SQLITE_ROW) {
        sqlite3_reset(m_fetch.get());
        return code == SQLITE_DONE ? SQLITE_CORRUPT_VTAB : code;
    }
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(m_fetch.get(), 0));
    m_bytes.assign(data, data + sqlite3_column_bytes(m_fetch.get(), 0));
    const std::int64_t eventCount = sqlite3_column_int64(m_fetch.get(), 1);
    sqlite3_reset(m_fetch.get());

    StatusOr<ChunkReader> chunk = ChunkReader::open(m_table.kind, m_bytes);
    if (!chunk.isOk()) return failTable(&m_table, chunk.status());
    if (static_cast<std::int64_t>(chunk->eventCount()) != eventCount) {
        return failTable(&m_table, {ErrorKind::Unreadable, "an event chunk is damaged (event_count)"});
    }
    m_chunk = std::move(chunk.value());
    m_columns.assign(eventColumns(m_table.kind).size(), {});
    return SQLITE_OK;
}

Status EventCursor::load(std::size_t column) {
    if (!m_columns[column].empty()) return Status::ok();
    return m_chunk->readColumn(column, m_decompressor, m_columns[column]);
}

int EventCursor::skipOutside() {
    if (m_firstNs == kMinNs && m_lastNs == kMaxNs) return SQLITE_OK;
    while (m_chunk) {
        if (Status status = load(0); !status.isOk()) return failTable(&m_table, status);
        for (; m_row < m_chunk->eventCount(); ++m_row) {
            const auto enterNs = static_cast<std::int64_t>(m_columns[0][m_row]);
            if (enterNs >= m_firstNs && enterNs <= m_lastNs) return SQLITE_OK;
        }
        if (const int code = openNextChunk(); code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

int EventCursor::next() {
    if (++m_row == m_chunk->eventCount()) {
        if (const int code = openNextChunk(); code != SQLITE_OK) return code;
    }
    return skipOutside();
}

int EventCursor::column(sqlite3_context* context, int column) {
    const auto index = static_cast<std::size_t>(column);
    if (Status status = load(index); !status.isOk()) {
        sqlite3_result_error(context, status.message().c_str(), -1);
        sqlite3_result_error_code(context, SQLITE_CORRUPT_VTAB);
        return SQLITE_CORRUPT_VTAB;
    }
    const ColumnSpec& spec = eventColumns(m_table.kind)[index];
    const std::uint64_t value = m_columns[index][m_row];
    const auto text = [&](std::string_view name) {
        sqlite3_result_text(context, name.data(), static_cast<int>(name.size()), SQLITE_TRANSIENT);
    };
    switch (spec.shape) {
        case ColumnShape::Integer:
            sqlite3_result_int64(context, static_cast<std::int64_t>(value));
            break;
        case ColumnShape::Id:
            resultId(context, static_cast<std::int64_t>(value));
            break;
        case ColumnShape::ApiName:
            if (value != 0 && value < m_chunk->names().size()) text(m_chunk->names()[value]);
            break;  // SQLite starts with NULL
        case ColumnShape::Named:
            if (value < spec.names.size()) text(spec.names[value]);
            break;
    }
    return SQLITE_OK;
}

}  // namespace

int registerEventModules(sqlite3* db) {
    static const sqlite3_module kModule = moduleOf<EventTable, EventCursor>();
    static constexpr std::array kKinds = {EventKind::Launches, EventKind::Copies, EventKind::Sets,
                                          EventKind::Syncs};
    for (const EventKind& kind : kKinds) {
        // The module only reads through the pointer; SQLite's type for it has no const.
        void* context = const_cast<EventKind*>(&kind);
        const int code = sqlite3_create_module_v2(db, eventKindName(kind), &kModule, context, nullptr);
        if (code != SQLITE_OK) return code;
    }
    return SQLITE_OK;
}

}  // namespace vramscope::formats
