// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "collector/launcher/doctor_groups.h"

namespace vramscope::collector {

namespace {

// As the injected library chooses (collector/inject/arena_file.cpp): for each process 64 MiB or a quarter of
// what is free, and nothing below 1 MiB.
constexpr std::uint64_t kRingBytes = 64ull << 20;
constexpr std::uint64_t kLeastRingBytes = 1ull << 20;

struct Place {
    std::string path;
    std::string trouble;  ///< why no folder can be made there; empty when it can
    std::uint64_t freeBytes = 0;
    unsigned mode = 0;

    std::uint64_t ringBytes() const { return trouble.empty() ? std::min(kRingBytes, freeBytes / 4) : 0; }
    bool canHoldRings() const { return ringBytes() >= kLeastRingBytes; }
};

Place inspect(const std::string& path) {
    Place place{path, {}};
    struct stat facts {};
    struct statfs space {};
    if (::stat(path.c_str(), &facts) != 0 || ::statfs(path.c_str(), &space) != 0) {
        place.trouble = std::strerror(errno);
        return place;
    }
    place.mode = facts.st_mode & 07777;
    place.freeBytes = static_cast<std::uint64_t>(space.f_bavail) * static_cast<std::uint64_t>(space.f_bsize);
    std::string pattern = path + "/vramscope-doctor-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
        place.trouble = fmt::format("no folder can be made there: {}", std::strerror(errno));
    } else {
        ::rmdir(pattern.c_str());
    }
    return place;
}

std::string sizeText(std::uint64_t bytes) {
    if (bytes >= 10ull << 30) return fmt::format("{:.0f} GiB", static_cast<double>(bytes) / (1ull << 30));
    return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / (1ull << 20));
}

std::string describe(const Place& place) {
    return fmt::format("{}: {} free, rings of {} a process", place.path, sizeText(place.freeBytes),
                       sizeText(place.ringBytes()));
}

Check checkShared(const Place& shared, const Place& temporary) {
    constexpr const char* kGrow =
        "Give it more: docker run --shm-size=1g, or mount -o remount,size=1g /dev/shm.";
    if (!shared.canHoldRings()) {
        const std::string why = !shared.trouble.empty() ? shared.trouble : describe(shared);
        const std::string text = fmt::format("{}: {}", shared.path, why);
        if (!temporary.canHoldRings()) return failCheck("shared memory", text, kGrow);
        return warnCheck(
            "shared memory", text,
            fmt::format("Rings go to {} instead, which may be slower. {}", temporary.path, kGrow));
    }
    if (shared.ringBytes() < kRingBytes) {
        return warnCheck(
            "shared memory", describe(shared),
            std::string("Each further process gets a smaller one; bursts of calls may be lost. ") + kGrow);
    }
    return okCheck("shared memory", describe(shared));
}

// Anybody may make files there, and only their owners may take them away; 1777 is what systemd and container
// engines set.
Check checkMode(const Place& shared) {
    const std::string text = fmt::format("{} has mode {:04o}", shared.path, shared.mode);
    const bool othersMayRemove = (shared.mode & 0002) != 0 && (shared.mode & S_ISVTX) == 0;
    if (!othersMayRemove) return okCheck("mode", text);
    return warnCheck("mode", text + ": any user may remove a recording in progress",
                     fmt::format("chmod 1777 {}", shared.path));
}

std::string temporaryRoot(const char* configured) {
    return configured != nullptr && configured[0] == '/' ? configured : "/tmp";
}

Check checkTemporary(const Place& temporary, const char* configured) {
    if (configured != nullptr && configured[0] != '\0' && configured[0] != '/') {
        return warnCheck("TMPDIR", fmt::format("'{}' is not an absolute path; /tmp is used", configured),
                         "Set TMPDIR to a folder on a local disk, or unset it.");
    }
    if (!temporary.trouble.empty()) {
        return warnCheck(
            "TMPDIR", fmt::format("{}: {}", temporary.path, temporary.trouble),
            "It is where rings go when /dev/shm has no room. Set TMPDIR to a folder that you can write to.");
    }
    if (!temporary.canHoldRings()) {
        return warnCheck("TMPDIR", describe(temporary),
                         "It is where rings go when /dev/shm has no room. Make room in it.");
    }
    return okCheck("TMPDIR", fmt::format("{}: {} free", temporary.path, sizeText(temporary.freeBytes)));
}

}  // namespace

Checks checkMemory() {
    const char* configured = std::getenv("TMPDIR");
    const Place shared = inspect("/dev/shm");
    const Place temporary = inspect(temporaryRoot(configured));
    Checks checks{checkShared(shared, temporary)};
    if (shared.mode != 0) checks.push_back(checkMode(shared));
    checks.push_back(checkTemporary(temporary, configured));
    return checks;
}

}  // namespace vramscope::collector
