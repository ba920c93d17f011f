// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <elf.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/symbols/file_descriptor.h"

namespace vramscope::symbols {

/// What .gnu_debuglink says: the name of a file with the debug information, and that file's CRC-32.
struct DebugLink {
    std::string fileName;
    std::uint32_t crc = 0;
};

/// A symbol table and the strings that it names, as places in the file.
struct SymbolTable {
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
    std::uint64_t stringsOffset = 0;
    std::uint64_t stringsBytes = 0;
    bool isDynamic = false;  ///< .dynsym: exported functions only
};

/// The parts of a 64-bit ELF file of this machine's byte order that symbolising needs. Every number in the
/// file is checked before it is used. It is read piece by piece and never mapped: a file that shrinks
/// meanwhile gives an error and not a SIGBUS, and the size of the file costs no memory. Not safe for two
/// threads at once.
class ElfReader {
public:
    /// nullopt when the file is no such ELF file or its headers are damaged.
    static std::optional<ElfReader> open(FileDescriptor file);

    /// GNU build id in lower-case hexadecimal; empty when there is none.
    const std::string& buildId() const { return m_buildId; }
    std::optional<DebugLink> debugLink() const;
    /// True when .debug_info is in the file with its content.
    bool hasDwarf() const;
    /// Bytes that the compressed debug sections take when they are unpacked.
    std::uint64_t inflatedDebugBytes() const;
    /// .symtab, else .dynsym, else nothing.
    std::optional<SymbolTable> symbolTable() const;
    bool isExecutableSection(std::uint32_t index) const;
    /// 0 when `address` does not lie in that section.
    std::uint64_t bytesToSectionEnd(std::uint32_t index, std::uint64_t address) const;
    /// NUL-terminated text in a string table; cut at `mostBytes`. Empty when it lies outside.
    std::string stringAt(const SymbolTable& table, std::uint32_t nameOffset, std::size_t mostBytes) const;

    const FileDescriptor& file() const { return m_file; }

private:
    struct Section {
        std::string name;
        Elf64_Shdr header;
    };

    bool readSections(const Elf64_Ehdr& header);
    std::string buildIdFromSegments(const Elf64_Ehdr& header) const;
    std::string buildIdFromSections() const;
    std::string buildIdInNotes(std::uint64_t offset, std::uint64_t sizeBytes, std::uint64_t alignBytes) const;
    const Section* findSection(std::string_view name) const;
    const Section* findSection(std::uint32_t type) const;
    bool isInFile(std::uint64_t offset, std::uint64_t sizeBytes) const;
    template <typename T>
    bool readValue(std::uint64_t offset, T& value) const;

    FileDescriptor m_file;
    std::uint64_t m_fileBytes = 0;
    std::vector<Section> m_sections;
    std::string m_buildId;
};

}  // namespace vramscope::symbols
