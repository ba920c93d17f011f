// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the collector writes and the recorder reads. Plain structs in shared memory: fixed sizes, no pointers
// of ours, no padding that carries meaning. Job and recorder are always of one build (the arena header names
// its version), so these layouts may change freely between releases; the capture file is the format that is
// kept stable.

#include <cstddef>
#include <cstdint>

#include "formats/buffer_kind.h"
#include "formats/graph_record.h"

namespace vramscope::formats {

/// A record is one slot, or one slot and continuation slots published together.
inline constexpr std::size_t kSlotBytes = 64;
/// Longest record; longer texts and argument lists are cut and counted.
inline constexpr std::size_t kMaxRecordSlots = 64;

/// What a record says. Values are written into `vramscope dump` as names, never as numbers.
enum class RecordType : std::uint16_t {
    Filler = 0,  ///< unused end of a segment
    Alloc,
    Free,
    VmmReserve,
    VmmAddressFree,
    VmmCreate,
    VmmRelease,
    VmmRetain,
    VmmMap,
    VmmUnmap,
    VmmSetAccess,
    PoolCreate,
    PoolDestroy,
    PoolTrim,
    PoolAttribute,
    PoolSample,
    PoolDefault,
    ContextCreate,
    ContextDestroy,
    PrimaryContext,
    GpuModule,
    ModuleGlobal,
    Copy,
    Set,
    StreamWrite,
    Launch,
    KernelName,
    StreamCreate,
    StreamDestroy,
    ObjectCreate,
    ObjectDestroy,
    Sync,
    Phase,
    Name,
    HostModule,
    Device,
    ThreadStart,
    CallFailed,
    JobException,
    GuardHit,
    ExactLaunch,
    ExactAccess,
    ExactCode,
    GraphCall,
    GraphNode,
    GraphMemorySample,
    Share,
    PeerAccess,
    Task,
    Ownership,
    DigestChange,
    Count
};

/// Which family of calls a Free belongs to; a mismatch with the buffer's kind is what
/// corruption.mismatched-free is about.
enum class FreeFamily : std::uint8_t { Device, Async, Host, Unregister, Array, IpcClose };

/// Kinds of object whose creation and destruction must pair.
enum class ObjectKind : std::uint8_t {
    Event,
    Texture,
    Surface,
    Graph,
    GraphExec,
    ContextReference,
    Module,
    Stream
};

/// What a PrimaryContext record says.
enum class PrimaryContextCall : std::uint8_t { Retain, Release, Reset };

/// What a GpuModule record says. Source comes from the call that loaded modules, after their Load records: it
/// says where the code came from. UnloadCall comes from the call that unloads them, and ends their variables.
enum class GpuModuleEvent : std::uint8_t { Unload, Load, Source, UnloadCall };

/// What orders work with work.
enum class SyncKind : std::uint8_t {
    StreamSync,
    ContextSync,
    EventSync,
    EventRecord,
    StreamWait,
    StreamQuery,
    EventQuery,
    WaitValue,
    HostFunction,
    SemaphoreSignal,  ///< of an external semaphore, which other APIs and processes wait for
    SemaphoreWait
};

/// Phase records carry one of these.
enum class PhaseKind : std::uint8_t { Push, Pop, Start, End, Mark };

/// The nesting level of a push or pop, 0 the outermost, as TextPayload::extra holds it; 0 there when the
/// level is not tracked. kPushLost is set at the pop of a range whose push found no room in the ring.
constexpr std::uint64_t packLevel(std::uint32_t level) {
    return level + std::uint64_t{1};
}
inline constexpr std::uint64_t kPushLost = std::uint64_t{1} << 32;
/// The level in `packed`, -1 when it is not tracked.
constexpr std::int64_t phaseLevel(std::uint64_t packed) {
    return static_cast<std::int64_t>(packed & 0xFFFF'FFFFu) - 1;
}

/// What a Task record says. Push and Pop nest in their thread; Start and End are of no thread: while such a
/// task lasts, threads without one may take it. A Delegate lends the caller's task to the threads whose name
/// begins with the record's text, until the caller's DelegateEnd.
enum class TaskEvent : std::uint8_t { Push, Pop, Start, End, DelegateBegin, DelegateEnd };

/// What an Ownership record says of a range. HeapEnd and BlockEnd name the first byte alone; Step names none;
/// HeapFailed has the heap's first byte and, as length, the bytes that it could not serve.
enum class OwnershipEvent : std::uint8_t {
    Give,
    LendRead,
    LendWrite,
    LendEnd,
    Name,
    Heap,
    HeapEnd,
    Block,
    BlockEnd,
    Step,
    HeapFailed,
    Count
};

/// What a Name record names.
enum class NamedKind : std::uint8_t { Thread, Stream, Device, Context, Event };

/// Start of every record. Ticks are of the clock that the arena names (formats/job_clock.h).
struct RecordHeader {
    std::uint16_t type;  ///< RecordType
    std::uint16_t api;   ///< CUPTI driver callback id, or runtime id when kRuntimeApi is set; 0 when no call
                         ///< is behind it
    std::uint8_t slotCount;    ///< slots of the record, this one included
    std::uint8_t detail;       ///< BufferKind, FreeFamily, ... by type
    std::uint16_t result;      ///< CUresult of the call (cudaError for a runtime call), 0 success
    std::uint64_t enterTicks;  ///< the call began
    std::uint64_t exitTicks;   ///< the call returned
    std::uint32_t stackId;     ///< node in the arena's stack table; 0 none
    std::uint32_t contextUid;  ///< CUPTI's context number, 0 none
};
static_assert(sizeof(RecordHeader) == 32);

/// Set in `api` when the id is of the runtime domain. Driver ids are below 1000 in every CUPTI so far.
inline constexpr std::uint16_t kRuntimeApi = 0x8000;

/// What a query answers while the work it asks about is not done (CUDA_ERROR_NOT_READY, cudaErrorNotReady).
inline constexpr std::uint16_t kNotReady = 600;
/// Whether `result` says that the call did not do what it was asked for.
constexpr bool isFailure(std::uint16_t result) {
    return result != 0 && result != kNotReady;
}

struct AllocPayload {
    std::uint64_t address;    ///< first byte, or the handle of an array
    std::uint64_t sizeBytes;  ///< bytes asked for
    std::uint64_t stream;     ///< CUstream of an ordered allocation, else 0
    std::uint64_t aux;        ///< pool handle of an ordered allocation, else the call's flags
};
struct FreePayload {
    std::uint64_t address;     ///< as given to the call
    std::uint64_t stream;      ///< CUstream of an ordered free, else 0
    std::uint64_t isCaptured;  ///< 1: the call defined a graph node and freed nothing
    std::uint64_t unused;
};
/// VmmReserve, VmmAddressFree, VmmMap, VmmUnmap.
struct VmmRangePayload {
    std::uint64_t address;
    std::uint64_t sizeBytes;
    std::uint64_t handle;  ///< VmmMap: the physical handle; else 0
    std::uint64_t offset;  ///< VmmMap: offset in the handle
};
/// VmmSetAccess: one record for each place that the call names.
struct VmmAccessPayload {
    std::uint64_t address;
    std::uint64_t sizeBytes;
    std::uint32_t locationType;  ///< CUmemLocationType
    std::int32_t locationId;     ///< device ordinal or NUMA node, by type
    std::uint32_t access;        ///< CUmemAccess_flags
    std::uint32_t unused;
};
/// Where a physical handle came from: `detail` of VmmCreate.
enum class HandleOrigin : std::uint8_t {
    Created,
    Imported,   ///< another process's memory, or another handle's; its size is not told
    Multicast,  ///< no memory of its own: stores to it go to all members
};
/// VmmCreate, VmmRelease, VmmRetain.
struct VmmHandlePayload {
    std::uint64_t handle;
    std::uint64_t sizeBytes;     ///< VmmCreate only
    std::int32_t deviceOrdinal;  ///< VmmCreate: location, -1 for host memory
    std::uint32_t handleTypes;   ///< VmmCreate: shareable handle types asked for
    std::uint64_t address;       ///< VmmRetain: the address asked about
};
/// PoolCreate, PoolDestroy, PoolTrim (value: bytes to keep), PoolAttribute (attribute, value), PoolDefault.
struct PoolPayload {
    std::uint64_t pool;
    std::uint64_t value;
    std::int32_t deviceOrdinal;  ///< PoolCreate, PoolDefault
    std::uint32_t attribute;     ///< PoolAttribute: CUmemPool_attribute
    std::uint64_t unused;
};
struct PoolSamplePayload {
    std::uint64_t pool;
    std::uint64_t reservedBytes;
    std::uint64_t usedBytes;
    std::uint64_t releaseThresholdBytes;
};
/// ContextCreate, ContextDestroy, PrimaryContext (detail: PrimaryContextCall).
struct ContextPayload {
    std::uint64_t context;       ///< CUcontext; 0 for a release or reset, which name the device alone
    std::int32_t deviceOrdinal;  ///< -1 when not known
    std::uint32_t isPrimary;     ///< ContextCreate: 1 for a primary context
    std::uint64_t unused[2];
};
/// GpuModule (detail: GpuModuleEvent) and ModuleGlobal (a device variable). A Source has the path of the file
/// as text in continuation slots, if the call named one.
struct ModulePayload {
    std::uint64_t module;     ///< Load, Unload: CUPTI's number; the others: CUmodule or CUlibrary
    std::uint64_t address;    ///< ModuleGlobal: the variable; Load, Source: the image in the job's memory
    std::uint64_t sizeBytes;  ///< ModuleGlobal: of the variable; Load: of the device code; else 0
    std::uint32_t textBytes;  ///< Source: bytes of text in the continuation slots, without a terminator
    std::uint32_t unused;
};
/// Copy. With kCopyHasLayout set in `detail` one continuation slot, a CopyLayout, follows.
struct CopyPayload {
    std::uint64_t destination;  ///< address, or array handle with kCopyToArray
    std::uint64_t source;       ///< address, or array handle with kCopyFromArray
    std::uint64_t sizeBytes;    ///< total bytes copied
    std::uint64_t stream;
};
inline constexpr std::uint8_t kCopyHasLayout = 1;
inline constexpr std::uint8_t kCopyToArray = 2;
inline constexpr std::uint8_t kCopyFromArray = 4;
inline constexpr std::uint8_t kCopyAsync = 8;
inline constexpr std::uint8_t kCopyCaptured = 16;  ///< the call defined a graph node; nothing was copied
/// Shape of a 2D or 3D copy or set, in bytes and rows.
struct CopyLayout {
    std::uint64_t widthBytes;
    std::uint64_t rows;
    std::uint64_t slices;
    std::uint64_t destinationPitch;
    std::uint64_t sourcePitch;
    std::uint64_t destinationSlicePitch;
    std::uint64_t sourceSlicePitch;
    std::uint64_t arrayOffsetBytes;  ///< where a copy to or from a linear CUDA array begins in it
};
static_assert(sizeof(CopyLayout) == kSlotBytes);
static_assert(sizeof(NodeCopy) == kSlotBytes);
/// Set. With kCopyHasLayout in `detail` a CopyLayout follows. The low bits above it hold nothing else but
/// kCopyAsync and kCopyCaptured.
struct SetPayload {
    std::uint64_t destination;
    std::uint64_t sizeBytes;  ///< total bytes written
    std::uint32_t value;
    std::uint32_t elementBytes;
    std::uint64_t stream;
};
/// Launch. Continuation slots hold 8 ArgumentWord each; unused words are 0. `detail` may hold the bits below.
struct LaunchPayload {
    std::uint64_t function;  ///< CUfunction, or the CUkernel that stands in its place
    std::uint64_t stream;
    std::uint32_t gridX, gridY, gridZ;
    std::uint32_t packedBlock;  ///< see packBlock
};
inline constexpr std::uint8_t kLaunchCaptured = 1;      ///< the call defined a graph node; nothing ran
inline constexpr std::uint8_t kLaunchGraph = 2;         ///< `function` is the CUgraphExec that was launched
inline constexpr std::uint8_t kLaunchArgumentsCut = 4;  ///< more pointers than a record holds
/// Records whose text follows in continuation slots. KernelName: the function's name. Name: what was named,
/// by detail (NamedKind). Device: ordinal in `handle`, total bytes in `extra`, text "UUID\nNAME". Phase:
/// domain (push, pop) or range id (start, end) in `handle`, level (push, pop; see phaseLevel) in `extra`,
/// text "DOMAIN\nMESSAGE"; a pop has text only when its push was lost. JobException: text
/// "TYPE\nFILE\nSCRIPT", the line in FILE in `handle` and the line in SCRIPT in `extra`. Task: id (start,
/// end) in `handle`, level (push, pop) in `extra`, the task's name as text. Ownership: address in `handle`,
/// bytes in `extra` (0: to the end of the buffer), the name of a task (give, lend; none: every task) or of
/// the range. ExactLaunch: number of the launch in `handle`, enter stamp of the call that makes it in the
/// header's; of a graph's node the kernel's name as text; where its code begins in `extra`, 0 when not known.
/// ExactCode: where a function of a module begins in `handle`, its size in the low half of `extra`, in the
/// high half the number of the module's image (arena.h), 0 without one; its mangled name as text.
struct TextPayload {
    std::uint64_t handle;
    std::uint64_t extra;
    std::uint32_t textBytes;  ///< bytes of text in the continuation slots, without a terminator
    std::uint32_t unused32;
    std::uint64_t unused;
};
struct StreamPayload {
    std::uint64_t stream;
    std::uint64_t flags;
    std::int64_t priority;
    std::uint64_t unused;
};
struct ObjectPayload {
    std::uint64_t handle;
    std::uint64_t flags;
    std::uint64_t aux;  ///< texture, surface: the array or address behind it
    std::uint64_t unused;
};
/// In the flags of a graph that ended a capture: it may be one that the job made before
/// (cuStreamBeginCaptureToGraph).
inline constexpr std::uint64_t kGraphOfCapture = std::uint64_t{1} << 32;
/// In the flags of an event that other processes may record or wait for.
inline constexpr std::uint64_t kSharedEvent = std::uint64_t{1} << 33;
struct SyncPayload {
    std::uint64_t stream;
    std::uint64_t object;  ///< event, semaphore, or address of a waited-on value
    std::uint64_t value;
    std::uint32_t flags;     ///< of the call; of a WaitValue how values are compared
    std::uint32_t isGlobal;  ///< 1: `stream` means nothing, all streams of the context are meant
};
/// HostModule: build id in hexadecimal, a newline and the path follow as text.
struct HostModulePayload {
    std::uint64_t base;
    std::uint64_t sizeBytes;
    std::uint32_t textBytes;
    std::uint32_t unused32;
    std::uint64_t loadBias;  ///< run-time address minus the address in the file
};
struct ThreadPayload {
    std::uint64_t tid;
    char name[24];  ///< as the operating system has it, NUL-terminated
};
/// GuardHit: guard bytes behind a buffer changed. The header's stamps are those of the check that saw it.
struct GuardHitPayload {
    std::uint64_t address;      ///< of the buffer
    std::uint64_t allocTicks;   ///< when it became live: its address may be another's by now
    std::uint64_t sinceTicks;   ///< its guard was whole at this moment
    std::uint32_t firstOffset;  ///< of the first changed byte, counted from the buffer's end
    std::uint32_t changedBytes;
};
/// ExactAccess: bytes that a kernel touched under the exact engine; the first and the last of them surely,
/// those between perhaps. `detail` may hold the bits below.
struct ExactAccessPayload {
    std::uint64_t launch;  ///< number that an ExactLaunch gave
    std::uint64_t address;
    std::uint64_t sizeBytes;
    std::uint32_t firstPc;  ///< low half of the program counter that touched the first byte
    std::uint32_t lastPc;   ///< likewise the last; of accesses outside both are that of any of them
};
inline constexpr std::uint8_t kExactWrite = 1;    ///< written; else read
inline constexpr std::uint8_t kExactOutside = 2;  ///< in no memory that the collector knew to be live
inline constexpr std::uint8_t kExactHasPc = 4;    ///< the program counters are there
/// The continuation slot of a GuardHit that is known to within one call, and of every DigestChange: the call
/// of the job's between the two looks. `api` in the header is its, too.
struct WorkCall {
    std::uint64_t enterTicks;  ///< the call began
    std::uint64_t fromTicks;   ///< the first look was put on the call's stream from here on
    std::uint64_t toTicks;     ///< the second had been put there
    std::uint64_t stream;
    std::uint64_t tid;  ///< thread that made the call
    std::uint64_t unused[3];
};
static_assert(sizeof(WorkCall) == kSlotBytes);
/// DigestChange: the bytes of a watched buffer were others after a call than before. The header's stamps are
/// those of the look at the digests.
struct DigestChangePayload {
    std::uint64_t address;     ///< of the buffer
    std::uint64_t allocTicks;  ///< when it became live
    std::uint64_t unused[2];
};
/// CallFailed: a call failed, and its family's record type would have nothing more to say.
struct CallFailedPayload {
    std::uint64_t argument;  ///< the first one of a runtime call, else 0
    std::uint64_t unused[3];
};

/// One slot, viewed as any record's first.
struct Record {
    RecordHeader header;
    union {
        AllocPayload alloc;
        FreePayload free;
        VmmRangePayload vmmRange;
        VmmAccessPayload vmmAccess;
        VmmHandlePayload vmmHandle;
        PoolPayload pool;
        PoolSamplePayload poolSample;
        ContextPayload context;
        ModulePayload module;
        CopyPayload copy;
        SetPayload set;
        LaunchPayload launch;
        TextPayload text;
        StreamPayload stream;
        ObjectPayload object;
        SyncPayload sync;
        HostModulePayload hostModule;
        ThreadPayload thread;
        CallFailedPayload failed;
        GuardHitPayload guardHit;
        ExactAccessPayload exactAccess;
        DigestChangePayload digestChange;
        GraphCallPayload graphCall;
        GraphNodePayload graphNode;
        GraphMemoryPayload graphMemory;
        SharePayload share;
        PeerAccessPayload peerAccess;
        std::uint64_t words[4];
    };
};
static_assert(sizeof(Record) == kSlotBytes);

/// A pointer argument: the word's low 48 bits (user addresses of x86-64 and aarch64 Linux without large-VA
/// opt-in) and, above them, its byte offset in the parameter block divided by four (the block is at most
/// 32,764 bytes).
using ArgumentWord = std::uint64_t;
constexpr ArgumentWord packArgument(std::uint64_t address, std::uint32_t parameterOffsetBytes) {
    return (address & 0xFFFF'FFFF'FFFFull) | (static_cast<std::uint64_t>(parameterOffsetBytes / 4) << 48);
}
constexpr std::uint64_t argumentAddress(ArgumentWord word) {
    return word & 0xFFFF'FFFF'FFFFull;
}
constexpr std::uint32_t argumentOffsetBytes(ArgumentWord word) {
    return static_cast<std::uint32_t>(word >> 48) * 4;
}

/// Block dimensions in 32 bits: x and y minus one in 10 bits each, z minus one above (limits 1024, 1024, 64
/// on every GPU).
constexpr std::uint32_t packBlock(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return ((x - 1) & 1023u) | (((y - 1) & 1023u) << 10) | (((z - 1) & 1023u) << 20);
}
constexpr std::uint32_t blockX(std::uint32_t packed) {
    return (packed & 1023u) + 1;
}
constexpr std::uint32_t blockY(std::uint32_t packed) {
    return ((packed >> 10) & 1023u) + 1;
}
constexpr std::uint32_t blockZ(std::uint32_t packed) {
    return ((packed >> 20) & 1023u) + 1;
}

}  // namespace vramscope::formats
