// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/utf8.h"

#include <cstdint>

namespace vramscope::collector {

namespace {

// Writes one character and returns its length, 1 to 4 bytes.
std::size_t encode(std::uint32_t character, unsigned char (&bytes)[4]) {
    if (character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF)) character = 0xFFFD;
    if (character < 0x80) {
        bytes[0] = static_cast<unsigned char>(character);
        return 1;
    }
    const std::size_t length = character < 0x800 ? 2 : character < 0x1'0000 ? 3 : 4;
    for (std::size_t i = length - 1; i > 0; --i, character >>= 6) {
        bytes[i] = static_cast<unsigned char>(0x80 | (character & 0x3F));
    }
    constexpr unsigned char kFirst[] = {0, 0, 0xC0, 0xE0, 0xF0};
    bytes[0] = static_cast<unsigned char>(kFirst[length] | character);
    return length;
}

}  // namespace

bool toUtf8(const wchar_t* wide, char* target, std::size_t capacity) {
    static_assert(sizeof(wchar_t) == 4);
    std::size_t used = 0;
    bool isWhole = true;
    for (; wide != nullptr && *wide != L'\0'; ++wide) {
        unsigned char bytes[4];
        const std::size_t length = encode(static_cast<std::uint32_t>(*wide), bytes);
        isWhole = used + length < capacity;
        if (!isWhole) break;
        for (std::size_t i = 0; i < length; ++i)
            target[used++] = static_cast<char>(bytes[i]);
    }
    target[used] = '\0';
    return isWhole;
}

}  // namespace vramscope::collector
