// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/row_output.h"
#include "analyzer/cli/verbs.h"
#include "formats/capture_file.h"

namespace vramscope::cli {
namespace {

/// Every table that says something about the job, in the order a reader wants. event_chunks, argument_chunks
/// and live_levels are the packed forms of what the tables named here show.
constexpr std::array<const char*, 46> kTables{"meta",
                                              "processes",
                                              "devices",
                                              "contexts",
                                              "streams",
                                              "threads",
                                              "tasks",
                                              "modules",
                                              "frames",
                                              "stacks",
                                              "buffers",
                                              "pools",
                                              "pool_samples",
                                              "pool_trims",
                                              "vmm_handles",
                                              "vmm_reservations",
                                              "vmm_accesses",
                                              "primary_context_calls",
                                              "gpu_modules",
                                              "objects",
                                              "graphs",
                                              "graph_versions",
                                              "graph_nodes",
                                              "graph_node_addresses",
                                              "graph_allocations",
                                              "graph_memory_samples",
                                              "graph_memory_trims",
                                              "ipc_handles",
                                              "ipc_imports",
                                              "peer_accesses",
                                              "failed_calls",
                                              "job_exceptions",
                                              "guard_hits",
                                              "kernels",
                                              "launches",
                                              "launch_arguments",
                                              "copies",
                                              "sets",
                                              "syncs",
                                              "dropped_chunks",
                                              "phases",
                                              "memory_samples",
                                              "process_memory_samples",
                                              "event_counts",
                                              "drops",
                                              "notes"};

/// Columns whose numbers are addresses or handles read better in hexadecimal.
bool isAddress(std::string_view column) {
    return column == "address" || column == "handle" || column == "base" || column == "module_offset" ||
           column == "src_address" || column == "dst_address" || column == "node" || column == "handle_hash";
}

std::string fieldText(const formats::Statement& row, int column) {
    const std::string_view name = row.columnName(column);
    if (isAddress(name)) return fmt::format(" {}={:#x}", name, row.columnAddress(column));
    const Cell cell = readCell(row, column);
    if (cell.type == formats::Statement::ColumnType::Text) {
        std::string quoted;
        for (const char c : report::printable(cell.text)) {
            if (c == '"' || c == '\\') quoted += '\\';
            quoted += c;
        }
        return fmt::format(" {}=\"{}\"", name, quoted);
    }
    return fmt::format(" {}={}", name, cell.text);
}

/// One line a row, "TABLE column=value ...", absent values left out.
Status dumpTable(formats::Connection& connection, const char* table) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement row,
                               connection.prepare(fmt::format("SELECT * FROM {}", table)));
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, row.step());
        if (!hasRow) return Status::ok();
        std::string line(table);
        for (int i = 0; i < row.columnCount(); ++i) {
            if (!row.isNull(i)) line += fieldText(row, i);
        }
        print(line + "\n");
    }
}

int runDump(const std::string& file, const std::vector<std::string>& tables) {
    auto connection = formats::openCaptureForReading(file);
    if (!connection.isOk()) return fail(connection.status());
    for (const char* table : kTables) {
        const bool isWanted =
            tables.empty() || std::find(tables.begin(), tables.end(), table) != tables.end();
        if (!isWanted) continue;
        if (const Status status = dumpTable(*connection, table); !status.isOk()) return fail(status);
    }
    return kFine;
}

}  // namespace

void addDumpVerb(CLI::App& app, int& exitCode) {
    CLI::App* verb =
        app.add_subcommand("dump", "Print every record of a capture, a line each, the same every time");
    verb->footer(
        "  vramscope dump train.vramscope | grep failed_calls\n"
        "  vramscope dump train.vramscope --table buffers,notes");
    auto file = std::make_shared<std::string>();
    auto tables = std::make_shared<std::vector<std::string>>();
    verb->add_option("FILE", *file, "A capture")->required();
    verb->add_option("--table", *tables, "Only these tables")
        ->delimiter(',')
        ->type_name("NAME")
        ->check(CLI::IsMember(std::vector<std::string>(kTables.begin(), kTables.end())).description(""));
    verb->callback([file, tables, &exitCode] { exitCode = runDump(*file, *tables); });
}

}  // namespace vramscope::cli
