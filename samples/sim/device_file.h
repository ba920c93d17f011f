// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/types.h>
#include <vector>

#include "samples/sim/settings.h"

namespace vramscope::sim {

/// The unit of physical device memory: the driver rounds every allocation up to it (measured on an H200).
inline constexpr uint64_t kPageBytes = 2ull << 20;
inline constexpr int kMaximumProcesses = 64;

using PageIndex = uint32_t;

/// What one process holds on one device.
struct ProcessUse {
    pid_t pid;
    uint64_t usedBytes;
};

/// A range inside a run of pages that one process lets others map.
struct Offer {
    uint32_t device;
    uint64_t offsetBytes;  ///< of the range in its first page
    uint64_t sizeBytes;
};

/// An event that several processes see. Records and their completions are counted; the event is over when
/// both are equal.
struct SharedEvent {
    uint64_t serial;  ///< of this use of the entry; 0 while nobody uses it
    int slot;         ///< of the process that made it
    std::atomic<uint64_t> recorded;
    std::atomic<uint64_t> done;
};

/// The simulated machine: one sparse file that every process on it maps. It holds a table of processes, a
/// record for each physical page of each device, and then the pages' contents, so that capacity and IPC work
/// across processes. All methods are thread-safe and lock the file against other processes; a process that
/// dies with the lock held does not block the others, and its pages are taken back when another process
/// looks.
class DeviceFile {
public:
    /// Opens or creates the file; null with a message on stderr when that is impossible. A file that no
    /// living process uses is laid out anew for these settings; otherwise the running machine's layout wins.
    /// A Process is entered in the table of processes, which it must be before it takes pages; null with a
    /// message when the table is full. An Observer only looks.
    enum class Role { Process, Observer };
    static std::unique_ptr<DeviceFile> open(const Settings& settings, Role role);
    ~DeviceFile();
    DeviceFile(const DeviceFile&) = delete;
    DeviceFile& operator=(const DeviceFile&) = delete;

    /// Gives back all that this process holds and leaves the table.
    void leave();

    uint32_t deviceCount() const;
    uint64_t memoryBytes() const;
    int descriptor() const { return m_descriptor; }
    /// Where page `page` of `device` lies in the file.
    off_t offsetOf(uint32_t device, PageIndex page) const;

    /// Takes `count` pages from anywhere on the device, all or none (empty). Pages last used by another
    /// process read as zero.
    std::vector<PageIndex> take(uint32_t device, size_t count);
    /// This process no longer holds the pages; they become free when nobody does.
    void give(uint32_t device, const std::vector<PageIndex>& pages);

    /// Offers pages to other processes under `id`, which the caller never uses twice (IPC). The same call
    /// again changes nothing. False when too many are offered already.
    bool offer(uint64_t id, const Offer& offer, const std::vector<PageIndex>& pages);
    /// Ends an offer of this process; who has opened it keeps the pages.
    void withdraw(uint64_t id);
    /// Takes up an offer of the process `pid`: this process holds the pages from now on. False when it is
    /// gone.
    bool takeUp(pid_t pid, uint64_t id, Offer& offer, std::vector<PageIndex>& pages);

    /// A fresh shared event of this process; null when there are too many. It ends with freeEvent() or the
    /// process.
    SharedEvent* newEvent();
    void freeEvent(SharedEvent& event);
    /// The entry at a position that newEvent() gave to some process; null for no position.
    SharedEvent* eventAt(uint32_t position) const;
    uint32_t positionOf(const SharedEvent& event) const;

    uint64_t freeBytes(uint32_t device);
    std::vector<ProcessUse> uses(uint32_t device);

private:
    struct Layout;
    struct PageRecord;
    struct OfferRecord;
    class Lock;

    DeviceFile() = default;
    bool map(const Settings& settings);
    bool makeEmpty(const char* path, uint64_t bytes, uint64_t contentsOffset);
    bool join();
    void layOut(const Settings& settings);
    PageRecord* pagesOf(uint32_t device) const;
    OfferRecord* findOffer(int slot, uint64_t id) const;
    void reclaimDead();
    void dropHolder(int slot);
    void punch(uint32_t device, PageIndex page);

    int m_descriptor = -1;
    Layout* m_layout = nullptr;
    size_t m_mappedBytes = 0;
    int m_slot = -1;
};

}  // namespace vramscope::sim
