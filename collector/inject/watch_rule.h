// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vramscope::collector {

/// Which buffers `vramscope run --watch=EXPR` means: those that one of its terms fits. Terms, with a comma
/// between: `all`, `task:NAME`, `name:NAME`, `buffer:ADDRESS` (hexadecimal), `size>BYTES` and `size<BYTES`; a
/// NAME may end in `*`. The launcher has checked and normalised the text (collector/launcher/watch_option.h);
/// a term that is none of these fits nothing.
class WatchRule {
public:
    /// `text` is kept: it must live as long as this does.
    constexpr explicit WatchRule(const char* text = "") : m_text(text) {}

    bool isEmpty() const { return m_text[0] == '\0'; }
    /// By what is known when a buffer is made. `task` may be null.
    bool fitsNew(std::uint64_t address, std::uint64_t sizeBytes, const char* task) const;
    /// By the name that the program gave it.
    bool fitsName(const char* name) const;
    /// The user named this very address: then it matters whoever writes it.
    bool fitsAddress(std::uint64_t address) const;

private:
    template <typename Fits>
    bool anyTerm(const Fits& fits) const;

    const char* m_text;
};

}  // namespace vramscope::collector
