// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/device_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <elf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <span>

#include "collector/symbols/file_descriptor.h"

namespace vramscope::symbols {

namespace {

constexpr std::uint64_t kMostImageBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostRows = 2'000'000;
constexpr std::size_t kMostFunctions = 100'000;

/// In a module's image each function has a section of its own, and all begin at 0. So that the lines of one
/// are not those of another, sections get addresses that lie apart.
std::uint64_t sectionAddress(const Elf64_Shdr& section, std::uint64_t index) {
    return section.sh_addr != 0 ? section.sh_addr : (index + 1) << 32;
}

/// The image in memory, with what it says of itself checked against its size.
class Image {
public:
    explicit Image(std::vector<std::byte> bytes) : m_bytes(std::move(bytes)) {
        Elf64_Ehdr header{};
        if (!get(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
            return;
        }
        for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
            Elf64_Shdr section{};
            if (!get(header.e_shoff + i * sizeof(section), section)) return;
            const bool isInside =
                section.sh_type == SHT_NOBITS || (section.sh_offset <= m_bytes.size() &&
                                                  section.sh_size <= m_bytes.size() - section.sh_offset);
            // What lies elsewhere is taken for empty.
            if (!isInside) section.sh_size = 0;
            m_sections.push_back(section);
        }
    }

    std::span<std::byte> bytes() { return m_bytes; }
    const std::vector<Elf64_Shdr>& sections() const { return m_sections; }

    template <typename T>
    bool get(std::uint64_t offset, T& value) const {
        if (offset > m_bytes.size() || m_bytes.size() - offset < sizeof(T)) return false;
        std::memcpy(&value, m_bytes.data() + offset, sizeof(T));
        return true;
    }
    std::string text(std::uint32_t section, std::uint64_t offset) const {
        if (section >= m_sections.size() || offset >= m_sections[section].sh_size) return "";
        const char* begin =
            reinterpret_cast<const char*>(m_bytes.data()) + m_sections[section].sh_offset + offset;
        return {begin, ::strnlen(begin, m_sections[section].sh_size - offset)};
    }
    /// Of the symbol's first byte; 0 when it is in no section.
    std::uint64_t addressOf(const Elf64_Sym& symbol) const {
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= m_sections.size()) return 0;
        const Elf64_Shdr& section = m_sections[symbol.st_shndx];
        // With addresses of their own a symbol's value has them in it.
        return section.sh_addr != 0 ? symbol.st_value
                                    : sectionAddress(section, symbol.st_shndx) + symbol.st_value;
    }
    void put(std::uint64_t offset, std::uint64_t value) {
        std::memcpy(m_bytes.data() + offset, &value, sizeof(value));
    }

private:
    std::vector<std::byte> m_bytes;
    std::vector<Elf64_Shdr> m_sections;
};

/// libdw knows nothing of the machine and relocates nothing: the addresses of .debug_line are put in for it.
void relocateLines(Image& image) {
    constexpr std::uint64_t kAddress64 = 2;  // R_CUDA_64
    for (const Elf64_Shdr& section : image.sections()) {
        const bool hasAddends = section.sh_type == SHT_RELA;
        if ((!hasAddends && section.sh_type != SHT_REL) || section.sh_info >= image.sections().size() ||
            section.sh_link >= image.sections().size())
            continue;
        const Elf64_Shdr& target = image.sections()[section.sh_info];
        const Elf64_Shdr& symbols = image.sections()[section.sh_link];
        Elf64_Ehdr header{};
        if (!image.get(0, header) || image.text(header.e_shstrndx, target.sh_name) != ".debug_line") continue;
        const std::uint64_t entryBytes = hasAddends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        for (std::uint64_t at = 0; at + entryBytes <= section.sh_size; at += entryBytes) {
            Elf64_Rel entry{};
            if (!image.get(section.sh_offset + at, entry) || ELF64_R_TYPE(entry.r_info) != kAddress64)
                continue;
            if (target.sh_size < 8 || entry.r_offset > target.sh_size - 8) continue;
            const std::uint64_t place = target.sh_offset + entry.r_offset;
            std::uint64_t addend = 0;
            if (!image.get(hasAddends ? section.sh_offset + at + offsetof(Elf64_Rela, r_addend) : place,
                           addend))
                continue;
            const std::uint64_t symbolAt = ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym);
            Elf64_Sym symbol{};
            if (symbols.sh_size < sizeof(symbol) || symbolAt > symbols.sh_size - sizeof(symbol) ||
                !image.get(symbols.sh_offset + symbolAt, symbol))
                continue;
            if (const std::uint64_t address = image.addressOf(symbol); address != 0)
                image.put(place, address + addend);
        }
    }
}

