// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/model/amounts.h"
#include "analyzer/model/buffer_kind.h"
#include "analyzer/model/end_kind.h"
#include "analyzer/model/ids.h"

/// Rows of a capture as the analyzer holds them; formats/schema.sql says what each column means. Texts are
/// views into the Capture's string pool. A time that is missing because something has not ended is kNever; an
/// absent text is empty.
namespace vramscope::model {

struct Process {
    ProcessId id;
    std::int64_t pid = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = kNever;
    std::string_view endKind;
    std::optional<std::int64_t> exitCode;
    std::optional<std::int64_t> exitSignal;
    std::string_view executable;
    std::string_view command;
    std::optional<std::int64_t> rank;
    std::string_view engine;
    std::string_view offReason;

    /// It ended by returning or by exit(), so what it still held is what it never gave back.
    bool endedByItself() const { return endKind == "exited"; }
    /// It may have ended by itself, but nobody saw it: it was gone, or recording ended before it did.
    bool isEndUnknown() const { return endKind == "vanished" || endKind == "running"; }
};

struct Device {
    DeviceId id;
    std::string_view uuid;
    std::string_view name;
    std::int64_t totalBytes = 0;
    std::string_view driverVersion;
};

struct Context {
    ContextId id;
    ProcessId processId;
    DeviceId deviceId;
    std::int64_t startNs = 0;
    std::int64_t endNs = kNever;
    std::int64_t collectorBytes = 0;
};

struct Thread {
    ThreadId id;
    ProcessId processId;
    std::int64_t tid = 0;
    std::string_view name;
};

struct Task {
    TaskId id;
    std::string_view name;
    std::string_view origin;
    ProcessId processId;
};

/// How it is known whose work something was; the capture's table task_spans says what each means.
enum class TaskBasis : std::uint8_t {
    Process,
    Mark,
    Delegated,
    Range,
    Thread,
    Stream,
    Context,
    OnlyActive,
    Unassigned
};

/// Whose work a part of a process's was.
struct TaskSpan {
    ProcessId processId;
    ThreadId threadId;  ///< none: of any thread, and so on
    StreamId streamId;
    ContextId contextId;
    TaskId taskId;
    TaskBasis basis = TaskBasis::Process;
    std::int64_t precedence = 0;
    std::int64_t level = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = kNever;
};

enum class HandOver : std::uint8_t { Give, LendRead, LendWrite, LendEnd };

/// Memory that changed hands, as the program said it.
struct OwnershipChange {
    ProcessId processId;
    HandOver kind = HandOver::Give;
    BufferId bufferId;
    std::int64_t offset = 0;
    std::int64_t sizeBytes = 0;
    TaskId toTaskId;  ///< none: every task
    TaskId byTaskId;
    std::int64_t timeNs = 0;
    StackId stackId;
};

enum class PieceKind : std::uint8_t { Region, Heap, Block };

/// A piece of a buffer that the program named or that an allocator above CUDA handed out.
struct SubBuffer {
    SubBufferId id;
    ProcessId processId;
    PieceKind kind = PieceKind::Region;
    std::int64_t address = 0;
    BufferId bufferId;
    std::int64_t offset = 0;
    std::int64_t sizeBytes = 0;
    std::string_view name;
    TaskId taskId;
    std::int64_t startNs = 0;
    std::int64_t endNs = kNever;
    StackId stackId;
};

struct Module {
    ModuleId id;
    ProcessId processId;
    std::string_view path;
};

struct Frame {
    FrameId id;
    std::int64_t address = 0;
    ModuleId moduleId;
    std::int64_t moduleOffset = 0;
    std::string_view function;
    std::string_view file;
    std::int64_t line = 0;
    std::string_view inlinedJson;
};

struct Stack {
    StackId id;
    StackId parentId;
    FrameId frameId;
};

struct Buffer {
    BufferId id;
    ProcessId processId;
    BufferKind kind = BufferKind::Unknown;
    EndKind endKind = EndKind::Live;
    std::int32_t generation = 0;
    std::int64_t address = 0;
    std::int64_t sizeBytes = 0;
    std::int64_t allocNs = 0;
    std::int64_t freeNs = kNever;
    ContextId contextId;
    DeviceId deviceId;
    PoolId poolId;
    HandleId handleId;
    StreamId streamId;
    ThreadId allocThreadId;
    StackId allocStackId;
    StackId freeStackId;
    TaskId taskId;
    std::string_view api;
    std::string_view freeApi;

