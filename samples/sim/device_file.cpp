// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/device_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "samples/sim/process_identity.h"

namespace vramscope::sim {
namespace {

constexpr uint64_t kMagic = 0x33306d69732d7376;  // changes with the layout
constexpr uint8_t kNobody = 0xff;
constexpr size_t kMaximumOffers = 1024;
constexpr size_t kMaximumEvents = 256;

uint64_t roundUp(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

/// Who holds a page: one bit a process slot. The owner is who is billed for it.
struct DeviceFile::PageRecord {
    uint64_t holders;
    uint8_t owner;
    uint8_t lastUser;  ///< kNobody when the contents are zero
    PageIndex next;    ///< in an offer: the page behind this one
};

struct DeviceFile::OfferRecord {
    uint64_t id;
    int slot;  ///< of the offering process
    bool open;
    Offer offer;
    PageIndex firstPage;
    uint64_t pageCount;
};

struct DeviceFile::Layout {
    uint64_t magic;
    uint32_t deviceCount;
    uint64_t pagesPerDevice;
    uint64_t contentsOffset;
    pthread_mutex_t mutex;
    ProcessIdentity processes[kMaximumProcesses];
    OfferRecord offers[kMaximumOffers];
    SharedEvent events[kMaximumEvents];
    uint64_t lastEventSerial;
};

/// Holds the mutex in the file; takes it over from a process that died with it.
class DeviceFile::Lock {
public:
    explicit Lock(DeviceFile& file) : m_mutex(&file.m_layout->mutex) {
        if (pthread_mutex_lock(m_mutex) == EOWNERDEAD) pthread_mutex_consistent(m_mutex);
    }
    ~Lock() { pthread_mutex_unlock(m_mutex); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    pthread_mutex_t* m_mutex;
};

namespace {

/// Opens the file with its flock held. A file that another process replaced while we waited is let go.
int openLocked(const char* path) {
    for (;;) {
        const int descriptor = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (descriptor < 0) return -1;
        struct stat ours {};
        struct stat named {};
        flock(descriptor, LOCK_EX);
        if (fstat(descriptor, &ours) == 0 && stat(path, &named) == 0 && ours.st_ino == named.st_ino) {
            return descriptor;
        }
        close(descriptor);
    }
}

}  // namespace

std::unique_ptr<DeviceFile> DeviceFile::open(const Settings& settings, Role role) {
    std::unique_ptr<DeviceFile> file(new DeviceFile);
    const char* path = settings.devicePath.c_str();
    file->m_descriptor = openLocked(path);
    struct stat status {};
    if (file->m_descriptor < 0 || fstat(file->m_descriptor, &status) != 0) {
        std::fprintf(stderr, "simulated device: cannot open %s: %s\n", path, std::strerror(errno));
        return nullptr;
    }
    if (status.st_uid != geteuid()) {
        std::fprintf(stderr, "simulated device: %s belongs to another user\n", path);
        return nullptr;
    }
    // Entered in the table before the lock goes: otherwise the next process finds nobody at work and lays the
    // file out anew under our feet.
    const bool isMapped = file->map(settings);
    const bool isIn = isMapped && (role == Role::Observer || file->join());
    if (file->m_descriptor >= 0) flock(file->m_descriptor, LOCK_UN);
    if (!isMapped) std::fprintf(stderr, "simulated device: cannot map %s: %s\n", path, std::strerror(errno));
    if (isMapped && !isIn) std::fprintf(stderr, "simulated device: too many processes use %s\n", path);
    return isIn ? std::move(file) : nullptr;
}

/// Makes the file `bytes` long with empty contents, without harm to an observer that still has it mapped: a
/// file of the right size keeps its place, one of another size is left to those who have it.
bool DeviceFile::makeEmpty(const char* path, uint64_t bytes, uint64_t contentsOffset) {
    struct stat status {};
    if (fstat(m_descriptor, &status) != 0) return false;
    if (uint64_t(status.st_size) == bytes) {
        return fallocate(m_descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(contentsOffset),
                         off_t(bytes - contentsOffset)) == 0;
    }
    if (status.st_size != 0) {
        unlink(path);
        const int fresh = openLocked(path);
        close(m_descriptor);
        m_descriptor = fresh;
    }
    return m_descriptor >= 0 && ftruncate(m_descriptor, off_t(bytes)) == 0;
}

/// Called with the flock held, not the mutex in the file: there may be no mutex yet.
bool DeviceFile::map(const Settings& settings) {
    Layout old{};
    const bool known = pread(m_descriptor, &old, sizeof old, 0) == ssize_t(sizeof old) && old.magic == kMagic;
    bool running = false;
    for (const ProcessIdentity& process : old.processes) {
        running = running || (known && process.pid && identityOf(process.pid) == process);
    }
    if (!running) {
        old.deviceCount = settings.deviceCount;
        old.pagesPerDevice = settings.memoryBytes / kPageBytes;
        const uint64_t records = old.deviceCount * old.pagesPerDevice * sizeof(PageRecord);
        old.contentsOffset = roundUp(sizeof(Layout) + records, kPageBytes);
    }
    const uint64_t contents = old.deviceCount * old.pagesPerDevice * kPageBytes;
    if (!running &&
        !makeEmpty(settings.devicePath.c_str(), old.contentsOffset + contents, old.contentsOffset)) {
        return false;
    }
    m_mappedBytes = old.contentsOffset;
    void* memory = mmap(nullptr, m_mappedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, m_descriptor, 0);
    if (memory == MAP_FAILED) return false;
    m_layout = static_cast<Layout*>(memory);
    if (running) return true;
    std::memset(memory, 0, sizeof(Layout));
    m_layout->contentsOffset = old.contentsOffset;
    layOut(settings);
    return true;
}

void DeviceFile::layOut(const Settings& settings) {
    m_layout->deviceCount = settings.deviceCount;
    m_layout->pagesPerDevice = settings.memoryBytes / kPageBytes;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m_layout->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    for (uint32_t device = 0; device < deviceCount(); ++device) {
        std::fill_n(pagesOf(device), m_layout->pagesPerDevice, PageRecord{0, kNobody, kNobody, 0});
    }
    m_layout->magic = kMagic;
}

DeviceFile::~DeviceFile() {
    leave();
    if (m_layout) munmap(m_layout, m_mappedBytes);
    if (m_descriptor >= 0) close(m_descriptor);
}

bool DeviceFile::join() {
    const ProcessIdentity self = identityOf(getpid());
    Lock lock(*this);
    // A slot under our pid is from before exec: reclaimDead() sees that its identity is gone.
    reclaimDead();
    for (int slot = 0; slot < kMaximumProcesses; ++slot) {
        if (m_layout->processes[slot].pid) continue;
        m_layout->processes[slot] = self;
        m_slot = slot;
        return true;
    }
    return false;
}

void DeviceFile::leave() {
    if (m_slot < 0 || m_layout->processes[m_slot].pid != getpid()) return;
    Lock lock(*this);
    dropHolder(m_slot);
    m_layout->processes[m_slot] = {};
    m_slot = -1;
}

uint32_t DeviceFile::deviceCount() const {
    return m_layout->deviceCount;
}
uint64_t DeviceFile::memoryBytes() const {
    return m_layout->pagesPerDevice * kPageBytes;
}

DeviceFile::PageRecord* DeviceFile::pagesOf(uint32_t device) const {
    return reinterpret_cast<PageRecord*>(m_layout + 1) + device * m_layout->pagesPerDevice;
}

off_t DeviceFile::offsetOf(uint32_t device, PageIndex page) const {
    return off_t(m_layout->contentsOffset + (device * m_layout->pagesPerDevice + page) * kPageBytes);
}

std::vector<PageIndex> DeviceFile::take(uint32_t device, size_t count) {
    Lock lock(*this);
    PageRecord* pages = pagesOf(device);
    std::vector<PageIndex> taken;
    for (int attempt = 0; attempt < 2; ++attempt) {
        taken.clear();
        for (PageIndex page = 0; page < m_layout->pagesPerDevice && taken.size() < count; ++page) {
            if (!pages[page].holders) taken.push_back(page);
        }
        if (taken.size() == count) break;
        taken.clear();
        if (attempt == 0) reclaimDead();
    }
    for (PageIndex page : taken) {
        PageRecord& record = pages[page];
        if (record.lastUser != kNobody && record.lastUser != m_slot) punch(device, page);
        record = {1ull << m_slot, static_cast<uint8_t>(m_slot), static_cast<uint8_t>(m_slot), 0};
    }
    return taken;
}

DeviceFile::OfferRecord* DeviceFile::findOffer(int slot, uint64_t id) const {
    for (OfferRecord& record : m_layout->offers) {
        if (record.open && record.slot == slot && record.id == id) return &record;
    }
    return nullptr;
}

bool DeviceFile::offer(uint64_t id, const Offer& offer, const std::vector<PageIndex>& pages) {
    Lock lock(*this);
    if (findOffer(m_slot, id)) return true;
    for (OfferRecord& record : m_layout->offers) {
        if (record.open) continue;
        record = {id, m_slot, true, offer, pages.front(), pages.size()};
        for (size_t i = 0; i + 1 < pages.size(); ++i)
            pagesOf(offer.device)[pages[i]].next = pages[i + 1];
        return true;
    }
    return false;
}

void DeviceFile::withdraw(uint64_t id) {
    Lock lock(*this);
    if (OfferRecord* record = findOffer(m_slot, id)) record->open = false;
}

bool DeviceFile::takeUp(pid_t pid, uint64_t id, Offer& offer, std::vector<PageIndex>& pages) {
    Lock lock(*this);
    reclaimDead();
    for (int slot = 0; slot < kMaximumProcesses; ++slot) {
        const OfferRecord* record = m_layout->processes[slot].pid == pid ? findOffer(slot, id) : nullptr;
        if (!record) continue;
        offer = record->offer;
        PageIndex page = record->firstPage;
        for (uint64_t i = 0; i < record->pageCount; ++i) {
            pages.push_back(page);
            pagesOf(offer.device)[page].holders |= 1ull << m_slot;
            page = pagesOf(offer.device)[page].next;
        }
        return true;
    }
    return false;
}

void DeviceFile::give(uint32_t device, const std::vector<PageIndex>& given) {
    Lock lock(*this);
    PageRecord* pages = pagesOf(device);
    for (PageIndex page : given) {
        PageRecord& record = pages[page];
        record.holders &= ~(1ull << m_slot);
        if (!record.holders) {
            record.owner = kNobody;
        } else if (record.owner == m_slot) {
            record.owner = static_cast<uint8_t>(std::countr_zero(record.holders));
        }
    }
}

SharedEvent* DeviceFile::newEvent() {
    Lock lock(*this);
    for (SharedEvent& event : m_layout->events) {
        if (event.serial) continue;
        event.serial = ++m_layout->lastEventSerial;
        event.slot = m_slot;
        event.recorded = 0;
        event.done = 0;
        return &event;
    }
    return nullptr;
}

void DeviceFile::freeEvent(SharedEvent& event) {
    Lock lock(*this);
    event.serial = 0;
}

SharedEvent* DeviceFile::eventAt(uint32_t position) const {
    return position < kMaximumEvents ? &m_layout->events[position] : nullptr;
}

uint32_t DeviceFile::positionOf(const SharedEvent& event) const {
    return static_cast<uint32_t>(&event - m_layout->events);
}

uint64_t DeviceFile::freeBytes(uint32_t device) {
    Lock lock(*this);
    reclaimDead();
    const PageRecord* pages = pagesOf(device);
    const auto count = std::count_if(pages, pages + m_layout->pagesPerDevice,
                                     [](const PageRecord& record) { return !record.holders; });
    return uint64_t(count) * kPageBytes;
}

std::vector<ProcessUse> DeviceFile::uses(uint32_t device) {
    Lock lock(*this);
    reclaimDead();
    uint64_t pagesBySlot[kMaximumProcesses] = {};
    const PageRecord* pages = pagesOf(device);
    for (PageIndex page = 0; page < m_layout->pagesPerDevice; ++page) {
        if (pages[page].owner < kMaximumProcesses) ++pagesBySlot[pages[page].owner];
    }
    std::vector<ProcessUse> result;
    for (int slot = 0; slot < kMaximumProcesses; ++slot) {
        if (pagesBySlot[slot])
            result.push_back({m_layout->processes[slot].pid, pagesBySlot[slot] * kPageBytes});
    }
    return result;
}

void DeviceFile::reclaimDead() {
    for (int slot = 0; slot < kMaximumProcesses; ++slot) {
        ProcessIdentity& process = m_layout->processes[slot];
        if (!process.pid || slot == m_slot || identityOf(process.pid) == process) continue;
        dropHolder(slot);
        process = {};
    }
}

void DeviceFile::dropHolder(int slot) {
    for (OfferRecord& record : m_layout->offers) {
        if (record.slot == slot) record.open = false;
    }
    for (SharedEvent& event : m_layout->events) {
        if (event.slot == slot) event.serial = 0;
    }
    for (uint32_t device = 0; device < deviceCount(); ++device) {
        PageRecord* pages = pagesOf(device);
        for (PageIndex page = 0; page < m_layout->pagesPerDevice; ++page) {
            PageRecord& record = pages[page];
            record.holders &= ~(1ull << slot);
            if (!record.holders) {
                // Another process may take the slot: it must not read what this one left.
                if (record.lastUser == slot) punch(device, page);
                record = {0, kNobody, record.lastUser == slot ? kNobody : record.lastUser, 0};
            } else if (record.owner == slot) {
                record.owner = static_cast<uint8_t>(std::countr_zero(record.holders));
            }
        }
    }
}

void DeviceFile::punch(uint32_t device, PageIndex page) {
    if (fallocate(m_descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offsetOf(device, page),
                  kPageBytes) == 0) {
        return;
    }
    // A file system without holes: overwrite instead.
    static const std::vector<char> zeros(kPageBytes);
    if (pwrite(m_descriptor, zeros.data(), zeros.size(), offsetOf(device, page)) < 0) {
        std::perror("simulated device: cannot clear a page");
    }
}

}  // namespace vramscope::sim
