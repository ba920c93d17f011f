// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/symbol_index.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace vramscope::symbols {
namespace {

constexpr std::uint64_t kMostFunctions = 16U << 20;
constexpr std::size_t kMostNameBytes = 8U << 10;
constexpr std::size_t kSymbolsARead = 4096;
// How many functions that begin earlier are asked whether they reach the address: functions rarely nest.
constexpr std::size_t kMostNested = 16;

std::uint16_t rankOf(unsigned char binding) {
    if (binding == STB_GLOBAL) return 0;
    return binding == STB_WEAK ? 1 : 2;
}

}  // namespace

SymbolIndex::SymbolIndex(const ElfReader& reader) : m_reader(reader) {
    const std::optional<SymbolTable> table = reader.symbolTable();
    if (!table) return;
    m_table = *table;
    std::vector<Elf64_Sym> block;
    for (std::uint64_t at = 0; at < table->count && m_functions.size() < kMostFunctions; at += block.size()) {
        block.resize(std::min<std::uint64_t>(kSymbolsARead, table->count - at));
        const std::uint64_t offset = table->offset + at * sizeof(Elf64_Sym);
        if (!readFully(reader.file(), offset, std::as_writable_bytes(std::span(block)))) break;
        for (const Elf64_Sym& symbol : block)
            add(symbol);
    }
    m_functions.shrink_to_fit();
    std::ranges::sort(m_functions, {},
                      [](const Function& f) { return std::tuple(f.address, f.rank, f.nameOffset); });
}

void SymbolIndex::add(const Elf64_Sym& symbol) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name == 0) return;
    const unsigned char type = ELF64_ST_TYPE(symbol.st_info);
    const unsigned char binding = ELF64_ST_BIND(symbol.st_info);
    const bool isFunction = type == STT_FUNC || type == STT_GNU_IFUNC;
    // Hand-written assembler often leaves the type out.
    const bool isEntry =
        type == STT_NOTYPE && binding != STB_LOCAL && m_reader.isExecutableSection(symbol.st_shndx);
    if (!isFunction && !isEntry) return;
    const bool isOpenEnded = symbol.st_size == 0;
    const std::uint64_t sizeBytes =
        isOpenEnded ? m_reader.bytesToSectionEnd(symbol.st_shndx, symbol.st_value) : symbol.st_size;
    const auto clamped = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(sizeBytes, std::numeric_limits<std::uint32_t>::max()));
    m_functions.push_back({symbol.st_value, clamped, symbol.st_name, rankOf(binding), isOpenEnded});
}

std::string SymbolIndex::functionAt(std::uint64_t address) const {
    const auto next = std::ranges::upper_bound(m_functions, address, {}, &Function::address);
    auto at = static_cast<std::size_t>(next - m_functions.begin());
    for (std::size_t tried = 0; at > 0 && tried < kMostNested; ++tried) {
        const std::size_t last = at;
        const std::uint64_t start = m_functions[at - 1].address;
        bool covers = false;
        while (at > 0 && m_functions[at - 1].address == start) {
            --at;
            // One without a size ends where the next begins.
            const bool isCut = m_functions[at].isOpenEnded && tried > 0;
            covers |= !isCut && address - start < m_functions[at].sizeBytes;
        }
        if (covers) return bestName(at, last);
    }
    return {};
}

std::string SymbolIndex::bestName(std::size_t first, std::size_t last) const {
    std::string best;
    std::size_t bestUnderscores = 0;
    last = std::min(last, first + kMostNested);
    for (std::size_t i = first; i < last && m_functions[i].rank == m_functions[first].rank; ++i) {
        std::string name = m_reader.stringAt(m_table, m_functions[i].nameOffset, kMostNameBytes);
        if (name.empty()) continue;
        // __libc_malloc and malloc are one function: the name with fewer leading underscores is the public
        // one.
        const std::size_t underscores = std::min(name.find_first_not_of('_'), name.size());
        if (!best.empty() && std::tie(bestUnderscores, best) <= std::tie(underscores, name)) continue;
        best = std::move(name);
        bestUnderscores = underscores;
    }
    return best;
}

}  // namespace vramscope::symbols
