// SPDX-License-Identifier: Apache-2.0
#include "gui/session/query.h"

#include <QCoreApplication>

#include "formats/capture_file.h"

namespace vramscope::gui {
namespace {

constexpr std::size_t kLongestCell = 2000;

QString asText(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

QueryResult runQuery(const std::filesystem::path& path, const QString& sql, std::size_t mostRows,
                     const Cancel& cancel) {
    QueryResult result;
    auto connection = formats::openCaptureForReading(path, 0);
    if (!connection.isOk()) {
        result.problem = asText(connection.status().message());
        return result;
    }
    connection->setInterruptCheck([&cancel] { return cancel.isRequested(); });
    auto statement = connection->prepare(sql.toStdString());
    if (!statement.isOk()) {
        result.problem = asText(statement.status().message());
        return result;
    }
    for (int column = 0; column < statement->columnCount(); ++column)
        result.columns.append(asText(statement->columnName(column)));
    while (true) {
        const auto hasRow = statement->step();
        if (!hasRow.isOk()) {
            result.problem = asText(hasRow.status().message());
            return result;
        }
        if (!*hasRow) return result;
        if (result.rows.size() == mostRows) {
            result.isCut = true;
            return result;
        }
        QStringList row;
        for (int column = 0; column < statement->columnCount(); ++column) {
            const bool isBlob = statement->columnType(column) == formats::Statement::ColumnType::Blob;
            row.append(isBlob ? QCoreApplication::translate("Query", "%1 bytes")
                                    .arg(statement->columnBlob(column).size())
                              : asText(statement->columnText(column).substr(0, kLongestCell)));
        }
        result.rows.push_back(row);
    }
}

}  // namespace vramscope::gui
