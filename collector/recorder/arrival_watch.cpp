// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/arrival_watch.h"

#include <cstdint>
#include <iterator>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace vramscope::collector {

ArrivalWatch::ArrivalWatch(const SessionDirectory& session)
    : m_notices(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      m_wakeUp(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (m_notices < 0) return;
    // A ring gets its final name when it is ready to be read; a mark is written and closed.
    for (const std::filesystem::path& folder : {session.primary(), session.fallback(), session.marks()}) {
        if (!folder.empty()) ::inotify_add_watch(m_notices, folder.c_str(), IN_MOVED_TO | IN_CLOSE_WRITE);
    }
}

ArrivalWatch::~ArrivalWatch() {
    for (const int descriptor : {m_notices, m_wakeUp}) {
        if (descriptor >= 0) ::close(descriptor);
    }
}

bool ArrivalWatch::wait(std::chrono::milliseconds pause) {
    // poll() passes over a descriptor that is -1.
    pollfd polls[] = {{m_notices, POLLIN, 0}, {m_wakeUp, POLLIN, 0}};
    if (::poll(polls, std::size(polls), static_cast<int>(pause.count())) < 1) return m_notices < 0;
    std::uint64_t wakeUps = 0;
    if (polls[1].revents != 0 && ::read(m_wakeUp, &wakeUps, sizeof(wakeUps)) < 0) wakeUps = 0;
    if (polls[0].revents == 0) return m_notices < 0;
    // Which file it is does not matter: the folders are listed whole.
    alignas(inotify_event) char notices[4096];
    while (::read(m_notices, notices, sizeof(notices)) > 0) {
    }
    return true;
}

void ArrivalWatch::wake() {
    constexpr std::uint64_t kOnce = 1;
    // Without it the wait ends by itself.
    if (::write(m_wakeUp, &kOnce, sizeof(kOnce)) < 0) return;
}

}  // namespace vramscope::collector
