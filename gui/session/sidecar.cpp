// SPDX-License-Identifier: Apache-2.0
#include "gui/session/sidecar.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>
#include <algorithm>

namespace vramscope::gui {
namespace {

constexpr const char* kSchema = "vramscope/notes/1";
/// Notes are written by people.
constexpr qint64 kLargestFile = 4 << 20;
constexpr int kLongestText = 10'000;

QString fallbackName(const QString& capture) {
    const QByteArray digest =
        QCryptographicHash::hash(capture.toUtf8(), QCryptographicHash::Sha1).toHex().left(16);
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/notes/") +
           QString::fromLatin1(digest) + QStringLiteral(".json");
}

QString textOf(const QJsonValue& value) {
    return value.toString().left(kLongestText);
}

}  // namespace

Status Sidecar::open(const std::filesystem::path& capture) {
    m_bookmarks.clear();
    m_suppressed.clear();
    m_note.clear();
    m_isForeign = false;
    m_captureName = QFileInfo(QString::fromStdString(capture.string())).absoluteFilePath();
    const QString beside = m_captureName + QStringLiteral(".notes.json");
    const QString fallback = fallbackName(m_captureName);
    const bool isBeside = QFile::exists(beside) ||
                          (!QFile::exists(fallback) && QFileInfo(QFileInfo(beside).path()).isWritable());
    m_fileName = isBeside ? beside : fallback;
    QFile file(m_fileName);
    if (!file.exists() || !file.open(QIODevice::ReadOnly)) {
        Q_EMIT changed();
        return Status::ok();
    }
    const QJsonObject root = QJsonDocument::fromJson(file.read(kLargestFile)).object();
    if (root.value(QLatin1String("schema")).toString() != QLatin1String(kSchema)) {
        m_isForeign = true;
        Q_EMIT changed();
        return {ErrorKind::Unreadable,
                m_fileName.toStdString() +
                    " is not a file of notes that this version knows. It was left as it "
                    "is, and notes are not saved."};
    }
    for (const QJsonValue value : root.value(QLatin1String("bookmarks")).toArray()) {
        const QJsonObject mark = value.toObject();
        m_bookmarks.push_back(
            {mark.value(QLatin1String("time_ns")).toInteger(), textOf(mark.value(QLatin1String("text")))});
    }
    const QJsonObject suppressed = root.value(QLatin1String("suppressed")).toObject();
    for (auto at = suppressed.begin(); at != suppressed.end(); ++at)
        m_suppressed[at.key().left(64)] = textOf(at.value());
    m_note = textOf(root.value(QLatin1String("note")));
    Q_EMIT changed();
    return Status::ok();
}

QString Sidecar::suppressionOf(const QString& fingerprint) const {
    const auto at = m_suppressed.find(fingerprint);
    return at == m_suppressed.end() ? QString() : at->second;
}

Status Sidecar::addBookmark(const Bookmark& bookmark) {
    const auto at =
        std::lower_bound(m_bookmarks.begin(), m_bookmarks.end(), bookmark,
                         [](const Bookmark& a, const Bookmark& b) { return a.timeNs < b.timeNs; });
    m_bookmarks.insert(at, bookmark);
    return save();
}

Status Sidecar::removeBookmark(std::size_t position) {
    if (position >= m_bookmarks.size()) return Status::ok();
    m_bookmarks.erase(m_bookmarks.begin() + static_cast<std::ptrdiff_t>(position));
    return save();
}

Status Sidecar::suppress(const QString& fingerprint, const QString& reason) {
    if (reason.trimmed().isEmpty())
        m_suppressed.erase(fingerprint);
    else
        m_suppressed[fingerprint] = reason.trimmed().left(kLongestText);
    return save();
}

Status Sidecar::setNote(const QString& note) {
    if (note == m_note) return Status::ok();
    m_note = note.left(kLongestText);
    return save();
}

Status Sidecar::save() {
    Q_EMIT changed();
    if (m_isForeign)
        return {ErrorKind::System,
                m_fileName.toStdString() + " belongs to something else; nothing was saved."};
    QJsonArray bookmarks;
    for (const Bookmark& mark : m_bookmarks) {
        bookmarks.append(QJsonObject{{QStringLiteral("time_ns"), static_cast<qint64>(mark.timeNs)},
                                     {QStringLiteral("text"), mark.text}});
    }
    QJsonObject suppressed;
    for (const auto& [fingerprint, reason] : m_suppressed)
        suppressed.insert(fingerprint, reason);
    const QJsonObject root{{QStringLiteral("schema"), QLatin1String(kSchema)},
                           {QStringLiteral("bookmarks"), bookmarks},
                           {QStringLiteral("suppressed"), suppressed},
                           {QStringLiteral("note"), m_note}};
    QDir().mkpath(QFileInfo(m_fileName).path());
    QSaveFile file(m_fileName);
    if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(root).toJson()) < 0 || !file.commit()) {
        return {ErrorKind::System, "Notes could not be saved to " + m_fileName.toStdString() + ": " +
                                       file.errorString().toStdString() + "."};
    }
    return Status::ok();
}

}  // namespace vramscope::gui
