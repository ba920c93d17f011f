// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/task_marks.h"

#include "collector/inject/clock.h"
#include "collector/inject/nvtx_names.h"
#include "collector/inject/text_record.h"
#include "formats/record.h"

namespace vramscope::collector::tasks {

namespace {

using formats::TaskEvent;

// Small, because the room for thread-local storage of libraries that are loaded late is. Deeper levels are
// recorded like others, but a thread that starts to record inside them does not tell them.
constexpr std::uint32_t kRemembered = 6;
struct OpenTasks {
    const nvtx::Name* names[kRemembered];
    std::uint32_t depth;
};
constinit thread_local OpenTasks t_open{};

/// Tasks of no thread and loans of tasks to threads that are open: then a thread without a mark may work for
/// one of them.
constinit std::atomic<std::int64_t> g_openToAll{0};

void write(ThreadState& thread, TaskEvent event, std::uint64_t id, std::uint64_t level, const char* text) {
    // What a signal handler marks in the middle of this is turned away: one reservation a thread.
    const bool wasInside = thread.inside;
    thread.inside = true;
    std::uint32_t textBytes = 0;
    const std::uint64_t now = nowTicks();
    if (formats::Record* made = reserveText(thread, text, nullptr, textBytes)) {
        made->header.type = static_cast<std::uint16_t>(formats::RecordType::Task);
        made->header.detail = static_cast<std::uint8_t>(event);
        made->header.enterTicks = made->header.exitTicks = now;
        made->text.handle = id;
        made->text.extra = level;
        made->text.textBytes = textBytes;
        publish(thread, made->header.slotCount);
    }
    thread.inside = wasInside;
}

void record(TaskEvent event, std::uint64_t id, std::uint64_t level, const char* text) {
    if (!isRecording()) return;
    ThreadState* thread = currentThread();
    if (thread == nullptr) {
        if (!t_thread.inside) countDrop(formats::DropReason::TooManyThreads);
        return;
    }
    write(*thread, event, id, level, text);
}

// A thread's first event comes after what it had opened before.
void tellOpenTasks(ThreadState& thread) {
    const OpenTasks& open = t_open;
    for (std::uint32_t level = 0; level < open.depth && level < kRemembered; ++level)
        write(thread, TaskEvent::Push, 0, formats::packLevel(level), open.names[level]->text());
}

}  // namespace

int push(const char* name) {
    OpenTasks& open = t_open;
    const std::uint32_t level = open.depth;
    const char* text = name != nullptr ? name : "";
    g_onThreadStart.store(tellOpenTasks, std::memory_order_relaxed);
    // Before it counts as open: if this is the thread's first event, the task is told once and not twice.
    record(TaskEvent::Push, 0, formats::packLevel(level), text);
    if (level < kRemembered) open.names[level] = nvtx::internString(text);
    open.depth = level + 1;
    return static_cast<int>(level);
}

int pop() {
    OpenTasks& open = t_open;
    if (open.depth == 0) return -1;
    record(TaskEvent::Pop, 0, formats::packLevel(open.depth - 1), "");
    return static_cast<int>(--open.depth);
}

Key current(const ThreadState& thread) {
    const OpenTasks& open = t_open;
    if (open.depth > kRemembered) return kUnknown;
    if (open.depth > 0) return reinterpret_cast<Key>(open.names[open.depth - 1]);
    if (g_openToAll.load(std::memory_order_relaxed) > 0) return kUnknown;
    switch (g_collector.config.unmarkedWork) {
        case UnmarkedWork::Process:
            return kProcess;
        case UnmarkedWork::Thread:
            // Addresses of names are even.
            return Key{thread.lane->tid} << 1 | 1;
        case UnmarkedWork::Other:
            break;
    }
    return kUnknown;
}

Key keyOf(const char* name) {
    if (name == nullptr || name[0] == '\0') return kUnknown;
    return reinterpret_cast<Key>(nvtx::internString(name));
}

void start(std::uint64_t id, const char* name) {
    g_openToAll.fetch_add(1, std::memory_order_relaxed);
    record(TaskEvent::Start, id, 0, name != nullptr ? name : "");
}

void end(std::uint64_t id) {
    g_openToAll.fetch_sub(1, std::memory_order_relaxed);
    record(TaskEvent::End, id, 0, "");
}

void delegate(bool isBegin, const char* threadNames) {
    g_openToAll.fetch_add(isBegin ? 1 : -1, std::memory_order_relaxed);
    record(isBegin ? TaskEvent::DelegateBegin : TaskEvent::DelegateEnd, 0, 0,
           threadNames != nullptr ? threadNames : "");
}

}  // namespace vramscope::collector::tasks
