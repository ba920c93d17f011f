// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/row_output.h"
#include "analyzer/cli/verbs.h"
#include "formats/capture_file.h"

namespace vramscope::cli {
namespace {

struct Arguments {
    std::string file;
    std::string sql;
    bool isJson = false;
    bool isCsv = false;
};

int runQuery(const Arguments& arguments) {
    auto connection = formats::openCaptureForReading(arguments.file);
    if (!connection.isOk()) return fail(connection.status());
    auto statement = connection->prepare(arguments.sql);
    if (!statement.isOk()) return fail(statement.status());
    const RowFormat format = arguments.isJson  ? RowFormat::Json
                             : arguments.isCsv ? RowFormat::Csv
                                               : RowFormat::Table;
    const Status status = printRows(*statement, format);
    return status.isOk() ? static_cast<int>(kFine) : fail(status);
}

}  // namespace

void addQueryVerb(CLI::App& app, int& exitCode) {
    CLI::App* verb = app.add_subcommand("query", "Ask a capture in SQL; it is opened read-only");
    verb->footer(
        "  vramscope query train.vramscope 'SELECT kind, count(*), sum(size_bytes) FROM buffers GROUP BY "
        "kind'\n"
        "  vramscope query train.vramscope \"SELECT name FROM sqlite_schema WHERE type = 'table'\"\n"
        "  vramscope query train.vramscope 'SELECT * FROM launches LIMIT 10' --csv");
    auto arguments = std::make_shared<Arguments>();
    verb->add_option("FILE", arguments->file, "A capture")->required();
    verb->add_option("SQL", arguments->sql, "One SELECT statement")->required();
    CLI::Option* json = verb->add_flag("--json", arguments->isJson, "A JSON array of objects");
    verb->add_flag("--csv", arguments->isCsv, "Comma-separated values with a heading")->excludes(json);
    verb->callback([arguments, &exitCode] { exitCode = runQuery(*arguments); });
}

}  // namespace vramscope::cli
