// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/capture.h"
#include "formats/event_types.h"
#include "tests/support/capture_builder.h"

namespace vramscope::tests {

/// Writes captures of programs that use streams, call after call: each takes 5 ns and begins 10 ns after the
/// one before it, on the thread that is current. Process, context and thread 1 are the builder's.
class StreamProgram {
public:
    explicit StreamProgram(CaptureBuilder& builder);

    std::int64_t stream(bool isBlocking = false, std::int64_t process = 1);
    std::int64_t defaultStream(std::int64_t context = 1);
    std::int64_t event(bool isShared = false, std::int64_t process = 1);

    std::int64_t allocate(std::int64_t bytes = 4096, const std::string& kind = "device");
    std::int64_t allocateOn(std::int64_t stream, std::int64_t bytes = 4096);
    /// The current process opens another one's buffer or event by a handle.
    std::int64_t open(std::int64_t buffer);
    std::int64_t openEvent(std::int64_t event);
    void free(std::int64_t buffer);
    void freeOn(std::int64_t buffer, std::int64_t stream);
    /// It is there until its process is gone, which is now.
    void endWithProcess(std::int64_t buffer);

    /// Writes bytes of the buffer.
    void set(std::int64_t stream, std::int64_t buffer, std::int64_t offset = 0, std::int64_t bytes = 4096,
             bool isAsync = true);
    /// Copies them to pinned memory that nothing else uses.
    void read(std::int64_t stream, std::int64_t buffer, std::int64_t offset = 0, std::int64_t bytes = 4096);
    /// The same, with the event laid out as the test wants it.
    void copy(formats::CopyEvent event, const std::string& api);
    void launch(std::int64_t stream, const std::vector<std::int64_t>& buffers, std::int64_t offset = 0);
    void launchGraph(std::int64_t stream);

    void record(std::int64_t event, std::int64_t stream);
    void wait(std::int64_t event, std::int64_t stream);
    void waitForValue(std::int64_t stream, std::int64_t buffer, std::uint64_t value, std::uint32_t flags = 0);
    void writeValue(std::int64_t stream, std::int64_t buffer, std::uint64_t value);
    void sync(formats::SyncKind kind, std::int64_t stream, std::int64_t event = 0, std::uint32_t result = 0);

    /// Calls from now on are this thread's.
    void onThread(std::int64_t thread) { m_thread = thread; }
    void inProcess(std::int64_t process) { m_process = process; }
    /// The next call begins while the last one has not returned.
    void overlapNext() { m_nowNs -= 7; }
    /// The last call took until now.
    void lastCallTakesUntilNow();
    std::uint64_t addressOf(std::int64_t buffer) const;

    std::shared_ptr<const model::Capture> load();
    void writeTo(const std::filesystem::path& path);
    std::vector<model::OrderingConflict> conflicts() { return load()->ordering.conflicts; }

private:
    struct Row {
        std::string kind;
        std::uint64_t address;
        std::int64_t bytes, process, thread, allocNs;
        std::optional<std::int64_t> stream, freeNs, freeStream, freeThread;
        bool wasFreed = true;
    };
    template <typename Event>
    Event begin(std::int64_t stream);
    std::int64_t addBuffer(const std::string& kind, std::int64_t bytes, std::optional<std::int64_t> stream);
    void writeBuffers();
    void share(const std::string& kind, const std::string& column, std::int64_t given, std::int64_t opened);

    CaptureBuilder& m_builder;
    std::vector<Row> m_buffers;
    std::vector<std::string> m_shares;
    std::int64_t m_nowNs = 1000;
    std::int64_t m_thread = 1;
    std::int64_t m_process = 1;
    std::int64_t m_streams = 0;
    std::int64_t m_events = 0;
    std::uint64_t m_nextAddress = 0x7f0000000000;
    std::int64_t* m_lastExitNs = nullptr;
};

}  // namespace vramscope::tests
