// SPDX-License-Identifier: Apache-2.0
#include "gui/models/text_table.h"

#include <QCoreApplication>
#include <algorithm>

namespace vramscope::gui {
namespace {

bool isFormula(const QString& cell) {
    if (cell.isEmpty()) return false;
    if (QStringLiteral("=@\t\r").contains(cell.front())) return true;
    if (cell.front() != QLatin1Char('+') && cell.front() != QLatin1Char('-')) return false;
    bool isNumber = false;
    (void)cell.toDouble(&isNumber);
    return !isNumber;
}

QString csvLine(const QStringList& cells) {
    QString line;
    for (QString cell : cells) {
        if (isFormula(cell)) cell.prepend(QLatin1Char('\''));
        cell.replace(QLatin1Char('"'), QLatin1String("\"\""));
        line += (line.isEmpty() ? QStringLiteral("\"") : QStringLiteral(",\"")) + cell + QLatin1Char('"');
    }
    return line + QLatin1Char('\n');
}

}  // namespace

QString TextTable::csv() const {
    QString text = csvLine(heading);
    for (const QStringList& row : rows)
        text += csvLine(row);
    return text;
}

QString TextTable::aligned() const {
    std::vector<qsizetype> widths(static_cast<std::size_t>(heading.size()));
    const auto widen = [&](const QStringList& row) {
        for (qsizetype i = 0; i < std::min(row.size(), heading.size()); ++i) {
            qsizetype& width = widths[static_cast<std::size_t>(i)];
            width = std::max(width, row[i].size());
        }
    };
    widen(heading);
    std::for_each(rows.begin(), rows.end(), widen);
    QString text;
    const auto add = [&](const QStringList& row) {
        QString line;
        for (qsizetype i = 0; i < row.size(); ++i) {
            const qsizetype width = i < heading.size() ? widths[static_cast<std::size_t>(i)] : 0;
            line += (i ? QStringLiteral("  ") : QString()) + row[i].leftJustified(width);
        }
        while (line.endsWith(QLatin1Char(' ')))
            line.chop(1);
        text += line + QLatin1Char('\n');
    };
    add(heading);
    std::for_each(rows.begin(), rows.end(), add);
    if (leftOut > 0) text += QCoreApplication::translate("TextTable", "and %1 rows more\n").arg(leftOut);
    return text;
}

TextTable tableOf(const QAbstractItemModel& model, int mostRows, bool isExact) {
    TextTable table;
    const int columns = model.columnCount();
    for (int column = 0; column < columns; ++column)
        table.heading.append(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    const int count = std::min(model.rowCount(), mostRows);
    table.rows.reserve(static_cast<std::size_t>(count));
    for (int row = 0; row < count; ++row) {
        QStringList cells;
        for (int column = 0; column < columns; ++column) {
            const QModelIndex index = model.index(row, column);
            const QVariant exact = isExact ? index.data(kExactRole) : QVariant();
            cells.append(exact.isValid() ? exact.toString() : index.data(Qt::DisplayRole).toString());
        }
        table.rows.push_back(cells);
    }
    table.leftOut = model.rowCount() - count;
    return table;
}

}  // namespace vramscope::gui
