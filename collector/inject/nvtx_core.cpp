// SPDX-License-Identifier: Apache-2.0
// NVTX in the default domain, and names of threads.

#include "collector/inject/nvtx_functions.h"
#include "collector/inject/nvtx_ranges.h"

namespace vramscope::collector::nvtx {

namespace {

// One of each for char, wchar_t and EventAttributes: the A, W and Ex forms.
template <typename Text>
void markDefault(const Text* text) {
    mark(nullptr, text);
}

template <typename Text>
RangeId startDefault(const Text* text) {
    return start(nullptr, text);
}

template <typename Text>
int pushDefault(const Text* text) {
    return push(nullptr, text);
}

int popDefault() {
    return pop(nullptr);
}

template <typename Text>
void nameThread(std::uint32_t threadId, const Text* name) {
    if (isRecording()) recordName(formats::NamedKind::Thread, threadId, Message(name).text());
}

}  // namespace

void takeOverCore(FunctionTable table, unsigned count) {
    takeOver(table, count, Core::MarkEx, markDefault<EventAttributes>);
    takeOver(table, count, Core::MarkA, markDefault<char>);
    takeOver(table, count, Core::MarkW, markDefault<wchar_t>);
    takeOver(table, count, Core::RangeStartEx, startDefault<EventAttributes>);
    takeOver(table, count, Core::RangeStartA, startDefault<char>);
    takeOver(table, count, Core::RangeStartW, startDefault<wchar_t>);
    takeOver(table, count, Core::RangeEnd, end);
    takeOver(table, count, Core::RangePushEx, pushDefault<EventAttributes>);
    takeOver(table, count, Core::RangePushA, pushDefault<char>);
    takeOver(table, count, Core::RangePushW, pushDefault<wchar_t>);
    takeOver(table, count, Core::RangePop, popDefault);
    takeOver(table, count, Core::NameOsThreadA, nameThread<char>);
    takeOver(table, count, Core::NameOsThreadW, nameThread<wchar_t>);
}

}  // namespace vramscope::collector::nvtx
