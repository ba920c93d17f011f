// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "analyzer/model/code_place.h"
#include "analyzer/model/launch_pointers.h"
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

/// Allocations begin at multiples of this at least, so the bytes from the end of one to the next multiple are
/// nobody's.
constexpr std::int64_t kAlignment = 256;
constexpr std::size_t kMostOverruns = 1000;
/// A launch with more pointers may have had some that were cut off.
constexpr std::size_t kMostPointers = 64;

/// One row of exact_accesses that tells of writes.
struct Write {
    std::int64_t address = 0;
    std::int64_t sizeBytes = 0;
    std::int64_t offset = 0;
    BufferId bufferId;
    bool isOutside = false;
    std::string_view firstPlace;
    std::string_view lastPlace;
};
struct Launch {
    std::int64_t id = -1;
    Overrun facts;  ///< who and when
    bool isGraphNode = false;
    bool readsMemory = false;
    std::vector<Write> writes;  ///< by address
};

/// Plain allocations: each is one thing, and nothing of one reaches into the next. Mappings are put side by
/// side on purpose.
bool isPlain(const Buffer& buffer) {
    return buffer.kind == BufferKind::Device || buffer.kind == BufferKind::Async ||
           buffer.kind == BufferKind::Managed;
}

std::int64_t endOf(const Buffer& buffer) {
    return buffer.address + buffer.sizeBytes;
}

class OverrunFinder {
public:
    explicit OverrunFinder(const Capture& capture) : m_capture(capture) {
        for (const Buffer& buffer : capture.buffers) {
            if (isPlain(buffer)) m_byEnd.emplace(std::pair(buffer.processId, endOf(buffer)), &buffer);
        }
    }

    void judge(const Launch& launch) {
        for (std::size_t i = 0; i < launch.writes.size(); ++i) {
            const Write& write = launch.writes[i];
            const Write* next = i + 1 < launch.writes.size() ? &launch.writes[i + 1] : nullptr;
            if (write.isOutside)
                judgeOutside(launch, write);
            else if (next != nullptr && !launch.isGraphNode)
                judgeNeighbours(launch, write, *next);
        }
    }

    std::vector<std::pair<Overrun, bool>> take() {
        std::vector<std::pair<Overrun, bool>> all;
        for (auto& [key, overrun] : m_found)
            all.emplace_back(overrun, overrun.touchesNobodys);
        return all;
    }

private:
    void judgeOutside(const Launch& launch, const Write& write) {
        const std::int64_t bound = write.address / kAlignment * kAlignment;
        // Ends at or before the first byte, in the same unit.
        auto at = m_byEnd.upper_bound(std::pair(launch.facts.processId, write.address));
        while (at != m_byEnd.begin()) {
            --at;
            if (at->first.first != launch.facts.processId || at->first.second <= bound) return;
            const Buffer& buffer = *at->second;
            if (!buffer.isLiveAt(launch.facts.enterNs)) continue;
            Overrun overrun = launch.facts;
            overrun.firstOffset = write.address - endOf(buffer);
            overrun.bytes = write.address + write.sizeBytes - endOf(buffer);
            overrun.touchesNobodys = true;
            overrun.place = write.firstPlace;
            for (const Write& other : launch.writes) {
                if (other.isOutside || other.offset != 0 || other.address != write.address + write.sizeBytes)
                    continue;
                overrun.neighbourId = other.bufferId;
                overrun.bytes += other.sizeBytes;
            }
            return add(launch, buffer, overrun);
        }
    }

    void judgeNeighbours(const Launch& launch, const Write& write, const Write& next) {
        const Buffer* buffer = m_capture.buffers.find(write.bufferId);
        const Buffer* neighbour = m_capture.buffers.find(next.bufferId);
        if (buffer == nullptr || neighbour == nullptr || !isPlain(*buffer) || !isPlain(*neighbour)) return;
        const bool runsOn = write.offset + write.sizeBytes == buffer->sizeBytes && next.offset == 0 &&
                            next.address == write.address + write.sizeBytes;
        // Where the address may have come from memory, two instructions wrote two things.
        if (!runsOn || (launch.readsMemory && write.lastPlace != next.firstPlace)) return;
        Overrun overrun = launch.facts;
        overrun.neighbourId = neighbour->id;
        overrun.bytes = next.sizeBytes;
        overrun.place = next.firstPlace;
        add(launch, *buffer, overrun);
    }

