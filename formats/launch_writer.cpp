// SPDX-License-Identifier: Apache-2.0
#include "formats/launch_writer.h"

namespace vramscope::formats {

Status LaunchWriter::add(const LaunchEvent& event, std::span<const LaunchArgument> arguments) {
    Waiting& waiting = m_waiting[m_next];
    m_next = (m_next + 1) % kWaiting;
    Status status = waiting.isUsed ? store(waiting) : Status::ok();
    waiting.event = event;
    waiting.arguments.assign(arguments.begin(), arguments.end());
    waiting.fingerprint = ArgumentCache::fingerprintOf(arguments);
    waiting.isUsed = true;
    m_arguments.prefetch(waiting.fingerprint);
    return status;
}

Status LaunchWriter::store(Waiting& waiting) {
    waiting.isUsed = false;
    VRAMSCOPE_ASSIGN_OR_RETURN(waiting.event.argumentSetId,
                               m_arguments.intern(waiting.arguments, waiting.fingerprint));
    return m_events.add(waiting.event);
}

Status LaunchWriter::flush() {
    for (std::size_t i = 0; i < kWaiting; ++i) {
        Waiting& waiting = m_waiting[(m_next + i) % kWaiting];
        if (waiting.isUsed) VRAMSCOPE_RETURN_IF_ERROR(store(waiting));
    }
    VRAMSCOPE_RETURN_IF_ERROR(m_arguments.flush());
    return m_events.flush();
}

}  // namespace vramscope::formats
