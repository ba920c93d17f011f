// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>

namespace vramscope::collector {

/// The ELF image of a module's machine code, as the driver has it in memory. Everything it says is checked
/// against its size. Reads it in place.
class DeviceCode {
public:
    DeviceCode(const char* image, std::size_t sizeBytes);

    /// Whether it can tell source lines (-lineinfo, -G).
    bool hasLines() const { return m_hasLines; }

    /// Gives `take` the name of each of its first `most` functions.
    template <typename Take>
    void forEachFunction(std::size_t most, Take take) const {
        const Section symbols = m_symbols;
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sizeBytes && most > 0;
             at += sizeof(Elf64_Sym)) {
            const char* name = functionAt(symbols.offset + at);
            if (name == nullptr) continue;
            --most;
            take(name);
        }
    }

private:
    struct Section {
        std::uint64_t offset = 0;
        std::uint64_t sizeBytes = 0;
    };
    template <typename T>
    bool read(std::uint64_t offset, T& value) const;
    bool contains(const Section& section) const;
    /// Null when `offset` is not in the section, or the text there has no end in it.
    const char* textIn(const Section& section, std::uint64_t offset) const;
    const char* functionAt(std::uint64_t offset) const;
    void findSections(const Elf64_Ehdr& header);

    const char* m_image;
    std::size_t m_sizeBytes;
    Section m_symbols;
    Section m_names;  ///< of symbols
    bool m_hasLines = false;
};

}  // namespace vramscope::collector
