// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/arrival_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <thread>
#include <unistd.h>

namespace vramscope::collector {

ArrivalWatch::ArrivalWatch(const SessionDirectory& session)
    : m_notices(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (m_notices < 0) return;
    // A ring gets its final name when it is ready to be read.
    for (const std::filesystem::path& folder : {session.primary(), session.fallback(), session.marks()}) {
        if (!folder.empty()) ::inotify_add_watch(m_notices, folder.c_str(), IN_MOVED_TO);
    }
}

ArrivalWatch::~ArrivalWatch() {
    if (m_notices >= 0) ::close(m_notices);
}

void ArrivalWatch::wait(std::chrono::milliseconds pause) {
    if (m_notices < 0) return std::this_thread::sleep_for(pause);
    pollfd poll{m_notices, POLLIN, 0};
    if (::poll(&poll, 1, static_cast<int>(pause.count())) != 1) return;
    // Which file it is does not matter: the folders are listed anyway.
    alignas(inotify_event) char notices[4096];
    while (::read(m_notices, notices, sizeof(notices)) > 0) {
    }
}

}  // namespace vramscope::collector
