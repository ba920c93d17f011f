// SPDX-License-Identifier: Apache-2.0
#include "gui/session/live_follower.h"

#include <QDateTime>
#include <QFileInfo>
#include <algorithm>

namespace vramscope::gui {
namespace {

constexpr int kIntervalMs = 500;
/// A recorder writes several times a second.
constexpr qint64 kQuietMs = 5000;
/// Times as long as reading took pass before the next one.
constexpr qint64 kRest = 4;

}  // namespace

LiveFollower::LiveFollower(Session& session, QObject* parent) : QObject(parent), m_session(session) {
    m_sinceStart.start();
    m_timer.setInterval(kIntervalMs);
    connect(&m_timer, &QTimer::timeout, this, &LiveFollower::look);
    connect(&session, &Session::previewReady, this, [this] {
        m_lastStamp = stamp();
        const QFileInfo log(QString::fromStdString(m_session.path().string()) + QStringLiteral("-wal"));
        m_lastChangeMs = log.exists() ? log.lastModified().toMSecsSinceEpoch() : 0;
        isUnfinished() ? m_timer.start() : m_timer.stop();
        m_session.setGrowing(isLive());
        Q_EMIT changed();
    });
    const auto stop = [this] {
        m_timer.stop();
        m_isPaused = false;
        Q_EMIT changed();
    };
    connect(&session, &Session::opened, this, stop);
    connect(&session, &Session::closed, this, stop);
}

bool LiveFollower::isUnfinished() const {
    const auto preview = m_session.preview();
    return preview && !m_session.isSalvaged() && preview->fact("state") == "recording";
}

bool LiveFollower::isLive() const {
    return isUnfinished() && quietMs() < kQuietMs;
}

qint64 LiveFollower::quietMs() const {
    return std::max<qint64>(QDateTime::currentMSecsSinceEpoch() - m_lastChangeMs, 0);
}

void LiveFollower::setPaused(bool isPaused) {
    m_isPaused = isPaused;
    Q_EMIT changed();
}

QByteArray LiveFollower::stamp() const {
    QByteArray text;
    for (const char* suffix : {"", "-wal"}) {
        const QFileInfo info(QString::fromStdString(m_session.path().string()) + QLatin1String(suffix));
        text += QByteArray::number(info.exists() ? info.size() : -1) + ' ' +
                QByteArray::number(info.lastModified().toMSecsSinceEpoch()) + ' ';
    }
    return text;
}

void LiveFollower::look() {
    if (m_wasRefreshing && !m_session.isRefreshing()) {
        m_wasRefreshing = false;
        m_restUntilMs = m_sinceStart.elapsed() + kRest * (m_sinceStart.elapsed() - m_startedMs);
    }
    if (!isUnfinished()) {
        m_timer.stop();
        m_session.setGrowing(false);
        Q_EMIT changed();
        return;
    }
    const QByteArray now = stamp();
    if (now != m_lastStamp) m_lastChangeMs = QDateTime::currentMSecsSinceEpoch();
    m_session.setGrowing(isLive());
    const bool canRead = !m_isPaused && m_session.isIdle() && m_sinceStart.elapsed() >= m_restUntilMs;
    if (now != m_lastStamp && canRead) {
        m_lastStamp = now;
        m_startedMs = m_sinceStart.elapsed();
        m_session.refresh();
        m_wasRefreshing = m_session.isRefreshing();
    }
    Q_EMIT changed();
}

}  // namespace vramscope::gui
