-- SPDX-License-Identifier: Apache-2.0
-- The tables of a capture. Each column has a comment; docs/capture-format.md is generated from this file, and a check
-- fails on a column without one. Times are nanoseconds since the session began (clock: CLOCK_MONOTONIC) unless the
-- name says otherwise. Addresses and handles are the job's own values, stored as signed 64-bit integers.

-- What the capture is: one row a fact.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,  -- created_by, state, session_start_realtime_ns, session_end_ns, stopped_because (of a recording that could not go on), task_by.N (the Nth --task-by), command, host, record_mode, clock_id
    value TEXT NOT NULL    -- the fact, as text; state is 'recording' until the capture is finished, then 'complete' or 'recovered'
) STRICT, WITHOUT ROWID;

-- One row a process of the job that initialised CUDA or announced itself.
CREATE TABLE processes (
    process_id INTEGER PRIMARY KEY,  -- our number for the process; an operating-system pid can be reused, this cannot
    pid INTEGER NOT NULL,            -- operating-system process id, in the recorder's pid namespace
    parent_pid INTEGER,              -- operating-system id of its parent when it started
    start_ns INTEGER NOT NULL,       -- when recording began in it
    end_ns INTEGER,                  -- when it ended; NULL while it runs
    end_kind TEXT,                   -- 'exited', 'killed' (ended by a signal), 'execed' (became another program, which has a row of its own if it uses CUDA), 'vanished' (ended, nobody could say how), 'running' (outlived the session); NULL while recording
    exit_code INTEGER,               -- exit status, when known
    exit_signal INTEGER,             -- signal that ended it, when known
    executable TEXT,                 -- path of the program
    command TEXT,                    -- its command line, shortened, secrets replaced
    rank INTEGER,                    -- global rank of a distributed job, when the environment names one
    local_rank INTEGER,              -- rank within the node, when the environment names one
    world_size INTEGER,              -- number of ranks, when the environment names it
    engine TEXT,                     -- how calls were seen: 'cupti', or 'exact' (the Compute Sanitizer API); NULL if recording never started
    engine_version INTEGER,          -- cuptiGetVersion() of the library used; NULL for 'exact'
    engine_path TEXT,                -- file of the library that it works through
    driver_version INTEGER,          -- cuDriverGetVersion(), for example 13000
    off_reason TEXT                  -- why the collector turned itself off, in words; NULL when it did not
) STRICT;

-- One row a device that the job could see.
CREATE TABLE devices (
    device_id INTEGER PRIMARY KEY,  -- our number for the device
    uuid TEXT,                      -- GPU or MIG UUID, as NVML prints it
    name TEXT,                      -- the driver's name for it
    pci_bus_id TEXT,                -- PCI address
    total_bytes INTEGER,            -- memory the driver says it has
    driver_version TEXT             -- display driver version, for example 580.159.04
) STRICT;

-- CUDA contexts.
CREATE TABLE contexts (
    context_id INTEGER PRIMARY KEY,   -- our number for the context
    process_id INTEGER NOT NULL,      -- its process
    context_uid INTEGER NOT NULL,     -- CUPTI's number for it, unique within the process
    handle INTEGER NOT NULL,          -- the CUcontext value
    device_id INTEGER,                -- device it was made on
    device_ordinal INTEGER,           -- the process's own number for that device; NULL when not known
    is_primary INTEGER NOT NULL,      -- 1 for a primary context, which the CUDA runtime uses
    start_ns INTEGER NOT NULL,        -- first seen
    end_ns INTEGER,                   -- destroyed or reset; NULL while it lives
    collector_bytes INTEGER NOT NULL  -- device memory by which our recording makes the context larger: an estimate, measured once on another machine; never blamed on the job
) STRICT;

-- CUDA streams, as created by the job. The default streams (handle 0, 1, 2) get a row at first use.
CREATE TABLE streams (
    stream_id INTEGER PRIMARY KEY,  -- our number for the stream
    process_id INTEGER NOT NULL,    -- its process
    context_id INTEGER,             -- its context
    handle INTEGER NOT NULL,        -- the CUstream value; 0 a context's legacy default stream, 2 a thread's own default stream in it
    flags INTEGER,                  -- creation flags; bit 0 set: does not wait for the default stream
    priority INTEGER,               -- creation priority
    name TEXT,                      -- name given through NVTX
    start_ns INTEGER NOT NULL,      -- created or first seen
    end_ns INTEGER,                 -- destroyed; NULL while it lives
    thread_id INTEGER               -- whose default stream it is; NULL for all others
) STRICT;

