// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/exact_code.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collector/inject/clock.h"
#include "collector/inject/collector.h"
#include "collector/inject/device_code.h"
#include "collector/inject/sanitizer_api.h"
#include "collector/inject/text_record.h"

namespace vramscope::collector {

namespace {

constexpr std::size_t kMostImageBytes = std::size_t{64} << 20;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kMostFunctions = 4096;  ///< told of one module
constexpr std::uint32_t kMostModules = 1024;
constexpr std::uint32_t kMostKernels = 4096;  ///< a power of two

struct KnownModule {
    CUmodule module;
    std::uint32_t number;
};
struct KnownKernel {
    CUfunction function;
    std::uint64_t pc;
};

struct Code {
    KnownModule modules[kMostModules] = {};  ///< whose functions were told with their lines' file
    std::uint32_t moduleCount = 0;
    std::uint32_t lastNumber = 0;
    std::size_t writtenBytes = 0;
    KnownKernel kernels[kMostKernels] = {};  ///< a hash table
    std::uint32_t kernelCount = 0;
};

constinit Code g_code;

bool fits(const char* folder, std::size_t bytes) {
    struct statvfs info;
    if (::statvfs(folder, &info) != 0) return false;
    // Growing a file past the limit would not fail but kill the job (SIGXFSZ).
    rlimit most{};
    if (::getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes > most.rlim_cur) return false;
    return bytes <= static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize / 4;
}

bool writeAll(int file, const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
    return true;
}

/// Named as the recorder looks for it (formats/arena.h).
bool writeImage(const char* folder, std::uint32_t number, const sanitizer::ModuleData& module) {
    const formats::ArenaHeader& arena = *g_collector.arena;
    char path[384];
    std::snprintf(path, sizeof(path), "%s/code-%u-%llu-%llu-%u", folder, arena.pid,
                  static_cast<unsigned long long>(arena.startTicks),
                  static_cast<unsigned long long>(arena.attachTicks), number);
    const int file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return false;
    const bool isWhole = writeAll(file, module.cubin, module.cubinSize);
    ::close(file);
    if (!isWhole) ::unlink(path);
    return isWhole;
}

/// Its number; 0 when it is not kept. On disk rather than in memory, where both are there.
std::uint32_t keepImage(const sanitizer::ModuleData& module) {
    if (module.cubinSize > kMostImageBytes || module.cubinSize > kMostBytes - g_code.writtenBytes) return 0;
    const std::uint32_t number = ++g_code.lastNumber;
    for (const char* folder : {g_collector.config.fallbackDirectory, g_collector.config.sessionDirectory}) {
        if (folder[0] == '\0' || !fits(folder, module.cubinSize)) continue;
        if (!writeImage(folder, number, module)) continue;
        g_code.writtenBytes += module.cubinSize;
        return number;
    }
    return 0;
}

void tellFunction(ThreadState& thread, const char* name, std::uint64_t pc, std::uint64_t sizeBytes,
                  std::uint32_t moduleNumber) {
    std::uint32_t textBytes = 0;
    formats::Record* record = reserveText(thread, name, nullptr, textBytes);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::ExactCode);
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->text.handle = pc;
    record->text.extra = std::uint64_t{moduleNumber} << 32 | (sizeBytes & 0xFFFF'FFFF);
    record->text.textBytes = textBytes;
    publish(thread, record->header.slotCount);
}

bool ask(CUmodule module, const char* function, std::uint64_t& pc, std::uint64_t& sizeBytes) {
    return function != nullptr && g_sanitizer.functionPlace != nullptr &&
           g_sanitizer.functionPlace(module, function, &pc, &sizeBytes) == sanitizer::kSuccess && pc != 0 &&
           sizeBytes != 0;
}

bool isTold(CUmodule module) {
    for (std::uint32_t i = 0; i < g_code.moduleCount; ++i) {
        if (g_code.modules[i].module == module) return true;
    }
    return false;
}

KnownKernel& placeOf(CUfunction function) {
    auto place = static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(function) >> 4) * 0x9E3779B1u);
    for (;; ++place) {
        KnownKernel& kernel = g_code.kernels[place % kMostKernels];
        if (kernel.function == function || kernel.function == nullptr) return kernel;
    }
}

void forgetKernels() {
    std::memset(g_code.kernels, 0, sizeof(g_code.kernels));
    g_code.kernelCount = 0;
}

}  // namespace

void exactCodeLoaded(ThreadState& thread, const sanitizer::ModuleData& module) {
    const DeviceCode code(module.cubin, module.cubinSize);
    if (!code.hasLines() || g_code.moduleCount == kMostModules || g_sanitizer.functionPlace == nullptr)
        return;
    const std::uint32_t number = keepImage(module);
    if (number == 0) return;
    g_code.modules[g_code.moduleCount++] = {module.module, number};
    code.forEachFunction(kMostFunctions, [&](const char* name) {
        std::uint64_t pc = 0;
        std::uint64_t sizeBytes = 0;
        if (ask(module.module, name, pc, sizeBytes)) tellFunction(thread, name, pc, sizeBytes, number);
    });
}

void exactCodeUnloads(CUmodule module) {
    forgetKernels();
    for (std::uint32_t i = 0; i < g_code.moduleCount; ++i) {
        if (g_code.modules[i].module != module) continue;
        g_code.modules[i] = g_code.modules[--g_code.moduleCount];
        return;
    }
}

std::uint64_t exactKernelPc(ThreadState& thread, const sanitizer::LaunchData& launch) {
    if (g_code.kernelCount > kMostKernels / 2) forgetKernels();
    KnownKernel& kernel = placeOf(launch.function);
    if (kernel.function != nullptr) return kernel.pc;
    std::uint64_t pc = 0;
    std::uint64_t sizeBytes = 0;
    if (!ask(launch.module, launch.functionName, pc, sizeBytes)) pc = 0;
    if (pc != 0 && !isTold(launch.module)) tellFunction(thread, launch.functionName, pc, sizeBytes, 0);
    kernel = {launch.function, pc};
    ++g_code.kernelCount;
    return pc;
}

}  // namespace vramscope::collector
