// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/watch_rule.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace vramscope::collector {

namespace {

struct Term {
    const char* text;
    std::size_t length;

    /// What stands behind `start`; length 0 with null text if the term does not begin so.
    Term behind(const char* start) const {
        const std::size_t startLength = std::strlen(start);
        if (length < startLength || std::memcmp(text, start, startLength) != 0) return {nullptr, 0};
        return {text + startLength, length - startLength};
    }
    bool isThere() const { return text != nullptr; }
    bool is(const char* other) const {
        return length == std::strlen(other) && std::memcmp(text, other, length) == 0;
    }
    bool fits(const char* name) const {
        if (name == nullptr || length == 0) return false;
        if (text[length - 1] == '*') return std::strncmp(name, text, length - 1) == 0;
        return is(name);
    }
    std::uint64_t number(int base) const { return std::strtoull(text, nullptr, base); }
};

}  // namespace

template <typename Fits>
bool WatchRule::anyTerm(const Fits& fits) const {
    for (const char* at = m_text; *at != '\0';) {
        const std::size_t length = std::strcspn(at, ",");
        if (fits(Term{at, length})) return true;
        at += length;
        if (*at == ',') ++at;
    }
    return false;
}

bool WatchRule::fitsNew(std::uint64_t address, std::uint64_t sizeBytes, const char* task) const {
    return fitsAddress(address) || anyTerm([&](const Term& term) {
               if (term.is("all")) return true;
               if (const Term name = term.behind("task:"); name.isThere()) return name.fits(task);
               if (const Term size = term.behind("size>"); size.isThere()) return sizeBytes > size.number(10);
               if (const Term size = term.behind("size<"); size.isThere()) return sizeBytes < size.number(10);
               return false;
           });
}

bool WatchRule::fitsName(const char* name) const {
    return anyTerm([&](const Term& term) {
        const Term wanted = term.behind("name:");
        return wanted.isThere() && wanted.fits(name);
    });
}

bool WatchRule::fitsAddress(std::uint64_t address) const {
    return anyTerm([&](const Term& term) {
        const Term wanted = term.behind("buffer:");
        return wanted.isThere() && wanted.number(16) == address;
    });
}

}  // namespace vramscope::collector
