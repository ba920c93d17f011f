// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/demangle.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace vramscope::symbols {
namespace {

// The demangler recurses over its input; this much is safe on any thread's stack.
constexpr std::size_t kMostMangledBytes = 8U << 10;
constexpr std::size_t kMostNameBytes = 4U << 10;

/// Length of the UTF-8 sequence at the start of `text`; 0 when it is none.
std::size_t sequenceBytes(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    const std::size_t count = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (text.size() < count) return 0;
    for (std::size_t i = 1; i < count; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
    // Overlong forms, surrogates and values above U+10FFFF.
    const auto second = static_cast<unsigned char>(text[1]);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
    return count;
}

}  // namespace

std::string cleanText(std::string_view text, std::size_t mostBytes) {
    std::string clean;
    while (!text.empty()) {
        const std::size_t count = sequenceBytes(text);
        if (clean.size() + (count == 0 ? 1 : count) > mostBytes) break;
        if (count == 0)
            clean += '?';
        else
            clean += text.substr(0, count);
        text.remove_prefix(count == 0 ? 1 : count);
    }
    return clean;
}

std::string demangle(std::string_view name) {
    if (!name.starts_with("_Z") || name.size() > kMostMangledBytes) return cleanText(name, kMostNameBytes);
    int status = -1;
    const std::string terminated(name);
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), &std::free);
    return cleanText(status == 0 && text ? std::string_view(text.get()) : name, kMostNameBytes);
}

}  // namespace vramscope::symbols
