// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/model/buffer_kind.h"
#include "analyzer/model/byte_history.h"
#include "analyzer/model/conflict_list.h"
#include "analyzer/model/happens_before.h"
#include "analyzer/model/window_writers.h"
#include "formats/argument_set.h"
#include "formats/event_types.h"

namespace vramscope::model {

/// An allocation or a free, with what order needs to know of its call.
struct BufferCall {
    BufferId bufferId;
    OrderedCall call;
    StreamIndex stream = kNoStream;  ///< of a stream-ordered one
    StackId stackId;
    std::string_view api;
};

/// A buffer's place, kept as long as it lives and, for memory that was freed, some time longer.
struct OrderedBuffer {
    BufferId id;
    ProcessId processId;
    BufferKind kind = BufferKind::Unknown;
    std::uint64_t address = 0;
    std::uint64_t sizeBytes = 0;
};

/// Where the model gets the pointers of a launch from: those of a set, valid until the next call.
using ArgumentSource = std::function<std::span<const formats::LaunchArgument>(std::int64_t setId)>;

/// Follows one capture call by call and collects what nothing orders. Memory is bounded by kMostKept things;
/// when a buffer's history has to be forgotten, faults in it are missed and none is invented.
class OrderingModel {
public:
    /// Segments, reads and pointers kept at once, about 150 bytes each.
    static constexpr std::size_t kMostKept = 4'000'000;

    OrderingModel(const std::vector<StreamRow>& streams, ArgumentSource arguments);

    /// Facts about handles, before the events.
    void addGraphKernel(std::int64_t kernelId, ProcessId process);
    void addSharedEvent(ObjectId event) { m_sharedEvents.insert(event.value); }
    /// `import` is the event that another process gave, and no process without a record has either.
    void addSameEvent(ObjectId import, ObjectId exported) { m_sameEvents[import.value] = exported.value; }
    /// The bytes of `buffer` are those of `older`, from its first byte on.
    void addSameMemory(BufferId buffer, BufferId older) { m_older[buffer.value].push_back(older.value); }
    HappensBefore& order() { return m_order; }
    /// Is told of all work; null for nobody. Must outlive the calls below.
    void tellWork(WindowWriters* writers) { m_writers = writers; }

    // One call each, in the order that the calls began; waits of the host in the order that they returned.
    // `apiOf` are the names that an event's `api` is an index into.
    void launch(const formats::LaunchEvent& event);
    void copy(const formats::CopyEvent& event, std::span<const std::string> apiOf);
    void set(const formats::SetEvent& event, std::span<const std::string> apiOf);
    void sync(const formats::SyncEvent& event);
    void alloc(const OrderedBuffer& buffer, const BufferCall& call);
    void free(const OrderedBuffer& buffer, const BufferCall& call);
    /// A free that waits for all work, as those of plain memory do, has returned.
    void freeReturned(const OrderedCall& call) { m_order.processDone(call); }
    void contextEnded(ProcessId process, ContextId context, std::int64_t timeNs);

    /// What was found, after the last call.
    std::vector<OrderingConflict> finish();
    std::int64_t forgottenCount() const { return m_forgottenCount; }

private:
    struct Dead {
        OrderedBuffer buffer;
        OrderedAccess free;
        OrderedCall call;
        bool wasOrdered = false;
        std::int64_t conflict = -1;
    };
    /// What happened to bytes, whichever buffers they are reached by.
    struct Memory {
        OrderedBuffer home;                  ///< the buffer that was there first
        std::optional<OrderedAccess> alloc;  ///< of stream-ordered memory
        ByteHistory history;
        std::size_t size = 0;  ///< of the history, as last counted
        BufferConflicts conflicts;
        std::optional<Dead> freed;  ///< the home is gone, and imports of it are still open
    };
    struct Live {
        OrderedBuffer buffer;
        std::shared_ptr<Memory> memory;

        bool isHome() const { return memory->home.id == buffer.id; }
    };
    using ByAddress = std::map<std::uint64_t, std::int64_t>;  ///< first byte, buffer id
    struct Space {
        ByAddress live;
        std::map<std::uint64_t, Dead> dead;
        bool usesGraphs = false;
    };

    /// A conflict whose calls other threads may still turn out to have been in the midst of.
    struct Watched {
        std::int64_t conflict = -1;
        StreamPoint earlier;
        StreamPoint later;
        std::int64_t exitNs = 0;
        OrderingConflict unsure;
    };

    void begin(const OrderedCall& call);
    std::uint32_t nameNumber(std::string_view api);
    OrderedSide sideOf(const OrderedAccess& access) const;

    // In ordering_accesses.cpp: who touches what.
    void touchLaunchArgument(const formats::LaunchArgument& argument, const OrderedCall& call,
                             const OrderedAccess& access);
    void touchRows(const formats::CopyEvent& event, bool isSource, const OrderedAccess& access);
    void touchBytes(std::int64_t bufferId, ProcessId process, ByteRange addresses,
                    const OrderedAccess& access);
    void touchBuffer(Live& live, const OrderedAccess& access, ByteRange bytes);
    void useDead(ProcessId process, std::uint64_t address, const OrderedAccess& access,
                 const OrderedCall& call, bool wasRefused);
    std::int64_t report(Live& live, ConflictKind kind, const OrderedAccess& earlier,
                        const OrderedAccess& later, ByteRange bytes);
    void settleWatched(std::int64_t untilNs);
    std::int64_t reportFree(Live& live, const OrderedAccess& access);

    // In ordering_across.cpp: memory that several processes have.
    std::shared_ptr<Memory> memoryOf(const OrderedBuffer& buffer) const;
    bool isToldAcross(OrderingConflict& conflict, const OrderedAccess& earlier,
                      const OrderedAccess& later) const;
    void useFreedByExporter(const Live& live, const OrderedAccess& access, ByteRange bytes);

    void noteSize(Memory& memory);
    void forgetSome();
    void bury(const Live& live, const OrderedAccess& access, const OrderedCall& call, std::int64_t conflict);
    void giveOutAgain(const OrderedBuffer& buffer);
    void forgetValues(ProcessId process, std::uint64_t first, std::uint64_t end);

    void eventSync(const formats::SyncEvent& event, StreamIndex stream, const OrderedCall& call);
    void waitForValue(const formats::SyncEvent& event, StreamIndex stream, const OrderedCall& call);

    void told(const OrderedCall& call, const StreamPoint& point, std::int64_t kernelId,
              std::int64_t bufferId);

    HappensBefore m_order;
    WindowWriters* m_writers = nullptr;
    ArgumentSource m_arguments;
    ConflictList m_conflicts;
    std::map<ProcessId, Space> m_spaces;
    std::unordered_map<std::int64_t, std::unique_ptr<Live>> m_live;
    std::unordered_set<std::int64_t> m_graphKernels;
    std::unordered_set<std::int64_t> m_sharedEvents;
    std::unordered_map<std::int64_t, std::int64_t> m_sameEvents;          // exporter's event by import
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> m_older;  // buffers by buffer
    std::map<std::pair<ProcessId, std::uint64_t>, std::uint32_t>
        m_values;  // what streams wrote last, by address
    std::vector<Watched> m_watched;
    std::deque<std::string> m_names{""};  // views into them stay valid
    std::unordered_map<std::string, std::uint32_t> m_nameNumbers;
    std::size_t m_kept = 0;
    std::size_t m_forgetAt = 65'536;
    std::int64_t m_forgottenCount = 0;
};

}  // namespace vramscope::model
