// SPDX-License-Identifier: Apache-2.0
#include "gui/session/glimpse.h"

#include <QCoreApplication>
#include <QDateTime>
#include <map>

#include "formats/sqlite.h"

namespace vramscope::gui {
namespace {

constexpr qsizetype kLongestFact = 300;

QString translated(const char* text) {
    return QCoreApplication::translate("Glimpse", text);
}

std::map<QString, QString> factsOf(const std::filesystem::path& path) {
    std::map<QString, QString> facts;
    auto connection = formats::Connection::open(path, formats::OpenMode::UntrustedImmutable);
    if (!connection.isOk()) return facts;
    auto row = connection->prepare("SELECT key, value FROM meta LIMIT 100");
    while (row.isOk()) {
        const auto hasRow = row->step();
        if (!hasRow.isOk() || !*hasRow) break;
        const auto text = [&](int column) {
            const std::string_view view = row->columnText(column);
            return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())).left(kLongestFact);
        };
        facts[text(0)] = text(1);
    }
    return facts;
}

}  // namespace

QStringList glimpse(const std::filesystem::path& path) {
    std::map<QString, QString> facts = factsOf(path);
    QStringList lines;
    const auto add = [&](const char* key, const QString& line) {
        const QString value = facts[QString::fromLatin1(key)];
        if (!value.isEmpty()) lines.append(line.arg(value));
    };
    add("command", translated("command: %1"));
    add("host", translated("recorded on %1"));
    const qint64 startNs = facts[QStringLiteral("session_start_realtime_ns")].toLongLong();
    if (startNs > 0)
        lines.append(translated("begun at %1")
                         .arg(QDateTime::fromMSecsSinceEpoch(startNs / 1'000'000)
                                  .toString(QStringLiteral("yyyy-MM-dd hh:mm:ss"))));
    add("created_by", translated("written by %1"));
    return lines;
}

}  // namespace vramscope::gui
