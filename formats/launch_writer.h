// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/argument_writer.h"
#include "formats/event_writer.h"
#include "formats/status.h"

namespace vramscope::formats {

/// Stores launches together with the pointers they were given: an EventWriter and an ArgumentWriter in one.
/// Memory is theirs and what kWaiting launches take. Must be destroyed before its connection. One thread at a
/// time.
class LaunchWriter {
public:
    /// `encoder` and `rows` as for EventWriter.
    LaunchWriter(ArgumentWriter arguments, ChunkEncoder& encoder, ChunkRowWriter& rows)
        : m_arguments(std::move(arguments)), m_events(encoder, rows) {}

    /// `event.argumentSetId` is filled in here. `arguments` as for ArgumentWriter::intern(); they are copied.
    Status add(const LaunchEvent& event, std::span<const LaunchArgument> arguments);

    /// Stores everything added so far. To be called in the transaction that is about to be committed.
    Status flush();

private:
    // To look up a set that was never seen costs a cache miss. So the line is fetched when a launch comes and
    // looked at when some others have come.
    static constexpr std::size_t kWaiting = 8;
    struct Waiting {
        bool isUsed = false;
        std::uint64_t fingerprint = 0;
        LaunchEvent event;
        std::vector<LaunchArgument> arguments;
    };
    Status store(Waiting& waiting);

    ArgumentWriter m_arguments;
    EventWriter<LaunchEvent> m_events;
    std::array<Waiting, kWaiting> m_waiting;
    std::size_t m_next = 0;  // to be filled; when it is used it is the oldest
};

}  // namespace vramscope::formats
