// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/entry_pointers.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/inject/mapping_list.h"

namespace vramscope::collector {

namespace {

struct Search {
    const EntryPointer* pointers = nullptr;
    std::size_t count = 0;
    std::uintptr_t lowest = ~std::uintptr_t{0};
    std::uintptr_t highest = 0;
    MappingList mappings;
    bool isRead = false;
    std::size_t replaced = 0;
};

struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
};

// Under the relocation-read-only scheme a module's table of imported addresses is closed again after loading.
void storeInReadOnly(std::uintptr_t word, std::uintptr_t value) {
    const auto pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    auto* page = reinterpret_cast<void*>(word & ~(pageBytes - 1));
    if (::mprotect(page, pageBytes, PROT_READ | PROT_WRITE) != 0) return;
    std::atomic_ref(*reinterpret_cast<std::uintptr_t*>(word)).store(value, std::memory_order_release);
    ::mprotect(page, pageBytes, PROT_READ);
}

void replaceAt(Search& search, std::uintptr_t at, std::uintptr_t value, bool isWritable) {
    for (std::size_t i = 0; i < search.count; ++i) {
        const EntryPointer& pointer = search.pointers[i];
        if (value != pointer.original) continue;
        ++search.replaced;
        if (!isWritable) return storeInReadOnly(at, pointer.replacement);
        // Only if it still is what it was: its owner may be storing something else.
        std::uintptr_t expected = value;
        std::atomic_ref(*reinterpret_cast<std::uintptr_t*>(at))
            .compare_exchange_strong(expected, pointer.replacement);
        return;
    }
}

[[gnu::no_sanitize("address", "thread", "undefined")]] void searchWords(Search& search, Range range,
                                                                        bool isWritable) {
    for (std::uintptr_t at = range.begin; at < range.end; at += sizeof(std::uintptr_t)) {
        const std::uintptr_t value =
            __atomic_load_n(reinterpret_cast<const std::uintptr_t*>(at), __ATOMIC_RELAXED);
        if (value - search.lowest <= search.highest - search.lowest) replaceAt(search, at, value, isWritable);
    }
}

// Pages that nobody touched hold nothing, and reading them would make them resident.
void searchResident(Search& search, Range range, bool isWritable) {
    const auto pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    constexpr std::size_t kPages = 256;
    unsigned char isResident[kPages];
    while (range.begin < range.end) {
        const std::uintptr_t bytes = std::min(range.end - range.begin, kPages * pageBytes);
        const std::size_t pages = (bytes + pageBytes - 1) / pageBytes;
        if (::mincore(reinterpret_cast<void*>(range.begin), bytes, isResident) != 0) return;
        for (std::size_t page = 0; page < pages; ++page) {
            if ((isResident[page] & 1) == 0) continue;
            const std::uintptr_t begin = range.begin + page * pageBytes;
            searchWords(search, {begin, std::min(begin + pageBytes, range.begin + bytes)}, isWritable);
        }
        range.begin += bytes;
    }
}

void searchSegment(Search& search, Range segment) {
    for (std::size_t i = 0; i < search.mappings.count(); ++i) {
        const Mapping& mapping = search.mappings[i];
        if (mapping.end <= segment.begin || mapping.begin >= segment.end) continue;
        if (!mapping.isReadable || !mapping.isPrivate) continue;
        searchResident(search, {std::max(mapping.begin, segment.begin), std::min(mapping.end, segment.end)},
                       mapping.isWritable);
    }
}

bool holds(const dl_phdr_info& module, std::uintptr_t address) {
    for (int i = 0; i < module.dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = module.dlpi_phdr[i];
        if (header.p_type == PT_LOAD && address - (module.dlpi_addr + header.p_vaddr) < header.p_memsz)
            return true;
    }
    return false;
}

// The driver must go on calling itself, CUPTI the driver, and we what we took the place of.
bool isLeftAlone(const Search& search, const dl_phdr_info& module) {
    const char* slash = std::strrchr(module.dlpi_name, '/');
    const char* name = slash != nullptr ? slash + 1 : module.dlpi_name;
    for (const char* prefix : {"libcupti", "libcuda.so", "libnvidia-", "ld-linux"}) {
        if (std::strncmp(name, prefix, std::strlen(prefix)) == 0) return true;
    }
    for (std::size_t i = 0; i < search.count; ++i) {
        if (holds(module, search.pointers[i].original) || holds(module, search.pointers[i].replacement))
            return true;
    }
    return false;
}

int searchModule(dl_phdr_info* module, std::size_t /*bytes*/, void* data) {
    Search& search = *static_cast<Search*>(data);
    // Read here, where no module can go away until the search is done.
    if (!search.isRead && !search.mappings.read()) return 1;
    search.isRead = true;
    if (isLeftAlone(search, *module)) return 0;
    const auto pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < module->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = module->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
        const std::uintptr_t begin = module->dlpi_addr + header.p_vaddr;
        constexpr std::uintptr_t kWord = sizeof(std::uintptr_t);
        searchSegment(search, {begin & ~(pageBytes - 1), (begin + header.p_memsz) & ~(kWord - 1)});
    }
    return 0;
}

}  // namespace

std::size_t replaceEntryPointers(const EntryPointer* pointers, std::size_t count) {
    Search search;
    search.pointers = pointers;
    search.count = count;
    for (std::size_t i = 0; i < count; ++i) {
        search.lowest = std::min(search.lowest, pointers[i].original);
        search.highest = std::max(search.highest, pointers[i].original);
    }
    if (count != 0) ::dl_iterate_phdr(searchModule, &search);
    return search.replaced;
}

std::uint64_t loadedModules() {
    std::uint64_t loaded = 0;
    ::dl_iterate_phdr(
        [](dl_phdr_info* module, std::size_t, void* data) {
            *static_cast<std::uint64_t*>(data) = module->dlpi_adds;
            return 1;
        },
        &loaded);
    return loaded;
}

}  // namespace vramscope::collector
