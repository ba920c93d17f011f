// SPDX-License-Identifier: Apache-2.0

// The library's third door: annotate.h and the Python module come through it, often before CUDA is used. Like
// NVTX's it starts nothing.

#include <vramscope/annotate.h>

#include "collector/inject/call_stack.h"
#include "collector/inject/clock.h"
#include "collector/inject/config.h"
#include "collector/inject/task_marks.h"
#include "collector/inject/text_record.h"
#include "collector/inject/watch.h"
#include "formats/record.h"

namespace vramscope::collector {

namespace {

using formats::OwnershipEvent;

static_assert(VRAMSCOPE_MARK_GIVE == static_cast<int>(OwnershipEvent::Give) &&
              VRAMSCOPE_MARK_LEND_END == static_cast<int>(OwnershipEvent::LendEnd) &&
              VRAMSCOPE_MARK_HEAP == static_cast<int>(OwnershipEvent::Heap) &&
              VRAMSCOPE_MARK_STEP == static_cast<int>(OwnershipEvent::Step) &&
              VRAMSCOPE_MARK_HEAP_FAILED == static_cast<int>(OwnershipEvent::HeapFailed));

void taskPush(const char* name) {
    tasks::push(name);
}

void taskPop() {
    tasks::pop();
}

void mark(std::uint32_t kind, const void* address, std::size_t bytes, const char* text) {
    if (kind >= static_cast<std::uint32_t>(OwnershipEvent::Count) || !isRecording()) return;
    ThreadState* thread = currentThread();
    if (thread == nullptr) {
        if (!t_thread.inside) countDrop(formats::DropReason::TooManyThreads);
        return;
    }
    thread->inside = true;
    const std::uint64_t now = nowTicks();
    const std::uint32_t stackId = captureStack(*thread);
    std::uint32_t textBytes = 0;
    if (formats::Record* made = reserveText(*thread, text != nullptr ? text : "", nullptr, textBytes)) {
        made->header.type = static_cast<std::uint16_t>(formats::RecordType::Ownership);
        made->header.detail = static_cast<std::uint8_t>(kind);
        made->header.enterTicks = made->header.exitTicks = now;
        made->header.stackId = stackId;
        made->text.handle = reinterpret_cast<std::uintptr_t>(address);
        made->text.extra = bytes;
        made->text.textBytes = textBytes;
        publish(*thread, made->header.slotCount);
    }
    if (watchIsOn())
        watchMarked(*thread, static_cast<OwnershipEvent>(kind), reinterpret_cast<std::uintptr_t>(address),
                    text);
    thread->inside = false;
}

void delegate(int isBegin, const char* threadNames) {
    tasks::delegate(isBegin != 0, threadNames);
}

constexpr vramscope_annotations kAnnotations{
    sizeof(vramscope_annotations), 1, taskPush, taskPop, mark, delegate};

}  // namespace

}  // namespace vramscope::collector

/// What annotate.h calls, null for a version that this library does not know and outside a recording.
extern "C" __attribute__((visibility("default"))) const vramscope_annotations* vramscopeAnnotations(
    std::uint32_t version) {
    using namespace vramscope::collector;
    if (version != 1 || readConfig().sessionDirectory[0] == '\0') return nullptr;
    return &kAnnotations;
}
