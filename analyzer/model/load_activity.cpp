// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "analyzer/model/job_ending.h"
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

struct EventTable {
    const char* name;
    bool isTurn;  // see Activity::turnNs
    bool isLaunch = false;
};
constexpr std::array<EventTable, 4> kEventTables{
    {{"launches", true, true}, {"copies", false}, {"sets", false}, {"syncs", true}}};

/// Points taken from chunks when events are too many to read one by one.
constexpr std::int64_t kMostSampledPoints = 1'000'000;

void addMoment(Capture& capture, ProcessId process, std::int64_t timeNs, bool isTurn) {
    Activity& activity = capture.activity[process];
    activity.allNs.push_back(timeNs);
    if (isTurn) activity.turnNs.push_back(timeNs);
}

Status readEvents(formats::Connection& connection, Capture& capture) {
    std::set<ProcessId> failed;
    for (const Process& process : capture.processes) {
        if (badEndingOf(capture, process.id)) failed.insert(process.id);
    }
    for (const EventTable& table : kEventTables) {
        VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, table.name,
                                           fmt::format("SELECT process_id, enter_ns FROM {}", table.name),
                                           [&](RowReader& row) {
                                               ProcessId process;
                                               std::int64_t timeNs = 0;
                                               row.read(process);
                                               row.readTime(timeNs);
                                               addMoment(capture, process, timeNs, table.isTurn);
                                               if (table.isLaunch && failed.contains(process))
                                                   capture.activity[process].launchNs.push_back(timeNs);
                                           }));
    }
    return Status::ok();
}

void noteUse(Capture& capture, std::int64_t bufferId, std::int64_t timeNs) {
    if (bufferId <= 0) return;
    std::int64_t& lastNs = capture.lastUseNs.emplace(bufferId, timeNs).first->second;
    lastNs = std::max(lastNs, timeNs);
}

/// The last launch of each argument set stands for every launch with it: sets are far fewer than launches.
/// CROSS JOIN keeps the sets in the order of their numbers, in which they are read fastest.
Status readUsesByLaunches(formats::Connection& connection, Capture& capture) {
    return readRows(connection, capture.strings, "launch_arguments",
                    "SELECT a.buffer_id, l.last_ns FROM (SELECT argument_set_id, max(enter_ns) AS last_ns"
                    " FROM launches WHERE argument_set_id IS NOT NULL GROUP BY argument_set_id) l"
                    " CROSS JOIN launch_arguments a ON a.argument_set_id = l.argument_set_id",
                    [&](RowReader& row) {
                        std::int64_t bufferId = 0;
                        std::int64_t timeNs = 0;
                        row.read(bufferId);
                        row.readTime(timeNs);
                        noteUse(capture, bufferId, timeNs);
                    });
}

Status readUses(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(readUsesByLaunches(connection, capture));
    for (const char* query : {"SELECT src_buffer_id, max(enter_ns) FROM copies GROUP BY src_buffer_id",
                              "SELECT dst_buffer_id, max(enter_ns) FROM copies GROUP BY dst_buffer_id",
                              "SELECT dst_buffer_id, max(enter_ns) FROM sets GROUP BY dst_buffer_id"}) {
        VRAMSCOPE_RETURN_IF_ERROR(
            readRows(connection, capture.strings, "copies or sets", query, [&](RowReader& row) {
                std::int64_t bufferId = 0;
                std::int64_t timeNs = 0;
                row.read(bufferId);
                row.readTime(timeNs);
                noteUse(capture, bufferId, timeNs);
            }));
    }
    return Status::ok();
}

/// Spreads `points` moments evenly over [firstNs, lastNs] and gives them to every process: a chunk does not
/// say whose events it holds.
void addPoints(Capture& capture, std::int64_t firstNs, std::int64_t lastNs, std::int64_t points,
               bool isTurn) {
    for (std::int64_t i = 0; i < points; ++i) {
        const double share = points == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(points - 1);
        const auto offset = static_cast<std::int64_t>(share * static_cast<double>(lastNs - firstNs));
        for (const Process& process : capture.processes) {
            const std::int64_t timeNs = firstNs + offset;
            if (process.startNs <= timeNs && timeNs <= process.endNs) {
                addMoment(capture, process.id, timeNs, isTurn);
            }
        }
    }
}

Status sampleChunks(formats::Connection& connection, Capture& capture, const std::string& table,
                    std::int64_t total) {
    return readRows(
        connection, capture.strings, table,
        "SELECT first_ns, last_ns, event_count, kind = 'launches' OR kind = 'syncs' FROM " + table,
        [&](RowReader& row) {
            std::int64_t firstNs = 0;
            std::int64_t lastNs = 0;
            std::int64_t count = 0;
            row.readTime(firstNs);
            row.readTime(lastNs);
            row.read(count);
            bool isTurn = false;
            row.read(isTurn);
            if (count <= 0 || lastNs < firstNs || lastNs == kNever) return;
            const double share = static_cast<double>(count) / static_cast<double>(total);
            const double points = share * static_cast<double>(kMostSampledPoints);
            addPoints(capture, firstNs, lastNs,
                      std::clamp<std::int64_t>(static_cast<std::int64_t>(points), 1, 4096), isTurn);
        });
}

}  // namespace

Status loadActivity(formats::Connection& connection, Capture& capture) {
    // total() reads as text-free floating point: sum() would fail with "integer overflow" on a hostile file.
    VRAMSCOPE_ASSIGN_OR_RETURN(
        const auto kept,
        connection.queryInt(
            "SELECT CAST(total(event_count) AS INTEGER) FROM event_chunks WHERE event_count > 0"));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        const auto dropped,
        connection.queryInt(
            "SELECT CAST(total(event_count) AS INTEGER) FROM dropped_chunks WHERE event_count > 0"));
    capture.droppedByWindow = dropped.value_or(0);
    if (kept.value_or(0) <= kMostActivityEvents && capture.droppedByWindow == 0) {
        if (kept.value_or(0) > 0) {
            VRAMSCOPE_RETURN_IF_ERROR(readEvents(connection, capture));
            VRAMSCOPE_RETURN_IF_ERROR(readUses(connection, capture));
        }
    } else {
        const std::int64_t total = addClamped(kept.value_or(0), capture.droppedByWindow);
        capture.activityIsWhole = false;
        VRAMSCOPE_RETURN_IF_ERROR(sampleChunks(connection, capture, "event_chunks", total));
        VRAMSCOPE_RETURN_IF_ERROR(sampleChunks(connection, capture, "dropped_chunks", total));
    }
    for (auto& [process, activity] : capture.activity) {
        std::sort(activity.allNs.begin(), activity.allNs.end());
        std::sort(activity.turnNs.begin(), activity.turnNs.end());
        std::sort(activity.launchNs.begin(), activity.launchNs.end());
    }
    return Status::ok();
}

}  // namespace vramscope::model