    bool isLiveAt(std::int64_t timeNs) const { return allocNs <= timeNs && timeNs < freeNs; }
    /// The program itself gave this one back.
    bool wasFreed() const { return endKind == EndKind::Freed || endKind == EndKind::Unmapped; }
    /// Its process never gave it back: it ended with the process, or the capture ends first.
    bool isHeldAtEnd() const { return endKind == EndKind::Live || endKind == EndKind::ProcessEnded; }
};

struct Pool {
    PoolId id;
    ProcessId processId;
    DeviceId deviceId;
    bool isDefault = false;
    std::optional<std::int64_t> releaseThresholdBytes;
    std::int64_t startNs = 0;
    std::int64_t endNs = kNever;
    StackId createStackId;
};

struct PoolSample {
    std::int64_t timeNs = 0;
    PoolId poolId;
    std::int64_t reservedBytes = 0;
    std::int64_t usedBytes = 0;
};

struct VmmHandle {
    HandleId id;
    ProcessId processId;
    std::int64_t handle = 0;
    std::int64_t sizeBytes = 0;
    DeviceId deviceId;
    std::int64_t createNs = 0;
    StackId createStackId;
    std::int64_t referenceCount = 0;
    std::int64_t mappedCount = 0;
    std::int64_t endNs = kNever;
};

struct Reservation {
    ReservationId id;
    ProcessId processId;
    std::int64_t address = 0;
    std::int64_t sizeBytes = 0;
    std::int64_t startNs = 0;
    StackId stackId;
    std::int64_t endNs = kNever;
};

struct Object {
    ObjectId id;
    ProcessId processId;
    std::string_view kind;
    std::int64_t handle = 0;
    ContextId contextId;
    std::int64_t createNs = 0;
    StackId createStackId;
    std::int64_t destroyNs = kNever;
    StackId destroyStackId;
    EndKind endKind = EndKind::Live;
};

struct FailedCall {
    FailedCallId id;
    ProcessId processId;
    ThreadId threadId;
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    std::string_view api;
    std::string_view family;
    std::int64_t error = 0;
    std::string_view errorName;
    std::int64_t sizeBytes = 0;
    std::int64_t address = 0;
    ContextId contextId;
    StackId stackId;
    std::int64_t repeatCount = 1;
};

/// A Python exception that nothing in the job caught.
struct JobException {
    JobExceptionId id;
    ProcessId processId;
    std::int64_t timeNs = 0;
    std::string_view type;
    std::string_view file;
    std::int64_t line = 0;  ///< 0 when not known, as below
    std::string_view scriptFile;
    std::int64_t scriptLine = 0;
    std::int64_t repeatCount = 1;
};

struct MemorySample {
    std::int64_t timeNs = 0;
    DeviceId deviceId;
    std::int64_t usedBytes = 0;
    std::optional<std::int64_t> jobBytes;
    std::optional<std::int64_t> othersBytes;
};

struct ProcessMemorySample {
    std::int64_t timeNs = 0;
    DeviceId deviceId;
    ProcessId processId;
    std::int64_t usedBytes = 0;
};

struct Phase {
    PhaseId id;
    ProcessId processId;
    std::string_view name;
    std::string_view kind;
    std::int64_t startNs = 0;
    std::int64_t endNs = kNever;
};

struct Drop {
    ProcessId processId;
    std::string_view reason;
    std::int64_t lostCount = 0;
};

struct EventCount {
    ProcessId processId;
    std::string_view type;
    std::int64_t eventCount = 0;
};

struct Note {
    std::int64_t timeNs = 0;
    ProcessId processId;
    std::string_view severity;
    std::string_view code;
    std::string_view message;
};

}  // namespace vramscope::model
