// SPDX-License-Identifier: Apache-2.0
#include "gui/models/function_bytes.h"

#include <QCoreApplication>
#include <algorithm>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("FunctionBytes", text);
}

}  // namespace

QString headingOf(FunctionColumn column) {
    switch (column) {
        case FunctionColumn::Function:
            return tr("Function");
        case FunctionColumn::Bytes:
            return tr("Bytes");
        case FunctionColumn::Share:
            return tr("Share");
        case FunctionColumn::OwnBytes:
            return tr("Itself");
        case FunctionColumn::Buffers:
            return tr("Buffers");
        case FunctionColumn::Library:
            return tr("Library");
        case FunctionColumn::Place:
            return tr("Place");
    }
    return {};
}

QVariant cellOf(const FunctionBytes& of, FunctionColumn column, int role, std::int64_t allBytes) {
    if (role == Qt::TextAlignmentRole) {
        const bool isNumber = column >= FunctionColumn::Bytes && column <= FunctionColumn::Buffers;
        return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole)
        return QStringLiteral("%1\n%2\n%3")
            .arg(toText(of.function), toText(of.place), exactBytesText(of.bytes));
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case FunctionColumn::Function:
            return toText(of.function);
        case FunctionColumn::Bytes:
            return bytesText(of.bytes);
        case FunctionColumn::Share: {
            const auto all = static_cast<double>(std::max<std::int64_t>(allBytes, 1));
            return tr("%1 %").arg(100 * static_cast<double>(of.bytes) / all, 0, 'f', 1);
        }
        case FunctionColumn::OwnBytes:
            return of.selfBytes > 0 ? bytesText(of.selfBytes) : QString();
        case FunctionColumn::Buffers:
            return countText(of.count);
        case FunctionColumn::Library:
            return toText(of.library);
        case FunctionColumn::Place:
            return toText(of.place);
    }
    return {};
}

}  // namespace vramscope::gui
