// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/module_finder.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

#include "collector/unwind/address.h"

// Weak: the library must load where glibc is older than 2.35, and then the address is null.
extern "C" int _dl_find_object(void* address, dl_find_object* result) noexcept __attribute__((weak));

namespace vramscope::unwind {
namespace {

constexpr uint64_t kPageBytes = 4096;

uint64_t pageStart(uint64_t address) noexcept {
    return address & ~(kPageBytes - 1);
}

/// Takes the program headers from the ELF header that the first segment starts with. False when that is not
/// what lies there (a linker script may leave the header out of every segment).
bool readElfHeader(ModuleRange* module) noexcept {
    const auto* header = pointerAt<const Elf64_Ehdr>(module->start);
    if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(Elf64_Phdr)) return false;
    // Only the first page is known to be mapped before the program headers have been read.
    const uint64_t tableBytes = uint64_t{header->e_phnum} * sizeof(Elf64_Phdr);
    if (header->e_phoff > kPageBytes || header->e_phoff + tableBytes > kPageBytes) return false;
    if (header->e_phoff % alignof(Elf64_Phdr) != 0) return false;
    module->programHeaders = pointerAt<const Elf64_Phdr>(module->start + header->e_phoff);
    module->programHeaderCount = header->e_phnum;
    return true;
}

/// The rest of the readable segment that holds `address`.
ByteRange fromAddress(const ModuleRange& module, uint64_t address) noexcept {
    ByteRange segment = readableSegment(module, address);
    if (!segment.empty()) segment.begin = pointerAt<const uint8_t>(address);
    return segment;
}

/// Walks the notes of one PT_NOTE segment. Name and descriptor are padded to 4 bytes, in segments aligned to
/// 8 (GNU properties) to 8.
ByteRange buildIdIn(ByteRange notes, uint64_t alignBytes) noexcept {
    const uint64_t padding = alignBytes == 8 ? 7 : 3;
    ByteReader reader(notes);
    while (!reader.atEnd()) {
        const auto note = reader.read<Elf64_Nhdr>();
        const ByteRange name = reader.readRange((note.n_namesz + padding) & ~padding);
        const ByteRange description = reader.readRange(note.n_descsz);
        if (!reader.ok()) break;
        const bool isGnu = note.n_namesz == 4 && std::memcmp(name.begin, "GNU", 4) == 0;
        if (isGnu && note.n_type == NT_GNU_BUILD_ID) return description;
        const uint64_t odd = note.n_descsz & padding;
        reader.skip(odd == 0 ? 0 : padding + 1 - odd);
    }
    return {};
}

void readBuildId(ModuleRange* module) noexcept {
    for (size_t i = 0; i < module->programHeaderCount && module->buildId.empty(); ++i) {
        const Elf64_Phdr& header = module->programHeaders[i];
        if (header.p_type != PT_NOTE) continue;
        ByteRange notes = fromAddress(*module, module->loadBias + header.p_vaddr);
        if (header.p_filesz > notes.size()) continue;
        notes.end = notes.begin + header.p_filesz;
        module->buildId = buildIdIn(notes, header.p_align);
    }
}

/// The bounds of all PT_LOAD segments; false if there is none.
bool loadedBounds(const dl_phdr_info& info, uint64_t* start, uint64_t* end) noexcept {
    *start = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < info.dlpi_phnum; ++i) {
        const Elf64_Phdr& header = info.dlpi_phdr[i];
        if (header.p_type != PT_LOAD) continue;
        const uint64_t from = pageStart(info.dlpi_addr + header.p_vaddr);
        const uint64_t to = info.dlpi_addr + header.p_vaddr + header.p_memsz;
        if (from < *start) *start = from;
        if (to > *end) *end = to;
    }
    return *start < *end;
}

struct IterationQuery {
    uint64_t address;
    ModuleRange module;
    ModulePlace place;
};