-- Threads that made CUDA calls.
CREATE TABLE threads (
    thread_id INTEGER PRIMARY KEY,  -- our number for the thread
    process_id INTEGER NOT NULL,    -- its process
    tid INTEGER NOT NULL,           -- operating-system thread id
    name TEXT,                      -- name given through NVTX or the operating system
    start_ns INTEGER NOT NULL,      -- first call seen
    end_ns INTEGER                  -- when it ended; NULL while it runs or when nobody could say
) STRICT;

-- What may own memory.
CREATE TABLE tasks (
    task_id INTEGER PRIMARY KEY,  -- our number for the task
    name TEXT NOT NULL,           -- its name; the process's program name by default
    origin TEXT NOT NULL,         -- who named it: 'process', 'job' (--job), 'annotation' (the program), 'rule' (--task-by), 'unassigned' (work of which nobody can say whose it is)
    process_id INTEGER            -- the process, where a task is one or of one; NULL for a task that processes share by its name
) STRICT;

-- Whose work it was, where that is not simply the process's own task. Of the spans that fit an event by process, thread, stream, context and time, the one of the least precedence says it, and of those the deepest; without one it is the process's.
CREATE TABLE task_spans (
    task_span_id INTEGER PRIMARY KEY, -- our number for the span
    process_id INTEGER NOT NULL,    -- its process
    thread_id INTEGER,              -- work of this thread; NULL: of any
    stream_id INTEGER,              -- work on this stream; NULL: on any
    context_id INTEGER,             -- work in this context; NULL: in any
    task_id INTEGER NOT NULL,       -- the task
    basis TEXT NOT NULL,            -- how it is known: 'mark' (the program says so), 'delegated' (a marked thread's work, done by others), 'range', 'thread', 'stream', 'context' (a rule of --task-by), 'process' (the rule that ends guessing), 'job' (--job), 'only-active' (the one task that was active), 'unassigned' (several were)
    precedence INTEGER NOT NULL,    -- less counts before more: 0 marks, 1 delegated, then the rules as they were given, then the rest
    level INTEGER NOT NULL,         -- nesting level, 0 the outermost
    start_ns INTEGER NOT NULL,      -- from here
    end_ns INTEGER                  -- to here; NULL: to the end of the thread or process
) STRICT;

-- How memory changed hands, as the program said it.
CREATE TABLE ownership (
    ownership_id INTEGER PRIMARY KEY, -- our number for the change
    process_id INTEGER NOT NULL,    -- its process
    kind TEXT NOT NULL,             -- 'give', 'lend-read', 'lend-write', 'lend-end'
    address INTEGER NOT NULL,       -- first byte, as the program gave it
    buffer_id INTEGER,              -- buffer that held it then; NULL when none did
    offset_bytes INTEGER NOT NULL,  -- first byte, counted in the buffer
    size_bytes INTEGER NOT NULL,    -- bytes, cut to the buffer
    to_task_id INTEGER,             -- who gets it, or whose loan ends; NULL: every task
    by_task_id INTEGER,             -- task of the thread that said so
    time_ns INTEGER NOT NULL,       -- when
    thread_id INTEGER,              -- thread that said so
    stack_id INTEGER                -- stack
) STRICT;

-- Pieces of buffers that the program named or that an allocator above CUDA handed out.
CREATE TABLE sub_buffers (
    sub_buffer_id INTEGER PRIMARY KEY, -- our number for the piece
    process_id INTEGER NOT NULL,    -- its process
    kind TEXT NOT NULL,             -- 'region' (a named range), 'heap' (a range that an allocator cuts up), 'block' (a piece of a heap)
    address INTEGER NOT NULL,       -- first byte
    buffer_id INTEGER,              -- buffer that held it then; NULL when none did
    offset_bytes INTEGER NOT NULL,  -- first byte, counted in the buffer
    size_bytes INTEGER NOT NULL,    -- bytes
    name TEXT,                      -- its name; NULL without one
    task_id INTEGER,                -- task of the thread that named it or got it; NULL for a heap
    start_ns INTEGER NOT NULL,      -- named or handed out
    end_ns INTEGER,                 -- given back; NULL: it lasts as long as its buffer
    thread_id INTEGER,              -- thread that named it or got it
    stack_id INTEGER                -- stack
) STRICT;

-- Loaded program files of each process, to turn addresses into functions.
CREATE TABLE modules (
    module_id INTEGER PRIMARY KEY,  -- our number for the module
    process_id INTEGER NOT NULL,    -- its process
    path TEXT NOT NULL,             -- file
    build_id TEXT,                  -- GNU build id in hexadecimal
    base INTEGER NOT NULL,          -- first address it is mapped at
    size_bytes INTEGER NOT NULL,    -- length of its address range
    load_bias INTEGER NOT NULL      -- run-time address minus the address in the file: module offsets are file addresses
) STRICT;

-- One row a code address that occurs in some stack, resolved.
CREATE TABLE frames (
    frame_id INTEGER PRIMARY KEY,  -- our number for the frame
    process_id INTEGER NOT NULL,   -- its process
    address INTEGER NOT NULL,      -- return address in the process
    module_id INTEGER,             -- module it lies in
    module_offset INTEGER,         -- the address as the module's file counts it, for symbolising elsewhere
    function TEXT,                 -- demangled function; NULL when the file has no symbol there
    file TEXT,                     -- source file, where debug information is there
    line INTEGER,                  -- source line
    inlined TEXT                   -- functions inlined here, outermost last, as a JSON array of {function, file, line}; NULL when none
) STRICT;

-- Call stacks as a tree: a stack is a frame called from another stack.
CREATE TABLE stacks (
    stack_id INTEGER PRIMARY KEY,  -- our number for the stack
    parent_stack_id INTEGER,       -- the caller's stack; NULL at the outermost frame
    frame_id INTEGER NOT NULL      -- the innermost frame
) STRICT;

-- One row an allocation's lifetime. A buffer is named b<address>.<generation>.
CREATE TABLE buffers (
    buffer_id INTEGER PRIMARY KEY,    -- our number for the buffer
    process_id INTEGER NOT NULL,      -- process that allocated it
    kind TEXT NOT NULL,               -- 'device','async','managed','pinned','registered','vmm','array','ipc','graph','module'
    address INTEGER NOT NULL,         -- first byte, or the handle of an array
    generation INTEGER NOT NULL,      -- counts the buffers of this process that began at this address, from 1
    size_bytes INTEGER NOT NULL,      -- bytes asked for (height times pitch for a pitched one)
    context_id INTEGER,               -- context it belongs to
    device_id INTEGER,                -- device whose memory it is; NULL for host memory
    pool_id INTEGER,                  -- pool it came from, for kind 'async'
    handle_id INTEGER,                -- physical handle behind it, for kind 'vmm'
    stream_id INTEGER,                -- stream it was allocated on, for kind 'async'
    flags INTEGER NOT NULL,           -- the call's flags argument, 0 when it has none
    api TEXT NOT NULL,                -- driver call that made it
    alloc_enter_ns INTEGER NOT NULL,  -- the allocating call began
    alloc_ns INTEGER NOT NULL,        -- the allocating call returned: the buffer is live from here
    alloc_thread_id INTEGER,          -- thread that allocated it
    alloc_stack_id INTEGER,           -- stack that allocated it
    free_ns INTEGER,                  -- the freeing call began: the buffer is dead from here; NULL while it lives
    free_exit_ns INTEGER,             -- the freeing call returned
    free_thread_id INTEGER,           -- thread that freed it
    free_stack_id INTEGER,            -- stack that freed it
    free_stream_id INTEGER,           -- stream of an ordered free
    free_api TEXT,                    -- call that freed it
    end_kind TEXT,                    -- 'freed', 'context-destroyed', 'unmapped', 'process-ended', 'replaced' (its end was not seen, but its address was given out again); NULL while it lives
    task_id INTEGER                   -- task that owned it when it was made
) STRICT;

-- Stream-ordered memory pools.
CREATE TABLE pools (
    pool_id INTEGER PRIMARY KEY,       -- our number for the pool
    process_id INTEGER NOT NULL,       -- its process
    handle INTEGER NOT NULL,           -- the CUmemoryPool value
    device_id INTEGER,                 -- device it takes memory from
    is_default INTEGER NOT NULL,       -- 1 for a device's own default pool
    release_threshold_bytes INTEGER,   -- bytes it keeps when idle, as last set or read; NULL when never seen
    start_ns INTEGER NOT NULL,         -- created or first seen
    create_stack_id INTEGER,           -- stack that created it
    end_ns INTEGER                     -- destroyed; NULL while it lives
) STRICT;

-- What pools held, read inside the job at the end of synchronisations, trims and pool calls.
CREATE TABLE pool_samples (
    time_ns INTEGER NOT NULL,        -- when it was read
    pool_id INTEGER NOT NULL,        -- the pool
    reserved_bytes INTEGER NOT NULL, -- bytes the pool holds from the driver
    used_bytes INTEGER NOT NULL      -- bytes of them that the job has allocated
) STRICT;

-- Trims of pools (cuMemPoolTrimTo) that succeeded; pool_samples has what the pool held after each.
CREATE TABLE pool_trims (
    pool_trim_id INTEGER PRIMARY KEY,  -- our number for the trim
    process_id INTEGER NOT NULL,       -- its process
    thread_id INTEGER,                 -- thread that made the call
    pool_id INTEGER NOT NULL,          -- the pool
    keep_bytes INTEGER NOT NULL,       -- bytes that the pool was allowed to keep
    enter_ns INTEGER NOT NULL,         -- the call began
    exit_ns INTEGER NOT NULL,          -- the call returned
    stack_id INTEGER                   -- stack
) STRICT;

-- Physical memory handles (cuMemCreate, imports and multicast objects).
CREATE TABLE vmm_handles (
    handle_id INTEGER PRIMARY KEY,   -- our number for the handle
    process_id INTEGER NOT NULL,     -- its process
    handle INTEGER NOT NULL,         -- the CUmemGenericAllocationHandle value
    size_bytes INTEGER NOT NULL,     -- physical bytes; of an imported one those of its first mapping, 0 before; 0 for a multicast object
    device_id INTEGER,               -- device whose memory it is; NULL for host memory, imports and multicast objects
    create_ns INTEGER NOT NULL,      -- created
    create_thread_id INTEGER,        -- thread that created it
    create_stack_id INTEGER,         -- stack that created it
    release_ns INTEGER,              -- last reference released; NULL while one is held
    release_stack_id INTEGER,        -- stack of the last release
    reference_count INTEGER NOT NULL,-- references still held: 1 at creation, one more for each retain, one less for each release
    mapped_count INTEGER NOT NULL,   -- mappings of it that exist now
    end_ns INTEGER,                  -- physical memory given back: no reference and no mapping left; NULL while resident
    origin TEXT                      -- 'created'; 'imported' from a shareable handle, so that the bytes are another's; 'multicast', which has no memory of its own; NULL in captures older than format 3
) STRICT;

-- Reserved address ranges (cuMemAddressReserve).
CREATE TABLE vmm_reservations (
    reservation_id INTEGER PRIMARY KEY, -- our number for the range
    process_id INTEGER NOT NULL,        -- its process
    address INTEGER NOT NULL,           -- first byte
    size_bytes INTEGER NOT NULL,        -- length
    start_ns INTEGER NOT NULL,          -- reserved
    stack_id INTEGER,                   -- stack that reserved it
    end_ns INTEGER                      -- freed; NULL while it is reserved
) STRICT;

-- Access to mapped ranges that the job allowed or forbade (cuMemSetAccess): a row for each place that a call names.
CREATE TABLE vmm_accesses (
    vmm_access_id INTEGER PRIMARY KEY,  -- our number for the row
    process_id INTEGER NOT NULL,        -- its process
    thread_id INTEGER,                  -- thread that made the call
    address INTEGER NOT NULL,           -- first byte of the range
    size_bytes INTEGER NOT NULL,        -- its length
    location TEXT NOT NULL,             -- who gets the access: 'device', 'host', 'host-numa', 'host-numa-current', 'other'
    location_number INTEGER,            -- the process's number of the device, or the NUMA node; NULL for the others
    device_id INTEGER,                  -- the device, for location 'device'
    access TEXT NOT NULL,               -- 'none', 'read', 'read-write', 'other'
    enter_ns INTEGER NOT NULL,          -- the call began
    exit_ns INTEGER NOT NULL            -- the call returned
) STRICT;

-- Calls that took, gave back or reset the primary context of a device and succeeded.
CREATE TABLE primary_context_calls (
    primary_context_call_id INTEGER PRIMARY KEY, -- our number for the call
    process_id INTEGER NOT NULL,        -- its process
    thread_id INTEGER,                  -- thread that made it
    kind TEXT NOT NULL,                 -- 'retain', 'release', 'reset'
    device_ordinal INTEGER NOT NULL,    -- the process's own number for the device
    device_id INTEGER,                  -- the device; NULL when not known
    context_id INTEGER,                 -- the context, for a reset and the last release the one that ended; NULL when not known
    reference_count INTEGER NOT NULL,   -- references held after the call, of those whose retain was recorded; a reset takes none away
    enter_ns INTEGER NOT NULL,          -- the call began
    exit_ns INTEGER NOT NULL,           -- the call returned
    stack_id INTEGER                    -- stack
) STRICT;

-- Device code that came into a context: modules and libraries, also those that the driver loads only when a kernel of theirs is first needed.
CREATE TABLE gpu_modules (
    gpu_module_id INTEGER PRIMARY KEY,  -- our number for the module
    process_id INTEGER NOT NULL,        -- its process
    context_id INTEGER,                 -- context that it came into
    cupti_module_id INTEGER NOT NULL,   -- CUPTI's number for it
    name TEXT,                          -- file that the code came from: the one that the loading call named, else the program file whose image it loaded; NULL when not known
    size_bytes INTEGER,                 -- size of its device code; NULL when not known
    load_ns INTEGER NOT NULL,           -- loaded
    load_thread_id INTEGER,             -- thread that needed it
    load_stack_id INTEGER,              -- stack that needed it: the call that loads, or the first use
    needed_by TEXT,                     -- program file that needed it: the innermost of the stack outside the driver, the CUDA runtime and CUPTI
    load_api TEXT,                      -- call that loads modules; NULL when another call needed the code
    unload_ns INTEGER                   -- unloaded, or its context ended; NULL while it is there
) STRICT;

-- Objects of the job that hold memory but are not buffers, and other things that must be destroyed in pairs.
CREATE TABLE objects (
    object_id INTEGER PRIMARY KEY,  -- our number for the object
    process_id INTEGER NOT NULL,    -- its process
    kind TEXT NOT NULL,             -- 'event','texture','surface','graph','graph-exec','context-reference','module','stream'
    handle INTEGER NOT NULL,        -- its handle value
    context_id INTEGER,             -- its context
    create_ns INTEGER NOT NULL,     -- created
    create_stack_id INTEGER,        -- stack that created it
    destroy_ns INTEGER,             -- destroyed; NULL while it exists
    destroy_stack_id INTEGER,       -- stack that destroyed it
    is_shared INTEGER,              -- 1 for an event that other processes may record or wait for: made for it, or imported; 0 for others; NULL in captures older than format 4
    end_kind TEXT                   -- 'destroyed', 'context-destroyed', 'process-ended', 'replaced' (its end was not seen, but its handle was given out again); NULL while it exists
) STRICT;

-- Driver calls that failed, one row a call, and frees that were refused.
CREATE TABLE failed_calls (
    failed_call_id INTEGER PRIMARY KEY, -- our number for the failure
    process_id INTEGER NOT NULL,        -- its process
    thread_id INTEGER,                  -- thread that made the call
    enter_ns INTEGER NOT NULL,          -- the call began
    exit_ns INTEGER NOT NULL,           -- the call returned
    api TEXT NOT NULL,                  -- the call
    family TEXT NOT NULL,               -- what it was meant to do: 'alloc', 'free' (a destroy, release or unmap, too), 'heap' (a request that a declared heap could not serve) or 'other'
    error INTEGER NOT NULL,             -- CUresult, or cudaError for a call that never reached the driver; 0 for family 'heap'
    error_name TEXT NOT NULL,           -- its symbolic name; empty for family 'heap'
    size_bytes INTEGER,                 -- bytes asked for, for families 'alloc' and 'heap'
    address INTEGER,                    -- address or handle given, for family 'free'; first byte of the heap, for family 'heap'
    context_id INTEGER,                 -- current context
    stack_id INTEGER,                   -- stack
    repeat_count INTEGER NOT NULL       -- times the same call failed the same way from this stack; times are of the first
) STRICT;

-- Guard bytes behind buffers that were found changed (run --guard). Who changed them is not known from this alone.
CREATE TABLE guard_hits (
    guard_hit_id INTEGER PRIMARY KEY, -- our number for it
    process_id INTEGER NOT NULL,      -- process
    address INTEGER NOT NULL,         -- of the buffer; with alloc_ns it names the row of buffers
    alloc_ns INTEGER NOT NULL,        -- when the buffer became live
    since_ns INTEGER NOT NULL,        -- the guard was whole then
    found_ns INTEGER NOT NULL,        -- it was seen to have changed
    first_offset INTEGER NOT NULL,    -- of the first changed byte, from the buffer's end
    changed_bytes INTEGER NOT NULL,   -- how many changed
    launch_ns INTEGER,                -- the launch, copy or set after which it was seen began, where each is looked after
    launch_thread_id INTEGER          -- thread that made that call
) STRICT;

-- Watched buffers whose bytes were others after a launch than before it (run --watch). Other work that ran at the same time may
-- have changed them.
CREATE TABLE digest_changes (
    digest_change_id INTEGER PRIMARY KEY, -- our number for it
    process_id INTEGER NOT NULL,          -- process
    address INTEGER NOT NULL,             -- of the buffer; with alloc_ns it names the row of buffers
    alloc_ns INTEGER NOT NULL,            -- when the buffer became live
    stream_id INTEGER,                    -- stream of the launch
    thread_id INTEGER,                    -- thread that launched
    launch_ns INTEGER NOT NULL,           -- when the launch was called
    from_ns INTEGER NOT NULL,             -- the digest before it was put on the stream from here on
    to_ns INTEGER NOT NULL                -- the digest after it had been put there
) STRICT;

-- Python exceptions that nothing in the job caught. Their messages are not kept: they may quote the job's data.
CREATE TABLE job_exceptions (
    job_exception_id INTEGER PRIMARY KEY, -- our number for the exception
    process_id INTEGER NOT NULL,          -- its process
    thread_id INTEGER,                    -- thread that it ended
    time_ns INTEGER NOT NULL,             -- when the interpreter gave it up, the last time
    type TEXT NOT NULL,                   -- its class, with the module unless that is builtins or __main__
    file TEXT,                            -- file that raised it, as the interpreter names it; NULL when not known
    line INTEGER,                         -- line that raised it
    script_file TEXT,                     -- file that the traceback begins in, which is the job's own script
    script_line INTEGER,                  -- innermost line of the traceback in that file
    repeat_count INTEGER NOT NULL         -- times the same exception came from the same lines
) STRICT;

-- Kernels (functions) that were launched.
CREATE TABLE kernels (
    kernel_id INTEGER PRIMARY KEY,  -- our number for the kernel
    process_id INTEGER NOT NULL,    -- its process
    handle INTEGER NOT NULL,        -- the CUfunction or CUkernel value
    name TEXT                       -- mangled name as the driver gives it
) STRICT;

-- Argument sets of launches, which say what addresses a launch was given, in packed chunks; read them through the virtual table launch_arguments.
CREATE TABLE argument_chunks (
    first_set_id INTEGER PRIMARY KEY, -- number of the first set inside; the others follow it
    set_count INTEGER NOT NULL,       -- sets inside
    data BLOB NOT NULL                -- columns, compressed with zstd; layout in formats/argument_chunk.h
) STRICT;

-- Launches, copies, sets and synchronisations in packed chunks; read them through the virtual tables of the same name as `kind`.
CREATE TABLE event_chunks (
    chunk_id INTEGER PRIMARY KEY,     -- our number for the chunk
    kind TEXT NOT NULL,               -- 'launches', 'copies', 'sets', 'syncs'
    first_ns INTEGER NOT NULL,        -- earliest enter_ns inside
    last_ns INTEGER NOT NULL,         -- latest enter_ns inside
    event_count INTEGER NOT NULL,     -- events inside
    data BLOB NOT NULL                -- columns, delta-encoded and compressed with zstd; layout in formats/event_chunk.h
) STRICT;

-- Chunks that the window of --keep let go.
CREATE TABLE dropped_chunks (
    kind TEXT NOT NULL,             -- kind of the events
    first_ns INTEGER NOT NULL,      -- earliest enter_ns inside
    last_ns INTEGER NOT NULL,       -- latest enter_ns inside
    event_count INTEGER NOT NULL    -- events that were inside
) STRICT;

-- Ranges and marks of NVTX.
CREATE TABLE phases (
    phase_id INTEGER PRIMARY KEY,  -- our number for the phase
    process_id INTEGER NOT NULL,   -- its process
    thread_id INTEGER,             -- thread that opened it
    domain TEXT,                   -- NVTX domain; NULL for the default one
    name TEXT NOT NULL,            -- message
    kind TEXT NOT NULL,            -- 'range', 'process-range' (start/end across threads), 'mark', 'step'
    start_ns INTEGER NOT NULL,     -- opened, or the moment of a mark
    end_ns INTEGER,                -- closed; NULL for a mark and while open
    level INTEGER,                 -- nesting level of a 'range' in its thread and domain, 0 the outermost; NULL when not tracked
    nvtx_id INTEGER,               -- number of its domain in the process; for a 'process-range' the id that the job got for it
    lost TEXT                      -- 'begin': the record of its beginning was lost, so it has no name and start_ns is its end; 'end': that of its end was, so end_ns is when a later record showed it closed; NULL: neither
) STRICT;

-- Memory as the driver reports it (NVML), sampled by the recorder.
CREATE TABLE memory_samples (
    time_ns INTEGER NOT NULL,      -- when
    device_id INTEGER NOT NULL,    -- device
    used_bytes INTEGER NOT NULL,   -- used on the whole device
    job_bytes INTEGER,             -- used by all processes of this job together; NULL where the driver lists no processes
    others_bytes INTEGER           -- used by processes outside the job that the driver lists; NULL where it lists none
) STRICT;

-- The same per process of the job.
CREATE TABLE process_memory_samples (
    time_ns INTEGER NOT NULL,      -- when
    device_id INTEGER NOT NULL,    -- device
    process_id INTEGER NOT NULL,   -- process of the job
    used_bytes INTEGER NOT NULL    -- bytes the driver holds for it on this device
) STRICT;

-- Level of detail: live bytes over time in coarse steps, so that a timeline draws without reading buffers.
CREATE TABLE live_levels (
    level INTEGER NOT NULL,        -- 0 finest; each level is 16 times coarser
    bucket INTEGER NOT NULL,       -- start of the step divided by the level's width
    process_id INTEGER NOT NULL,   -- process
    kind TEXT NOT NULL,            -- buffer kind
    min_bytes INTEGER NOT NULL,    -- least live in the step
    max_bytes INTEGER NOT NULL,    -- most live in the step
    last_bytes INTEGER NOT NULL,   -- live at the end of the step
    PRIMARY KEY (level, bucket, process_id, kind)
) STRICT, WITHOUT ROWID;

-- Events that were lost, by reason. An empty table means that nothing was.
CREATE TABLE drops (
    process_id INTEGER NOT NULL,   -- process that lost them
    reason TEXT NOT NULL,          -- 'ring-full', 'too-many-threads', 'stack-table-full', 'text-too-long', 'recorder-died', 'launch-unseen'
    lost_count INTEGER NOT NULL,   -- how many
    first_ns INTEGER,              -- first loss, when known
    last_ns INTEGER,               -- latest loss, when known
    PRIMARY KEY (process_id, reason)
) STRICT, WITHOUT ROWID;

-- Events recorded, by process and type: the other side of `drops`.
CREATE TABLE event_counts (
    process_id INTEGER NOT NULL,   -- process
    type TEXT NOT NULL,            -- record type, as `vramscope dump` prints it
    event_count INTEGER NOT NULL,  -- how many were recorded
    PRIMARY KEY (process_id, type)
) STRICT, WITHOUT ROWID;

-- How far each ring was consumed, so that an interrupted recording can be finished without a gap or a repeat.
CREATE TABLE ring_positions (
    process_id INTEGER NOT NULL,   -- process
    lane INTEGER NOT NULL,         -- lane in its arena
    lane_generation INTEGER NOT NULL, -- which thread rented the lane
    consumed_slots INTEGER NOT NULL,  -- slots consumed since the lane was rented
    PRIMARY KEY (process_id, lane)
) STRICT, WITHOUT ROWID;

-- Things a reader should know about this capture, in words.
CREATE TABLE notes (
    time_ns INTEGER NOT NULL,      -- when
    process_id INTEGER,            -- process, where it is about one
    severity TEXT NOT NULL,        -- 'info', 'warning', 'error'
    code TEXT NOT NULL,            -- stable short name, for example 'cupti-busy'
    message TEXT NOT NULL          -- the sentence
) STRICT;
