// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/row_output.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analyzer/cli/console.h"

namespace vramscope::cli {
namespace {

using formats::Statement;
using ColumnType = Statement::ColumnType;
using Row = std::vector<Cell>;

constexpr std::size_t kWidestCell = 80;

Row readRow(const Statement& statement) {
    Row row;
    for (int i = 0; i < statement.columnCount(); ++i)
        row.push_back(readCell(statement, i));
    return row;
}

std::vector<std::string> columnNames(const Statement& statement) {
    std::vector<std::string> names;
    for (int i = 0; i < statement.columnCount(); ++i)
        names.emplace_back(statement.columnName(i));
    return names;
}

/// Calls `use(row)` for each row until it returns false.
template <typename Use>
Status forEachRow(Statement& statement, Use use) {
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, statement.step());
        if (!hasRow || !use(readRow(statement))) return Status::ok();
    }
}

std::string shown(const Cell& cell) {
    std::string text = cell.type == ColumnType::Null ? "-" : report::printable(cell.text);
    if (text.size() > kWidestCell) text = text.substr(0, kWidestCell - 3) + "...";
    return text;
}

void printTableLine(const Row& row, const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const bool isNumber = row[i].type == ColumnType::Integer || row[i].type == ColumnType::Real;
        const std::string text = shown(row[i]);
        line +=
            isNumber ? fmt::format("{:>{}}  ", text, widths[i]) : fmt::format("{:<{}}  ", text, widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    print(line + "\n");
}

Status printTable(Statement& statement) {
    Row head;
    for (const std::string& name : columnNames(statement))
        head.push_back({ColumnType::Text, name});
    std::vector<Row> rows{head};
    bool isCut = false;
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(statement, [&](Row row) {
        isCut = rows.size() > kMostTableRows;
        if (!isCut) rows.push_back(std::move(row));
        return !isCut;
    }));
    std::vector<std::size_t> widths(head.size(), 0);
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], shown(row[i]).size());
    }
    for (const Row& row : rows)
        printTableLine(row, widths);
    if (isCut)
        complain(fmt::format("only the first {} rows are shown; --csv and --json print all", kMostTableRows));
    return Status::ok();
}

std::string csvField(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted(1, '"');
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted += '"';
}

Status printCsv(Statement& statement) {
    std::string line;
    for (const std::string& name : columnNames(statement))
        line += fmt::format("{}{}", line.empty() ? "" : ",", csvField(name));
    print(line + "\r\n");
    return forEachRow(statement, [](const Row& row) {
        std::string text;
        for (std::size_t i = 0; i < row.size(); ++i)
            text += fmt::format("{}{}", i == 0 ? "" : ",", csvField(row[i].text));
        print(text + "\r\n");
        return true;
    });
}

nlohmann::ordered_json jsonValue(const Statement& statement, int column) {
    switch (statement.columnType(column)) {
        case ColumnType::Integer:
            return statement.columnInt(column);
        case ColumnType::Real:
            return statement.columnDouble(column);
        case ColumnType::Null:
            return nullptr;
        case ColumnType::Text:
        case ColumnType::Blob:
            break;
    }
    return readCell(statement, column).text;
}

Status printJson(Statement& statement) {
    bool isFirst = true;
    print("[");
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, statement.step());
        if (!hasRow) break;
        nlohmann::ordered_json row = nlohmann::ordered_json::object();
        for (int i = 0; i < statement.columnCount(); ++i) {
            row[std::string(statement.columnName(i))] = jsonValue(statement, i);
        }
        print(isFirst ? "\n" : ",\n");
        print(row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        isFirst = false;
    }
    print("\n]\n");
    return Status::ok();
}

}  // namespace

Cell readCell(const Statement& statement, int column) {
    Cell cell;
    cell.type = statement.columnType(column);
    if (cell.type == ColumnType::Blob)
        cell.text = fmt::format("({} bytes)", statement.columnBlob(column).size());
    else
        cell.text = std::string(statement.columnText(column));
    return cell;
}

Status printRows(Statement& statement, RowFormat format) {
    switch (format) {
        case RowFormat::Table:
            return printTable(statement);
        case RowFormat::Csv:
            return printCsv(statement);
        case RowFormat::Json:
            return printJson(statement);
    }
    return Status::ok();
}

}  // namespace vramscope::cli
