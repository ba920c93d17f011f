// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/watch_option.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <sstream>
#include <string_view>

namespace vramscope::collector {

namespace {

/// The library keeps the text in a buffer of fixed size.
constexpr std::size_t kMostBytes = 250;

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Status unusable(const std::string& term, std::string_view why) {
    return {ErrorKind::Usage, fmt::format("\"{}\" {}", term, why)};
}

StatusOr<std::string> sizeTerm(const std::string& term) {
    std::string size = trimmed(term.substr(5));
    try {
        size = CLI::AsSizeValue(false)(size).empty() ? size : std::string();
    } catch (const CLI::Error&) {
        size.clear();
    }
    if (size.empty() || size.find_first_not_of("0123456789") != std::string::npos)
        return unusable(term, "has no size; size>1MiB and size<65536 have one");
    return term.substr(0, 5) + size;
}

StatusOr<std::string> bufferTerm(const std::string& term) {
    std::string address = term.substr(7);
    if (address.find('.') != std::string::npos)
        return unusable(term,
                        "names a generation, which nobody knows before the run: give the address alone");
    if (address.starts_with("0x")) address.erase(0, 2);
    if (address.starts_with('b')) address.erase(0, 1);
    const bool isHex = !address.empty() && address.size() <= 16 &&
                       address.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (!isHex) return unusable(term, "has no address; buffer:0x7f2c40000000 has one");
    return "buffer:" + address;
}

StatusOr<std::string> nameTerm(const std::string& term, std::size_t prefix) {
    const std::size_t star = term.find('*');
    if (term.size() == prefix || (star != std::string::npos && star + 1 != term.size()))
        return unusable(term, "wants a name, in full or with * at its end");
    return term;
}

StatusOr<std::string> normalisedTerm(const std::string& term) {
    if (term == "all") return term;
    if (term.starts_with("size>") || term.starts_with("size<")) return sizeTerm(term);
    if (term.starts_with("buffer:")) return bufferTerm(term);
    if (term.starts_with("task:") || term.starts_with("name:")) return nameTerm(term, 5);
    return unusable(term,
                    "names no buffers. These do: all, task:generator, name:kv*, buffer:0x7f2c40000000, "
                    "size>1MiB, size<65536");
}

}  // namespace

StatusOr<std::string> normalisedWatch(const std::string& expression) {
    std::string normalised;
    std::istringstream terms(expression);
    for (std::string term; std::getline(terms, term, ',');) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const std::string one, normalisedTerm(trimmed(term)));
        if (!normalised.empty()) normalised += ',';
        normalised += one;
    }
    if (normalised.empty()) return unusable(expression, "names no buffers");
    if (normalised.size() > kMostBytes)
        return Status(ErrorKind::Usage, fmt::format("it is longer than {} characters", kMostBytes));
    return normalised;
}

}  // namespace vramscope::collector