std::map<std::string, std::uint64_t> functionsOf(const Image& image) {
    std::map<std::string, std::uint64_t> functions;
    for (const Elf64_Shdr& section : image.sections()) {
        if (section.sh_type != SHT_SYMTAB) continue;
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol{};
            if (!image.get(section.sh_offset + at, symbol) || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
                continue;
            const std::uint64_t address = image.addressOf(symbol);
            if (address != 0 && functions.size() < kMostFunctions)
                functions.emplace(image.text(section.sh_link, symbol.st_name), address);
        }
    }
    return functions;
}

std::vector<std::byte> bytesOf(const std::filesystem::path& path) {
    const FileDescriptor file = openRegularFile("", path.string());
    const std::uint64_t size = file.isOpen() ? fileSizeBytes(file) : 0;
    std::vector<std::byte> bytes(size <= kMostImageBytes ? size : 0);
    if (!readFully(file, 0, bytes)) bytes.clear();
    return bytes;
}

}  // namespace

/// Collects the rows of one image.
struct DeviceLines::Reader {
    DeviceLines& lines;
    std::map<std::string, std::uint32_t> files;

    std::uint32_t fileOf(const char* name) {
        const auto [known, isNew] = files.try_emplace(name != nullptr ? name : "", files.size());
        if (isNew) lines.m_files.push_back(known->first);
        return known->second;
    }

    void take(Dwarf_Lines* table, std::size_t count) {
        for (std::size_t i = 0; i < count && lines.m_rows.size() < kMostRows; ++i) {
            Dwarf_Line* line = ::dwarf_onesrcline(table, i);
            Dwarf_Addr address = 0;
            int number = 0;
            bool endsSequence = false;
            if (::dwarf_lineaddr(line, &address) != 0 || ::dwarf_lineno(line, &number) != 0 ||
                ::dwarf_lineendsequence(line, &endsSequence) != 0)
                continue;
            lines.m_rows.push_back({address, static_cast<std::uint32_t>(std::max(number, 0)),
                                    fileOf(::dwarf_linesrc(line, nullptr, nullptr)), endsSequence});
        }
    }

    void readAll(Dwarf* dwarf) {
        Dwarf_Off at = 0;
        Dwarf_Off next = 0;
        Dwarf_CU* unit = nullptr;
        Dwarf_Files* fileTable = nullptr;
        Dwarf_Lines* table = nullptr;
        std::size_t fileCount = 0;
        std::size_t count = 0;
        while (::dwarf_next_lines(dwarf, at, &next, &unit, &fileTable, &fileCount, &table, &count) == 0) {
            if (table != nullptr) take(table, count);
            if (next <= at || lines.m_rows.size() >= kMostRows) break;
            at = next;
        }
    }
};

DeviceLines DeviceLines::read(const std::filesystem::path& path) {
    DeviceLines lines;
    Image image(bytesOf(path));
    if (image.sections().empty() || ::elf_version(EV_CURRENT) == EV_NONE) return lines;
    relocateLines(image);
    lines.m_functions = functionsOf(image);
    Elf* elf = ::elf_memory(reinterpret_cast<char*>(image.bytes().data()), image.bytes().size());
    if (elf == nullptr) return lines;
    if (Dwarf* dwarf = ::dwarf_begin_elf(elf, DWARF_C_READ, nullptr)) {
        Reader{lines, {}}.readAll(dwarf);
        ::dwarf_end(dwarf);
    }
    ::elf_end(elf);
    if (lines.m_rows.size() >= kMostRows) lines.m_rows.clear();
    // The end of one function may be where the next begins.
    std::stable_sort(lines.m_rows.begin(), lines.m_rows.end(), [](const Row& a, const Row& b) {
        return a.address != b.address ? a.address < b.address : a.endsSequence && !b.endsSequence;
    });
    return lines;
}

std::optional<DeviceLine> DeviceLines::find(const std::string& function, std::uint64_t offset) const {
    const auto begin = m_functions.find(function);
    if (begin == m_functions.end()) return std::nullopt;
    const auto behind =
        std::upper_bound(m_rows.begin(), m_rows.end(), begin->second + offset,
                         [](std::uint64_t address, const Row& row) { return address < row.address; });
    if (behind == m_rows.begin()) return std::nullopt;
    const Row& row = *(behind - 1);
    if (row.endsSequence || row.line == 0 || row.address < begin->second) return std::nullopt;
    return DeviceLine{m_files[row.file], row.line};
}

}  // namespace vramscope::symbols
