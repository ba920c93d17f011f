// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/elf_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace vramscope::symbols {
namespace {

// Far above what linkers write (a file built with -ffunction-sections and not linked has some 100,000).
constexpr std::uint64_t kMostSections = 1U << 20;
constexpr std::uint64_t kMostSegments = 1U << 12;
constexpr std::uint64_t kMostNameTableBytes = 64U << 20;
constexpr std::uint64_t kMostNoteBytes = 64U << 10;
constexpr std::size_t kMostBuildIdBytes = 64;

std::string hexOf(std::span<const std::byte> bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += kDigits[std::to_integer<unsigned>(byte) >> 4];
        text += kDigits[std::to_integer<unsigned>(byte) & 15];
    }
    return text;
}

constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t step) {
    return (value + step - 1) / step * step;
}

bool isOurs(const Elf64_Ehdr& header) {
    constexpr unsigned char kOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == kOrder && (header.e_type == ET_DYN || header.e_type == ET_EXEC);
}

}  // namespace

template <typename T>
bool ElfReader::readValue(std::uint64_t offset, T& value) const {
    return isInFile(offset, sizeof value) &&
           readFully(m_file, offset, std::as_writable_bytes(std::span(&value, 1)));
}

bool ElfReader::isInFile(std::uint64_t offset, std::uint64_t sizeBytes) const {
    return offset <= m_fileBytes && sizeBytes <= m_fileBytes - offset;
}

std::optional<ElfReader> ElfReader::open(FileDescriptor file) {
    ElfReader reader;
    reader.m_fileBytes = fileSizeBytes(file);
    reader.m_file = std::move(file);
    Elf64_Ehdr header{};
    if (!reader.readValue(0, header) || !isOurs(header) || !reader.readSections(header)) return std::nullopt;
    // Sections first: in a separate debug file the segments still say where the notes were in the stripped
    // one.
    reader.m_buildId = reader.buildIdFromSections();
    if (reader.m_buildId.empty()) reader.m_buildId = reader.buildIdFromSegments(header);
    return reader;
}

bool ElfReader::readSections(const Elf64_Ehdr& header) {
    if (header.e_shoff == 0) return true;
    if (header.e_shentsize != sizeof(Elf64_Shdr)) return false;
    Elf64_Shdr first{};
    if (!readValue(header.e_shoff, first)) return false;
    // Numbers that do not fit 16 bits are kept in section 0 (ELF specification, "extended section
    // numbering").
    const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
    const std::uint64_t nameIndex = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
    if (count > kMostSections || !isInFile(header.e_shoff, count * sizeof(Elf64_Shdr))) return false;
    std::vector<Elf64_Shdr> headers(count);
    if (!readFully(m_file, header.e_shoff, std::as_writable_bytes(std::span(headers)))) return false;

    std::string names;
    if (nameIndex < count) {
        const Elf64_Shdr& table = headers[nameIndex];
        if (table.sh_size > kMostNameTableBytes || !isInFile(table.sh_offset, table.sh_size)) return false;
        names.resize(table.sh_size);
        if (!readFully(m_file, table.sh_offset, std::as_writable_bytes(std::span(names)))) return false;
    }
    m_sections.reserve(count);
    for (const Elf64_Shdr& section : headers) {
        std::string name;
        if (section.sh_name < names.size()) {
            // Cut: names may overlap, so a damaged table could otherwise cost the square of its size.
            name = names.substr(section.sh_name, 64);
            name.resize(std::strlen(name.c_str()));
        }
        m_sections.push_back({std::move(name), section});
    }
    return true;
}

std::string ElfReader::buildIdFromSections() const {
    for (const Section& section : m_sections) {
        if (section.header.sh_type != SHT_NOTE) continue;
        std::string id =
            buildIdInNotes(section.header.sh_offset, section.header.sh_size, section.header.sh_addralign);
        if (!id.empty()) return id;
    }
    return {};
}

std::string ElfReader::buildIdFromSegments(const Elf64_Ehdr& header) const {
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMostSegments) return {};
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment{};
        if (!readValue(header.e_phoff + i * sizeof segment, segment)) return {};
        if (segment.p_type != PT_NOTE) continue;
        std::string id = buildIdInNotes(segment.p_offset, segment.p_filesz, segment.p_align);
        if (!id.empty()) return id;
    }
    return {};
}

std::string ElfReader::buildIdInNotes(std::uint64_t offset, std::uint64_t sizeBytes,
                                      std::uint64_t alignBytes) const {
    if (sizeBytes > kMostNoteBytes || !isInFile(offset, sizeBytes)) return {};
    std::vector<std::byte> notes(sizeBytes);
    if (!readFully(m_file, offset, notes)) return {};
    const std::uint64_t step = alignBytes == 8 ? 8 : 4;
    std::uint64_t at = 0;
    while (notes.size() - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note{};
        std::memcpy(&note, notes.data() + at, sizeof note);
        const std::uint64_t nameAt = at + sizeof note;
        const std::uint64_t idAt = roundUp(nameAt + note.n_namesz, step);
        if (idAt > notes.size() || note.n_descsz > notes.size() - idAt) return {};
        const bool isGnu = note.n_namesz == 4 && std::memcmp(notes.data() + nameAt, "GNU", 4) == 0;
        if (isGnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= kMostBuildIdBytes)
            return hexOf(std::span(notes).subspan(idAt, note.n_descsz));
        at = std::min<std::uint64_t>(roundUp(idAt + note.n_descsz, step), notes.size());
    }
    return {};
}

