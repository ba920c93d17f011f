// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/process_identity.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

#include "formats/command_text.h"
#include "formats/process_stat.h"

namespace vramscope::collector {

namespace {

std::size_t readFile(const char* path, char* buffer, std::size_t capacity) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t length = ::read(file, buffer, capacity);
    ::close(file);
    return length > 0 ? static_cast<std::size_t>(length) : 0;
}

std::int32_t rankFrom(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const char* value = std::getenv(name);
        if (value == nullptr || std::isdigit(static_cast<unsigned char>(value[0])) == 0) continue;
        return static_cast<std::int32_t>(std::strtol(value, nullptr, 10));
    }
    return -1;
}

}  // namespace

void describeProcess(formats::ArenaHeader& header) {
    header.pid = static_cast<std::uint32_t>(::getpid());
    header.parentPid = static_cast<std::uint32_t>(::getppid());

    char buffer[4096];
    std::size_t length = readFile("/proc/self/stat", buffer, sizeof(buffer) - 1);
    buffer[length] = '\0';
    header.startTicks = formats::startTicksOf(buffer);

    const ssize_t path = ::readlink("/proc/self/exe", header.executable, sizeof(header.executable) - 1);
    header.executable[path > 0 ? path : 0] = '\0';
    length = readFile("/proc/self/cmdline", buffer, sizeof(buffer) - 1);
    buffer[length] = '\0';
    formats::joinCommand(buffer, length, header.command, sizeof(header.command));

    header.rank = rankFrom({"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
    header.localRank = rankFrom({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"});
    if (const char* job = std::getenv("VRAMSCOPE_JOB")) std::strncpy(header.job, job, sizeof(header.job) - 1);
    header.worldSize = rankFrom({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
}

}  // namespace vramscope::collector
