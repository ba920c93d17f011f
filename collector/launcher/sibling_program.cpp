// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/sibling_program.h"

#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace vramscope::collector {

namespace fs = std::filesystem;

fs::path programFolder() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

fs::path injectedLibrary() {
    std::error_code error;
    const fs::path library = programFolder().parent_path() / "lib" / "libvramscope.so";
    return fs::exists(library, error) ? fs::canonical(library, error) : fs::path();
}

namespace {

std::string readAll(int file) {
    std::string text;
    char buffer[4096];
    for (ssize_t length = 0; (length = ::read(file, buffer, sizeof(buffer))) > 0;)
        text.append(buffer, static_cast<std::size_t>(length));
    return text;
}

}  // namespace

std::optional<int> runSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string* captured) {
    const std::string program = programFolder() / name;
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);

    int pipeEnds[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    if (captured != nullptr && ::pipe2(pipeEnds, O_CLOEXEC) == 0) {
        ::posix_spawn_file_actions_adddup2(&actions, pipeEnds[1], STDOUT_FILENO);
    }
    pid_t pid = 0;
    const int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (pipeEnds[1] >= 0) ::close(pipeEnds[1]);
    if (captured != nullptr && pipeEnds[0] >= 0) {
        if (error == 0) *captured = readAll(pipeEnds[0]);
        ::close(pipeEnds[0]);
    }
    if (error != 0) return std::nullopt;
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace vramscope::collector