const ElfReader::Section* ElfReader::findSection(std::string_view name) const {
    const auto found = std::ranges::find(m_sections, name, &Section::name);
    return found == m_sections.end() ? nullptr : &*found;
}

const ElfReader::Section* ElfReader::findSection(std::uint32_t type) const {
    const auto found =
        std::ranges::find_if(m_sections, [&](const Section& s) { return s.header.sh_type == type; });
    return found == m_sections.end() ? nullptr : &*found;
}

std::optional<DebugLink> ElfReader::debugLink() const {
    const Section* section = findSection(".gnu_debuglink");
    if (section == nullptr || section->header.sh_type == SHT_NOBITS) return std::nullopt;
    const Elf64_Shdr& header = section->header;
    if (header.sh_size < 8 || header.sh_size > 4096 || !isInFile(header.sh_offset, header.sh_size))
        return std::nullopt;
    std::string bytes(header.sh_size, '\0');
    if (!readFully(m_file, header.sh_offset, std::as_writable_bytes(std::span(bytes)))) return std::nullopt;
    const std::size_t nameBytes = ::strnlen(bytes.data(), bytes.size());
    const std::uint64_t crcAt = roundUp(nameBytes + 1, 4);
    if (nameBytes == 0 || crcAt + 4 > bytes.size()) return std::nullopt;
    DebugLink link;
    link.fileName = bytes.substr(0, nameBytes);
    std::memcpy(&link.crc, bytes.data() + crcAt, sizeof link.crc);
    // A link names a file beside; one with a folder in it could only be an attempt to lead us elsewhere.
    if (link.fileName.find('/') != std::string::npos) return std::nullopt;
    return link;
}

bool ElfReader::hasDwarf() const {
    return std::ranges::any_of(m_sections, [](const Section& section) {
        return (section.name == ".debug_info" || section.name == ".zdebug_info") &&
               section.header.sh_type != SHT_NOBITS && section.header.sh_size > 0;
    });
}

std::uint64_t ElfReader::inflatedDebugBytes() const {
    std::uint64_t total = 0;
    for (const Section& section : m_sections) {
        if (!section.name.starts_with(".debug_") && !section.name.starts_with(".zdebug_")) continue;
        std::uint64_t bytes = 0;
        if ((section.header.sh_flags & SHF_COMPRESSED) != 0) {
            Elf64_Chdr compression{};
            if (readValue(section.header.sh_offset, compression)) bytes = compression.ch_size;
        } else if (section.name.starts_with(".zdebug_")) {
            // The older form: "ZLIB" and the size, most significant byte first.
            std::array<std::uint8_t, 12> start{};
            if (readValue(section.header.sh_offset, start))
                for (std::size_t i = 4; i < start.size(); ++i)
                    bytes = bytes << 8 | start[i];
        }
        total = bytes > ~total ? ~std::uint64_t{0} : total + bytes;
    }
    return total;
}

std::optional<SymbolTable> ElfReader::symbolTable() const {
    for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
        const Section* section = findSection(type);
        if (section == nullptr || section->header.sh_entsize != sizeof(Elf64_Sym)) continue;
        if (section->header.sh_link >= m_sections.size()) continue;
        const Elf64_Shdr& strings = m_sections[section->header.sh_link].header;
        if (strings.sh_type != SHT_STRTAB || !isInFile(strings.sh_offset, strings.sh_size)) continue;
        if (!isInFile(section->header.sh_offset, section->header.sh_size)) continue;
        return SymbolTable{section->header.sh_offset, section->header.sh_size / sizeof(Elf64_Sym),
                           strings.sh_offset, strings.sh_size, type == SHT_DYNSYM};
    }
    return std::nullopt;
}

bool ElfReader::isExecutableSection(std::uint32_t index) const {
    return index < m_sections.size() && (m_sections[index].header.sh_flags & SHF_EXECINSTR) != 0;
}

std::uint64_t ElfReader::bytesToSectionEnd(std::uint32_t index, std::uint64_t address) const {
    if (index >= m_sections.size()) return 0;
    const Elf64_Shdr& section = m_sections[index].header;
    const std::uint64_t offset = address - section.sh_addr;
    return address >= section.sh_addr && offset < section.sh_size ? section.sh_size - offset : 0;
}

std::string ElfReader::stringAt(const SymbolTable& table, std::uint32_t nameOffset,
                                std::size_t mostBytes) const {
    if (nameOffset >= table.stringsBytes) return {};
    const std::uint64_t limit = std::min<std::uint64_t>(mostBytes, table.stringsBytes - nameOffset);
    std::string text;
    // Most names are short: read a little, and more only while no end is seen.
    while (text.size() < limit) {
        const std::size_t from = text.size();
        const std::size_t step = std::min<std::uint64_t>(limit - from, from == 0 ? 128 : 1024);
        text.resize(from + step);
        const auto target = std::as_writable_bytes(std::span(text)).subspan(from);
        if (!readFully(m_file, table.stringsOffset + nameOffset + from, target)) return {};
        if (const std::size_t end = text.find('\0', from); end != std::string::npos) {
            text.resize(end);
            break;
        }
    }
    return text;
}

}  // namespace vramscope::symbols
