// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "collector/launcher/doctor_groups.h"
#include "collector/recorder/tick_clock.h"

namespace vramscope::collector {

namespace {

Check checkForkWipe() {
    const auto pageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* page = ::mmap(nullptr, pageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool works = page != MAP_FAILED && ::madvise(page, pageBytes, MADV_WIPEONFORK) == 0;
    const std::string reason = std::strerror(errno);
    if (page != MAP_FAILED) ::munmap(page, pageBytes);
    if (works) return okCheck("fork", "memory that a fork wipes is available");
    return failCheck("fork", fmt::format("the kernel offers no memory that a fork wipes: {}", reason),
                     "Use Linux 4.14 or later; a sandbox must let madvise(MADV_WIPEONFORK) through.");
}

Check checkPidfd() {
    const long file = ::syscall(SYS_pidfd_open, ::getpid(), 0);
    if (file < 0) {
        return warnCheck("pidfd", fmt::format("pidfd_open: {}", std::strerror(errno)),
                         "The recorder then cannot tell when processes end that are not its children. Linux "
                         "5.3 or later has "
                         "it; a container's seccomp profile may forbid it (update the engine).");
    }
    ::close(static_cast<int>(file));
    return okCheck("pidfd", "available");
}

Check checkClock() {
    std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string name = "unknown";
    source >> name;
    if (bestClock() == formats::ClockKind::Counter)
        return okCheck("clock", fmt::format("{}, read directly", name));
    return warnCheck("clock",
                     fmt::format("the kernel's clock source is {}, not the processor's counter", name),
                     "Recording works, each event costs some 30 ns more. A virtual machine may be given its "
                     "counter by the host.");
}

}  // namespace

Checks checkKernel() {
    utsname system{};
    ::uname(&system);
    return {okCheck("kernel", fmt::format("{} {} {}", system.sysname, system.release, system.machine)),
            checkForkWipe(), checkPidfd(), checkClock()};
}

}  // namespace vramscope::collector
