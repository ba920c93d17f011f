-- SPDX-License-Identifier: Apache-2.0
-- Tables of a capture about what kernels were seen to do. Read behind schema.sql, whose rules hold here.

-- Kernels whose accesses were seen (run --engine exact): one row a launch, and of a graph's launch one for each kernel node.
CREATE TABLE exact_launches (
    exact_launch_id INTEGER PRIMARY KEY, -- our number for it
    process_id INTEGER NOT NULL,         -- process
    thread_id INTEGER,                   -- thread that made the call
    stream_id INTEGER,                   -- stream of the call
    kernel_id INTEGER,                   -- kernel; of a node the node's
    enter_ns INTEGER NOT NULL,           -- the call that launched began: with process and thread it names the row of launches
    exit_ns INTEGER NOT NULL,            -- it returned
    stack_id INTEGER,                    -- stack of the call; NULL unless stacks were taken at launches
    is_graph_node INTEGER NOT NULL       -- 1 for a kernel that a graph's launch ran
) STRICT;

-- What those kernels read and wrote. A launch without rows touched nothing, or the process ended before its marks were read.
CREATE TABLE exact_accesses (
    exact_access_id INTEGER PRIMARY KEY, -- our number for it
    exact_launch_id INTEGER NOT NULL,    -- launch
    kind TEXT NOT NULL,                  -- 'read' or 'write'; an atomic operation is both
    address INTEGER NOT NULL,            -- lowest byte that was touched
    size_bytes INTEGER NOT NULL,         -- from there to the highest; the first and the last byte were touched, those between perhaps
    buffer_id INTEGER,                   -- buffer that held the address when the call began; NULL when none is known
    buffer_offset INTEGER,               -- of the lowest byte in that buffer
    is_outside INTEGER NOT NULL,         -- 1: in no memory that the collector knew to be live; then the range may span much that was not touched
    first_place_id INTEGER,              -- code place that touched the lowest byte; NULL when not known, and of reads in buffers
    last_place_id INTEGER                -- likewise the highest; with is_outside both are one of the places that touched any of it
) STRICT;

-- Instructions of kernels that such accesses were made by.
CREATE TABLE code_places (
    code_place_id INTEGER PRIMARY KEY, -- our number for it
    process_id INTEGER NOT NULL,       -- process
    function TEXT NOT NULL,            -- kernel or device function, as the module has its name
    offset INTEGER NOT NULL,           -- of the instruction in it, in bytes
    file TEXT,                         -- source file; NULL unless the module knows its lines (nvcc -lineinfo, -G)
    line INTEGER                       -- line in it; of inlined code the line in the inlined function
) STRICT;
