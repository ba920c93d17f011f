// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/nvtx_records.h"

#include "collector/inject/clock.h"
#include "collector/inject/text_record.h"

namespace vramscope::collector::nvtx {

namespace {

bool record(formats::RecordType type, std::uint8_t detail, std::uint64_t handle, std::uint64_t extra,
            const char* first, const char* second) {
    ThreadState* thread = currentThread();
    if (thread == nullptr) {
        if (isRecording() && !t_thread.inside) countDrop(formats::DropReason::TooManyThreads);
        return false;
    }
    // A range that a signal handler opens in the middle of this is turned away: one reservation a thread.
    thread->inside = true;
    const std::uint64_t now = nowTicks();
    std::uint32_t textBytes = 0;
    formats::Record* made = reserveText(*thread, first, second, textBytes);
    if (made != nullptr) {
        made->header.type = static_cast<std::uint16_t>(type);
        made->header.detail = detail;
        made->header.enterTicks = made->header.exitTicks = now;
        made->text.handle = handle;
        made->text.extra = extra;
        made->text.textBytes = textBytes;
        publish(*thread, made->header.slotCount);
    }
    thread->inside = false;
    return made != nullptr;
}

}  // namespace

bool recordPhase(formats::PhaseKind kind, std::uint64_t handle, const Name* domain, const char* message,
                 std::uint64_t level) {
    return record(formats::RecordType::Phase, static_cast<std::uint8_t>(kind), handle, level,
                  domain != nullptr ? domain->text() : "", message);
}

void recordPhaseEnd(formats::PhaseKind kind, std::uint64_t handle, std::uint64_t level) {
    record(formats::RecordType::Phase, static_cast<std::uint8_t>(kind), handle, level, "", nullptr);
}

void recordName(formats::NamedKind kind, std::uint64_t handle, const char* name) {
    record(formats::RecordType::Name, static_cast<std::uint8_t>(kind), handle, 0, name, nullptr);
}

}  // namespace vramscope::collector::nvtx
