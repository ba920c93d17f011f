// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the files that implement virtual tables, and no others: this is the one header that brings sqlite3.h.

#include <memory>
#include <new>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <utility>

#include "formats/status.h"

namespace vramscope::formats {

struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

/// Compiles `sql` into `out`; an SQLite code.
inline int prepareHandle(sqlite3* db, std::string_view sql, StatementHandle& out) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    out.reset(statement);
    return code;
}

/// Puts a message where SQLite looks for it after a method of `table` failed, and returns the code to fail
/// with.
inline int failTable(sqlite3_vtab* table, const Status& status) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", status.message().c_str());
    return SQLITE_CORRUPT_VTAB;
}

/// SQLite is C: an exception (of memory, there is no other) must not pass through it.
template <typename Body>
int guarded(Body&& body) noexcept {
    try {
        return std::forward<Body>(body)();
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    }
}

/// Numbers of the file read as NULL where 0 means none.
inline void resultId(sqlite3_context* context, std::int64_t id) {
    if (id == 0)
        sqlite3_result_null(context);
    else
        sqlite3_result_int64(context, id);
}

/// Methods that all our tables share: read-only, eponymous (there without CREATE), connected by xConnect
/// alone.
template <typename Table, typename Cursor>
sqlite3_module moduleOf() {
    sqlite3_module module{};
    module.iVersion = 1;
    module.xConnect = Table::connect;
    module.xBestIndex = Table::bestIndex;
    module.xDisconnect = [](sqlite3_vtab* table) {
        delete static_cast<Table*>(table);
        return SQLITE_OK;
    };
    module.xOpen = [](sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
        return guarded([&] {
            *out = new Cursor(*static_cast<Table*>(table));
            return SQLITE_OK;
        });
    };
    module.xClose = [](sqlite3_vtab_cursor* cursor) {
        delete static_cast<Cursor*>(cursor);
        return SQLITE_OK;
    };
    module.xFilter = [](sqlite3_vtab_cursor* cursor, int plan, const char* text, int count,
                        sqlite3_value** values) {
        return guarded([&] { return static_cast<Cursor*>(cursor)->filter(plan, text, count, values); });
    };
    module.xNext = [](sqlite3_vtab_cursor* cursor) {
        return guarded([&] { return static_cast<Cursor*>(cursor)->next(); });
    };
    module.xEof = [](sqlite3_vtab_cursor* cursor) { return static_cast<Cursor*>(cursor)->atEnd() ? 1 : 0; };
    module.xColumn = [](sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
        return guarded([&] { return static_cast<Cursor*>(cursor)->column(context, column); });
    };
    module.xRowid = [](sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
        *rowid = static_cast<Cursor*>(cursor)->rowid();
        return SQLITE_OK;
    };
    return module;
}

/// Makes the tables; SQLite codes.
int registerEventModules(sqlite3* db);
int registerArgumentModule(sqlite3* db);

}  // namespace vramscope::formats
