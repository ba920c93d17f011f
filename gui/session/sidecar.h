// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "formats/status.h"

namespace vramscope::gui {

/// A moment that a person marked.
struct Bookmark {
    std::int64_t timeNs = 0;
    QString text;
    bool operator==(const Bookmark&) const = default;
};

/// What a person wrote about a capture: bookmarks, a note, findings that they live with and why. It lies
/// beside the capture as NAME.notes.json, which is never changed; where that folder cannot be written, in the
/// user's data folder.
class Sidecar : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Reads the notes of a capture; none is no error. A file that is not ours is left alone and reported.
    Status open(const std::filesystem::path& capture);
    const std::vector<Bookmark>& bookmarks() const { return m_bookmarks; }
    /// Why a finding was suppressed; empty when it was not.
    QString suppressionOf(const QString& fingerprint) const;
    const QString& note() const { return m_note; }

    /// Each writes the file at once.
    Status addBookmark(const Bookmark& bookmark);
    Status removeBookmark(std::size_t position);
    /// An empty reason takes the suppression back.
    Status suppress(const QString& fingerprint, const QString& reason);
    Status setNote(const QString& note);
    /// Where the notes are.
    const QString& fileName() const { return m_fileName; }

Q_SIGNALS:
    void changed();

private:
    Status save();

    QString m_fileName;
    QString m_captureName;
    std::vector<Bookmark> m_bookmarks;
    std::map<QString, QString> m_suppressed;
    QString m_note;
    bool m_isForeign = false;
};

}  // namespace vramscope::gui