    void add(const Launch& launch, const Buffer& buffer, Overrun overrun) {
        overrun.bufferId = buffer.id;
        overrun.readsMemory = launch.readsMemory;
        const Key key{buffer.id, overrun.neighbourId, overrun.kernel, overrun.touchesNobodys};
        const auto found = m_found.find(key);
        if (found == m_found.end()) {
            if (m_found.size() < kMostOverruns) m_found.emplace(key, overrun);
            return;
        }
        Overrun& first = found->second;
        ++first.count;
        first.bytes = std::max(first.bytes, overrun.bytes);
        first.readsMemory = first.readsMemory || overrun.readsMemory;
    }

    using Key = std::tuple<BufferId, BufferId, std::string_view, bool>;
    const Capture& m_capture;
    std::multimap<std::pair<ProcessId, std::int64_t>, const Buffer*> m_byEnd;
    std::map<Key, Overrun> m_found;
};

/// What the first launch of an overrun was given; nothing when its arguments are not known.
struct Given {
    bool buffer = false;
    bool neighbour = false;
    bool isWhole = true;  ///< no pointer is missing
};
StatusOr<Given> givenTo(formats::Connection& connection, Capture& capture, LaunchPointers& pointers,
                        const Overrun& overrun) {
    Given given;
    std::optional<std::int64_t> set;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "launches",
                 "SELECT argument_set_id FROM launches WHERE enter_ns = " + std::to_string(overrun.enterNs) +
                     " AND process_id = " + std::to_string(overrun.processId.value) +
                     " AND thread_id = " + std::to_string(overrun.threadId.value) + " LIMIT 1",
                 [&](RowReader& row) { row.read(set); }));
    if (!set) return given;
    const auto arguments = pointers.of(*set);
    given.isWhole = arguments.size() < kMostPointers;
    for (const formats::LaunchArgument& argument : arguments) {
        given.buffer = given.buffer || argument.bufferId == overrun.bufferId.value;
        given.neighbour = given.neighbour || argument.bufferId == overrun.neighbourId.value;
    }
    VRAMSCOPE_RETURN_IF_ERROR(pointers.status());
    return given;
}

}  // namespace

Status loadOverruns(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto any, connection.queryInt("SELECT 1 FROM exact_launches LIMIT 1"));
    if (!any) return Status::ok();
    VRAMSCOPE_ASSIGN_OR_RETURN(const CodePlaceSql places, codePlaceSql(connection));
    OverrunFinder finder(capture);
    Launch launch;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "exact_accesses",
        "SELECT a.exact_launch_id, l.process_id, l.thread_id, l.stream_id, l.stack_id, k.name, l.enter_ns, "
        "l.is_graph_node, a.kind, a.address, a.size_bytes, coalesce(a.buffer_offset, 0), a.buffer_id, "
        "a.is_outside, " +
            places.columns +
            " FROM exact_accesses a JOIN exact_launches l USING (exact_launch_id) LEFT JOIN kernels k USING "
            "(kernel_id)" +
            places.joins + " ORDER BY a.exact_launch_id, a.address",
        [&](RowReader& row) {
            std::int64_t id = 0;
            Overrun facts;
            Write write;
            bool isGraphNode = false;
            std::string_view kind;
            row.read(id, facts.processId, facts.threadId, facts.streamId, facts.stackId, facts.kernel);
            row.readTime(facts.enterNs);
            row.read(isGraphNode, kind, write.address);
            row.readBytes(write.sizeBytes);
            row.read(write.offset, write.bufferId, write.isOutside, write.firstPlace, write.lastPlace);
            if (id != launch.id) {
                finder.judge(launch);
                launch = {id, facts, isGraphNode, false, {}};
            }
            if (kind != "write")
                launch.readsMemory = true;
            else if (write.address > 0 && write.address < kNever - write.sizeBytes)
                launch.writes.push_back(write);
        }));
    finder.judge(launch);

    VRAMSCOPE_ASSIGN_OR_RETURN(LaunchPointers pointers, LaunchPointers::open(connection));
    for (auto& [overrun, isSureOfItself] : finder.take()) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const Given given, givenTo(connection, capture, pointers, overrun));
        overrun.wasGiven = given.buffer;
        // Whoever gave it both meant it to write both.
        if (!isSureOfItself && (!given.buffer || given.neighbour || !given.isWhole)) continue;
        capture.overruns.push_back(overrun);
    }
    std::sort(capture.overruns.begin(), capture.overruns.end(),
              [](const Overrun& a, const Overrun& b) { return a.enterNs < b.enterNs; });
    return Status::ok();
}

}  // namespace vramscope::model
