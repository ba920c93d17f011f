// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_names.h"

#include <atomic>
#include <cstring>
#include <sys/mman.h>

#include "collector/inject/task_marks.h"

namespace vramscope::collector::nvtx {

namespace {

constexpr std::size_t kMaxTextBytes = 1023;

struct OverflowName {
    Name name;
    char text[48];
};
constexpr OverflowName kNoRoom{{0, 30, 0}, "(too many registered strings)"};

std::uint64_t hashOf(const char* text, std::size_t bytes) {
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325ull;  // FNV-1a
    for (std::size_t i = 0; i < bytes; ++i) {
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x0000'0100'0000'01B3ull;
    }
    return hash;
}

/// Texts by content: an index with open addressing and, behind it in the same mapping, a region that only
/// grows. Zero pages until used. Two threads that add the same text at once leave one copy as garbage.
template <std::size_t kSlots, std::size_t kRegionBytes>
class NameTable {
public:
    /// Null when there is no room.
    const Name* intern(const char* text, bool isDomain) {
        if (!prepare()) return nullptr;
        const std::size_t bytes = ::strnlen(text, kMaxTextBytes);
        Name* made = nullptr;
        std::size_t at = hashOf(text, bytes) & (kSlots - 1);
        for (std::size_t probe = 0; probe < kSlots / 2; ++probe, at = (at + 1) & (kSlots - 1)) {
            Name* found = index()[at].load(std::memory_order_acquire);
            if (found == nullptr) {
                if (made == nullptr) made = make(text, bytes, isDomain);
                if (made == nullptr) return nullptr;
                // Release: whoever finds the name finds all of it.
                if (index()[at].compare_exchange_strong(found, made, std::memory_order_acq_rel)) return made;
            }
            if (holds(*found, text, bytes, isDomain)) return found;
        }
        return nullptr;
    }

    bool contains(const void* handle) const {
        const auto* base = static_cast<const char*>(m_memory.load(std::memory_order_acquire));
        const auto* at = static_cast<const char*>(handle);
        return base != nullptr && at >= base + kIndexBytes && at < base + kIndexBytes + kRegionBytes;
    }

private:
    static constexpr std::size_t kIndexBytes = kSlots * sizeof(std::atomic<Name*>);

    bool prepare() {
        if (m_memory.load(std::memory_order_acquire) != nullptr) return true;
        constexpr std::size_t kBytes = kIndexBytes + kRegionBytes;
        void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) return false;
        void* none = nullptr;
        if (!m_memory.compare_exchange_strong(none, memory, std::memory_order_acq_rel))
            ::munmap(memory, kBytes);
        return true;
    }

    std::atomic<Name*>* index() {
        return static_cast<std::atomic<Name*>*>(m_memory.load(std::memory_order_relaxed));
    }

    Name* make(const char* text, std::size_t bytes, bool isDomain) {
        const std::size_t room = (sizeof(Name) + bytes + 1 + 7) & ~std::size_t{7};
        const std::size_t offset = m_used.fetch_add(room, std::memory_order_relaxed);
        if (offset + room > kRegionBytes) {
            m_used.fetch_sub(room, std::memory_order_relaxed);
            return nullptr;
        }
        auto* name = reinterpret_cast<Name*>(static_cast<char*>(m_memory.load(std::memory_order_relaxed)) +
                                             kIndexBytes + offset);
        name->number = isDomain ? m_count.fetch_add(1, std::memory_order_relaxed) + 1 : 0;
        name->textBytes = static_cast<std::uint32_t>(bytes) & 0x7FFF'FFFFu;
        copyText(reinterpret_cast<char*>(name + 1), text, bytes, isDomain);
        name->isTaskDomain = isDomain && std::strcmp(name->text(), tasks::kDomain) == 0;
        return name;
    }

    // A newline ends the domain in a record, so a domain has none.
    static void copyText(char* target, const char* text, std::size_t bytes, bool isDomain) {
        for (std::size_t i = 0; i < bytes; ++i)
            target[i] = isDomain && text[i] == '\n' ? ' ' : text[i];
        target[bytes] = '\0';
    }

    static bool holds(const Name& name, const char* text, std::size_t bytes, bool isDomain) {
        if (name.textBytes != bytes) return false;
        for (std::size_t i = 0; i < bytes; ++i) {
            if (name.text()[i] != (isDomain && text[i] == '\n' ? ' ' : text[i])) return false;
        }
        return true;
    }

    std::atomic<void*> m_memory{nullptr};
    std::atomic<std::size_t> m_used{0};
    std::atomic<std::uint32_t> m_count{0};
};

NameTable<1024, std::size_t{256} << 10> g_domains;
NameTable<std::size_t{1} << 17, std::size_t{16} << 20> g_strings;

}  // namespace

const Name* internDomain(const char* name) {
    return name != nullptr && name[0] != '\0' ? g_domains.intern(name, true) : nullptr;
}

const Name* internString(const char* text) {
    const Name* found = g_strings.intern(text != nullptr ? text : "", false);
    return found != nullptr ? found : &kNoRoom.name;
}

const Name* domainOf(const void* handle) {
    return g_domains.contains(handle) ? static_cast<const Name*>(handle) : nullptr;
}

const Name* stringOf(const void* handle) {
    return g_strings.contains(handle) || handle == &kNoRoom ? static_cast<const Name*>(handle) : nullptr;
}

}  // namespace vramscope::collector::nvtx
