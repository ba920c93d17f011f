// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "gui/session/session.h"

namespace vramscope::gui {

/// Looks after a capture that is still being recorded: whenever its recorder has added something, the session
/// reads it again. Reading takes at most a fifth of the time, however large the capture has become, so that
/// the recorder is not kept from finishing.
class LiveFollower : public QObject {
    Q_OBJECT

public:
    /// `session` outlives the follower.
    explicit LiveFollower(Session& session, QObject* parent = nullptr);

    /// The recording was not finished when it was last looked at.
    bool isUnfinished() const;
    /// Something came within the last seconds: its recorder runs.
    bool isLive() const;
    /// How long nothing has come.
    qint64 quietMs() const;
    /// Reading again can be put off while somebody looks at a moment.
    void setPaused(bool isPaused);
    bool isPaused() const { return m_isPaused; }
    /// How often the file is looked at; for tests.
    void setInterval(int milliseconds) { m_timer.setInterval(milliseconds); }

Q_SIGNALS:
    /// isLive(), quietMs() or isUnfinished() may be others.
    void changed();

private:
    void look();
    /// Sizes and times of the file and of what its recorder keeps beside it.
    QByteArray stamp() const;

    Session& m_session;
    QTimer m_timer;
    QByteArray m_lastStamp;
    qint64 m_lastChangeMs = 0;  ///< since the epoch
    QElapsedTimer m_sinceStart;
    qint64 m_restUntilMs = 0;
    qint64 m_startedMs = 0;
    bool m_wasRefreshing = false;
    bool m_isPaused = false;
};

}  // namespace vramscope::gui
