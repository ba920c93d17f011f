// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/console.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace vramscope::cli {

namespace {
int g_outputError = 0;  // errno of the first write that failed; 0 as long as all went well
}

void print(std::string_view text) {
    if (g_outputError != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) g_outputError = errno;
}

int codeAfterOutput(int code) {
    if (std::fflush(stdout) != 0 && g_outputError == 0) g_outputError = errno;
    if (g_outputError == 0 || g_outputError == EPIPE) return code;
    complain(fmt::format("standard output could not be written: {}.", std::strerror(g_outputError)));
    return code == kFine ? static_cast<int>(kInternal) : code;
}

void complain(std::string_view message) {
    std::fprintf(stderr, "vramscope: %.*s\n", static_cast<int>(message.size()), message.data());
}

int fail(const Status& status) {
    // Our own messages have several lines. A newline in a file's name then shows as one; it can do no more.
    std::string text;
    for (const char c : status.message())
        text += c == '\n' ? "\n" : report::printable({&c, 1});
    complain(text);
    return exitCodeOf(status);
}

report::Style styleFor(ColourChoice choice) {
    if (choice != ColourChoice::Auto) return report::Style(choice == ColourChoice::Always);
    const char* noColour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool isDumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    const bool isRefused = noColour != nullptr && *noColour != '\0';
    return report::Style(!isDumb && !isRefused && isatty(STDOUT_FILENO) == 1);
}

}  // namespace vramscope::cli
