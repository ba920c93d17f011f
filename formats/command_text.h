// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <strings.h>

namespace vramscope::formats {

/// True for an option or an assignment whose value is likely a secret: "--token", "DB_PASSWORD=...".
inline bool namesSecret(const char* argument) {
    for (const char* word : {"token", "passw", "secret", "api-key", "api_key", "apikey", "credential"}) {
        const std::size_t length = std::strlen(word);
        for (const char* at = argument; *at != '\0'; ++at) {
            if (::strncasecmp(at, word, length) == 0) return true;
        }
    }
    return false;
}

/// Joins arguments that each end with NUL, `length` bytes in all, with spaces into `out`, which is always
/// terminated and holds at most `capacity` bytes. The value of an option that names a secret becomes ***,
/// whether it is attached with '=' or follows as an argument of its own: a capture is sent to colleagues.
/// Uses the C library only and allocates nothing.
inline void joinCommand(const char* raw, std::size_t length, char* out, std::size_t capacity) {
    std::size_t used = 0;
    bool hideNext = false;
    const auto append = [&](const char* text, std::size_t bytes) {
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

}  // namespace vramscope::formats
