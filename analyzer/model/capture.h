// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/access.h"
#include "analyzer/model/digest_change.h"
#include "analyzer/model/graph_records.h"
#include "analyzer/model/guard_hit.h"
#include "analyzer/model/ordering.h"
#include "analyzer/model/overrun.h"
#include "analyzer/model/records.h"
#include "analyzer/model/sharing_records.h"
#include "analyzer/model/string_pool.h"
#include "analyzer/model/table.h"

namespace vramscope::model {

/// When a process did something on the device, in time order.
struct Activity {
    std::vector<std::int64_t> allNs;  ///< launches, copies, sets, synchronisations
    std::vector<std::int64_t>
        turnNs;  ///< launches and synchronisations: what a turn of a loop does and filling does not
    std::vector<std::int64_t> launchNs;  ///< launches, of a process that ended badly
};

/// Every low-volume table of a capture, loaded, and the activity of the job in time. Launches, copies and
/// accesses stay in the file. Filled by the loader, then only read: views and pointers into it live as long
/// as it does, and any number of threads may read it.
struct Capture {
    std::filesystem::path path;
    std::map<std::string, std::string, std::less<>> meta;

    Table<Process, ProcessId> processes;
    Table<Device, DeviceId> devices;
    Table<Context, ContextId> contexts;
    Table<Thread, ThreadId> threads;
    Table<Task, TaskId> tasks;
    Table<Module, ModuleId> modules;
    Table<Frame, FrameId> frames;
    Table<Stack, StackId> stacks;
    Table<Buffer, BufferId> buffers;
    Table<Pool, PoolId> pools;
    Table<VmmHandle, HandleId> vmmHandles;
    Table<Reservation, ReservationId> reservations;
    Table<Object, ObjectId> objects;
    Table<FailedCall, FailedCallId> failedCalls;
    GraphTables graphs;
    Table<IpcHandle, IpcHandleId> ipcHandles;
    Table<IpcImport, IpcImportId> ipcImports;
    Table<JobException, JobExceptionId> jobExceptions;
    Table<Phase, PhaseId> phases;
    std::vector<GuardHit> guardHits;                        // by the time they were found
    std::vector<Overrun> overruns;                          // by the time of their launches
    std::vector<TaskSpan> taskSpans;                        // by start
    std::vector<OwnershipChange> ownershipChanges;          // by time
    std::vector<SubBuffer> subBuffers;                      // by start
    std::vector<PoolSample> poolSamples;                    // by time
    std::vector<MemorySample> memorySamples;                // by time
    std::vector<ProcessMemorySample> processMemorySamples;  // by time
    std::vector<Drop> drops;
    std::vector<EventCount> eventCounts;
    std::vector<Note> notes;  // by time

    std::map<ProcessId, Activity> activity;
    /// False when the events were too many to hold or a part of them was not kept: then activity is a sample.
    bool activityIsWhole = true;
    /// When a launch, copy, set or the launch of a graph that holds it last named each buffer (by buffer id);
    /// only filled when activityIsWhole. A buffer that a kernel reaches through memory can be used without
    /// being named, and so can one in a graph of a process that is not in GraphTables::usesAreKnown.
    std::unordered_map<std::int64_t, std::int64_t> lastUseNs;
    /// When new code reached a process: its modules loaded, its kernels launched for the first time (the
    /// driver loads them then), in time order. Without the kernels when activityIsWhole is false.
    std::map<ProcessId, std::vector<std::int64_t>> codeArrivalNs;
    Ordering ordering;  ///< calls that nothing orders
    /// Reads and writes of buffers that more than one task used.
    AccessList sharedAccesses;
    /// The first read of each buffer that a kernel was seen to read before anything wrote it.
    AccessList unwrittenReads;
    std::int64_t droppedByWindow = 0;  ///< events that the window of --keep let go
    std::int64_t endNs = 0;            ///< the last moment that the capture knows of

    StringPool strings;
    std::vector<DigestChange> digestChanges;  ///< by the time of their launches

    /// A fact of the table meta, or "".
    std::string_view fact(std::string_view key) const;
    /// Short name of a task; "unassigned" when there is none.
    std::string_view taskName(TaskId id) const;
    /// Name of a process's program without its folder.
    std::string_view programName(ProcessId id) const;
    /// The moment at which what the process still held is "at exit": its end, or the end of the capture.
    std::int64_t endOf(ProcessId id) const;
};

}  // namespace vramscope::model