/// Copies what the loader says while it holds its lock, so that nothing can be unloaded under our hands.
int visitModule(dl_phdr_info* info, size_t, void* data) noexcept {
    auto* query = static_cast<IterationQuery*>(data);
    uint64_t start = 0;
    uint64_t end = 0;
    if (!loadedBounds(*info, &start, &end) || query->address < start || query->address >= end) return 0;
    query->module = {start, end, info->dlpi_addr, info->dlpi_name, {}, info->dlpi_phdr, info->dlpi_phnum};
    query->place = {start, end, 0};
    for (size_t i = 0; i < info->dlpi_phnum; ++i) {
        const Elf64_Phdr& header = info->dlpi_phdr[i];
        if (header.p_type == PT_GNU_EH_FRAME) query->place.ehFrameHeader = info->dlpi_addr + header.p_vaddr;
    }
    return 1;
}

bool iterate(IterationQuery* query) noexcept {
    return dl_iterate_phdr(visitModule, query) == 1;
}

}  // namespace

namespace internal {

bool findModuleByObject(uint64_t ip, ModuleRange* module) noexcept {
    if (_dl_find_object == nullptr) return false;
    dl_find_object found{};
    if (_dl_find_object(pointerAt<void>(ip), &found) != 0) return false;
    *module = {};
    module->start = reinterpret_cast<uint64_t>(found.dlfo_map_start);
    module->end = reinterpret_cast<uint64_t>(found.dlfo_map_end);
    if (!readElfHeader(module)) return findModuleByIteration(ip, module);
    module->loadBias = found.dlfo_link_map->l_addr;
    module->path = found.dlfo_link_map->l_name;
    return true;
}

bool findModuleByIteration(uint64_t ip, ModuleRange* module) noexcept {
    IterationQuery query{ip, {}, {}};
    if (!iterate(&query)) return false;
    *module = query.module;
    return true;
}

bool findPlaceByIteration(uint64_t address, ModulePlace* place) noexcept {
    IterationQuery query{address, {}, {}};
    if (!iterate(&query)) return false;
    *place = query.place;
    return true;
}

}  // namespace internal

bool findModule(uint64_t ip, ModuleRange* module) noexcept {
    const bool found = _dl_find_object != nullptr ? internal::findModuleByObject(ip, module)
                                                  : internal::findModuleByIteration(ip, module);
    if (!found) return false;
    if (module->path == nullptr) module->path = "";
    readBuildId(module);
    return true;
}

bool findModulePlace(uint64_t address, ModulePlace* place) noexcept {
    if (_dl_find_object == nullptr) return internal::findPlaceByIteration(address, place);
    dl_find_object found{};
    if (_dl_find_object(pointerAt<void>(address), &found) != 0) return false;
    *place = {reinterpret_cast<uint64_t>(found.dlfo_map_start),
              reinterpret_cast<uint64_t>(found.dlfo_map_end),
              reinterpret_cast<uint64_t>(found.dlfo_eh_frame)};
    return true;
}

ByteRange readableSegment(const ModuleRange& module, uint64_t address) noexcept {
    for (size_t i = 0; i < module.programHeaderCount; ++i) {
        const Elf64_Phdr& header = module.programHeaders[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_R) == 0) continue;
        const uint64_t start = module.loadBias + header.p_vaddr;
        if (address < start || address - start >= header.p_filesz) continue;
        const auto* begin = pointerAt<const uint8_t>(start);
        return {begin, begin + header.p_filesz};
    }
    return {};
}

ByteRange ehFrameHeader(const ModuleRange& module) noexcept {
    for (size_t i = 0; i < module.programHeaderCount; ++i) {
        const Elf64_Phdr& header = module.programHeaders[i];
        if (header.p_type != PT_GNU_EH_FRAME) continue;
        return fromAddress(module, module.loadBias + header.p_vaddr);
    }
    return {};
}

}  // namespace vramscope::unwind
