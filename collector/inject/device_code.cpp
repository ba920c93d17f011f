// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/device_code.h"

#include <cstring>

namespace vramscope::collector {

DeviceCode::DeviceCode(const char* image, std::size_t sizeBytes) : m_image(image), m_sizeBytes(sizeBytes) {
    Elf64_Ehdr header;
    if (image == nullptr || !read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
    findSections(header);
}

template <typename T>
bool DeviceCode::read(std::uint64_t offset, T& value) const {
    if (offset > m_sizeBytes || m_sizeBytes - offset < sizeof(T)) return false;
    std::memcpy(&value, m_image + offset, sizeof(T));
    return true;
}

bool DeviceCode::contains(const Section& section) const {
    return section.offset <= m_sizeBytes && section.sizeBytes <= m_sizeBytes - section.offset;
}

const char* DeviceCode::textIn(const Section& section, std::uint64_t offset) const {
    if (offset >= section.sizeBytes) return nullptr;
    const char* text = m_image + section.offset + offset;
    return ::memchr(text, 0, section.sizeBytes - offset) != nullptr ? text : nullptr;
}

void DeviceCode::findSections(const Elf64_Ehdr& header) {
    const auto sectionAt = [&](std::uint32_t index, Elf64_Shdr& section) {
        // More than 65,279 sections are numbered elsewhere: of such a module no lines are told.
        return index < header.e_shnum &&
               read(header.e_shoff + std::uint64_t{index} * sizeof(Elf64_Shdr), section);
    };
    Elf64_Shdr texts;
    if (!sectionAt(header.e_shstrndx, texts)) return;
    const Section names{texts.sh_offset, texts.sh_size};
    if (!contains(names)) return;
    for (std::uint32_t i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        if (!sectionAt(i, section)) return;
        const Section place{section.sh_offset, section.sh_size};
        if (section.sh_type == SHT_NOBITS || !contains(place)) continue;
        const char* name = textIn(names, section.sh_name);
        if (name != nullptr && std::strcmp(name, ".debug_line") == 0) m_hasLines = section.sh_size != 0;
        Elf64_Shdr linked;
        if (section.sh_type != SHT_SYMTAB || !sectionAt(section.sh_link, linked)) continue;
        const Section linkedPlace{linked.sh_offset, linked.sh_size};
        if (linked.sh_type != SHT_STRTAB || !contains(linkedPlace)) continue;
        m_symbols = place;
        m_names = linkedPlace;
    }
}

const char* DeviceCode::functionAt(std::uint64_t offset) const {
    Elf64_Sym symbol;
    if (!read(offset, symbol) || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0)
        return nullptr;
    return textIn(m_names, symbol.st_name);
}

}  // namespace vramscope::collector
