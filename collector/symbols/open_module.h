// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "collector/symbols/dwarf_lookup.h"
#include "collector/symbols/elf_reader.h"
#include "collector/symbols/symbol_index.h"
#include "collector/symbols/symbolizer.h"

namespace vramscope::symbols {

/// One module with its files open. Symbol table and debug information are read when first needed.
class Symbolizer::OpenModule {
public:
    OpenModule(ModuleFile file, const SymbolizerOptions& options);

    /// What is at file address `address` itself. Debug information is used until `deadline`.
    ResolvedFrame resolve(std::uint64_t address, Deadline deadline);

    const ModuleFile& file() const { return m_file; }
    std::chrono::steady_clock::duration spent{};  ///< time that debug information has cost so far

private:
    void openFile(const std::string& root);
    std::string symbolAt(std::uint64_t address);
    std::vector<DwarfFrame> debugFramesAt(std::uint64_t address, Deadline deadline);

    ModuleFile m_file;
    ModuleProblem m_problem = ModuleProblem::None;
    std::optional<ElfReader> m_main;
    std::optional<ElfReader> m_debug;  // split off the module
    const ElfReader* m_dwarfFile = nullptr;
    std::unique_ptr<SymbolIndex> m_symbols;
    std::unique_ptr<DwarfLookup> m_dwarf;
};

}  // namespace vramscope::symbols
