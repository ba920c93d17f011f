-- SPDX-License-Identifier: Apache-2.0
-- Tables of a capture about graphs and about what processes share. Read behind schema.sql, whose rules hold here.

-- Graphs and executable graphs. When and where they were made and destroyed is in their rows of objects.
CREATE TABLE graphs (
    graph_id INTEGER PRIMARY KEY,  -- the object_id of its row in objects
    process_id INTEGER NOT NULL,   -- its process
    kind TEXT NOT NULL,            -- 'graph', 'exec'
    origin TEXT NOT NULL,          -- 'created', 'captured', 'cloned', 'instantiated'
    flags INTEGER NOT NULL,        -- flags of the call that made it; of an exec bit 0: a launch first frees what the last one allocated
    kernel_id INTEGER,             -- row of kernels by which launches name it, for an exec
    capture_stream_id INTEGER,     -- stream that the capture began on, for origin 'captured'
    is_whole INTEGER NOT NULL      -- 0 when some of its nodes are not in graph_nodes
) STRICT;

-- Nodes that a graph takes over from another: an instantiation, a clone or an update takes those that the source has at that moment.
CREATE TABLE graph_versions (
    graph_version_id INTEGER PRIMARY KEY, -- our number for the row
    process_id INTEGER NOT NULL,   -- its process
    graph_id INTEGER NOT NULL,     -- the graph that takes them; from here on what it took before counts no more
    source_graph_id INTEGER,       -- the graph that they come from; NULL when it was made before recording began
    api TEXT NOT NULL,             -- the call
    thread_id INTEGER,             -- thread that made it
    enter_ns INTEGER NOT NULL,     -- the call began
    exit_ns INTEGER NOT NULL,      -- the call returned
    stack_id INTEGER               -- stack
) STRICT;

-- Nodes of graphs, a row for each set of parameters that one had.
CREATE TABLE graph_nodes (
    graph_node_id INTEGER PRIMARY KEY, -- our number for the row
    process_id INTEGER NOT NULL,   -- its process
    graph_id INTEGER NOT NULL,     -- the graph that it is in; an exec when its parameters were set there
    node INTEGER NOT NULL,         -- the CUgraphNode value; 0 when not known
    kind TEXT NOT NULL,            -- 'kernel', 'copy', 'set', 'host', 'child', 'empty', 'wait-event', 'record-event', 'signal-semaphore', 'wait-semaphore', 'alloc', 'free', 'batch-mem-op', 'conditional'
    api TEXT,                      -- call that made it or set its parameters
    kernel_id INTEGER,             -- kernel, for kind 'kernel'
    child_graph_id INTEGER,        -- graph or exec that it runs, for kind 'child'
    is_captured INTEGER NOT NULL,  -- 1 when a captured call made it
    is_enabled INTEGER NOT NULL,   -- 0 in a row of an exec that says that the node is disabled in it
    is_cut INTEGER NOT NULL,       -- 1 for a kernel whose arguments are not all there
    start_ns INTEGER NOT NULL,     -- the call returned: it is so from here
    end_ns INTEGER,                -- destroyed, or given other parameters; NULL while it is so
    thread_id INTEGER,             -- thread that made the call
    stack_id INTEGER               -- stack, where one was taken
) STRICT;

-- What the nodes of graphs point at. The buffer is the one that lived there when the node was made: whatever lives there later is not what the node was meant for.
CREATE TABLE graph_node_addresses (
    graph_node_id INTEGER NOT NULL, -- the node
    role TEXT NOT NULL,             -- 'destination', 'source' (the call names the range itself), 'argument' (a kernel is given the pointer), 'allocated', 'freed'
    buffer_id INTEGER,              -- buffer that it lies in; NULL when none lived there
    offset INTEGER,                 -- byte in that buffer
    address INTEGER NOT NULL,       -- the address, or the handle of an array
    size_bytes INTEGER,             -- bytes from the first to the last; NULL for an argument
    parameter_offset INTEGER        -- byte in the kernel's parameters, for an argument
) STRICT;

-- Buffers that launches of graphs allocated and that were not freed in the same launch.
CREATE TABLE graph_allocations (
    buffer_id INTEGER PRIMARY KEY,  -- the buffer, of kind 'graph'
    exec_id INTEGER NOT NULL,       -- executable graph whose launch allocated it
    graph_node_id INTEGER           -- its node
) STRICT;

