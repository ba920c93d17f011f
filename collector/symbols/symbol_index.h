// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/symbols/elf_reader.h"

namespace vramscope::symbols {

/// The functions of one symbol table, sorted by address: 24 bytes a function; names stay in the file.
class SymbolIndex {
public:
    /// Reads the table of `reader`, which must outlive this. Empty when there is none or it is damaged.
    /// Tables with more than 16 million functions are cut.
    explicit SymbolIndex(const ElfReader& reader);

    /// The mangled name of the function that covers file address `address`; empty when none does. A function
    /// without a size (assembler code) reaches to the next one or to the end of its section.
    std::string functionAt(std::uint64_t address) const;

    std::size_t memoryBytes() const { return m_functions.capacity() * sizeof(Function); }

private:
    struct Function {
        std::uint64_t address;
        std::uint32_t sizeBytes;  // clamped; no function is that long
        std::uint32_t nameOffset;
        std::uint16_t rank;  // lower is better among those that begin at the same address
        bool isOpenEnded;    // has no size of its own; sizeBytes reaches to the end of its section
    };

    void add(const Elf64_Sym& symbol);
    /// Of the names that stand for the same code, the one that people know.
    std::string bestName(std::size_t first, std::size_t last) const;

    const ElfReader& m_reader;
    SymbolTable m_table;
    std::vector<Function> m_functions;
};

}  // namespace vramscope::symbols
