// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/process_identity.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

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

bool containsIgnoringCase(const char* text, const char* word) {
    const std::size_t length = std::strlen(word);
    for (; *text != '\0'; ++text) {
        if (::strncasecmp(text, word, length) == 0) return true;
    }
    return false;
}

bool namesSecret(const char* argument) {
    for (const char* word : {"token", "passw", "secret", "api-key", "api_key", "apikey", "credential"}) {
        if (containsIgnoringCase(argument, word)) return true;
    }
    return false;
}

// Joins the NUL-separated arguments with spaces. The value of an option that names a secret becomes ***,
// whether it is attached with '=' or follows as an argument of its own: a capture is sent to colleagues.
void joinCommand(const char* raw, std::size_t length, char* out, std::size_t capacity) {
    std::size_t used = 0;
    bool hideNext = false;
    auto append = [&](const char* text, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes && used + 1 < capacity; ++i)
            out[used++] = text[i];
    };
    for (std::size_t at = 0; at < length; at += std::strlen(raw + at) + 1) {
        const char* argument = raw + at;
        const bool isOption = argument[0] == '-';
        const bool secret = namesSecret(argument);
        const char* equals = std::strchr(argument, '=');
        if (used != 0) append(" ", 1);
        if (hideNext && !isOption) {
            append("***", 3);
        } else if (secret && equals != nullptr) {
            append(argument, static_cast<std::size_t>(equals - argument) + 1);
            append("***", 3);
        } else {
            append(argument, std::strlen(argument));
        }
        hideNext = secret && isOption && equals == nullptr;
    }
    out[used] = '\0';
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
    joinCommand(buffer, length, header.command, sizeof(header.command));

    header.rank = rankFrom({"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
    header.localRank = rankFrom({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"});
    header.worldSize = rankFrom({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
}

}  // namespace vramscope::collector