-- What a process's graphs held, read inside the job where pools are read.
CREATE TABLE graph_memory_samples (
    time_ns INTEGER NOT NULL,        -- when it was read
    process_id INTEGER NOT NULL,     -- its process
    device_id INTEGER,               -- device
    reserved_bytes INTEGER NOT NULL, -- bytes that graphs hold from the driver
    used_bytes INTEGER NOT NULL      -- bytes of them that the driver says are in use
) STRICT;

-- Trims of graph memory (cuDeviceGraphMemTrim) that succeeded; graph_memory_samples has what was held after each.
CREATE TABLE graph_memory_trims (
    graph_memory_trim_id INTEGER PRIMARY KEY, -- our number for the trim
    process_id INTEGER NOT NULL,     -- its process
    thread_id INTEGER,               -- thread that made the call
    device_id INTEGER,               -- device
    enter_ns INTEGER NOT NULL,       -- the call began
    exit_ns INTEGER NOT NULL,        -- the call returned
    stack_id INTEGER                 -- stack
) STRICT;

-- What a process made a handle for, so that others can use it.
CREATE TABLE ipc_handles (
    ipc_handle_id INTEGER PRIMARY KEY, -- our number for the handle
    process_id INTEGER NOT NULL,     -- process that gives
    kind TEXT NOT NULL,              -- 'memory', 'event', 'vmm' (physical memory), 'pool', 'pool-pointer'
    handle_hash INTEGER,             -- hash of the handle's bytes, which are the same each time for one thing; NULL for a file descriptor
    descriptor INTEGER,              -- file descriptor in the giving process; NULL for bytes
    buffer_id INTEGER,               -- the buffer, for 'memory' and 'pool-pointer'
    object_id INTEGER,               -- the event
    handle_id INTEGER,               -- the physical handle, for 'vmm'
    pool_id INTEGER,                 -- the pool
    get_count INTEGER NOT NULL,      -- times that it was asked for
    get_ns INTEGER NOT NULL,         -- the first call returned
    thread_id INTEGER,               -- thread that made it
    stack_id INTEGER                 -- stack
) STRICT;

-- What a process opened of others, a row for each time.
CREATE TABLE ipc_imports (
    ipc_import_id INTEGER PRIMARY KEY, -- our number for the import
    process_id INTEGER NOT NULL,     -- process that takes
    kind TEXT NOT NULL,              -- as in ipc_handles
    handle_hash INTEGER,             -- hash of the handle's bytes; NULL for a file descriptor
    descriptor INTEGER,              -- file descriptor in the taking process; NULL for bytes
    ipc_handle_id INTEGER,           -- what was opened; NULL when no process of this capture gave it, and while recording
    matched_by TEXT,                 -- how that is known: 'bytes', 'descriptor' (both file descriptors were one file), 'size-and-order' (a guess)
    buffer_id INTEGER,               -- the buffer of kind 'ipc', for 'memory' and 'pool-pointer'
    object_id INTEGER,               -- the event
    handle_id INTEGER,               -- the physical handle, for 'vmm'
    pool_id INTEGER,                 -- the pool
    open_ns INTEGER NOT NULL,        -- the opening call returned
    thread_id INTEGER,               -- thread that opened it
    stack_id INTEGER,                -- stack that opened it
    close_ns INTEGER,                -- the closing call began; of several of one buffer the first is taken to be closed; NULL while it is open
    close_stack_id INTEGER           -- stack that closed it
) STRICT;

-- Access from one device to another's memory that the job enabled (cuCtxEnablePeerAccess).
CREATE TABLE peer_accesses (
    peer_access_id INTEGER PRIMARY KEY, -- our number for the row
    process_id INTEGER NOT NULL,     -- its process
    context_id INTEGER,              -- context that may access
    peer_context_id INTEGER,         -- context whose memory it may access
    device_id INTEGER,               -- device of the first
    peer_device_id INTEGER,          -- device of the second
    enable_ns INTEGER NOT NULL,      -- enabled
    disable_ns INTEGER               -- disabled; NULL while it is enabled
) STRICT;
