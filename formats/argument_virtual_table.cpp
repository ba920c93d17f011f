// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "formats/argument_reader.h"
#include "formats/event_tables.h"
#include "formats/virtual_table.h"

namespace vramscope::formats {

namespace {

enum Plan { WholeTable = 0, OneSet = 1 };
enum Column { ArgumentSetId = 0, ParameterOffset = 1, BufferId = 2, Offset = 3 };

struct ArgumentTable : sqlite3_vtab {
    sqlite3* db = nullptr;

    static int connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** out, char**);
    static int bestIndex(sqlite3_vtab*, sqlite3_index_info* info);
};

int ArgumentTable::connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** out, char**) {
    return guarded([&] {
        auto table = std::make_unique<ArgumentTable>();
        table->db = db;
        const int code =
            sqlite3_declare_vtab(db,
                                 "CREATE TABLE x(argument_set_id INTEGER, parameter_offset INTEGER, "
                                 "buffer_id INTEGER, \"offset\" INTEGER)");
        if (code != SQLITE_OK) return code;
        sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
        *out = table.release();
        return SQLITE_OK;
    });
}

int ArgumentTable::bestIndex(sqlite3_vtab*, sqlite3_index_info* info) {
    info->idxNum = WholeTable;
    info->estimatedRows = 1'000'000;
    info->estimatedCost = 1e6;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        if (constraint.iColumn != ArgumentSetId || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (constraint.usable == 0) continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->idxNum = OneSet;
        info->estimatedRows = 4;
        info->estimatedCost = 10;
        break;
    }
    return SQLITE_OK;
}

class ArgumentCursor : public sqlite3_vtab_cursor {
public:
    explicit ArgumentCursor(ArgumentTable& table)
        : sqlite3_vtab_cursor{}, m_table(table), m_reader(table.db) {}

    int filter(int plan, const char*, int, sqlite3_value** values);
    int next() { return ++m_row < m_set.size() ? SQLITE_OK : goToNextSet(); }
    bool atEnd() const { return m_atEnd; }
    int column(sqlite3_context* context, int column) const;
    sqlite3_int64 rowid() const {
        const std::uint64_t row = static_cast<std::uint64_t>(m_setId) * kMaxLaunchArguments + m_row;
        return static_cast<sqlite3_int64>(row);
    }

private:
    int goToNextSet();

    ArgumentTable& m_table;
    ArgumentReader m_reader;
    int m_plan = WholeTable;
    std::int64_t m_setId = 0;
    std::span<const LaunchArgument> m_set;
    std::size_t m_row = 0;
    bool m_atEnd = true;
};

int ArgumentCursor::filter(int plan, const char*, int, sqlite3_value** values) {
    m_plan = plan;
    m_row = 0;
    m_atEnd = true;
    if (plan == WholeTable) {
        m_reader.rewind();
        return goToNextSet();
    }
    // A real number or text may equal a whole number; SQLite, which checks again, sees to the rest.
    if (sqlite3_value_numeric_type(values[0]) == SQLITE_NULL) return SQLITE_OK;
    m_setId = sqlite3_value_int64(values[0]);
    const StatusOr<std::span<const LaunchArgument>> set = m_reader.find(m_setId);
    if (!set.isOk()) return failTable(&m_table, set.status());
    m_set = *set;
    m_atEnd = m_set.empty();
    return SQLITE_OK;
}

// Sets without arguments have no row here.
int ArgumentCursor::goToNextSet() {
    m_row = 0;
    m_atEnd = true;
    if (m_plan == OneSet) return SQLITE_OK;
    const StatusOr<bool> found = m_reader.next(m_setId, m_set);
    if (!found.isOk()) return failTable(&m_table, found.status());
    m_atEnd = !*found;
    return SQLITE_OK;
}

int ArgumentCursor::column(sqlite3_context* context, int column) const {
    const LaunchArgument& argument = m_set[m_row];
    switch (column) {
        case ArgumentSetId:
            sqlite3_result_int64(context, m_setId);
            break;
        case ParameterOffset:
            sqlite3_result_int64(context, argument.parameterOffset);
            break;
        case BufferId:
            resultId(context, argument.bufferId);
            break;
        default:
            sqlite3_result_int64(context, static_cast<std::int64_t>(argument.offset));
            break;
    }
    return SQLITE_OK;
}

}  // namespace

int registerArgumentModule(sqlite3* db) {
    static const sqlite3_module kModule = moduleOf<ArgumentTable, ArgumentCursor>();
    return sqlite3_create_module_v2(db, "launch_arguments", &kModule, nullptr, nullptr);
}

Status registerEventTables(Connection& connection) {
    int code = registerEventModules(connection.handle());
    if (code == SQLITE_OK) code = registerArgumentModule(connection.handle());
    if (code == SQLITE_OK) return Status::ok();
    return {ErrorKind::System,
            connection.name() + ": the event tables cannot be set up: " + sqlite3_errstr(code) + "."};
}

}  // namespace vramscope::formats
