// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/mark_file.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <initializer_list>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/inject/clock.h"
#include "collector/inject/process_identity.h"
#include "formats/arena.h"

namespace vramscope::collector {

namespace {

alignas(formats::ArenaHeader) char g_page[formats::kArenaHeaderBytes];

void fillPage(const Config& config, const char* reason) {
    auto* header = ::new (g_page) formats::ArenaHeader{};
    std::memcpy(header->magic, formats::kArenaMagic, sizeof(header->magic));
    header->version = formats::kArenaVersion;
    header->arenaBytes = formats::kArenaHeaderBytes;
    header->lanesOffset = header->stackNodesOffset = header->segmentsOffset = formats::kArenaHeaderBytes;
    describeProcess(*header);
    header->clockKind = config.clockKind;
    header->attachMonotonicNs = monotonicNs();
    header->attachTicks = nowTicks();
    std::strncpy(header->offReason, reason, sizeof(header->offReason) - 1);
    header->state.store(static_cast<std::uint32_t>(formats::ArenaState::Off), std::memory_order_relaxed);
}

// Under its final name only once it is whole: the recorder looks at any time.
bool writePage(const char* directory) {
    char from[320];
    char to[320];
    std::snprintf(from, sizeof(from), "%s/marking-%d", directory, ::getpid());
    std::snprintf(
        to, sizeof(to), "%s/unrecorded-%d-%llu", directory, ::getpid(),
        static_cast<unsigned long long>(reinterpret_cast<const formats::ArenaHeader*>(g_page)->attachTicks));
    // For a recorder that is another user than this process.
    const int file = ::open(from, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) return false;
    ::fchmod(file, 0644);
    const bool isWhole = ::write(file, g_page, sizeof(g_page)) == static_cast<ssize_t>(sizeof(g_page));
    ::close(file);
    if (isWhole && ::rename(from, to) == 0) return true;
    ::unlink(from);
    return false;
}

}  // namespace

void leaveMark(const Config& config, const char* reason) {
    fillPage(config, reason);
    for (const char* directory : {config.marksDirectory, config.fallbackDirectory, config.sessionDirectory}) {
        if (directory[0] != '\0' && writePage(directory)) return;
    }
}

}  // namespace vramscope::collector
